"""LDL factorization and solves of symmetric and Hermitian indefinite matrices, compared with scipy."""
import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import LAYOUTS, TYPES, close, laid_out, random

every_type = pytest.mark.parametrize("dtype", TYPES)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
either_triangle = pytest.mark.parametrize("lower", [False, True])
either_kind = pytest.mark.parametrize("hermitian", [False, True])


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def adjoint(a, hermitian):
    transposed = a.swapaxes(-1, -2)
    return transposed.conj() if hermitian else transposed


def indefinite(rng, dtype, hermitian, *shape):
    """Returns matrices of which some pivots have order 2."""
    a = random(rng, dtype, *shape)
    a = a + adjoint(a, hermitian)
    a[..., np.arange(0, shape[-1], 3), np.arange(0, shape[-1], 3)] = 0
    return a


def half_of(a, lower):
    return np.tril(a) if lower else np.triu(a)


@every_type
@every_layout
@either_triangle
@either_kind
@pytest.mark.parametrize("n", [0, 1, 2, 3, 30])
def test_ldl(rng, dtype, layout, lower, hermitian, n):
    a = indefinite(rng, dtype, hermitian, n, n)
    half = half_of(a, lower)
    kept = laid_out(half, layout)
    lu, d, perm = startile.ldl(kept, lower=lower, hermitian=hermitian)
    assert (kept == half).all()
    assert close(lu @ d @ adjoint(lu, hermitian), a)
    assert (half_of(lu[perm], lower) == lu[perm]).all() and (np.diagonal(lu[perm]) == 1).all()
    assert (d == adjoint(d, hermitian)).all() and (np.triu(d, 2) == 0).all()
    if n > 0:
        expected = scipy.linalg.ldl(a, lower=lower, hermitian=hermitian)
        assert (perm == expected[2]).all() and close(lu, expected[0]) and close(d, expected[1])


def test_blocks_of_order_2(rng):
    n = 9
    a = np.fliplr(np.diag(np.arange(1.0, n + 1)))
    a = a + a.T
    for lower in (False, True):
        lu, d, perm = startile.ldl(a, lower=lower)
        assert np.count_nonzero(np.diagonal(d, 1)) == n // 2 and close(lu @ d @ lu.T, a)


@either_kind
def test_ldl_of_complex_diagonals(rng, hermitian):
    """Imaginary parts of the diagonal count for a symmetric matrix only."""
    a = indefinite(rng, "D", hermitian, 8, 8)
    spoilt = a + 3j * np.eye(8)
    lu, d, _ = startile.ldl(spoilt, hermitian=hermitian)
    assert close(lu @ d @ adjoint(lu, hermitian), a if hermitian else spoilt)


def test_ldl_in_place_and_singular(rng):
    a = np.array(indefinite(rng, "d", True, 20, 20), order="F")
    kept = a.copy()
    lu, d, _ = startile.ldl(a, overwrite_a=True)
    assert (a != kept).any() and close(lu @ d @ lu.T, kept)
    lu, d, _ = startile.ldl(np.zeros((3, 3)))
    assert (lu == np.eye(3)).all() and (d == 0).all()
    with pytest.raises(ValueError, match="infs or NaNs"):
        startile.ldl(np.full((2, 2), np.nan))


@every_type
@every_layout
@either_triangle
@pytest.mark.parametrize("assume_a", ["sym", "her"])
@pytest.mark.parametrize("transposed", [False, True])
def test_solve(rng, dtype, layout, lower, assume_a, transposed):
    n = 30
    a, b = indefinite(rng, dtype, assume_a == "her", n, n), random(rng, dtype, n, 3)
    half, right = laid_out(half_of(a, lower), layout), laid_out(b, layout)
    x = startile.solve(half, right, lower=lower, assume_a=assume_a, transposed=transposed)
    assert close(x, np.linalg.solve(a.T if transposed else a, b), 1e5)
    assert close(startile.solve(half, b[:, 0], lower, assume_a=assume_a, transposed=transposed), x[:, 0], 1e5)
    assert (half == half_of(a, lower)).all() and (right == b).all()


@every_type
@pytest.mark.parametrize("assume_a", ["sym", "her"])
@pytest.mark.parametrize("order", "CF")
def test_stacks(rng, dtype, assume_a, order):
    a, b = indefinite(rng, dtype, assume_a == "her", 2, 3, 8, 8), random(rng, dtype, 3, 8, 2)
    kept = a if order == "C" else np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    assert close(startile.solve(kept, b, assume_a=assume_a), np.linalg.solve(a, np.broadcast_to(b, (2, 3, 8, 2))), 1e5)
    assert close(startile.solve(kept[0, 0], b, assume_a=assume_a), np.linalg.solve(a[0, 0], b), 1e5)


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize("assume_a", ["sym", "her"])
def test_condition(n, assume_a):
    """The size decides who computes the norm."""
    a = np.diag(np.append(np.ones(n - 1), -1e-17)).astype("D")
    with pytest.warns(startile.LinAlgWarning, match="singular to working precision"):
        startile.solve(a, np.ones(n), assume_a=assume_a)
    if assume_a == "sym":  # a norm without the imaginary parts of the diagonal is 0
        assert close(startile.solve(1j * np.eye(n), np.ones(n), assume_a="sym"), np.full(n, -1j))
    with pytest.raises(startile.LinAlgError, match=r"a is singular: D\[2, 2\]") as caught:
        startile.solve(np.diag(np.append([1.0, -1.0, 0.0], np.ones(n - 3))), np.ones(n), assume_a=assume_a)
    assert caught.value.pivot == 2


@every_type
@every_layout
@either_triangle
@pytest.mark.parametrize("assume_a", ["sym", "her", "pos"])
@pytest.mark.parametrize("n", [0, 1, 3, 30])
def test_inverse_determinant_and_condition(rng, dtype, layout, lower, assume_a, n):
    hermitian = assume_a != "sym"
    a = indefinite(rng, dtype, hermitian, n, n)
    if assume_a == "pos":
        a = a @ adjoint(a, True) + n * np.eye(n, dtype=dtype)
    elif n == 1:
        a += 1
    half = laid_out(half_of(a, lower), layout)
    x = startile.inv(half, lower=lower, assume_a=assume_a)
    assert close(x, np.linalg.inv(a), 1e5) and (x == adjoint(x, hermitian)).all() and x.dtype == a.dtype
    result, expected = startile.slogdet(half, lower, assume_a=assume_a), np.linalg.slogdet(a)
    assert result.sign.dtype == expected[0].dtype and result.logabsdet.dtype == expected[1].dtype
    assert close(result.sign, expected[0], 1e4) and close(result.logabsdet, expected[1], 1e4)
    if n <= 3 and (np.iscomplexobj(a) or result.sign > 0):
        assert np.isclose(np.exp(startile.logdet(half, lower, assume_a=assume_a)), np.linalg.det(a), rtol=1e-3)
    estimate = startile.cond(half, lower=lower, assume_a=assume_a)
    assert n == 0 or 0.3 * np.linalg.cond(a, 1) < estimate < 1.01 * np.linalg.cond(a, 1)
    assert (half == half_of(a, lower)).all()


@pytest.mark.parametrize("assume_a", ["symmetric", "hermitian", "positive definite"])
@pytest.mark.parametrize("order", "CF")
def test_inverses_of_stacks_and_in_place(rng, assume_a, order):
    """n = 300: blocks of the mirrored triangle."""
    a = indefinite(rng, "D", assume_a != "symmetric", 2, 300, 300)
    if assume_a == "positive definite":
        a = a @ adjoint(a, True) + 300 * np.eye(300)
    expected, signs = np.linalg.inv(a), np.linalg.slogdet(a)
    kept = a if order == "C" else np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    for x, y in zip(startile.slogdet(kept, assume_a=assume_a), signs):
        assert close(x, y, 1e5)
    assert np.allclose(np.log(startile.cond(kept, assume_a=assume_a)), np.log(np.linalg.cond(a, 1)), atol=np.log(3))
    x = startile.inv(kept, overwrite_a=True, assume_a=assume_a)
    assert x is kept and close(x, expected, 1e6)


@either_kind
def test_singular(hermitian):
    a, assume_a = np.diag([1.0, 0.0, -2.0]), "her" if hermitian else "sym"
    assert startile.slogdet(a, assume_a=assume_a) == (0, -np.inf) and startile.cond(a, assume_a=assume_a) == np.inf
    with pytest.raises(startile.LinAlgError, match=r"a\[1\] is singular: D\[1, 1\]"):
        startile.inv(np.stack([np.eye(3), a]), assume_a=assume_a)
    with pytest.warns(startile.LinAlgWarning, match="singular to working precision"):
        startile.inv(np.diag([1.0, -1e-17]), assume_a=assume_a)
    with pytest.raises(startile.LinAlgError, match="a is not positive definite"):
        startile.inv(a, assume_a="pos")
    for call in (startile.inv, startile.slogdet, startile.cond, startile.logdet):
        with pytest.raises(ValueError, match="assume_a must be one of 'gen', 'pos', 'sym', 'her', not 'banded'"):
            call(a, assume_a="banded")


@every_type
@every_layout
@either_triangle
@pytest.mark.parametrize("n", [0, 1, 2, 30])
def test_inertia(rng, dtype, layout, lower, n):
    a = indefinite(rng, dtype, True, n, n)
    half, values = laid_out(half_of(a, lower), layout), np.linalg.eigvalsh(a)
    result = startile.inertia(half, lower)
    assert result == ((values > 0).sum(), (values < 0).sum(), int(n == 1)) and type(result.positive) is int
    assert (half == half_of(a, lower)).all()


def test_inertia_of_stacks(rng):
    a = np.stack([np.diag([1.0, 2.0, -3.0]), np.diag([0.0, 0.0, 1.0])])
    positive, negative, zero = startile.inertia(a)
    assert (positive.tolist(), negative.tolist(), zero.tolist()) == ([2, 1], [1, 0], [0, 2])
    assert startile.inertia(np.zeros((0, 2, 2))).zero.shape == (0,)
