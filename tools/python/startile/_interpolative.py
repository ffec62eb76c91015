"""Interpolative decomposition: a matrix by some of its columns."""

from __future__ import annotations

from typing import Any, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _condition as condition
from . import _routines as lapack
from ._arrays import Array, element_type, matrix_argument
from ._device import diagonal, raw, zeros_by_columns
from ._host_libraries import in_library_of_first
from ._stored import Stored, keep, store


def _coefficients(a: Stored, rank: int, k: int) -> Any:
    """Returns R11⁻¹·R12 of geqp3_rank(), for the first k columns: R11 has the order rank <= k, and the other rows are 0.

    R11 ends where R's diagonal has only rounding errors: coefficients by them would be arbitrarily large.
    """
    data = a.data
    values = np.abs(diagonal(data[:rank, :rank]))
    rank = int(min([rank, *np.flatnonzero(values <= condition.rank_limit(a) * values.max(initial=0))]))
    proj = zeros_by_columns((k, data.shape[1] - k), data.dtype, data)
    proj[:rank] = data[:rank, k:]
    if rank > 0 and proj.size > 0:
        lapack.trtrs("U", "N", "N", Stored(data[:rank, :rank], False, False), Stored(proj[:rank], False, False))
    return proj


@overload
def interp_decomp(
    a: ArrayLike, eps_or_k: int, *, overwrite_a: bool = False, check_finite: bool = True
) -> Tuple[np.ndarray, Array]: ...


@overload
def interp_decomp(
    a: ArrayLike, eps_or_k: float, *, overwrite_a: bool = False, check_finite: bool = True
) -> Tuple[int, np.ndarray, Array]: ...


@in_library_of_first
def interp_decomp(
    a: ArrayLike, eps_or_k: Union[int, float], *, overwrite_a: bool = False, check_finite: bool = True
) -> Tuple[Any, ...]:
    """Returns an interpolative decomposition of a, as scipy.linalg.interpolative.interp_decomp: k of its columns, of
    which the others are nearly combinations.

    a: (m, n). eps_or_k < 1: a tolerance eps >= 0, and the result is (k, idx, proj); otherwise the integer
    k <= min(m, n), and the result is (idx, proj). idx has the indices of all columns, those that are chosen first: it
    is a numpy array. proj is (k, n - k), with a[:, idx[k:]] nearly a[:, idx[:k]]·proj.
    The error is the norm that remains after k columns of the QR factorization with column pivoting a[:, idx] = Q·R:
    |a[:, idx] - a[:, idx[:k]]·[I proj]| = |R[k:, k:]|. k is the smallest number for which this Frobenius norm is at
    most eps times that of a, up to rounding. scipy bounds an estimate of the spectral norm, which is smaller by a factor
    between 1 and the square root of the rank, and so finds other k; both bounds are relative.
    Random sketches with a fixed seed choose the columns, panel by panel: the result is the same in every call.

    >>> k, idx, proj = startile.interp_decomp([[1.0, 2.0, 4.0], [2.0, 4.0, 8.0]], 1e-12)
    >>> k, idx.tolist(), proj.round(12).tolist()
    (1, [2, 1, 0], [[0.5, 0.25]])
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    if array.ndim > 2:
        raise ValueError("a must be one matrix, not a stack")
    largest = min(array.shape)
    by_tolerance = 0 <= eps_or_k < 1
    if not by_tolerance and not (1 <= eps_or_k <= largest and eps_or_k == int(eps_or_k)):
        raise ValueError(f"eps_or_k must be from 0 to 1, or an integer up to {largest}, not {eps_or_k!r}")
    stored = store(array, element_type(a=array), keep(array, overwrite_a), flip=False)
    if by_tolerance:
        jpvt, rank = lapack.geqp3_rank(stored, float(eps_or_k), largest)
        k = rank
    else:
        k = int(eps_or_k)
        jpvt, rank = lapack.geqp3_rank(stored, 0.0, k)
    factors = (jpvt - 1, raw(_coefficients(stored, rank, k)))
    return (k, *factors) if by_tolerance else factors
