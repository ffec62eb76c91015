"""Arrays in the memory of a GPU.

The package computes with layouts and copies of arrays in few places. For those a DeviceArray has the part of
numpy.ndarray's interface that is needed, and the functions of this module take arrays of either kind.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Optional, Tuple

import numpy as np

from ._gpu_libraries import NumpyLike, library_of


class DeviceArray:
    """An array in the memory of a GPU, with the part of numpy.ndarray's interface that the package needs.

    raw: the library's array. library: the library's functions.
    """

    def __init__(self, raw: Any, library: NumpyLike) -> None:
        self.raw = raw
        self.library = library

    def _of(self, raw: Any) -> "DeviceArray":
        return DeviceArray(raw, self.library)

    @property
    def shape(self) -> Tuple[int, ...]:
        return tuple(self.raw.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def dtype(self) -> "np.dtype[Any]":
        return self.library.dtype(self.raw)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def strides(self) -> Tuple[int, ...]:
        return self.library.strides(self.raw)

    @property
    def address(self) -> int:
        return self.library.interface(self.raw)[0]

    @property
    def stream(self) -> Optional[int]:
        """A cudaStream_t that __cuda_array_interface__ asks to wait for."""
        return self.library.interface(self.raw)[2]

    @property
    def flags(self) -> SimpleNamespace:
        address, read_only, _ = self.library.interface(self.raw)
        expected, contiguous = self.itemsize, True
        for length, step in zip(self.shape[::-1], self.strides[::-1]):
            contiguous &= length == 1 or step == expected
            expected *= length
        return SimpleNamespace(
            writeable=not read_only, aligned=address % self.itemsize == 0, c_contiguous=contiguous or self.size == 0
        )

    @property
    def place(self) -> str:
        """Words for the library and the device."""
        return f"an array of {self.library.name} on {self.library.place(self.raw)}"

    def __getitem__(self, key: Any) -> "DeviceArray":
        return self._of(self.raw[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        with self.library.on_device(self.raw):
            self.raw[key] = value.raw if isinstance(value, DeviceArray) else value

    def swapaxes(self, i: int, j: int) -> "DeviceArray":
        return self._of(self.raw.swapaxes(i, j))

    def reshape(self, *shape: int) -> "DeviceArray":
        return self._of(self.raw.reshape(*shape))


def device_array(x: Any) -> Optional[DeviceArray]:
    """Returns x as a DeviceArray if it is in the memory of a GPU and of a library that is known, else None."""
    library = library_of(x)
    return None if library is None else DeviceArray(library.resolved(x), library)


# -- functions for arrays of both kinds -----------------------------------------------------------


def raw(a: Any) -> Any:
    """Returns the array for the caller."""
    return a.raw if isinstance(a, DeviceArray) else a


def host(a: Any) -> np.ndarray:
    """Returns a small array, or a copy, in main memory."""
    return a.library.to_host(a.raw) if isinstance(a, DeviceArray) else a


def beside(like: Any, array: Any) -> Any:
    """Returns a small array of numpy, or a copy of the library of `like` on its device."""
    return like.library.from_host(np.asarray(array), like.raw) if isinstance(like, DeviceArray) else array


def zeros(shape: Tuple[int, ...], dtype: "np.dtype[Any]", like: Any) -> Any:
    """Returns zeros in the memory and the library of `like`, C-ordered."""
    if isinstance(like, DeviceArray):
        return DeviceArray(like.library.zeros(shape, dtype, like.raw), like.library)
    return np.zeros(shape, dtype)


def zeros_by_columns(shape: Tuple[int, ...], dtype: "np.dtype[Any]", like: Any) -> Any:
    """Returns zeros in contiguous column-major storage."""
    return zeros(shape[:-2] + (shape[-1], shape[-2]), dtype, like).swapaxes(-1, -2)


def copy_by_columns(a: Any, dtype: "np.dtype[Any]") -> Any:
    """Copies (a stack of) matrices into contiguous column-major storage."""
    if isinstance(a, DeviceArray):
        copy = zeros_by_columns(a.shape, dtype, a)
        copy[...] = a
        return copy
    return np.array(a.swapaxes(-1, -2), dtype, order="C", copy=True, subok=False).swapaxes(-1, -2)


def copy(a: Any) -> Any:
    """Copies (a stack of) matrices: in the order of a, or on a GPU by columns."""
    return copy_by_columns(a, a.dtype) if isinstance(a, DeviceArray) else a.copy(order="K")


def conjugate(a: Any) -> None:
    """Replaces the elements by their conjugates."""
    if isinstance(a, DeviceArray):
        with a.library.on_device(a.raw):
            a.library.conjugate(a.raw)
    else:
        np.conjugate(a, out=a)


def broadcast_to(a: Any, shape: Tuple[int, ...]) -> Any:
    """Returns a with a larger stack."""
    return a._of(a.library.broadcast_to(a.raw, shape)) if isinstance(a, DeviceArray) else np.broadcast_to(a, shape)


def diagonal(a: Any) -> np.ndarray:
    """Returns the diagonals of (a stack of) matrices in main memory."""
    if not isinstance(a, DeviceArray):
        return np.diagonal(a, axis1=-2, axis2=-1)
    index = beside(a, np.arange(min(a.shape[-2:])))
    return a.library.to_host(a.raw[..., index, index])


def is_finite(a: DeviceArray) -> bool:
    """Whether an array on a GPU has no Inf or NaN."""
    with a.library.on_device(a.raw):
        return a.library.is_finite(a.raw)


def squared_sums(a: Any, axis: int) -> Any:
    """Returns the sums of the squared magnitudes along an axis."""
    if not isinstance(a, DeviceArray):
        return np.sum(np.abs(a) ** 2, axis=axis)
    with a.library.on_device(a.raw):
        return (abs(a.raw) ** 2).sum(axis)
