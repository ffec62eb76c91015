"""Right-hand sides: one vector, one matrix or a stack, for one matrix or a stack of matrices."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Array, as_array, check_same_place, check_values, element_type
from ._device import raw, zeros_by_columns
from ._memory import overlap
from ._stored import Stored, keep, store


class RightSides:
    """Right-hand sides b for the matrices a, stored by columns and overwritten by the solutions.

    b: (m,), one vector for all matrices, or (..., m, k). Its stack broadcasts against that of a. A b that overlaps a
    is copied.

    is_vector: b is one vector.
    dtype: type of a and b together.
    stored: b for LAPACK's routines. If a is one matrix, a stack of b is one matrix with all columns.
    matrices: shape of the stack of a that belongs to `stored`.
    """

    def __init__(
        self, b: ArrayLike, a: Array, name: str, overwrite: bool, check_finite: bool, columns: Optional[int] = None
    ) -> None:
        """name: that of the argument a. columns: those of op(a), if a least-squares problem needs more rows in b."""
        array = as_array(b, "b")
        check_same_place(array, "b", a, name)
        self.dtype = element_type(**{name: a, "b": array})
        rows = a.shape[-2]
        if array.ndim < 1 or array.shape[0 if array.ndim == 1 else -2] != rows:
            raise ValueError(f"b must have {rows} rows, as {name} has, but its shape is {array.shape}")
        check_values(check_finite, b=array)
        self.is_vector = array.ndim == 1
        stack = _common_stack(a, array, name)
        b_columns = array[:, np.newaxis] if self.is_vector else array
        if columns is not None and columns > rows:
            stored = _extended(b_columns, self.dtype, stack, columns)
        else:
            copy = keep(array, overwrite) or overlap(array, a)
            stored = store(b_columns, self.dtype, copy, flip=False, stack=stack)
        self._data = stored.data
        self.matrices: Tuple[int, ...] = stack
        if stack and a.ndim == 2:
            joined = self._data.swapaxes(-1, -2).reshape(-1, self._data.shape[-2]).swapaxes(-1, -2)
            stored, self.matrices = Stored(joined, False, stored.in_place), ()
        self.stored = stored

    def solution(self, rows: Optional[int] = None) -> Array:
        """Returns the solutions in the form of b; rows: the number of their rows, if it is not that of b."""
        x = self._data[..., :rows, :]
        return raw(x[..., 0] if self.is_vector else x)

    def in_form_of_b(self, x: Any) -> Array:
        """Returns other solutions, one column for each column of `stored`, in the form of b. a is one matrix."""
        if self._data.ndim > 2:
            x = x.swapaxes(-1, -2).reshape(*self._data.shape[:-2], -1, x.shape[-2]).swapaxes(-1, -2)
        return raw(x[..., 0] if self.is_vector else x)

    def remainder(self, rows: int) -> Any:
        """Returns what is below the first `rows` rows."""
        below = self._data[..., rows:, :]
        return below[..., 0] if self.is_vector else below


def _common_stack(a: Array, b: Array, name: str) -> Tuple[int, ...]:
    try:
        return np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError as error:
        raise ValueError(f"the stacks of {name} and b do not broadcast: {a.shape} and {b.shape}") from error


def _extended(b: Array, dtype: "np.dtype[Any]", stack: Tuple[int, ...], rows: int) -> Stored:
    """Copies b into storage with more rows."""
    data = zeros_by_columns(stack + (rows, b.shape[-1]), dtype, b)
    data[..., : b.shape[-2], :] = b
    return Stored(data, False, False)
