"""Memory and files that arrays occupy."""

from __future__ import annotations

import mmap
import os
from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from ._device import DeviceArray


class File(NamedTuple):
    """Place of an array in a file: its name, and the bytes before its first element."""

    name: str
    first: int


def place_in_file(a: Any) -> Optional[File]:
    """Returns where the file of a numpy.memmap holds the array; None for an array that is only in memory."""
    mapping = getattr(a, "_mmap", None) if isinstance(a, np.memmap) else None
    if mapping is None or a.filename is None:
        return None
    start = np.frombuffer(mapping, np.uint8).ctypes.data
    return File(os.fspath(a.filename), a.offset - a.offset % mmap.ALLOCATIONGRANULARITY + a.ctypes.data - start)


def _extent(a: Any, first: int) -> Tuple[int, int]:
    """Returns the bounds of the bytes that a occupies, if its first element is at `first`."""
    reach = [(length - 1) * step for length, step in zip(a.shape, a.strides)]
    return first + sum(r for r in reach if r < 0), first + sum(r for r in reach if r > 0) + a.itemsize


def _intersect(a: Any, first_a: int, b: Any, first_b: int) -> bool:
    (begin_a, end_a), (begin_b, end_b) = _extent(a, first_a), _extent(b, first_b)
    return begin_a < end_b and begin_b < end_a


def overlap(a: Any, b: Any) -> bool:
    """Whether the bounds of both arrays intersect, in the address space or in a file that each of them maps."""
    if a.size == 0 or b.size == 0:
        return False
    addresses = [x.address if isinstance(x, DeviceArray) else x.ctypes.data for x in (a, b)]
    if _intersect(a, addresses[0], b, addresses[1]):
        return True
    file_a, file_b = place_in_file(a), place_in_file(b)
    if file_a is None or file_b is None or os.path.realpath(file_a.name) != os.path.realpath(file_b.name):
        return False
    return _intersect(a, file_a.first, b, file_b.first)
