"""Cholesky factorization and solves with its factor."""

from __future__ import annotations

from typing import Any, Literal, Optional, Tuple, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _condition as condition
from . import _routines as lapack
from ._arrays import Array, clear_triangle, element_type, matrix_argument
from ._device import conjugate, raw
from ._errors import raise_pivot
from ._host_libraries import in_library_of_first
from ._right_sides import RightSides
from ._stored import Stored, keep, store

NOT_DEFINITE = "is not positive definite: its leading minor of order {order} is not positive"


def triangle(a: Stored, lower: bool) -> str:
    """Returns LAPACK's uplo for the caller's triangle: the lower one of a row-major matrix is LAPACK's upper."""
    return "L" if lower != a.flipped else "U"


def factor(a: Stored, lower: bool, name: str = "a") -> None:
    """Factors a in place. Raises LinAlgError if a matrix is not positive definite."""
    raise_pivot(name, NOT_DEFINITE, lapack.potrf(triangle(a, lower), a))


def factor_with_warning(a: Stored, lower: bool) -> None:
    """Factors a in place as factor(), and warns if a matrix is singular to working precision."""
    uplo = triangle(a, lower)
    anorm = condition.norm_of_columns(a, uplo)
    factor(a, lower)
    condition.warn_of_cholesky(uplo, a, anorm)


def invert(a: Stored, lower: bool) -> None:
    """Overwrites the triangle `lower` of each matrix by that of its inverse. Raises and warns as
    factor_with_warning()."""
    factor_with_warning(a, lower)
    for i in np.ndindex(a.stack):
        lapack.potri(triangle(a, lower), Stored(a.data[i], a.flipped, a.in_place))


def solve_factored(a: Stored, lower: bool, b: Stored, transposed: bool = False) -> None:
    """Overwrites b by the solution, with the factor in a.

    LAPACK sees the conjugate of a row-major complex matrix: conj(A)·conj(x) = conj(b).
    """
    conjugated = a.is_complex and a.flipped != transposed
    if conjugated:
        conjugate(b.data)
    lapack.potrs(triangle(a, lower), a, b)
    if conjugated:
        conjugate(b.data)


def _factored(a: ArrayLike, lower: bool, overwrite_a: bool, check_finite: bool) -> Array:
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    factor(stored, lower)
    return stored.data


def _pivoted(
    a: ArrayLike, lower: bool, tol: Optional[float], overwrite_a: bool, check_finite: bool
) -> Tuple[Array, np.ndarray, int]:
    array = matrix_argument(a, "a", check_finite)
    if array.ndim > 2:
        raise ValueError("a must be one matrix with pivoting, not a stack")
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    piv, rank = lapack.pstrf(triangle(stored, lower), stored, -1.0 if tol is None else float(tol))
    stored.data[rank:, rank:] = 0
    return stored.data, piv - 1, rank


@overload
def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    pivoting: Literal[False] = False,
    tol: None = None,
) -> Array: ...


@overload
def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    pivoting: Literal[True],
    tol: Optional[float] = None,
) -> Tuple[Array, np.ndarray, int]: ...


@in_library_of_first
def cholesky(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    pivoting: bool = False,
    tol: Optional[float] = None,
) -> Any:
    """Returns the Cholesky factor of a Hermitian positive definite matrix, as scipy.linalg.cholesky.

    a: (..., n, n), with pivoting (n, n); only one triangle is read. lower: the result is L of a = L·Lᴴ, else U of
    a = Uᴴ·U. The other triangle of the result is 0.
    Raises LinAlgError if a is not positive definite.

    pivoting: a is positive semidefinite. Returns the factor of a[P][:, P], P and the rank. P has the indices of a's rows
    in the order in which they are factored: the next one has the largest diagonal element of what the earlier ones
    leave. It is a numpy array. The factorization ends where these elements are at most tol, or n·eps times the largest
    element of a's diagonal; their number so far is the rank, and the factor's other columns, or rows of U, are 0.
    Pivoting runs on CPU cores.

    >>> startile.cholesky([[4.0, 2.0], [2.0, 10.0]], lower=True).tolist()
    [[2.0, 0.0], [1.0, 3.0]]
    >>> factor, p, rank = startile.cholesky([[1.0, 2.0], [2.0, 4.0]], pivoting=True)
    >>> factor.tolist(), p.tolist(), rank
    ([[2.0, 1.0], [0.0, 0.0]], [1, 0], 1)
    """
    if tol is not None and not (pivoting and tol >= 0):
        raise ValueError(f"tol must be None, or with pivoting a number of at least 0, not {tol!r}")
    piv, rank = None, 0
    if pivoting:
        result, piv, rank = _pivoted(a, lower, tol, overwrite_a, check_finite)
    else:
        result = _factored(a, lower, overwrite_a, check_finite)
    clear_triangle(result, lower=not lower)
    return raw(result) if piv is None else (raw(result), piv, rank)


@in_library_of_first
def cho_factor(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Tuple[Array, bool]:
    """Returns the Cholesky factor for cho_solve() and `lower`, as scipy.linalg.cho_factor.

    The other triangle of the factor has a's elements.

    >>> c, lower = startile.cho_factor([[4.0, 2.0], [2.0, 10.0]], lower=True)
    >>> c.tolist()
    [[2.0, 2.0], [1.0, 3.0]]
    """
    return raw(_factored(a, lower, overwrite_a, check_finite)), lower


@in_library_of_first
def cho_solve(
    c_and_lower: Tuple[ArrayLike, bool], b: ArrayLike, overwrite_b: bool = False, check_finite: bool = True
) -> Array:
    """Solves a·x = b with the result of cho_factor(), or with (cholesky(a, lower), lower), as scipy.linalg.cho_solve.

    b: (n,) or (..., n, k). The factor is copied only if it is not contiguous.

    >>> factor = startile.cho_factor([[4.0, 2.0], [2.0, 10.0]])
    >>> print(startile.cho_solve(factor, [6.0, 12.0]).round(12))
    [1. 1.]
    """
    c, lower = c_and_lower
    factors = matrix_argument(c, "c", check_finite)
    x = RightSides(b, factors, "c", overwrite_b, check_finite)
    stored = store(factors, x.dtype, copy=False, stack=x.matrices)
    solve_factored(stored, lower, x.stored)
    return x.solution()
