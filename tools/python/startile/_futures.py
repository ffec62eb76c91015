"""Asynchronous calls."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, TypeVar

_Result = TypeVar("_Result")

# The threads only wait: the workers of StarPU compute, and share the tasks of all calls.
_threads = ThreadPoolExecutor(thread_name_prefix="startile")


def submit(function: Callable[..., _Result], *args: Any, **kwargs: Any) -> "Future[_Result]":
    """Calls function(*args, **kwargs) in a thread and returns a future of its result.

    Arrays among the arguments must not change until the future is done; it keeps them alive.

    >>> future = startile.submit(startile.inv, [[2.0, 0.0], [0.0, 4.0]])
    >>> future.result().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return _threads.submit(function, *args, **kwargs)
