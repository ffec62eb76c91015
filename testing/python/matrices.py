"""Matrices for the tests of the Python package, and the bounds of their errors."""
import numpy as np

TYPES = "fdFD"
LAYOUTS = ("C", "F", "strided", "reversed")


def random(rng, dtype, *shape):
    """Returns random elements; complex ones for complex types."""
    values = rng.standard_normal(shape)
    if dtype in "FD":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def positive(rng, dtype, *shape):
    """Returns Hermitian positive definite matrices."""
    a = random(rng, dtype, *shape)
    return a @ a.conj().swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1], dtype=dtype)


def laid_out(a, layout):
    """Returns a copy of the matrix a in a memory layout."""
    if layout in "CF":
        return np.array(a, order=layout)
    if layout == "reversed":
        return np.array(a[::-1, ::-1])[::-1, ::-1]
    wide = np.zeros((2 * a.shape[0], 3 * a.shape[1]), a.dtype)
    wide[::2, 1::3] = a
    return wide[::2, 1::3]


def close(a, b, factor=1000):
    """Returns whether a and b differ by rounding, relative to the largest element of b."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    largest = np.abs(b).max(initial=0)
    return np.abs(a - b).max(initial=0) <= factor * np.finfo(b.dtype).eps * max(largest, 1e-30)
