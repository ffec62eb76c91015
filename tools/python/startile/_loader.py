"""The file of the C library, the libraries of CUDA that it needs, and its version."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

from ._version import __version__

_PACKAGE = Path(__file__).parent


def _in_folder(folder: Path) -> Optional[str]:
    found = sorted(folder.glob("libstartile.so.*"))
    return str(found[0]) if found else None


def _of_nvidia(name: str) -> Optional[str]:
    """Returns the file of a library of CUDA in NVIDIA's packages from PyPI, or None."""
    packages = importlib.util.find_spec("nvidia")
    for folder in packages.submodule_search_locations or () if packages else ():
        for file in sorted(Path(folder).glob(f"*/lib/{name}")):
            return str(file)
    return None


@contextmanager
def _one_thread() -> Iterator[None]:
    """Sets the number of threads that the OpenBLAS of a wheel starts when it is loaded: none beside the caller's."""
    variable = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(variable)
    os.environ[variable] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[variable]
        else:
            os.environ[variable] = before


def _open(file: str) -> ctypes.CDLL:
    """Loads a library. Libraries that the system does not find are loaded from NVIDIA's packages first."""
    tried = set()
    while True:
        try:
            return ctypes.CDLL(file)
        except OSError as error:
            missing = re.match(r"(lib[^/ ]*\.so[^/ :]*): cannot open shared object file", str(error))
            needed = _of_nvidia(missing[1]) if missing else None
            if needed is None or needed in tried:
                raise
            tried.add(needed)
            _open(needed)


def _open_first() -> ctypes.CDLL:
    """Loads the library of STARTILE_LIBRARY, else that of the package: with CUDA if its libraries are found."""
    chosen = os.environ.get("STARTILE_LIBRARY")
    with_cuda, without_cuda = _in_folder(_PACKAGE / "lib-cuda"), _in_folder(_PACKAGE / "lib")
    file = chosen or with_cuda or without_cuda
    if file is None:
        raise ImportError(f"startile: there is no library in {_PACKAGE}; set STARTILE_LIBRARY to libstartile.so")
    try:
        return _open(file)
    except OSError as error:
        if chosen or without_cuda is None or without_cuda == file:
            raise ImportError(f"startile: cannot use the library {file}: {error}") from error
        warnings.warn(
            f"startile runs on CPU cores only, because a library of CUDA was not found: {error}. For GPUs install"
            " the CUDA toolkit or NVIDIA's packages from PyPI.",
            RuntimeWarning,
            stacklevel=2,
        )
        return _open(without_cuda)


def load() -> ctypes.CDLL:
    """Loads the library. Raises ImportError if that fails or if its version is not this package's."""
    with _one_thread():
        library = _open_first()
    file = library._name
    try:
        library.startile_version.restype = ctypes.c_char_p
        library.startile_strerror.restype = ctypes.c_char_p
    except AttributeError as error:
        raise ImportError(f"startile: cannot use the library {file}: {error}") from error
    version = library.startile_version().decode()
    if version != __version__:
        raise ImportError(f"startile: the package has version {__version__}, but the library {file} has {version}")
    return library
