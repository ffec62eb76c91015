"""QR factorization and least squares."""

from __future__ import annotations

from typing import Any, Literal, Optional, Tuple, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _condition as condition
from . import _descriptors as descriptors
from . import _routines as lapack
from ._arrays import Array, Numbers, check_choice, clear_triangle, element_type, matrix_argument
from ._device import beside, conjugate, copy, diagonal, raw, squared_sums, zeros, zeros_by_columns
from ._errors import raise_pivot
from ._host_libraries import in_library_of_first
from ._right_sides import RightSides
from ._stored import Stored, keep, store

DEFICIENT = "does not have full rank: R[{k}, {k}] is exactly zero"


def _identity(shape: Tuple[int, ...], dtype: "np.dtype[Any]", like: Any) -> Stored:
    """Returns (a stack of) matrices with ones on the diagonal and zeros elsewhere, beside `like`."""
    data = zeros_by_columns(shape, dtype, like)
    diagonal = beside(like, np.arange(min(shape[-2:])))
    data[..., diagonal, diagonal] = 1
    return Stored(data, False, False)


def _q_of_stack(a: Stored, tau: Array, columns: int) -> Any:
    """Returns the first columns of each Q of a stack: Q times columns of the identity."""
    q = _identity(a.stack + (a.shape[0], columns), tau.dtype, a.data)
    lapack.ormqr(a, tau, q)
    return q.data


def _q(a: Stored, tau: Array, columns: int) -> Any:
    """Returns the first columns of Q, in a's storage where they fit; a is overwritten."""
    if a.stack:
        return _q_of_stack(a, tau, columns)
    m, k = a.data.shape[0], len(tau)
    data = a.data[:, :k]
    if columns > k:
        data = (zeros if a.flipped else zeros_by_columns)((m, columns), tau.dtype, a.data)
        data[:, :k] = a.data[:, :k]
    lapack.orgqr(Stored(data, a.flipped, False), tau)
    return data


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["full", "economic"] = "full",
    pivoting: Literal[False] = False,
    check_finite: bool = True,
) -> Tuple[Array, Array]: ...


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["r"],
    pivoting: Literal[False] = False,
    check_finite: bool = True,
) -> Tuple[Array]: ...


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["full", "economic"] = "full",
    pivoting: Literal[True, "random"],
    seed: Optional[int] = None,
    check_finite: bool = True,
) -> Tuple[Array, Array, np.ndarray]: ...


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["r"],
    pivoting: Literal[True, "random"],
    seed: Optional[int] = None,
    check_finite: bool = True,
) -> Tuple[Array, np.ndarray]: ...


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["raw"],
    pivoting: Literal[False] = False,
    check_finite: bool = True,
) -> Tuple[Tuple[Array, Array], Array]: ...


@overload
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["raw"],
    pivoting: Literal[True, "random"],
    seed: Optional[int] = None,
    check_finite: bool = True,
) -> Tuple[Tuple[Array, Array], Array, np.ndarray]: ...


@in_library_of_first
def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    *,
    mode: Literal["full", "economic", "r", "raw"] = "full",
    pivoting: Union[bool, Literal["random"]] = False,
    seed: Optional[int] = None,
    check_finite: bool = True,
) -> Tuple[Any, ...]:
    """Returns Q and R of a = Q·R, or with pivoting Q, R and P of a[:, P] = Q·R, as scipy.linalg.qr.

    a: (..., m, n), with pivoting='random' (m, n). mode: 'full', Q is (m, m) and R is (m, n); 'economic', the reduced
    form, Q is (m, k) and R is (k, n) with k = min(m, n); 'r', without Q: a tuple of R, and P with pivoting; 'raw', for
    routines of LAPACK: (qr, tau) in place of Q, of geqrf or geqp3, where qr is (m, n), F-ordered, and R is (k, n).
    P has the indices of a's columns in the order in which they are factored: the next one has the largest norm of what
    the earlier ones leave. It is a numpy array. With pivoting='random' random sketches choose the columns, for whole
    panels at a time: several times as fast, nearly as good in showing small singular values of a, and the same result
    for the same seed, 0 <= seed < 2**64; 0 if it is None.
    A C-ordered stack is copied to column-major storage, and so is a C-ordered matrix with pivoting or mode 'raw'.

    >>> q, r = startile.qr([[3.0, 1.0], [4.0, 2.0]])
    >>> print(abs(r[0, 0]).round(12), np.allclose(q @ r, [[3.0, 1.0], [4.0, 2.0]]))
    5.0 True
    >>> print(startile.qr([[1.0, 3.0], [2.0, 4.0]], mode="r", pivoting=True)[1])
    [1 0]
    """
    check_choice(mode, "mode", ("full", "economic", "r", "raw"))
    if isinstance(pivoting, str):
        check_choice(pivoting, "pivoting", (False, True, "random"))
        if seed is not None and not 0 <= seed < 2**64:
            raise ValueError(f"seed must be from 0 to 2**64 - 1, not {seed}")
    elif seed is not None:
        raise ValueError("seed needs pivoting='random'")
    array = matrix_argument(a, "a", check_finite, square=False)
    if pivoting == "random" and array.ndim > 2:
        raise ValueError("a must be one matrix with pivoting='random', not a stack")
    flip = array.ndim == 2 and not pivoting and mode != "raw"
    stored = store(array, element_type(a=array), keep(array, overwrite_a), flip=flip)
    m, n = array.shape[-2:]
    if pivoting:
        tau, jpvt = lapack.geqp3(stored, (seed or 0) if pivoting == "random" else None)
    else:
        tau, jpvt = lapack.geqrf(stored), None
    rows = m if mode in ("full", "r") else min(m, n)
    r = stored.data if mode == "r" else copy(stored.data[..., :rows, :])
    clear_triangle(r, lower=True)
    factors: Tuple[Any, ...] = (raw(r),)
    if mode == "raw":
        factors = ((raw(stored.data), raw(beside(stored.data, tau))), raw(r))
    elif mode != "r":
        factors = (raw(_q(stored, tau, rows)), raw(r))
    return factors if jpvt is None else (*factors, jpvt - 1)


def _lstsq_of_matrix(array: Any, stored: Stored, x: RightSides, overwrite_a: bool, limit: float) -> Tuple[int, bool]:
    """Solves the least-squares problem of one matrix, in x. Returns the rank, and whether x has the residuals."""
    m, n = array.shape
    finds_rank = descriptors.file_of(stored) is None
    if finds_rank and stored.in_place:
        stored = store(array, x.dtype, copy=True)
    sides: Any = copy(x.stored.data) if finds_rank else None
    conjugated = stored.flipped and stored.is_complex  # LAPACK then solves with conj(a)
    if conjugated:
        conjugate(x.stored.data)
    trans = "N" if not stored.flipped else "C" if stored.is_complex else "T"
    info = lapack.gels(trans, stored, x.stored)
    if not finds_rank:
        raise_pivot("a", DEFICIENT, info)
    if conjugated:
        conjugate(x.stored.data)
    rank = min(m, n)
    factors = x.stored.data.size > 0  # without right-hand sides, or elements, nothing is factored
    if factors and not finds_rank:
        rank = condition.rank_of_triangle(stored, limit)
    elif factors and stored.data.size > 0 and (info > 0 or not condition.has_full_rank(stored, limit)):
        again = store(array, x.dtype, keep(array, overwrite_a), flip=False)
        rank = lapack.gelsy(again, Stored(sides, False, False), limit)
        x.stored.data[...] = sides
    return rank, rank == n or not finds_rank


@in_library_of_first
def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: Optional[float] = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Tuple[Array, Numbers, int, None]:
    """Returns the least-squares solution x of a·x = b; of several solutions that of least norm.

    a: (..., m, n). b: (m,) or (..., m, k). The result is that of scipy.linalg.lstsq: x, the sums of squared residuals
    of each column (empty if m <= n or the rank is below n), the rank, and None in place of singular values. cond: bound
    of 1 / cond(a) for full rank, max(m, n)·eps if it is None or negative. One matrix is factored by QR; if the estimate
    of 1 / cond(R) is below the bound, a is factored again with column pivoting, and the rank is the largest
    order of a leading triangle of R with an estimate of at least the bound. A stack is factored with column pivoting,
    and the rank is the smallest one of its matrices. A C-ordered stack is copied to column-major storage.
    Matrices in files are not factored again: LinAlgError if R has an exact zero on its diagonal; LinAlgWarning if R
    shows that a does not have full rank. x is then not the solution of least norm, and may have no correct digit; the
    rank is the number of elements of R's diagonal above the bound times the largest one, at most min(m, n) - 1.

    >>> x, residues, rank, _ = startile.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
    >>> print(x.round(12), rank)
    [1. 2.] 2
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    m, n = array.shape[-2:]
    x = RightSides(b, array, "a", overwrite_b, check_finite, columns=n)
    stored = store(array, x.dtype, keep(array, overwrite_a), flip=not x.matrices, stack=x.matrices)
    limit = condition.rank_limit(stored, cond)
    if not stored.stack:
        rank, has_residuals = _lstsq_of_matrix(array, stored, x, overwrite_a, limit)
    else:
        rank = lapack.gelsy(stored, x.stored, limit) if x.stored.data.size > 0 else min(m, n)
        has_residuals = rank == n
    if m > n and has_residuals:
        residues = squared_sums(x.remainder(n), -1 if x.is_vector else -2)
    else:
        residues = raw(zeros((0,), x.dtype, x.stored.data))
    return x.solution(n), residues, rank, None


def _pseudoinverse(a: Any, dtype: "np.dtype[Any]", rcond: Optional[float]) -> Any:
    """Returns the pseudoinverse of one matrix: the solution X of least norm of a·X = I, where a is not tall."""
    m, n = a.shape
    if m > n:
        return _pseudoinverse(a.swapaxes(0, 1), dtype, rcond).swapaxes(0, 1)
    stored, x = store(a, dtype, copy=True, flip=False), _identity((n, m), dtype, a)
    if m == 0:
        return x.data
    limit = condition.rank_limit(stored, rcond)
    if lapack.gels("N", stored, x) > 0 or not condition.has_full_rank(stored, limit):
        stored, x = store(a, dtype, copy=True, flip=False), _identity((n, m), dtype, a)
        lapack.gelsy(stored, x, limit)
    return x.data


@in_library_of_first
def pinv(a: ArrayLike, rcond: Optional[float] = None, *, check_finite: bool = True) -> Array:
    """Returns the pseudoinverse of a, or of each matrix of a stack, as numpy.linalg.pinv.

    a: (..., m, n). The result is (..., n, m). rcond: bound of 1 / cond(a) for full rank, max(m, n)·eps if it is None or
    negative.
    Each matrix is factored by QR; if the estimate of 1 / cond(R) is below the bound, it is factored again with column
    pivoting. The rank is then the largest order of a leading triangle of R with an estimate of at least the bound, and
    the rows of R below it count as 0. numpy.linalg.pinv sets small singular values to 0 instead: where a has some near
    the bound, the results differ.

    >>> startile.pinv([[0.0, 2.0], [0.0, 0.0]]).tolist()
    [[0.0, 0.0], [0.5, 0.0]]
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    dtype = element_type(a=array)
    if array.ndim == 2:
        return raw(_pseudoinverse(array, dtype, rcond))
    result = zeros(array.shape[:-2] + array.shape[:-3:-1], dtype, array)
    for index in np.ndindex(array.shape[:-2]):
        result[index] = _pseudoinverse(array[index], dtype, rcond)
    return raw(result)


@in_library_of_first
def matrix_rank(a: ArrayLike, tol: Optional[float] = None, *, check_finite: bool = True) -> Union[int, np.ndarray]:
    """Returns the rank of a, or of each matrix of a stack, by QR with column pivoting.

    a: (..., m, n). The rank is the number of elements of R's diagonal above tol; None: the largest one times
    max(m, n)·eps. numpy.linalg.matrix_rank compares singular values instead.

    >>> startile.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
    1
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    stored = store(array, element_type(a=array), True, flip=False)
    ranks = np.zeros(array.shape[:-2], np.int64)
    if stored.data.size > 0:
        lapack.geqp3(stored)
        values = np.abs(diagonal(stored.data))
        limit = condition.rank_limit(stored) * values[..., :1] if tol is None else tol
        ranks = np.count_nonzero(values > limit, axis=-1)
    return ranks if array.ndim > 2 else int(ranks)
