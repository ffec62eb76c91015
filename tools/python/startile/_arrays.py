"""Arguments: arrays of any library in main memory, their element types, shapes and values."""

from __future__ import annotations

from typing import Any, Literal, Tuple

import numpy as np
from numpy.typing import NDArray

from ._device import DeviceArray, beside, conjugate, copy, device_array, is_finite
from ._library import check_place
from ._stored import is_column_major

Array = NDArray[Any]
Numbers = Any  # a number for one matrix, an array for a stack: as in numpy's functions
AssumeA = Literal["gen", "pos"]
AssumeSystem = Literal["gen", "general", "pos", "positive definite", "sym", "symmetric", "her", "hermitian"]

# scipy's long names of assume_a
_LONG_NAMES = {"general": "gen", "positive definite": "pos", "symmetric": "sym", "hermitian": "her"}

# DLPack's devices whose memory the host reads: kDLCPU, kDLCUDAHost (page-locked), kDLCUDAManaged
_MAIN_MEMORY = (1, 3, 13)


def _on_device(x: DeviceArray, name: str) -> DeviceArray:
    """Checks an array on a GPU: its type, its memory, and that its matrices are contiguous."""
    try:
        x.dtype
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    if x.ndim < 2:
        is_contiguous = x.flags.c_contiguous
    else:
        is_contiguous = is_column_major(x) or is_column_major(x.swapaxes(-1, -2))
    if not is_contiguous and x.size > 0:
        raise ValueError(f"{name} is {x.place} and not contiguous: its shape is {x.shape}, its strides {x.strides}")
    check_place(x, name)
    return x


def as_array(x: Any, name: str) -> Any:
    """Returns x as an array without a copy if x is an array of numpy or an object with DLPack.

    A numpy.memmap stays one. An array of CuPy or PyTorch in the memory of a GPU becomes a DeviceArray. Raises
    TypeError for other arrays there, and ValueError for a DeviceArray that is not contiguous.
    """
    on_device = device_array(x)
    if on_device is not None:
        return _on_device(on_device, name)
    if isinstance(x, np.memmap):
        return x
    if isinstance(x, np.ndarray):
        return np.asarray(x)
    on_gpu = hasattr(x, "__cuda_array_interface__")
    has_dlpack = hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")
    if has_dlpack and not on_gpu:
        on_gpu = int(x.__dlpack_device__()[0]) not in _MAIN_MEMORY
    if on_gpu:
        raise TypeError(
            f"{name} is not in main memory, and startile takes no {type(x).__module__}.{type(x).__name__}"
            " in the memory of a GPU: convert it to an array of CuPy or PyTorch"
        )
    try:
        return np.from_dlpack(x) if has_dlpack else np.asarray(x)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise TypeError(f"{name} cannot be read as an array: {error}") from error


def element_type(**arrays: np.ndarray) -> "np.dtype[Any]":
    """Returns the type that startile computes in: float32, float64, complex64 or complex128.

    Integers and booleans count as float64, float16 as float32. Raises TypeError for any other type.
    """
    types: "list[np.dtype[Any]]" = []
    for name, array in arrays.items():
        kind, size = array.dtype.kind, array.dtype.itemsize
        if kind in "biu":
            types.append(np.dtype(np.float64))
        elif kind == "f" and size <= 8:
            types.append(np.dtype(np.float64 if size == 8 else np.float32))
        elif kind == "c" and size <= 16:
            types.append(np.dtype(np.complex128 if size == 16 else np.complex64))
        else:
            raise TypeError(f"{name} has the dtype {array.dtype}; needed: float32, float64, complex64 or complex128")
    return np.result_type(*types)


def check_matrix(a: np.ndarray, name: str, square: bool = True) -> None:
    """Raises ValueError unless a is a matrix or a stack of matrices, square ones if required."""
    if a.ndim < 2:
        raise ValueError(f"{name} must have two or more dimensions, but its shape is {a.shape}")
    if square and a.shape[-1] != a.shape[-2]:
        raise ValueError(f"{name} must be square, but its shape is {a.shape}")


def _is_finite(a: Array) -> bool:
    """Whether a has no Inf or NaN.

    With one of them the sum is not finite. The sum of finite elements may overflow: the search then reads a in blocks
    of about a million elements, in the order of memory.
    """
    if a.size == 0:
        return True
    if isinstance(a, DeviceArray):
        return is_finite(a)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(a)):
            return True
    blocks = np.moveaxis(a, np.argmax(np.abs(a.strides)), 0)
    step = max(1, 2**20 * len(blocks) // a.size)
    return all(np.isfinite(blocks[k : k + step]).all() for k in range(0, len(blocks), step))


def check_values(check_finite: bool, **arrays: np.ndarray) -> None:
    """Raises ValueError for the first array with Inf or NaN, if check_finite."""
    for name, array in arrays.items():
        if check_finite and array.dtype.kind in "fc" and not _is_finite(array):
            raise ValueError(f"{name} must not contain infs or NaNs")


def check_same_place(array: Any, name: str, other: Any, other_name: str) -> None:
    """Raises TypeError unless both arrays are of one library, or ValueError unless they are on one device."""
    here, there = (a.place if isinstance(a, DeviceArray) else "in main memory" for a in (array, other))
    if here != there:
        same_library = (
            isinstance(array, DeviceArray)
            and isinstance(other, DeviceArray)
            and array.library.name == other.library.name
        )
        raise (ValueError if same_library else TypeError)(f"{name} is {here}, but {other_name} is {there}")


def check_choice(value: Any, name: str, choices: Tuple[Any, ...]) -> None:
    """Raises ValueError unless value is one of the choices."""
    if value not in choices:
        words = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {words}, not {value!r}")


def assumption(assume_a: str) -> str:
    """Returns the short name of assume_a. Raises ValueError for other words."""
    assume = _LONG_NAMES.get(assume_a, assume_a)
    check_choice(assume, "assume_a", tuple(_LONG_NAMES.values()))
    return assume


def matrix_argument(a: Any, name: str, check_finite: bool, square: bool = True) -> np.ndarray:
    """Returns the argument as (a stack of) matrices in one of startile's types, after all checks."""
    array = as_array(a, name)
    element_type(**{name: array})
    check_matrix(array, name, square)
    check_values(check_finite, **{name: array})
    return array


def clear_triangle(a: np.ndarray, lower: bool) -> None:
    """Sets the elements below (lower) or above the diagonal to 0, in place and block by block."""
    m, n, width = a.shape[-2], a.shape[-1], 256
    if lower:
        a, m, n = a.swapaxes(-1, -2), n, m
    for k in range(0, m, width):
        end = min(k + width, m)
        a[..., k:end, end:] = 0
        block = a[..., k:end, k : min(end, n)]
        block[..., beside(a, ~np.tri(block.shape[-2], block.shape[-1], dtype=np.bool_))] = 0


def fill_triangle(a: Any, lower: bool, hermitian: bool) -> None:
    """Overwrites the triangle above the diagonal by that below it (lower), or the reverse, so that a is symmetric or
    Hermitian; in place and block by block."""
    n, width = a.shape[-1], 256
    if not lower:
        a = a.swapaxes(-1, -2)
    for k in range(0, n, width):
        end = min(k + width, n)
        mirrored = copy(a[..., k:, k:end].swapaxes(-1, -2))
        if hermitian:
            conjugate(mirrored)
        a[..., k:end, end:] = mirrored[..., end - k :]
        above = beside(a, ~np.tri(end - k, dtype=np.bool_))
        a[..., k:end, k:end][..., above] = mirrored[..., : end - k][..., above]
