"""Results for callers whose arrays are in main memory and of another library than numpy: PyTorch, JAX."""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, Optional, TypeVar, cast

import numpy as np

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _importer(x: Any) -> Optional[Callable[[Any], Any]]:
    """Returns from_dlpack() of x's library; None for numpy's arrays and for objects without such a function."""
    if isinstance(x, (np.ndarray, np.generic)) or not hasattr(x, "__dlpack__"):
        return None
    if hasattr(x, "__array_namespace__"):
        library = x.__array_namespace__()
    else:
        root = type(x).__module__.partition(".")[0]
        library = sys.modules.get("jax.numpy" if root == "jaxlib" else root)  # JAX before 0.4.32
    return getattr(library, "from_dlpack", None)


def _converted(result: Any, from_dlpack: Callable[[Any], Any]) -> Any:
    """Returns a result, or a tuple of results, with arrays of the library in place of numpy's."""
    if isinstance(result, tuple):
        items = (_converted(item, from_dlpack) for item in result)
        return type(result)(*items) if hasattr(result, "_fields") else tuple(items)
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    array = np.asarray(result)
    # numpy 1 exports no read-only array, and PyTorch 2.0 ends the process for a negative stride
    if not array.flags.writeable or min(array.strides, default=0) < 0:
        array = array.copy(order="C")
    try:
        return from_dlpack(array)
    except (AssertionError, BufferError, RuntimeError, TypeError, ValueError):
        return from_dlpack(array.copy(order="C"))  # the library does not take these strides


def in_library_of_first(function: _Function) -> _Function:
    """Decorates a function: its results are arrays of the library of the first argument, which may be (array, …).

    The arrays share numpy's memory where the library accepts its strides. Python's numbers stay.
    """
    parameter = function.__code__.co_varnames[0]

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        first = args[0] if args else kwargs.get(parameter)
        from_dlpack = _importer(first[0] if isinstance(first, tuple) and first else first)
        result = function(*args, **kwargs)
        return result if from_dlpack is None else _converted(result, from_dlpack)

    return cast(_Function, wrapper)
