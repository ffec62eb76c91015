"""LDL factorization of symmetric and Hermitian indefinite matrices, and solves with its factors."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Tuple

import numpy as np
from numpy.typing import ArrayLike

from . import _condition as condition
from . import _routines as lapack
from ._arrays import Array, Numbers, element_type, matrix_argument
from ._cholesky import triangle
from ._device import beside, conjugate, host
from ._errors import raise_pivot
from ._host_libraries import in_library_of_first
from ._stored import Stored, keep, store

SINGULAR = "is singular: D[{k}, {k}] is exactly zero"


def _kind(a: Stored, hermitian: bool) -> str:
    """Returns the first two letters of LAPACK's routines."""
    return "he" if hermitian and a.is_complex else "sy"


def _matrices(a: Stored) -> Iterator[Tuple[Tuple[int, ...], Stored]]:
    """Yields the matrices of a stack with their indices."""
    for i in np.ndindex(a.stack):
        yield i, Stored(a.data[i], a.flipped, a.in_place)


def _norm(kind: str, uplo: str, a: Stored) -> float:
    """Returns the 1-norm of the matrix a before it is factored."""
    return condition.norm("1", a, uplo, hermitian=kind == "he" or not a.is_complex)


def _solve_one(kind: str, uplo: str, a: Stored, b: Stored) -> int:
    """Overwrites the matrix a by its factors and b by the solution. Returns info; b does not change if it is not 0."""
    anorm = _norm(kind, uplo, a)
    ipiv, info = lapack.sytrf(kind, uplo, a)
    if info == 0:
        condition.warn_of_symmetric(kind, uplo, a, ipiv, anorm)
        lapack.sytrs(kind, uplo, a, ipiv, b)
    return int(info)


def solve_in_place(a: Stored, lower: bool, hermitian: bool, b: Stored, transposed: bool) -> None:
    """Overwrites b by the solution, the matrices of a stack one after the other, and a by its factors.

    Raises LinAlgError if a matrix is singular. LAPACK sees the conjugate of a row-major Hermitian matrix:
    conj(A)·conj(x) = conj(b).
    """
    kind, uplo = _kind(a, hermitian), triangle(a, lower)
    conjugated = kind == "he" and a.flipped != transposed
    if conjugated:
        conjugate(b.data)
    infos = np.zeros(a.stack, np.int64)
    for (i, matrix), (_, right_sides) in zip(_matrices(a), _matrices(b)):
        infos[i] = _solve_one(kind, uplo, matrix, right_sides)
    raise_pivot("a", SINGULAR, infos)
    if conjugated:
        conjugate(b.data)


def invert(a: Stored, lower: bool, hermitian: bool) -> None:
    """Overwrites the triangle `lower` of each matrix by that of its inverse. Raises and warns as solve_in_place()."""
    kind, uplo = _kind(a, hermitian), triangle(a, lower)
    infos = np.zeros(a.stack, np.int64)
    for i, matrix in _matrices(a):
        anorm = _norm(kind, uplo, matrix)
        ipiv, infos[i] = lapack.sytrf(kind, uplo, matrix)
        if infos[i] == 0:
            condition.warn_of_symmetric(kind, uplo, matrix, ipiv, anorm)
            lapack.sytri(kind, uplo, matrix, ipiv)
    raise_pivot("a", SINGULAR, infos)


def sign_and_logarithm(a: Stored, lower: bool, hermitian: bool) -> Tuple[np.ndarray, np.ndarray]:
    """Returns sign and log|det a| of each matrix, which is overwritten by its factors."""
    kind, uplo = _kind(a, hermitian), triangle(a, lower)
    signs = np.empty(a.stack, a.data.dtype)
    logarithms = np.empty(a.stack, signs.real.dtype)
    for i, matrix in _matrices(a):
        ipiv, _ = lapack.sytrf(kind, uplo, matrix)
        signs[i], logarithms[i] = lapack.sydet(kind, uplo, matrix, ipiv)
    return signs[()], logarithms[()]


def rcond(a: Stored, lower: bool, hermitian: bool) -> float:
    """Returns the estimate of 1 / cond(a) in the 1-norm for one matrix, which is overwritten by its factors."""
    kind, uplo = _kind(a, hermitian), triangle(a, lower)
    anorm = _norm(kind, uplo, a)
    ipiv, info = lapack.sytrf(kind, uplo, a)
    return 0 if info else lapack.sycon(kind, uplo, a, ipiv, anorm)


def _blocks(ipiv: np.ndarray, lower: bool) -> Iterator[Tuple[int, int, int, int]]:
    """Yields the blocks of D in the order of the factorization: their first row, their end, and the two rows that were
    interchanged."""
    n, step = len(ipiv), 1 if lower else -1
    k = 0 if lower else n - 1
    while 0 <= k < n:
        order = 1 if ipiv[k] > 0 else 2
        last = k + step * (order - 1)
        yield min(k, last), max(k, last) + 1, last, abs(int(ipiv[k])) - 1
        k = last + step


def _outer_factor(factors: np.ndarray, ipiv: np.ndarray, lower: bool) -> Tuple[np.ndarray, np.ndarray]:
    """Returns P₁·L₁·P₂·L₂·… of startile_sytrf_async(), or the product for U, and the rows that make it triangular."""
    n = len(ipiv)
    lu, perm = np.zeros_like(factors, order="F"), np.arange(n)
    for first, end, i, j in _blocks(ipiv, lower):
        # row k of the columns of this block is row perm[k] of the product
        perm[[i, j]] = perm[[j, i]]
        others = slice(end, n) if lower else slice(0, first)
        lu[perm[others], first:end] = factors[others, first:end]
        lu[perm[first:end], np.arange(first, end)] = 1
    return lu, perm


def _block_diagonal(factors: np.ndarray, ipiv: np.ndarray, lower: bool, hermitian: bool) -> np.ndarray:
    d = np.diag(np.diagonal(factors))
    for first, end, _, _ in _blocks(ipiv, lower):
        if end - first == 2:
            i, j = (end - 1, first) if lower else (first, end - 1)
            d[i, j] = factors[i, j]
            d[j, i] = factors[i, j].conj() if hermitian else factors[i, j]
    return d


@in_library_of_first
def ldl(
    a: ArrayLike, lower: bool = True, hermitian: bool = True, overwrite_a: bool = False, check_finite: bool = True
) -> Tuple[Array, Array, np.ndarray]:
    """Returns the factors (lu, d, perm) of a = lu·d·luᴴ, as scipy.linalg.ldl.

    a: (n, n), Hermitian, or symmetric with hermitian=False; only the triangle `lower` is read. lower: lu[perm] is lower
    triangular, else upper triangular; its diagonal is 1. d: Hermitian, or symmetric, with diagonal blocks of order 1
    and 2. a = lu·d·luᵀ with hermitian=False. perm is a numpy array. The pivots are those of Bunch and Kaufman. A
    singular a has factors. A C-ordered a is copied to column-major storage, also with overwrite_a. The imaginary parts
    of a Hermitian matrix's diagonal are ignored. The factorization runs on a GPU if the triangle fits its memory,
    else on CPU cores.

    >>> lu, d, perm = startile.ldl([[0.0, 2.0, 4.0], [2.0, 0.0, 2.0], [4.0, 2.0, 0.0]])
    >>> print((lu @ d @ lu.T).round(12).tolist(), perm.tolist())
    [[0.0, 2.0, 4.0], [2.0, 0.0, 2.0], [4.0, 2.0, 0.0]] [0, 2, 1]
    """
    array = matrix_argument(a, "a", check_finite)
    if array.ndim > 2:
        raise ValueError("a must be one matrix, not a stack")
    stored = store(array, element_type(a=array), keep(array, overwrite_a), flip=False)
    ipiv, _ = lapack.sytrf(_kind(stored, hermitian), triangle(stored, lower), stored)
    factors = host(stored.data)
    lu, perm = _outer_factor(factors, ipiv, lower)
    d = _block_diagonal(factors, ipiv, lower, hermitian)
    return beside(stored.data, lu), beside(stored.data, d), perm


class Inertia(NamedTuple):
    """Numbers of positive, negative and zero eigenvalues."""

    positive: Numbers
    negative: Numbers
    zero: Numbers


@in_library_of_first
def inertia(a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Inertia:
    """Returns the numbers of positive, negative and zero eigenvalues of a Hermitian a, without the eigenvalues.

    a: (..., n, n); only the triangle `lower` is read. A stack gives arrays with one number for each matrix. The numbers
    are those of D in a = L·D·Lᴴ, by Sylvester's law of inertia. They are exact for a matrix within the backward error
    of ldl(): an eigenvalue that is 0 up to rounding may count as positive or negative.

    >>> startile.inertia([[0.0, 2.0], [2.0, 0.0]])
    Inertia(positive=1, negative=1, zero=0)
    """
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    kind, uplo = _kind(stored, True), triangle(stored, lower)
    numbers = np.empty((3,) + stored.stack, np.int64)
    for i, matrix in _matrices(stored):
        ipiv, _ = lapack.sytrf(kind, uplo, matrix)
        numbers[(slice(None),) + i] = lapack.heinertia(kind, uplo, matrix, ipiv)
    if not stored.stack:
        return Inertia(*numbers.tolist())
    return Inertia(*(beside(stored.data, number) for number in numbers))
