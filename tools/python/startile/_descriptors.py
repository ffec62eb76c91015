"""Matrix descriptors of the C library: matrices in files, and operations that only descriptors have."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from ._library import call, call_void, start
from ._memory import File, place_in_file
from ._stored import Stored

_DTYPES = "sdcz"  # in the order of startile_dtype


def file_of(a: Stored) -> Optional[File]:
    """Returns where a file holds the matrix, if the library may write it there; else None."""
    data = a.data
    if not isinstance(data, np.memmap) or not a.in_place or data.ndim != 2 or data.mode not in ("r+", "w+"):
        return None
    return place_in_file(data)


def tile_shape(routine: str, a: Stored) -> Tuple[int, int]:
    """Returns the tile shape that the library recommends for a routine."""
    mb, nb = ctypes.c_int64(), ctypes.c_int64()
    letter = ctypes.c_int(_DTYPES.index(a.letter))
    call("tile_shape", ctypes.c_char_p(routine.encode()), letter, *a.shape, ctypes.byref(mb), ctypes.byref(nb))
    return mb.value, nb.value


def _wrap(a: Stored, mb: int, nb: int) -> ctypes.c_void_p:
    """Wraps the matrix, in its file if it has one."""
    handle, file = ctypes.c_void_p(), file_of(a)
    head = (ctypes.byref(handle), ctypes.c_int(_DTYPES.index(a.letter)), *a.shape)
    if file is None:
        call("matrix_wrap", *head, a.data, a.ld, mb, nb)
    else:
        call("matrix_wrap_file", *head, ctypes.c_char_p(os.fsencode(file.name)), file.first, a.ld, mb, nb)
    return handle


@contextmanager
def matrix(a: Stored, routine: str) -> Iterator[ctypes.c_void_p]:
    """Descriptor of a, in the tiles that suit the routine. All results are in a at the end of the block."""
    start()
    handle = _wrap(a, *tile_shape(routine, a))
    try:
        yield handle
        call("matrix_gather", handle)
    finally:
        call_void("matrix_destroy", handle)


@contextmanager
def right_sides(b: Stored, a: Stored, routine: str, square_tiles: bool) -> Iterator[ctypes.c_void_p]:
    """Descriptor of b in tiles that match those of a: square ones, or whole block columns."""
    mb, nb = tile_shape(routine, a)
    tall = max(1, b.shape[0])
    handle = _wrap(b, mb if square_tiles or mb < a.shape[0] else tall, nb)
    try:
        yield handle
        call("matrix_gather", handle)
    finally:
        call_void("matrix_destroy", handle)


@contextmanager
def pivots(handle: ctypes.c_void_p) -> Iterator[ctypes.c_void_p]:
    """Pivots for a factorization of the matrix."""
    result = ctypes.c_void_p()
    call("pivots_create", ctypes.byref(result), handle)
    try:
        yield result
    finally:
        call_void("pivots_destroy", result)


def norm(kind: str, a: Stored, uplo: str = "", hermitian: bool = True) -> float:
    """Returns the norm '1', 'I' or 'F' of a matrix, or of the Hermitian or symmetric matrix of which the triangle uplo
    is stored."""
    value = ctypes.c_double()
    with matrix(a, "potrf" if uplo else "getrf") as A:
        arguments: Tuple[Any, ...] = (kind, uplo) if uplo else (kind,)
        routine = "lange" if not uplo else "lanhe" if hermitian else "lansy"
        call(routine, *arguments, A, ctypes.byref(value))
    return value.value
