"""Determinants and condition numbers from the factors."""

from __future__ import annotations

from typing import NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _cholesky as cholesky
from . import _descriptors as descriptors
from . import _lu as lu
from . import _routines as lapack
from ._arrays import Array, check_choice, element_type, matrix_argument
from ._stored import keep, store


class Slogdet(NamedTuple):
    """Sign and logarithm of the absolute value of determinants."""

    sign: Array
    logabsdet: Array


def slogdet(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Slogdet:
    """Returns sign and log|det a| of (..., n, n), as numpy.linalg.slogdet: sign 0 and -inf for a singular a.

    lower, assume_a: as for solve(); with 'pos' a matrix that is not positive definite raises LinAlgError.
    """
    check_choice(assume_a, "assume_a", ("gen", "pos"))
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    if assume_a == "pos":
        cholesky.factor(stored, lower)
        diagonal = np.diagonal(stored.data, axis1=-2, axis2=-1).real
        return Slogdet(np.ones(stored.stack, stored.data.dtype)[()], 2 * np.log(diagonal).sum(axis=-1))
    ipiv, _ = lapack.getrf(stored)
    diagonal = np.diagonal(stored.data, axis1=-2, axis2=-1)
    magnitude = np.abs(diagonal)
    with np.errstate(divide="ignore", invalid="ignore"):
        signs = np.where(magnitude == 0, 0, diagonal / magnitude).prod(axis=-1)
        logabsdet = np.log(magnitude).sum(axis=-1)
    exchanges = np.count_nonzero(ipiv != np.arange(1, ipiv.shape[-1] + 1), axis=-1)
    return Slogdet(np.where(exchanges % 2, -signs, signs)[()], logabsdet)


def logdet(
    a: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> Array:
    """Returns log(det a) of (..., n, n): for a real a NaN where the determinant is negative, for a complex a the
    principal value. Arguments are those of slogdet()."""
    sign, logabsdet = slogdet(a, lower, overwrite_a, check_finite, assume_a)
    if np.iscomplexobj(sign):
        return logabsdet + 1j * np.angle(sign)
    return np.where(sign < 0, np.nan, logabsdet)[()]


def cond(
    a: ArrayLike,
    p: Union[int, float] = 1,
    lower: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
) -> float:
    """Returns an estimate of the condition number ‖a‖·‖a⁻¹‖ of one matrix in the 1-norm or, p = numpy.inf, the ∞-norm.

    The estimate is LAPACK's (gecon, pocon): a lower bound, rarely more than a factor of 3 too small. inf for a singular
    a. assume_a, lower: as for solve().
    """
    check_choice(assume_a, "assume_a", ("gen", "pos"))
    check_choice(p, "p", (1, np.inf))
    array = matrix_argument(a, "a", check_finite)
    if array.ndim != 2:
        raise ValueError(f"a must be one matrix, but its shape is {array.shape}")
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    if assume_a == "pos":
        uplo = cholesky.triangle(stored, lower)
        anorm = descriptors.norm("1", stored, uplo)
        cholesky.factor(stored, lower)
        rcond = lapack.pocon(uplo, stored, anorm)
    else:
        norm = "1" if (p == 1) != stored.flipped else "I"
        anorm = descriptors.norm(norm, stored)
        _, info = lapack.getrf(stored)
        rcond = 0 if info else lapack.gecon(norm, stored, anorm)
    return 1 / rcond if rcond > 0 else np.inf
