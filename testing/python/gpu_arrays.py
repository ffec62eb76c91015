"""Arrays in the memory of a GPU for tests: of CuPy and PyTorch on a GPU, and on CPU cores arrays that pretend to be."""
import importlib.util
import os
import types

import numpy as np
import pytest
import startile

ON_GPU = "STARTILE_TEST_GPU" in os.environ


class Pretending(np.ndarray):
    """An array of a library with numpy's interface, in main memory, that says it is on a GPU."""

    device = "gpu 0"

    def __array_finalize__(self, source):
        self.device = getattr(source, "device", "gpu 0")

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.ctypes.data, not self.flags.writeable),
            "strides": self.strides,
            "version": 3,
            "stream": None,
        }

    def __array_namespace__(self, **_):
        return NAMESPACE

    def get(self):
        """Returns a copy in main memory, as cupy.ndarray.get()."""
        return np.array(self)


NAMESPACE = types.SimpleNamespace(
    __name__="pretending",
    zeros=lambda *arguments: np.zeros(*arguments).view(Pretending),
    asarray=lambda x: np.array(x).view(Pretending),
    isfinite=np.isfinite,
    broadcast_to=lambda x, shape: np.broadcast_to(x, shape, subok=True),
)


class Library:
    """A library of arrays: `give` makes an array of the library with the strides of numpy's, `take` copies it back."""

    def __init__(self, name, give, take, type_):
        self.name, self.give, self.take, self.type = name, give, take, type_


def _pretending():
    return Library("pretending", lambda x: np.array(x, order="K").view(Pretending), np.array, Pretending)


def _torch(monkeypatch):
    torch = pytest.importorskip("torch")
    device = "cuda" if ON_GPU else "cpu"
    if ON_GPU and not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    if not ON_GPU:
        before, pytorch = startile._device.library_of, startile._gpu_libraries.Torch(torch)
        pretends = lambda x: pytorch if isinstance(x, torch.Tensor) else before(x)  # noqa: E731
        monkeypatch.setattr(startile._device, "library_of", pretends)

    def give(x):
        axes = np.argsort([-abs(step) for step in x.strides], kind="stable")
        flat = torch.as_tensor(np.array(x.transpose(axes), order="C"), device=device)
        return flat.permute(*np.argsort(axes).tolist())

    return Library("torch", give, lambda x: np.array(x.cpu()), torch.Tensor)


def _cupy():
    cupy = pytest.importorskip("cupy")
    if not ON_GPU or not cupy.is_available():
        pytest.skip("CuPy has no GPU")
    give = lambda x: cupy.array(x, order="K")  # noqa: E731
    return Library("cupy", give, cupy.asnumpy, cupy.ndarray)


def libraries():
    """Returns the names of the libraries that this run can test."""
    names = ("cupy", "torch") if ON_GPU else ("pretending", "torch")
    return [name for name in names if name == "pretending" or importlib.util.find_spec(name)]


def library(name, monkeypatch):
    """Returns a library by name."""
    return {"pretending": _pretending, "torch": lambda: _torch(monkeypatch), "cupy": _cupy}[name]()
