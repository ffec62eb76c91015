"""LU factorization with partial pivoting, solves and inverses with its factors."""

from __future__ import annotations

from typing import Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _condition as condition
from . import _routines as lapack
from ._arrays import Array, as_array, check_choice, element_type, matrix_argument
from ._device import beside, host, raw
from ._errors import raise_pivot, warn
from ._host_libraries import in_library_of_first
from ._right_sides import RightSides
from ._stored import Stored, keep, store

SINGULAR = "is singular: U[{k}, {k}] is exactly zero"


def factor(a: Stored) -> np.ndarray:
    """Factors a in place and returns the pivots. Raises LinAlgError if a matrix is singular, and warns if it is so to
    working precision."""
    anorm = condition.norm_of_columns(a)
    ipiv, info = lapack.getrf(a)
    raise_pivot("a", SINGULAR, info)
    condition.warn_of_lu(a, anorm)
    return ipiv


def solve_factored(a: Stored, ipiv: np.ndarray, b: Stored, trans: str = "N") -> None:
    """Overwrites b by the solution for op(a), with the factors in a. LAPACK sees the transpose of a row-major a."""
    lapack.getrs({"N": "T", "T": "N"}[trans] if a.flipped else trans, a, ipiv, b)


def invert(a: Stored) -> None:
    """Overwrites a by its inverse. Raises and warns as factor()."""
    raise_pivot("a", SINGULAR, lapack.getri(a, factor(a)))


@in_library_of_first
def lu_factor(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Tuple[Array, Array]:
    """Returns the factors lu and the pivots piv for lu_solve(), as scipy.linalg.lu_factor.

    a: (..., m, n). A C-ordered a is copied to column-major storage, also with overwrite_a. Warns with LinAlgWarning
    if U has a zero on its diagonal. piv: (..., min(m, n)); row i was interchanged with row piv[i].

    >>> lu, piv = startile.lu_factor([[1.0, 2.0], [2.0, 8.0]])
    >>> lu.tolist(), piv.tolist()
    ([[2.0, 8.0], [0.5, -2.0]], [1, 1])
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    stored = store(array, element_type(a=array), keep(array, overwrite_a), flip=False)
    ipiv, info = lapack.getrf(stored)
    if info.any():
        k = int(info[info > 0].flat[0]) - 1
        warn(f"a {SINGULAR.format(k=k)}")
    return raw(stored.data), beside(stored.data, ipiv - 1)


@in_library_of_first
def lu_solve(
    lu_and_piv: Tuple[ArrayLike, ArrayLike],
    b: ArrayLike,
    trans: int = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solves a·x = b (trans = 0), aᵀ·x = b (1) or aᴴ·x = b (2) with the result of lu_factor().

    Arguments are those of scipy.linalg.lu_solve.
    b: (n,) or (..., n, k). The factors are copied only if they are not in column-major storage.

    >>> factors = startile.lu_factor([[1.0, 2.0], [2.0, 8.0]])
    >>> print(startile.lu_solve(factors, [3.0, 10.0]).round(12))
    [1. 1.]
    """
    check_choice(trans, "trans", (0, 1, 2))
    lu = matrix_argument(lu_and_piv[0], "lu", check_finite)
    piv = host(as_array(lu_and_piv[1], "piv"))
    n = lu.shape[-1]
    if piv.dtype.kind not in "iu":
        raise TypeError(f"piv must be integers, but its dtype is {piv.dtype}")
    if piv.shape != lu.shape[:-1]:
        raise ValueError(f"piv must have the shape {lu.shape[:-1]}, as lu requires, but its shape is {piv.shape}")
    if ((piv < np.arange(n)) | (piv >= n)).any():
        raise ValueError("piv[..., i] must be from i to n - 1")
    x = RightSides(b, lu, "lu", overwrite_b, check_finite)
    stored = store(lu, x.dtype, copy=False, flip=False, stack=x.matrices)
    ipiv = np.ascontiguousarray(np.broadcast_to(piv, x.matrices + (n,)) + 1, np.int64)
    solve_factored(stored, ipiv, x.stored, "NTC"[trans])
    return x.solution()
