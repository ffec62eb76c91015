"""Determinants and condition numbers from the factors, and norms."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _cholesky as cholesky
from . import _condition as condition
from . import _lu as lu
from . import _routines as lapack
from . import _symmetric as symmetric
from ._arrays import Array, AssumeSystem, Numbers, assumption, check_choice, element_type, matrix_argument
from ._device import beside, device_array, diagonal, host, raw
from ._errors import LinAlgError, place
from ._host_libraries import in_library_of_first
from ._stored import Stored, keep, store


class Slogdet(NamedTuple):
    """Sign and logarithm of the absolute value of determinants."""

    sign: Numbers
    logabsdet: Numbers


@in_library_of_first
def slogdet(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: AssumeSystem = "gen",
) -> Slogdet:
    """Returns sign and log|det a| of (..., n, n), as numpy.linalg.slogdet: sign 0 and -inf for a singular a.

    lower, assume_a: as for solve(); with 'pos' a matrix that is not positive definite raises LinAlgError. The matrices
    of a stack of 'sym' or 'her' are factored one after the other.

    >>> sign, logabsdet = startile.slogdet([[1.0, 2.0], [3.0, 4.0]])
    >>> print(sign, np.exp(logabsdet).round(12))
    -1.0 2.0
    """
    return _sign_and_logarithm(a, lower, overwrite_a, check_finite, assume_a)


def _sign_and_logarithm(
    a: ArrayLike, lower: bool, overwrite_a: bool, check_finite: bool, assume_a: AssumeSystem
) -> Slogdet:
    """Returns the results of slogdet(), of numpy unless a is on a GPU."""
    assume = assumption(assume_a)
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    if assume == "pos":
        cholesky.factor(stored, lower)
        values = diagonal(stored.data).real
        result = Slogdet(np.ones(stored.stack, stored.data.dtype)[()], (2 * np.log(values)).sum(axis=-1))
    elif assume in ("sym", "her"):
        result = Slogdet(*symmetric.sign_and_logarithm(stored, lower, assume == "her"))
    else:
        ipiv, _ = lapack.getrf(stored)
        result = _slogdet(diagonal(stored.data), ipiv)
    return Slogdet(*(beside(stored.data, value) for value in result))


def _is_odd(ipiv: Array) -> Array:
    """Whether the pivots, which are in main memory, exchange an odd number of rows."""
    return np.count_nonzero(ipiv != np.arange(1, ipiv.shape[-1] + 1), axis=-1) % 2 == 1


def _slogdet(values: Array, ipiv: Array) -> Slogdet:
    """Returns sign and logarithm for the diagonals of U and the pivots, which are in main memory."""
    magnitude = np.abs(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        signs = np.where(magnitude == 0, 0, values / magnitude).prod(axis=-1)
        logabsdet = np.log(magnitude).sum(axis=-1)
    return Slogdet(np.where(_is_odd(ipiv), -signs, signs)[()], logabsdet)


@in_library_of_first
def det(a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True) -> Numbers:
    """Returns the determinants of (..., n, n) by LU, as scipy.linalg.det, in the type of the elements.

    0 for a singular a. The product may overflow or underflow: slogdet() does not.

    >>> print(startile.det([[1.0, 2.0], [3.0, 4.0]]).round(12))
    -2.0
    """
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    ipiv, _ = lapack.getrf(stored)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = diagonal(stored.data).prod(axis=-1)
    return raw(beside(stored.data, np.where(_is_odd(ipiv), -product, product)[()]))


@in_library_of_first
def logdet(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: AssumeSystem = "gen",
) -> Numbers:
    """Returns log(det a) of (..., n, n): for a real a NaN where the determinant is negative, for a complex a the
    principal value. Arguments are those of slogdet().

    >>> print(np.exp(startile.logdet([[2.0, 0.0], [0.0, 4.0]])).round(12))
    8.0
    """
    results = _sign_and_logarithm(a, lower, overwrite_a, check_finite, assume_a)
    on_device = device_array(results.logabsdet)
    sign, logabsdet = (host(value) for value in (device_array(r) or r for r in results))
    if np.iscomplexobj(sign):
        result = logabsdet + 1j * np.angle(sign)
    else:
        result = np.where(sign < 0, np.nan, logabsdet)[()]
    return result if on_device is None else beside(on_device, result)


@in_library_of_first
def cond(
    a: ArrayLike,
    p: float = 1,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: AssumeSystem = "gen",
) -> Numbers:
    """Returns an estimate of the condition number ‖a‖·‖a⁻¹‖ in the 1-norm or, p = numpy.inf, the ∞-norm.

    a: (..., n, n). A stack gives an array with one number for each matrix; the matrices are factored one after the
    other. The estimate is LAPACK's (gecon, pocon, sycon): a lower bound, rarely more than a factor of 3 too small.
    inf for a singular a. assume_a, lower: as for solve().

    >>> startile.cond([[1.0, 0.0], [0.0, 4.0]])
    4.0
    """
    assume = assumption(assume_a)
    check_choice(p, "p", (1, np.inf))
    array = matrix_argument(a, "a", check_finite)
    if array.ndim == 2:
        return _cond(array, p, lower, overwrite_a, assume)
    values = np.empty(array.shape[:-2], np.float64)
    for index in np.ndindex(values.shape):
        try:
            values[index] = _cond(array[index], p, lower, overwrite_a, assume)
        except LinAlgError as error:
            raise LinAlgError(f"a{place(index)} {str(error).partition(' ')[2]}", error.pivot, index) from None
    return raw(beside(array, values))


def _kind(p: Any, stored: Stored) -> str:
    """Returns LAPACK's letter of the 1-norm or ∞-norm for the matrix as it is stored."""
    return "1" if (p == 1) != stored.flipped else "I"


def _cond(array: Any, p: float, lower: bool, overwrite_a: bool, assume: str) -> float:
    """Returns the estimate for one matrix."""
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    if assume == "pos":
        uplo = cholesky.triangle(stored, lower)
        anorm = condition.norm("1", stored, uplo)
        cholesky.factor(stored, lower)
        rcond = lapack.pocon(uplo, stored, anorm)
    elif assume in ("sym", "her"):
        rcond = symmetric.rcond(stored, lower, assume == "her")
    else:
        kind = _kind(p, stored)
        anorm = condition.norm(kind, stored)
        _, info = lapack.getrf(stored)
        rcond = 0 if info else lapack.gecon(kind, stored, anorm)
    return 1 / rcond if rcond > 0 else np.inf


@in_library_of_first
def norm(a: ArrayLike, ord: Optional[Union[Literal["fro"], float]] = None, check_finite: bool = True) -> Numbers:
    """Returns the Frobenius norm (None or 'fro'), the 1-norm (1) or the ∞-norm (numpy.inf) of a matrix.

    a: (..., m, n). A stack gives an array with one number for each matrix, as numpy.linalg.matrix_norm. The other
    orders of scipy.linalg.norm, and vectors, are not supported. 0 for an a without elements.

    >>> startile.norm([[3.0, 0.0], [0.0, -4.0]])
    5.0
    >>> startile.norm([[1.0, 2.0], [3.0, 4.0]], 1)
    6.0
    """
    check_choice(ord, "ord", (None, "fro", 1, np.inf))
    array = matrix_argument(a, "a", check_finite, square=False)
    if array.ndim == 2:
        return _norm(array, ord)
    values = np.empty(array.shape[:-2], np.float64)
    for index in np.ndindex(values.shape):
        values[index] = _norm(array[index], ord)
    return raw(beside(array, values))


def _norm(array: Any, ord: Any) -> float:
    """Returns the norm of one matrix."""
    stored = store(array, element_type(a=array), copy=False)
    if ord in (None, "fro"):
        return condition.norm("F", stored)
    return condition.norm(_kind(ord, stored), stored)
