"""LAPACK's routines for single matrices, stacks and files: one function per routine.

A matrix in memory is passed to the typed entry of startile_lapack.h, a stack to the entry of
startile_batch.h, and a matrix in a file, or for trsm, is wrapped in a descriptor. Arguments and results are LAPACK's:
pivots count from 1, and `info` has one integer per matrix.
"""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple

import numpy as np

from . import _descriptors as descriptors
from ._library import call
from ._stored import Stored


def _entry(routine: str, a: Stored, *arguments: Any) -> np.ndarray:
    """Calls the typed entry of a's type. Returns info."""
    return np.array(call(a.letter + routine, *arguments, real=a.real))


def _stack_entry(routine: str, a: Stored, *arguments: Any) -> np.ndarray:
    """Calls the entry for stacks with info. Returns the info of each matrix."""
    info = np.zeros(a.stack, np.int64)
    call(f"{a.letter}{routine}_batch_strided", *arguments, info, a.count)
    return info


def _matrices(a: Stored) -> Tuple[Any, ...]:
    """Returns the arguments for a: address, leading dimension and, for a stack, stride."""
    return (a.data, a.ld, a.stride) if a.stack else (a.data, a.ld)


def potrf(uplo: str, a: Stored) -> np.ndarray:
    """Factors a by Cholesky in place. Returns info."""
    n = a.shape[0]
    if descriptors.file_of(a):
        with descriptors.matrix(a, "potrf") as A:
            return np.array(call("potrf", uplo, A))
    if a.stack:
        return _stack_entry("potrf", a, uplo, n, *_matrices(a))
    return _entry("potrf", a, uplo, n, *_matrices(a))


def potri(uplo: str, a: Stored) -> np.ndarray:
    """Overwrites the factor of potrf() of one matrix by the triangle of the inverse. Returns info."""
    return _entry("potri", a, uplo, a.shape[0], *_matrices(a))


def pstrf(uplo: str, a: Stored, tol: float) -> Tuple[np.ndarray, int]:
    """Factors the matrix a by Cholesky with diagonal pivoting in place. Returns the rows, from 1, and the rank."""
    n = a.shape[0]
    piv, rank = np.empty(n, np.int64), ctypes.c_int64()
    _entry("pstrf", a, uplo, n, *_matrices(a), piv, ctypes.byref(rank), tol)
    return piv, rank.value


def potrs(uplo: str, a: Stored, b: Stored) -> None:
    """Overwrites b by the solution, with the factor of potrf()."""
    if descriptors.file_of(a):
        with descriptors.matrix(a, "potrf") as A, descriptors.right_sides(b, a, "potrf", True) as B:
            call("potrs", uplo, A, B)
        return
    arguments = (uplo, *b.shape, *_matrices(a), *_matrices(b))
    if a.stack:
        call(f"{a.letter}potrs_batch_strided", *arguments, a.count)
    else:
        _entry("potrs", a, *arguments)


class _Complex(ctypes.Structure):
    """startile_complex, and double complex of C."""

    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class _SingleComplex(ctypes.Structure):
    """float complex of C."""

    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


def trsm(uplo: str, trans: str, diag: str, a: Stored, b: Stored) -> None:
    """Overwrites b by the solution of op(a)·x = b, with the triangle uplo of a."""
    if a.stack:
        one = {"c": _SingleComplex(1), "z": _Complex(1)}.get(a.letter, 1.0)
        arguments = ("L", uplo, trans, diag, *b.shape, one, *_matrices(a), *_matrices(b), a.count)
        call(f"{a.letter}trsm_batch_strided", *arguments, real=a.real)
        return
    with descriptors.matrix(a, "potrf") as A, descriptors.right_sides(b, a, "potrf", True) as B:
        call("trsm", "L", uplo, trans, diag, _Complex(1), A, B)


def trtrs(uplo: str, trans: str, diag: str, a: Stored, b: Stored) -> None:
    """Overwrites the matrix b by the solution of op(a)·x = b, with the triangle uplo of the matrix a without zeros on
    its diagonal."""
    _entry("trtrs", a, uplo, trans, diag, *b.shape, *_matrices(a), *_matrices(b))


def pocon(uplo: str, a: Stored, anorm: float) -> float:
    """Returns the estimated reciprocal condition number in the 1-norm."""
    return _rcond("pocon", a, uplo, anorm)


def _rcond(routine: str, a: Stored, option: str, anorm: float) -> float:
    if descriptors.file_of(a):
        value = ctypes.c_double()
        with descriptors.matrix(a, "potrf" if routine == "pocon" else "getrf") as A:
            call(routine, option, A, ctypes.byref(ctypes.c_double(anorm)), ctypes.byref(value))
        return value.value
    rcond = a.real(0)
    _entry(routine, a, option, a.shape[0], *_matrices(a), anorm, ctypes.byref(rcond))
    return rcond.value


def sytrf(kind: str, uplo: str, a: Stored) -> Tuple[np.ndarray, np.ndarray]:
    """Factors the symmetric (kind 'sy') or Hermitian ('he') matrix a in place. Returns pivots and info."""
    n = a.shape[0]
    ipiv = np.empty(n, np.int64)
    return ipiv, _entry(kind + "trf", a, uplo, n, *_matrices(a), ipiv)


def sytrs(kind: str, uplo: str, a: Stored, ipiv: np.ndarray, b: Stored) -> None:
    """Overwrites the matrix b by the solution, with the factors of sytrf()."""
    _entry(kind + "trs", a, uplo, *b.shape, *_matrices(a), ipiv, *_matrices(b))


def sycon(kind: str, uplo: str, a: Stored, ipiv: np.ndarray, anorm: float) -> float:
    """Returns the estimated reciprocal condition number in the 1-norm, with the factors of sytrf()."""
    rcond = a.real(0)
    _entry(kind + "con", a, uplo, a.shape[0], *_matrices(a), ipiv, anorm, ctypes.byref(rcond))
    return rcond.value


def sytri(kind: str, uplo: str, a: Stored, ipiv: np.ndarray) -> np.ndarray:
    """Overwrites the triangle of the matrix with the factors of sytrf() by that of the inverse. Returns info."""
    return _entry(kind + "tri", a, uplo, a.shape[0], *_matrices(a), ipiv)


def sydet(kind: str, uplo: str, a: Stored, ipiv: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Returns sign and log|det a| with the factors of sytrf()."""
    sign = np.empty((), a.data.dtype)
    logabsdet = np.empty((), sign.real.dtype)
    _entry(kind + "det", a, uplo, a.shape[0], *_matrices(a), ipiv, sign, logabsdet)
    return sign, logabsdet


def heinertia(kind: str, uplo: str, a: Stored, ipiv: np.ndarray) -> np.ndarray:
    """Returns the numbers of positive, negative and zero eigenvalues with the factors of sytrf()."""
    numbers = np.zeros(3, np.int64)
    _entry(kind + "inertia", a, uplo, a.shape[0], *_matrices(a), ipiv, numbers)
    return numbers


def getrf(a: Stored) -> Tuple[np.ndarray, np.ndarray]:
    """Factors a by LU in place. Returns pivots and info."""
    m, n = a.shape
    ipiv = np.empty(a.stack + (min(m, n),), np.int64)
    if descriptors.file_of(a):
        with descriptors.matrix(a, "getrf") as A, descriptors.pivots(A) as P:
            info = call("getrf", A, P)
            call("pivots_to_lapack", P, ipiv)
            return ipiv, np.array(info)
    if a.stack:
        return ipiv, _stack_entry("getrf", a, m, n, *_matrices(a), ipiv, ipiv.shape[-1])
    return ipiv, _entry("getrf", a, m, n, *_matrices(a), ipiv)


def getrs(trans: str, a: Stored, ipiv: np.ndarray, b: Stored) -> None:
    """Overwrites b by the solution of op(a)·x = b, with the factors of getrf()."""
    if descriptors.file_of(a):
        with descriptors.matrix(a, "getrf") as A, descriptors.pivots(A) as P:
            call("pivots_from_lapack", P, ipiv)
            with descriptors.right_sides(b, a, "getrf", False) as B:
                call("getrs", trans, A, P, B)
        return
    if a.stack:
        arguments = (trans, *b.shape, *_matrices(a), ipiv, ipiv.shape[-1], *_matrices(b))
        call(f"{a.letter}getrs_batch_strided", *arguments, a.count)
    else:
        _entry("getrs", a, trans, *b.shape, *_matrices(a), ipiv, *_matrices(b))


def getri(a: Stored, ipiv: np.ndarray) -> np.ndarray:
    """Overwrites the factors of getrf() by the inverse. Returns info."""
    n = a.shape[0]
    if a.stack:
        return _stack_entry("getri", a, n, *_matrices(a), ipiv, n)
    return _entry("getri", a, n, *_matrices(a), ipiv)


def gecon(norm: str, a: Stored, anorm: float) -> float:
    """Returns the estimated reciprocal condition number in the norm '1' or 'I'."""
    return _rcond("gecon", a, norm, anorm)


def geqp3(a: Stored, seed: Optional[int] = None) -> Tuple[np.ndarray, np.ndarray]:
    """Factors a by QR with column pivoting in place; one matrix with a seed by random sketches.

    Returns tau and the columns, counted from 1.
    """
    m, n = a.shape
    tau, jpvt = np.empty(a.stack + (min(m, n),), a.data.dtype), np.zeros(a.stack + (n,), np.int64)
    if a.stack:
        call(f"{a.letter}geqp3_batch_strided", m, n, *_matrices(a), jpvt, n, tau, tau.shape[-1], a.count)
    elif seed is None:
        _entry("geqp3", a, m, n, *_matrices(a), jpvt, tau)
    else:
        _entry("geqp3_random", a, m, n, *_matrices(a), jpvt, tau, seed)
    return tau, jpvt


def geqp3_rank(a: Stored, tol: float, max_rank: int) -> Tuple[np.ndarray, int]:
    """Factors the leading columns of the matrix a by QR with column pivoting in place, until the norm of the rest is at
    most tol times that of a, or max_rank.

    Returns the columns, counted from 1, and the rank.
    """
    m, n = a.shape
    tau, jpvt, rank = np.empty(min(m, n), a.data.dtype), np.zeros(n, np.int64), ctypes.c_int64()
    _entry("geqp3_rank", a, m, n, *_matrices(a), jpvt, tau, tol, max_rank, ctypes.byref(rank))
    return jpvt, rank.value


def geqrf(a: Stored) -> np.ndarray:
    """Factors a by QR in place; if a is flipped, its transpose by LQ. Returns tau. A stack is not flipped."""
    m, n = a.shape
    tau = np.empty(a.stack + (min(m, n),), a.data.dtype)
    if a.stack:
        call(f"{a.letter}geqrf_batch_strided", m, n, *_matrices(a), tau, tau.shape[-1], a.count)
    else:
        _entry("gelqf" if a.flipped else "geqrf", a, m, n, *_matrices(a), tau)
    return tau


def orgqr(q: Stored, tau: np.ndarray) -> None:
    """Overwrites the reflectors of geqrf() by Q, of as many columns as q has; if q is flipped, of rows for LQ."""
    letters = ("un" if q.is_complex else "or") + ("glq" if q.flipped else "gqr")
    _entry(letters, q, *q.shape, len(tau), *_matrices(q), tau)


def ormqr(a: Stored, tau: np.ndarray, c: Stored) -> None:
    """Overwrites the stack c by Q·c, with the reflectors of geqrf() in the stack a."""
    routine = a.letter + ("unmqr" if a.is_complex else "ormqr")
    m, n = c.shape
    k = tau.shape[-1]
    call(f"{routine}_batch_strided", "L", "N", m, n, k, *_matrices(a), tau, k, *_matrices(c), a.count)


def gelsy(a: Stored, b: Stored, rcond: float) -> int:
    """Overwrites b by the least-squares solution of least norm for a of any rank.

    Returns the rank: the smallest one of a stack.
    """
    m, n = a.shape
    if a.stack:
        ranks = np.zeros(a.stack, np.int64)
        arguments = (m, n, b.shape[1], *_matrices(a), *_matrices(b), rcond, ranks, a.count)
        call(f"{a.letter}gelsy_batch_strided", *arguments, real=a.real)
        return int(ranks.min())
    jpvt, rank = np.zeros(n, np.int64), ctypes.c_int64()
    arguments = (m, n, b.shape[1], *_matrices(a), *_matrices(b), jpvt, rcond, ctypes.byref(rank))
    _entry("gelsy", a, *arguments)
    return rank.value


def gels(trans: str, a: Stored, b: Stored) -> np.ndarray:
    """Overwrites b by the least-squares solution for op(a). Returns info."""
    if descriptors.file_of(a):
        with descriptors.matrix(a, "gels") as A, descriptors.right_sides(b, a, "gels", False) as B:
            return np.array(call("gels", trans, A, B))
    arguments = (trans, *a.shape, b.shape[1], *_matrices(a), *_matrices(b))
    if a.stack:
        return _stack_entry("gels", a, *arguments)
    return _entry("gels", a, *arguments)
