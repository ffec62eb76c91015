"""Interpolative decompositions: their errors, compared with bounds, least squares and scipy."""
import numpy as np
import pytest
import scipy.linalg.interpolative
import startile
from matrices import LAYOUTS, TYPES, close, laid_out, random

every_type = pytest.mark.parametrize("dtype", TYPES)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_shape = pytest.mark.parametrize("shape", [(30, 30), (60, 25), (25, 60), (200, 150)])


@pytest.fixture
def rng():
    return np.random.default_rng(9)


def falling(rng, dtype, m, n):
    """Returns a matrix with the singular values 1, 0.8, 0.64, …"""
    u, v = (np.linalg.qr(random(rng, "D" if dtype in "FD" else "d", rows, min(m, n)))[0] for rows in (m, n))
    return (u * 0.8 ** np.arange(min(m, n)) @ v.conj().T).astype(dtype)


def rebuilt(a, k, idx, proj):
    """Returns the matrix of the decomposition."""
    return (a[:, idx[:k]] @ np.hstack([np.eye(k, dtype=a.dtype), proj]))[:, np.argsort(idx)]


def rest(a, columns):
    """Returns the Frobenius norm of what a least-squares approximation of a by these columns leaves."""
    c = a[:, columns]
    return np.linalg.norm(a - c @ np.linalg.lstsq(c, a, rcond=None)[0])


@every_type
@every_layout
@every_shape
def test_tolerances(rng, dtype, layout, shape):
    a = falling(rng, dtype, *shape)
    kept = laid_out(a, layout)
    for eps in (0.9, 0.1, 1e-3):
        k, idx, proj = startile.interp_decomp(kept, eps)
        assert type(k) is int and sorted(idx) == list(range(shape[1]))
        assert proj.shape == (k, shape[1] - k) and proj.dtype == a.dtype
        bound = eps * np.linalg.norm(a)
        assert np.linalg.norm(a - rebuilt(a, k, idx, proj)) <= 1.01 * bound
        assert rest(a, idx[: k - 1]) > 0.99 * bound
    assert (kept == a).all()


@every_type
@every_layout
@every_shape
def test_ranks(rng, dtype, layout, shape):
    a = falling(rng, dtype, *shape)
    for k in (1, 7, min(shape)):
        idx, proj = startile.interp_decomp(laid_out(a, layout), k)
        assert sorted(idx) == list(range(shape[1])) and proj.shape == (k, shape[1] - k)
        error = np.linalg.norm(a - rebuilt(a, k, idx, proj))
        assert error <= 1.01 * rest(a, idx[:k]) + 1e3 * np.finfo(dtype).eps
    again = startile.interp_decomp(laid_out(a, layout), float(k))
    assert (again[0] == idx).all() and (again[1] == proj).all()


@pytest.mark.parametrize("dtype", "dD")
@every_shape
def test_compared_with_scipy(rng, dtype, shape):
    """In the spectral norm, of which scipy bounds an estimate."""
    a = falling(rng, dtype, *shape)
    for eps in (0.1, 1e-2):
        k, idx, proj = startile.interp_decomp(a, eps)
        assert abs(k - scipy.linalg.interpolative.interp_decomp(a, eps, rand=False)[0]) <= 6
        columns, coefficients = scipy.linalg.interpolative.interp_decomp(a, k, rand=False)
        ours, theirs = a - rebuilt(a, k, idx, proj), a - rebuilt(a, k, columns, coefficients)
        assert np.linalg.norm(ours, 2) <= 3 * np.linalg.norm(theirs, 2)


@every_type
def test_more_columns_than_the_rank(rng, dtype):
    """Coefficients are finite, though R's diagonal ends in zeros or rounding errors."""
    x = rng.integers(-3, 4, (40, 3)) @ rng.integers(-3, 4, (3, 30))
    for a in (x, np.ones((40, 30)), np.eye(40, 30) * (np.arange(30) < 3), np.zeros((40, 30))):
        a = a.astype(dtype)
        idx, proj = startile.interp_decomp(a, 20)
        assert close(rebuilt(a, 20, idx, proj), a, 1e4)
        k, idx, proj = startile.interp_decomp(a, 1e-4)
        assert k == np.linalg.matrix_rank(a) and close(rebuilt(a, k, idx, proj), a, 1e4)
        k, idx, proj = startile.interp_decomp(a, 0)
        assert k >= np.linalg.matrix_rank(a) and close(rebuilt(a, k, idx, proj), a, 1e4)


def test_empty():
    for shape in ((0, 3), (3, 0), (0, 0)):
        k, idx, proj = startile.interp_decomp(np.zeros(shape, "f"), 0.1)
        assert k == 0 and idx.tolist() == list(range(shape[1])) and proj.shape == (0, shape[1]) and proj.dtype == "f"


def test_in_place(rng):
    a = np.asfortranarray(random(rng, "d", 30, 20))
    expected, kept = startile.interp_decomp(a, 5), a.copy()
    idx, proj = startile.interp_decomp(a, 5, overwrite_a=True)
    assert (idx == expected[0]).all() and (proj == expected[1]).all() and (a != kept).any()
