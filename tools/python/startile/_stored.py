"""Memory layout: matrices as LAPACK's column-major storage, copied only where needed."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from math import prod
from typing import Any, Optional, Tuple

import numpy as np

from ._device import broadcast_to, copy_by_columns

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


@dataclass(frozen=True)
class Stored:
    """A matrix or a stack of matrices in storage that LAPACK can read.

    data: shape (..., m, n), indexed as the caller does; stacks are contiguous.
    flipped: each matrix is row-major, so LAPACK sees its transpose.
    in_place: data is the caller's memory.
    """

    data: np.ndarray
    flipped: bool
    in_place: bool

    @property
    def letter(self) -> str:
        """LAPACK's letter of the element type."""
        return LETTERS[self.data.dtype.char]

    @property
    def real(self) -> type:
        """Real type of C that belongs to the elements."""
        return ctypes.c_float if self.letter in "sc" else ctypes.c_double

    @property
    def is_complex(self) -> bool:
        """Whether the elements are complex."""
        return self.letter in "cz"

    @property
    def view(self) -> np.ndarray:
        """The matrices as LAPACK sees them: column-major."""
        return self.data.swapaxes(-1, -2) if self.flipped else self.data

    @property
    def shape(self) -> Tuple[int, int]:
        """Rows and columns that LAPACK sees."""
        return self.view.shape[-2], self.view.shape[-1]

    @property
    def ld(self) -> int:
        """Leading dimension."""
        m, n = self.shape
        return max(1, m, self.view.strides[-1] // self.data.itemsize if n > 1 else 0)

    @property
    def stack(self) -> Tuple[int, ...]:
        """Shape of the stack; () for a single matrix."""
        return self.data.shape[:-2]

    @property
    def count(self) -> int:
        """Number of matrices."""
        return prod(self.stack)

    @property
    def stride(self) -> int:
        """Elements from one matrix of a stack to the next."""
        m, n = self.shape
        return max(1, m) * n


def is_column_major(a: Any) -> bool:
    """Whether LAPACK can read a in place: one matrix with any leading dimension, or a contiguous stack."""
    if a.ndim > 2:
        return a.swapaxes(-1, -2).flags.c_contiguous
    m, n = a.shape
    step, column = a.strides
    size = a.itemsize
    return (m <= 1 or step == size) and (n <= 1 or (column % size == 0 and column >= size * max(1, m)))


def store(
    a: np.ndarray,
    dtype: "np.dtype[Any]",
    copy: bool,
    flip: bool = True,
    stack: Optional[Tuple[int, ...]] = None,
) -> Stored:
    """Returns a in LAPACK's storage and in the type dtype.

    copy: the caller's memory must not change. flip: storage by rows is allowed, too.
    stack: shape to which a stack is extended by copies.
    """
    if stack is not None and a.shape[:-2] != stack:
        a, copy = broadcast_to(a, stack + a.shape[-2:]), True
    fits = a.dtype == dtype and a.flags.aligned and a.size > 0
    by_columns = is_column_major(a)
    by_rows = is_column_major(a.swapaxes(-1, -2))
    flipped = flip and not by_columns and (by_rows or abs(a.strides[-1]) < abs(a.strides[-2]))
    if fits and not copy and (by_columns or (flip and by_rows)):
        return Stored(a, flipped, True)
    if flipped:
        return Stored(copy_by_columns(a.swapaxes(-1, -2), dtype).swapaxes(-1, -2), True, False)
    return Stored(copy_by_columns(a, dtype), False, False)


def keep(a: np.ndarray, overwrite: bool) -> bool:
    """Returns whether a must be copied before it is overwritten."""
    return not (overwrite and a.flags.writeable)
