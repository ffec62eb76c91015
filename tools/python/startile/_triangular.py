"""Triangular systems."""

from __future__ import annotations

from typing import Literal, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _cholesky as cholesky
from . import _routines as lapack
from ._arrays import Array, check_choice, matrix_argument
from ._device import conjugate, diagonal
from ._errors import raise_pivot
from ._host_libraries import in_library_of_first
from ._right_sides import RightSides
from ._stored import Stored, store

SINGULAR = "is singular: a[{k}, {k}] is exactly zero"


def _raise_zero(a: Stored) -> None:
    """Raises LinAlgError if a diagonal has a zero."""
    zeros = diagonal(a.data) == 0
    raise_pivot("a", SINGULAR, np.asarray(np.where(zeros.any(axis=-1), zeros.argmax(axis=-1) + 1, 0)))


@in_library_of_first
def solve_triangular(
    a: ArrayLike,
    b: ArrayLike,
    trans: Union[Literal[0, 1, 2], Literal["N", "T", "C"]] = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solves a·x = b (trans = 0 or 'N'), aᵀ·x = b (1, 'T') or aᴴ·x = b (2, 'C') for a triangular a, as
    scipy.linalg.solve_triangular.

    a: (..., n, n), of which only the triangle `lower` is read; with unit_diagonal its diagonal counts as ones. b: (n,)
    or (..., n, k); the stacks broadcast. a is copied only if it is not contiguous.
    Raises LinAlgError if the diagonal has a zero. There is no warning of an ill-conditioned a, as in scipy.

    >>> startile.solve_triangular([[2.0, 0.0], [1.0, 4.0]], [2.0, 9.0], lower=True).tolist()
    [1.0, 2.0]
    """
    check_choice(trans, "trans", (0, 1, 2, "N", "T", "C"))
    array = matrix_argument(a, "a", check_finite)
    x = RightSides(b, array, "a", overwrite_b, check_finite)
    stored = store(array, x.dtype, copy=False, stack=x.matrices)
    if stored.data.size and not unit_diagonal:
        _raise_zero(stored)
    if x.stored.data.size == 0:
        return x.solution()
    op = trans if isinstance(trans, str) else "NTC"[trans]
    conjugated = stored.is_complex and stored.flipped and op == "C"  # conj(view)·x = b
    if conjugated:
        conjugate(x.stored.data)
    seen = {"N": "T", "T": "N", "C": "N"}[op] if stored.flipped else op
    lapack.trsm(cholesky.triangle(stored, lower), seen, "U" if unit_diagonal else "N", stored, x.stored)
    if conjugated:
        conjugate(x.stored.data)
    return x.solution()
