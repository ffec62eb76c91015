"""Calls of the C library's functions."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from ._device import DeviceArray
from ._errors import StartileError
from ._loader import load

_library = load()

# Beginnings of the names of functions that return int; the others return int64_t.
_RETURN_INT = ("cpu_workers", "cuda_workers")

# Process that started StarPU, whose threads do not exist in a child of fork(). A list: no global statement.
_starter: "list[int]" = []


def _argument(value: Any, real: type) -> Any:
    """Converts an argument to C: integers to int64_t, arrays to their address, floats to the type `real`.

    Waits for the work of an array's library on its GPU.
    """
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, DeviceArray):
        value.library.synchronize(value.raw)
        return ctypes.c_void_p(value.address)
    if isinstance(value, str):
        return ctypes.c_char(value.encode())
    if isinstance(value, int):
        return ctypes.c_int64(value)
    if isinstance(value, float):
        return real(value)
    return value


def call(name: str, *arguments: Any, real: type = ctypes.c_double) -> int:
    """Calls startile_NAME() without the GIL. Returns 0 or LAPACK's info > 0.

    The caller has checked the arguments; a value of ctypes is passed as it is.
    Raises StartileError for a failure at run time.
    """
    if _starter and _starter[0] != os.getpid():
        raise StartileError(
            "startile was used before fork(), and its threads are not in this process: create processes"
            " with the start method 'spawn' or 'forkserver'"
        )
    if not _starter:
        _starter.append(os.getpid())
    function = getattr(_library, "startile_" + name)
    function.restype = ctypes.c_int if name.startswith(_RETURN_INT) else ctypes.c_int64
    result = int(function(*(_argument(a, real) for a in arguments)))
    if result < 0:
        message = _library.startile_strerror(ctypes.c_int64(result)).decode()
        raise StartileError(f"startile_{name}: {message}", result)
    return result


def call_void(name: str, *arguments: Any) -> None:
    """Calls startile_NAME(), which returns nothing."""
    function = getattr(_library, "startile_" + name)
    function.restype = None
    function(*arguments)


def text(name: str) -> str:
    """Calls startile_NAME(), which returns a string."""
    function = getattr(_library, "startile_" + name)
    function.restype = ctypes.c_char_p
    return function().decode()


def library_file() -> str:
    """Returns the file of the C library."""
    return _library._name


def start() -> None:
    """Starts the library until the process ends, as the first call of a typed entry does."""
    call("dpotrf", "L", 1, np.ones(1), 1)


# startile_error
_NO_WORKER = -1002


def check_place(array: DeviceArray, name: str) -> None:
    """Waits for the array's stream. Raises TypeError if the library does not use the GPU that has the array."""
    if array.size == 0:
        return
    start()
    handle, single = ctypes.c_void_p(), ctypes.c_int(0)
    address = ctypes.c_void_p(array.address - array.address % 4)
    stream = ctypes.c_void_p(array.stream)
    try:
        call("matrix_wrap_device", ctypes.byref(handle), single, 1, 1, address, 1, 1, 1, ctypes.c_int(-1), stream)
    except StartileError as error:
        if error.code != _NO_WORKER:
            raise
        raise TypeError(f"{name} is {array.place}, which startile does not use: copy it to main memory") from error
    call_void("matrix_destroy", handle)
