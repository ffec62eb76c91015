"""Condition of a matrix, estimated from its factors, and warnings of an ill-conditioned one.

A matrix is singular to working precision if the estimate of 1 / (‖a‖·‖a⁻¹‖) in the 1-norm is below eps, as in
scipy.linalg.solve. For a stack, and where only the factors are known, the diagonal of the factor decides: its smallest
element is compared with n·eps times the largest.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from . import _descriptors as descriptors
from . import _routines as lapack
from ._arrays import clear_triangle
from ._device import copy_by_columns, diagonal
from ._errors import place, warn
from ._stored import Stored

# Largest number of elements of which numpy computes a norm, in less time than a descriptor takes.
_SMALL = 2**16

_NO_DIGITS = "the result may have no correct digit"


def norm(kind: str, a: Stored, uplo: str = "", hermitian: bool = True) -> float:
    """Returns the norm '1', 'I' or 'F' of one matrix, or '1' of the Hermitian or symmetric matrix with the triangle
    uplo."""
    if a.data.size == 0:
        return 0.0
    if not isinstance(a.data, np.ndarray) or a.data.size > _SMALL or kind == "F":
        return descriptors.norm(kind, a, uplo, hermitian)
    with np.errstate(over="ignore", invalid="ignore"):
        if not uplo:
            return float(np.abs(a.view).sum(axis=0 if kind == "1" else 1).max())
        half = np.abs(np.triu(a.view) if uplo == "U" else np.tril(a.view))
        return float((half.sum(axis=0) + half.sum(axis=1) - half.diagonal()).max())


def norm_of_columns(a: Stored, uplo: str = "") -> float:
    """Returns the 1-norm of a before it is factored, for the functions that warn; 0 for a stack."""
    return 0.0 if a.stack else norm("I" if a.flipped and not uplo else "1", a, uplo)


def _is_known(a: Stored, anorm: float) -> bool:
    """Whether a has elements, and its norm is finite. The result shows Inf and NaN."""
    return a.data.size > 0 and bool(np.isfinite(anorm))


def _warn_of_rcond(a: Stored, rcond: float) -> None:
    if rcond < np.finfo(a.data.dtype).eps:
        warn(f"a is singular to working precision (rcond {rcond:.3g}): {_NO_DIGITS}")


def warn_of_lu(a: Stored, anorm: float) -> None:
    """Warns if a, of which the factors of getrf() and norm_of_columns() are given, is singular to working precision."""
    if a.stack:
        warn_of_diagonal(a, "a")
    elif _is_known(a, anorm):
        _warn_of_rcond(a, lapack.gecon("I" if a.flipped else "1", a, anorm))


def warn_of_cholesky(uplo: str, a: Stored, anorm: float) -> None:
    """Warns as warn_of_lu(), with the factor of potrf()."""
    if a.stack:
        warn_of_diagonal(a, "a", power=2)
    elif _is_known(a, anorm):
        _warn_of_rcond(a, lapack.pocon(uplo, a, anorm))


def warn_of_symmetric(kind: str, uplo: str, a: Stored, ipiv: np.ndarray, anorm: float) -> None:
    """Warns as warn_of_lu(), with the factors and the pivots of sytrf() of one matrix."""
    if _is_known(a, anorm):
        _warn_of_rcond(a, lapack.sycon(kind, uplo, a, ipiv, anorm))


def warn_of_diagonal(a: Stored, name: str, power: int = 1) -> None:
    """Warns of the first matrix whose triangular factor in a has a diagonal as of a singular matrix.

    name: that of the argument. power: number of such factors in the matrix.
    """
    if a.data.size == 0:
        return
    values = np.abs(diagonal(a.data))
    limit = (a.shape[0] * np.finfo(values.dtype).eps) ** (1 / power)
    singular = values.min(axis=-1) < limit * values.max(axis=-1)
    if singular.any():
        index = np.argwhere(singular)[0]
        warn(f"{name}{place(index)} is singular to working precision, by the diagonal of its factor: {_NO_DIGITS}")


def _rcond_of_triangle(a: Stored) -> float:
    """Returns rcond of the triangle R or L that gels() leaves in one matrix. Changes a.

    gecon takes the factors L = I and U = R. Lᵀ has the condition of L in the other norm.
    """
    (m, n), k = a.shape, min(a.shape)
    r = a.view[:k, :k]
    if m < n:
        r = copy_by_columns(r.swapaxes(-1, -2), r.dtype)
    clear_triangle(r, lower=True)
    stored = Stored(r, False, a.in_place)
    anorm = norm("1", stored)
    return lapack.gecon("1", stored, anorm) if _is_known(stored, anorm) else 1.0


def has_full_rank(a: Stored, limit: float) -> bool:
    """Whether the triangle that gels() leaves in one matrix shows full rank: its diagonal and rcond. Changes a."""
    values = np.abs(diagonal(a.data))
    return not (values <= limit * values.max()).any() and _rcond_of_triangle(a) >= limit


def rank_limit(a: Stored, cond: Optional[float] = None) -> float:
    """Returns the bound of 1 / cond(a) for full rank: cond, or max(m, n)·eps if it is None or negative."""
    return max(a.shape) * float(np.finfo(a.data.dtype).eps) if cond is None or cond < 0 else cond


def rank_of_triangle(a: Stored, limit: float) -> int:
    """Returns the numerical rank of one matrix after gels(). Changes a, which has gels()' triangle.

    limit: that of rank_limit(). Warns if a does not have full rank to working precision: if rcond of the triangle is
    below the limit. The rank is then the number of diagonal elements above that bound, relative to the largest one; at
    least one is not counted.
    """
    k = min(a.shape)
    if a.data.size == 0:
        return k
    values = np.abs(diagonal(a.data))
    largest = values.max()
    rank = k - int(np.count_nonzero(values <= limit * largest))
    rcond = _rcond_of_triangle(a)
    if rcond < limit:
        rank = min(rank, k - 1)
    if rank < k and largest > 0:  # the solution for a = 0 is exact
        warn(
            f"a does not have full rank to working precision: rank {rank} of {k} (rcond {rcond:.3g}); {_NO_DIGITS}"
        )
    return rank


def warn_of_forward(forward: float) -> None:
    """Warns if the estimate of the relative error of x leaves no digit. NaN: there is no estimate."""
    if forward > 0.1:
        warn(f"a is too ill-conditioned for the solvers in mixed precision (forward error {forward:.3g}): {_NO_DIGITS}")
