"""Exceptions and warnings."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Iterable, Optional, Tuple

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
    """A matrix is singular to working precision, or without full rank, and the result may be wrong; or a factor of
    lu_factor() is singular. Not a subclass of scipy's, which the package does not import."""


class StartileError(RuntimeError):
    """A failure at run time: no memory, no worker, a disk.

    code: the value of startile_error in startile_core.h; None without one.
    """

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self):
        return type(self), (str(self), self.code)


def place(index: Iterable[int]) -> str:
    """Returns the index of a matrix in its stack in brackets; nothing for a single matrix."""
    words = ", ".join(map(str, index))
    return f"[{words}]" if words else ""


def warn(message: str) -> None:
    """Warns with LinAlgWarning at the line that called the package."""
    package, level = __name__.partition(".")[0], 1
    frame: Optional[FrameType] = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, LinAlgWarning, stacklevel=level)


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
    raise LinAlgError(f"{argument}{place(matrix)} " + problem.format(k=order - 1, order=order), order - 1, matrix)
