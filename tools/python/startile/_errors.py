"""Exceptions and warnings."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np


class LinAlgError(np.linalg.LinAlgError):
    """A matrix is singular, not positive definite or without full rank.

    pivot: index, from 0, of the diagonal element at which the factorization failed. LU of a C-ordered matrix
        factors the transpose, and the index is that of the transpose's factor.
    matrix: index of the first such matrix in a stack; () for a single matrix.
    """

    def __init__(self, message: str, pivot: int, matrix: Tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.pivot = pivot
        self.matrix = matrix

    def __reduce__(self):
        return type(self), (str(self), self.pivot, self.matrix)


class LinAlgWarning(RuntimeWarning):
    """A factor of lu_factor() is singular."""


class StartileError(RuntimeError):
    """A failure at run time: no memory, no worker, a disk.

    code: the value of startile_error in startile.h; None without one.
    """

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return type(self), (str(self), self.code)


def raise_pivot(argument: str, problem: str, infos: np.ndarray) -> None:
    """Raises LinAlgError for the first matrix whose info is positive; returns if there is none.

    argument: name of the matrix. problem: words with {k}, for the pivot from 0, or {order}, from 1.
    infos: LAPACK's info of each matrix; 0-dimensional for a single matrix.
    """
    failed = np.flatnonzero(infos)
    if len(failed) == 0:
        return
    matrix = tuple(int(i) for i in np.unravel_index(failed[0], infos.shape)) if infos.ndim else ()
    order = int(infos[matrix])
    place = "[" + ", ".join(map(str, matrix)) + "]" if matrix else ""
    raise LinAlgError(f"{argument}{place} " + problem.format(k=order - 1, order=order), order - 1, matrix)
