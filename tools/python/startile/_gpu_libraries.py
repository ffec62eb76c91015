"""Libraries whose arrays are in the memory of a GPU: CuPy, PyTorch, and libraries with numpy's methods.

`raw` is an array of the library.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any, Optional, Tuple

import numpy as np


class NumpyLike:
    """A library with numpy's functions and methods, as CuPy."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self.name = xp.__name__

    def on_device(self, raw: Any) -> Any:
        """Context in which new arrays are on the device of raw."""
        device = getattr(raw, "device", None)
        return device if hasattr(device, "__enter__") else nullcontext()

    def place(self, raw: Any) -> str:
        """Returns words for the device."""
        return str(getattr(raw, "device", "a GPU"))

    def interface(self, raw: Any) -> "Tuple[int, bool, Optional[int]]":
        """Returns the address, whether the memory is read-only, and a stream to wait for."""
        described = raw.__cuda_array_interface__
        address, read_only = described["data"]
        return int(address), bool(read_only), described.get("stream")

    def dtype(self, raw: Any) -> "np.dtype[Any]":
        return np.dtype(raw.dtype)

    def strides(self, raw: Any) -> Tuple[int, ...]:
        return tuple(raw.strides)

    def resolved(self, raw: Any) -> Any:
        return raw

    def zeros(self, shape: Tuple[int, ...], dtype: "np.dtype[Any]", like: Any) -> Any:
        with self.on_device(like):
            return self.xp.zeros(shape, dtype)

    def from_host(self, array: np.ndarray, like: Any) -> Any:
        with self.on_device(like):
            return self.xp.asarray(array)

    def to_host(self, raw: Any) -> np.ndarray:
        return np.asarray(raw.get() if hasattr(raw, "get") else raw)

    def conjugate(self, raw: Any) -> None:
        raw[...] = raw.conj()

    def is_finite(self, raw: Any) -> bool:
        return bool(self.xp.isfinite(raw).all())

    def broadcast_to(self, raw: Any, shape: Tuple[int, ...]) -> Any:
        return self.xp.broadcast_to(raw, shape)

    def synchronize(self, raw: Any) -> None:
        """Waits for the library's work on the device of raw: that of its current stream."""
        cuda = getattr(self.xp, "cuda", None)
        if cuda is not None:
            cuda.get_current_stream().synchronize()


class Torch(NumpyLike):
    """PyTorch."""

    def on_device(self, raw: Any) -> Any:
        return nullcontext()

    def interface(self, raw: Any) -> "Tuple[int, bool, Optional[int]]":
        return raw.data_ptr(), False, None

    def dtype(self, raw: Any) -> "np.dtype[Any]":
        name = str(raw.dtype).rpartition(".")[2]
        try:
            return np.dtype(name)
        except TypeError:
            raise TypeError(f"the dtype {name} is not one of startile's") from None

    def strides(self, raw: Any) -> Tuple[int, ...]:
        return tuple(step * raw.element_size() for step in raw.stride())

    def resolved(self, raw: Any) -> Any:
        return raw.detach().resolve_conj().resolve_neg()

    def zeros(self, shape: Tuple[int, ...], dtype: "np.dtype[Any]", like: Any) -> Any:
        return self.xp.zeros(shape, dtype=getattr(self.xp, dtype.name), device=like.device)

    def from_host(self, array: np.ndarray, like: Any) -> Any:
        return self.xp.as_tensor(np.array(array), device=like.device)

    def to_host(self, raw: Any) -> np.ndarray:
        return np.asarray(raw.cpu())

    def conjugate(self, raw: Any) -> None:
        raw.conj_physical_()

    def synchronize(self, raw: Any) -> None:
        if raw.is_cuda:
            self.xp.cuda.current_stream(raw.device).synchronize()


def library_of(x: Any) -> Optional[NumpyLike]:
    """Returns the library of an array in the memory of a GPU; None for other objects."""
    root = type(x).__module__.partition(".")[0]
    if root == "torch":
        return Torch(sys.modules["torch"]) if getattr(x, "is_cuda", False) else None
    if not hasattr(type(x), "__cuda_array_interface__"):
        return None
    if root == "cupy":
        return NumpyLike(sys.modules["cupy"])
    # JAX's arrays have no strides, and cannot be written
    is_like_numpy = hasattr(x, "__array_namespace__") and hasattr(x, "strides")
    return NumpyLike(x.__array_namespace__()) if is_like_numpy else None
