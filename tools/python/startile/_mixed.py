"""Linear systems and least squares in mixed precision."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _cholesky as cholesky
from . import _condition as condition
from . import _descriptors as descriptors
from . import _lu as lu
from . import _qr as qr
from ._arrays import Array, AssumeA, check_choice, matrix_argument
from ._device import conjugate, copy_by_columns, zeros_by_columns
from ._errors import raise_pivot
from ._host_libraries import in_library_of_first
from ._library import call
from ._right_sides import RightSides
from ._stored import Stored, keep, store


class MixedSolution(NamedTuple):
    """A solution and how it was computed.

    x: the solution.
    iterations: number of steps of refinement and GMRES; below 0: x was computed in double precision.
    backward: largest backward error |b − a·x|ᵢ / (Σⱼ|aᵢⱼ|·‖x‖∞), at most twice too large. NaN if it was not computed.
    forward: estimate of the largest relative error of x. NaN if it was not computed.
    """

    x: Array
    iterations: int
    backward: float
    forward: float


class _Options(ctypes.Structure):
    """startile_mixed_options."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("products", ctypes.c_int),
        ("method", ctypes.c_int),
        ("tolerance", ctypes.c_double),
        ("max_iterations", ctypes.c_int),
        ("certificate", ctypes.c_int),
    ]


class _Result(ctypes.Structure):
    """startile_mixed_result."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("products", ctypes.c_int),
        ("method", ctypes.c_int),
        ("iterations", ctypes.c_int),
        ("backward", ctypes.c_double),
        ("componentwise", ctypes.c_double),
        ("forward", ctypes.c_double),
    ]


def _run(a: Stored, b: Stored, x: Stored, uplo: str, result: _Result) -> int:
    """Solves with descriptors. uplo: the triangle for Cholesky; empty for LU. Returns info."""
    routine = "posv_mixed" if uplo else "gesv_mixed"
    tail = (ctypes.byref(_Options(size=ctypes.sizeof(_Options), certificate=1)), ctypes.byref(result))
    with descriptors.matrix(a, routine) as A, descriptors.right_sides(b, a, routine, bool(uplo)) as B:
        with descriptors.right_sides(x, a, routine, bool(uplo)) as X:
            if uplo:
                return call(routine, uplo, A, B, X, *tail)
            with descriptors.pivots(A) as P:
                return call(routine, A, P, B, X, *tail)


@in_library_of_first
def solve_mixed(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: AssumeA = "gen",
) -> MixedSolution:
    """Solves a·x = b to double precision: factors in single precision and improves x; factors in double precision
    where that does not converge.

    a: (n, n) and b: (n,) or (..., n, k), of float64 or complex128. Other arguments are those of solve(). With 'gen' a
    C-ordered a is copied to column-major storage, also with overwrite_a.
    Raises LinAlgError as solve() does. Warns with LinAlgWarning if `forward` is above 0.1 or, after a factorization in
    double precision, as solve() does.

    >>> result = startile.solve_mixed([[4.0, 1.0], [1.0, 3.0]], [6.0, 7.0])
    >>> print(result.x.round(12), result.backward < 1e-15)
    [1. 2.] True
    """
    check_choice(assume_a, "assume_a", ("gen", "pos"))
    array = matrix_argument(a, "a", check_finite)
    if array.ndim != 2:
        raise ValueError(f"a must be one matrix, but its shape is {array.shape}")
    right = RightSides(b, array, "a", False, check_finite)
    if right.dtype.char not in "dD":
        raise TypeError(f"a must be float64 or complex128 for mixed precision, but its dtype is {array.dtype}")
    stored = store(array, right.dtype, keep(array, overwrite_a), flip=assume_a == "pos")
    # LAPACK sees the conjugate of a row-major complex matrix.
    conjugated = stored.is_complex and stored.flipped
    known = Stored(copy_by_columns(right.stored.data, right.dtype), False, False)
    if conjugated:
        conjugate(known.data)
    result = _Result(size=ctypes.sizeof(_Result), iterations=0, backward=np.nan, forward=np.nan)
    uplo = cholesky.triangle(stored, lower) if assume_a == "pos" else ""
    if known.data.size > 0:
        anorm = condition.norm_of_columns(stored, uplo)
        info = np.array(_run(stored, known, right.stored, uplo, result))
        raise_pivot("a", cholesky.NOT_DEFINITE if uplo else lu.SINGULAR, info)
        if result.iterations >= 0:
            condition.warn_of_forward(result.forward)
        elif uplo:
            condition.warn_of_cholesky(uplo, stored, anorm)
        else:
            condition.warn_of_lu(stored, anorm)
    if conjugated:
        conjugate(right.stored.data)
    return MixedSolution(right.solution(), result.iterations, result.backward, result.forward)


def _run_least_squares(a: Stored, b: Stored, x: Stored, result: _Result) -> int:
    """Solves with descriptors. Returns info."""
    with descriptors.matrix(a, "gels") as A, descriptors.right_sides(b, a, "gels", False) as B:
        with descriptors.right_sides(x, a, "gels", False) as X:
            return call("gels_mixed", A, B, X, None, ctypes.byref(result))


@in_library_of_first
def lstsq_mixed(a: ArrayLike, b: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> MixedSolution:
    """Returns the least-squares solution x of a·x = b to double precision: factors in single precision and refines x;
    factors in double precision where that does not converge.

    a: (m, n) with m >= n and of full rank; b: (m,) or (..., m, k), of float64 or complex128. A C-ordered a is copied to
    column-major storage, also with overwrite_a. iterations, backward and forward are those of
    startile_gels_mixed_async().
    Raises LinAlgError as lstsq() does. Warns with LinAlgWarning if `forward` is above 0.1 or, after a factorization in
    double precision, as lstsq() does.

    >>> print(startile.lstsq_mixed([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0]).x.round(12))
    [1. 2.]
    """
    array = matrix_argument(a, "a", check_finite, square=False)
    if array.ndim != 2 or array.shape[0] < array.shape[1]:
        raise ValueError(f"a must be one matrix with as many rows as columns or more, but its shape is {array.shape}")
    right = RightSides(b, array, "a", False, check_finite)
    if right.dtype.char not in "dD":
        raise TypeError(f"a must be float64 or complex128 for mixed precision, but its dtype is {array.dtype}")
    stored = store(array, right.dtype, keep(array, overwrite_a), flip=False)
    n, known = array.shape[1], right.stored
    x = Stored(zeros_by_columns((n, known.shape[1]), right.dtype, known.data), False, False)
    result = _Result(size=ctypes.sizeof(_Result), iterations=0, backward=np.nan, forward=np.nan)
    if x.data.size > 0:
        raise_pivot("a", qr.DEFICIENT, np.array(_run_least_squares(stored, known, x, result)))
        if result.iterations >= 0:
            condition.warn_of_forward(result.forward)
        else:
            condition.rank_of_triangle(stored, condition.rank_limit(stored))
    return MixedSolution(right.in_form_of_b(x.data), result.iterations, result.backward, result.forward)
