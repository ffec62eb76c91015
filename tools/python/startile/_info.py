"""Properties of the library and of its workers."""

from __future__ import annotations

import ctypes
from typing import TypedDict

from ._library import call, library_file, start, text
from ._version import __version__


class Info(TypedDict):
    """Properties of the library.

    library: file of the C library. starpu: version of StarPU, and whether it has startile's patches.
    blas: name and version of the BLAS of the workers on cores.
    cpu_workers, cuda_workers: numbers of workers on cores and on GPUs.
    models_machine, models_folder: calibrated performance models in use; '' for none.
    models_reason: reason for this choice. models_refused: whether models cannot be used, all or in part.
    """

    version: str
    library: str
    starpu: str
    blas: str
    cpu_workers: int
    cuda_workers: int
    models_machine: str
    models_folder: str
    models_reason: str
    models_refused: bool


class _Models(ctypes.Structure):
    """startile_models."""

    _fields_ = [
        ("machine", ctypes.c_char * 64),
        ("folder", ctypes.c_char * 4096),
        ("words", ctypes.c_char * 1024),
        ("refused", ctypes.c_int),
    ]


def info() -> Info:
    """Returns versions, workers and performance models of the library, and starts it.

    >>> startile.info()["version"] == startile.__version__
    True
    """
    start()
    models = _Models()
    call("models_in_use", ctypes.byref(models))
    return {
        "version": __version__,
        "library": library_file(),
        "starpu": text("starpu_version"),
        "blas": text("blas_version"),
        "cpu_workers": call("cpu_workers"),
        "cuda_workers": call("cuda_workers"),
        "models_machine": models.machine.decode(errors="replace"),
        "models_folder": models.folder.decode(errors="replace"),
        "models_reason": models.words.decode(errors="replace"),
        "models_refused": bool(models.refused),
    }
