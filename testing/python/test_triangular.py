"""Triangular systems, determinants and norms, compared with scipy and numpy; properties of the library."""
import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import LAYOUTS, TYPES, close, laid_out, random

N = 30
every_type = pytest.mark.parametrize("dtype", TYPES)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def well_conditioned(rng, dtype, *shape):
    """Returns matrices of which both triangles, with their diagonal or with ones, are well-conditioned."""
    return random(rng, dtype, *shape) / shape[-1] + 2 * np.eye(shape[-1], dtype=dtype)


@every_type
@every_layout
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_solve_triangular(rng, dtype, layout, lower, unit_diagonal):
    a, b = well_conditioned(rng, dtype, N, N), random(rng, dtype, N, 3)
    kept, right = laid_out(a, layout), laid_out(b, layout)
    for number, letter in enumerate("NTC"):
        expected = scipy.linalg.solve_triangular(a, b, number, lower, unit_diagonal)
        for trans in (number, letter):
            assert close(startile.solve_triangular(kept, right, trans, lower, unit_diagonal), expected)
        assert close(startile.solve_triangular(kept, right[:, 1], letter, lower, unit_diagonal), expected[:, 1])
    assert (kept == a).all() and (right == b).all()


@every_type
@pytest.mark.parametrize("order", "CF")
def test_solve_triangular_of_several_tiles(rng, dtype, order):
    a, b = np.array(well_conditioned(rng, dtype, 700, 700), order=order), random(rng, dtype, 700, 5)
    for trans in "NTC":
        assert close(startile.solve_triangular(a, b, trans), scipy.linalg.solve_triangular(a, b, trans))


@every_type
@pytest.mark.parametrize("by_rows", [False, True])
def test_solve_triangular_of_stacks(rng, dtype, by_rows):
    a, b = well_conditioned(rng, dtype, 2, 3, 7, 7), random(rng, dtype, 3, 7, 2)
    if not by_rows:
        a = np.array(a.swapaxes(-1, -2), order="C").swapaxes(-1, -2)
    for trans, op in (("N", a), ("T", a.swapaxes(-1, -2)), ("C", a.conj().swapaxes(-1, -2))):
        x = startile.solve_triangular(a, b, trans, lower=True)
        triangle = np.tril(op) if trans == "N" else np.triu(op)
        assert close(x, np.linalg.solve(triangle, np.broadcast_to(b, (2, 3, 7, 2))))
    x = startile.solve_triangular(a[0, 0], b)
    assert close(x, np.linalg.solve(np.broadcast_to(np.triu(a[0, 0]), (3, 7, 7)), b))


@pytest.mark.parametrize("order", "CF")
def test_solve_triangular_of_singular(order):
    a = np.array([[1.0, 2, 3], [4, 0, 6], [7, 8, 9]], order=order)
    for lower in (False, True):
        with pytest.raises(startile.LinAlgError, match=r"^a is singular: a\[1, 1\] is exactly zero") as error:
            startile.solve_triangular(a, np.ones(3), lower=lower)
        assert error.value.pivot == 1 and error.value.matrix == ()
        assert close(
            startile.solve_triangular(a, np.ones(3), 0, lower, True),
            scipy.linalg.solve_triangular(a, np.ones(3), 0, lower, True),
        )
    with pytest.raises(startile.LinAlgError, match=r"^a\[1\] is singular") as error:
        startile.solve_triangular(np.stack([np.eye(3), a]), np.ones(3))
    assert error.value.matrix == (1,)


def test_solve_triangular_in_place(rng):
    a, b = well_conditioned(rng, "d", N, N), random(rng, "d", N)
    expected = scipy.linalg.solve_triangular(a, b)
    a.flags.writeable = False
    x = startile.solve_triangular(a, b, overwrite_b=True)
    assert np.shares_memory(x, b) and close(b, expected)
    a.flags.writeable = True
    kept = a.copy()
    x = startile.solve_triangular(a, a[:, 3], overwrite_b=True)  # b overlaps a
    assert (a == kept).all() and close(x, scipy.linalg.solve_triangular(kept, kept[:, 3]))


def test_wrong_arguments():
    with pytest.raises(ValueError, match="^trans must be one of"):
        startile.solve_triangular(np.eye(2), np.ones(2), 3)
    with pytest.raises(ValueError, match="^a must be square"):
        startile.solve_triangular(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ValueError, match="^b must have 2 rows"):
        startile.solve_triangular(np.eye(2), np.ones(3))
    with pytest.raises(ValueError, match="^ord must be one of"):
        startile.norm(np.eye(2), 2)
    with pytest.raises(ValueError, match="^a must have two or more dimensions"):
        startile.norm(np.ones(2))
    for call in (startile.norm, startile.det, lambda a: startile.solve_triangular(a, np.ones(2))):
        with pytest.raises(ValueError, match="^a must not contain infs or NaNs"):
            call(np.full((2, 2), np.inf))


@every_type
@every_layout
def test_det(rng, dtype, layout):
    for n in (1, 2, 5):
        a = random(rng, dtype, n, n)
        assert close(startile.det(laid_out(a, layout)), np.linalg.det(a).astype(dtype))
    stack = random(rng, dtype, 2, 3, 4, 4)
    assert close(startile.det(stack), np.linalg.det(stack))
    singular = laid_out(np.diag([1, 0, 2]).astype(dtype), layout)
    assert startile.det(singular) == 0


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(1, 1), (20, 12), (12, 20), (300, 290)])
def test_norm(rng, dtype, layout, shape):
    a = random(rng, dtype, *shape)
    for ord in (None, "fro", 1, np.inf):
        value = startile.norm(laid_out(a, layout), ord)
        assert type(value) is float and np.isclose(value, np.linalg.norm(a, ord), rtol=1e-5)
        stack = np.stack([a, 2 * a])
        assert np.allclose(startile.norm(stack, ord), [value, 2 * value], rtol=1e-6)


def test_norm_of_large_elements():
    """The Frobenius norm does not overflow."""
    assert np.isclose(startile.norm(np.full((3, 3), 1e200)), 3e200)
    assert np.isnan(startile.norm(np.full((2, 2), np.nan), check_finite=False))


def test_empty():
    for n, k in ((0, 0), (0, 2), (3, 0)):
        assert startile.solve_triangular(np.eye(n), np.zeros((n, k))).shape == (n, k)
    assert startile.solve_triangular(np.zeros((0, 3, 3)), np.ones(3)).shape == (0, 3)
    assert startile.solve_triangular([[2.0]], [4.0]).tolist() == [2]
    assert startile.det(np.zeros((0, 0))) == 1 and startile.det(np.zeros((0, 2, 2))).shape == (0,)
    for ord in (None, 1, np.inf):
        assert startile.norm(np.zeros((0, 3)), ord) == 0 and startile.norm(np.zeros((3, 0)), ord) == 0
        assert startile.norm(np.zeros((0, 2, 2)), ord).shape == (0,)


def test_info():
    info = startile.info()
    assert info.keys() == startile.Info.__annotations__.keys()
    assert info["version"] == startile.__version__ and "patched" in info["starpu"]
    assert info["cpu_workers"] + info["cuda_workers"] > 0 and "libstartile" in info["library"]
    assert bool(info["models_machine"]) == bool(info["models_folder"]) and info["models_reason"]
