"""Results for single matrices of all types and memory layouts, compared with scipy."""
import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import LAYOUTS, TYPES, close, laid_out, positive, random

N = 30
every_type = pytest.mark.parametrize("dtype", TYPES)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@every_type
@every_layout
@pytest.mark.parametrize("transposed", [False, True])
def test_solve(rng, dtype, layout, transposed):
    a, b = random(rng, dtype, N, N), random(rng, dtype, N, 3)
    kept, right = laid_out(a, layout), laid_out(b, layout)
    x = startile.solve(kept, right, transposed=transposed)
    assert close(x, np.linalg.solve(a.T if transposed else a, b))
    assert close(startile.solve(kept, right[:, 0], transposed=transposed), x[:, 0])
    assert (kept == a).all() and (right == b).all()


@every_type
@every_layout
@pytest.mark.parametrize("lower", [False, True])
def test_positive_definite(rng, dtype, layout, lower):
    a, b = positive(rng, dtype, N, N), random(rng, dtype, N, 3)
    half = laid_out(np.tril(a) if lower else np.triu(a), layout)
    expected = scipy.linalg.solve(a, b)
    assert close(startile.solve(half, b, lower=lower, assume_a="pos"), expected)
    assert close(startile.solve(half, b, lower=lower, assume_a="pos", transposed=True), np.linalg.solve(a.T, b))
    factor = startile.cholesky(half, lower=lower)
    assert close(factor, scipy.linalg.cholesky(a, lower=lower))
    assert close(startile.cho_solve((laid_out(factor, layout), lower), b), expected)
    assert close(startile.cho_solve(startile.cho_factor(a, lower), b[:, 1]), expected[:, 1])


@every_type
@every_layout
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("rank", [0, 1, 11, N])
def test_cholesky_with_pivoting(rng, dtype, layout, lower, rank):
    x = random(rng, dtype, N, rank)
    a = x @ x.conj().T
    half = laid_out(np.tril(a) if lower else np.triu(a), layout)
    tol = None if rank < N else 0.0  # the last pivots of a random matrix of full rank may be small
    factor, p, found = startile.cholesky(half, lower=lower, pivoting=True, tol=tol)
    left = factor if lower else factor.conj().T
    assert found == rank and sorted(p) == list(range(N))
    assert (np.triu(left, 1) == 0).all() and (left[:, rank:] == 0).all()
    assert close(left @ left.conj().T, a[p][:, p])
    pstrf = scipy.linalg.get_lapack_funcs("pstrf", (a,))
    if rank > 0 and dtype in "dD":
        expected = pstrf(a, lower=lower, tol=-1 if tol is None else tol)
        assert (p[:rank] == expected[1][:rank] - 1).all()


@every_type
@every_layout
def test_lu(rng, dtype, layout):
    a, b = random(rng, dtype, N, N), random(rng, dtype, N, 3)
    lu, piv = startile.lu_factor(laid_out(a, layout))
    expected_lu, expected_piv = scipy.linalg.lu_factor(a)
    assert close(lu, expected_lu) and (piv == expected_piv).all()
    for trans, op in enumerate((a, a.T, a.conj().T)):
        x = startile.lu_solve((laid_out(lu, layout), piv), b, trans=trans)
        assert close(x, np.linalg.solve(op, b))
    wide = random(rng, dtype, 5, 9)
    assert close(startile.lu_factor(laid_out(wide, layout))[0], scipy.linalg.lu_factor(wide)[0])


@every_type
@every_layout
def test_inverse_and_numbers(rng, dtype, layout):
    a = random(rng, dtype, N, N)
    array = laid_out(a, layout)
    assert close(startile.inv(array), np.linalg.inv(a))
    sign, logabsdet = startile.slogdet(array)
    expected = np.linalg.slogdet(a)
    assert abs(sign - expected[0]) < 1e-3 and abs(logabsdet - expected[1]) < 1e-3
    for p in (1, np.inf):
        ratio = startile.cond(array, p) / np.linalg.cond(a.astype("D"), p).real
        assert 1 / 3 < ratio < 1.01


@every_type
@every_layout
@pytest.mark.parametrize("lower", [False, True])
def test_numbers_of_positive_definite(rng, dtype, layout, lower):
    a = positive(rng, dtype, N, N)
    half = laid_out(np.tril(a) if lower else np.triu(a), layout)
    logdet = startile.logdet(half, lower, assume_a="pos")
    assert abs(logdet - np.linalg.slogdet(a)[1]) < 1e-3
    ratio = startile.cond(half, lower=lower, assume_a="pos") / np.linalg.cond(a.astype("D"), 1).real
    assert 1 / 3 < ratio < 1.01


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (9, 9)])
def test_qr(rng, dtype, layout, shape):
    a = random(rng, dtype, *shape)
    for mode in ("full", "economic"):
        q, r = startile.qr(laid_out(a, layout), mode=mode)
        expected_q, expected_r = scipy.linalg.qr(a, mode=mode)
        assert close(q, expected_q) and close(r, expected_r)
    assert close(startile.qr(laid_out(a, layout), mode="r")[0], scipy.linalg.qr(a, mode="r")[0])


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (9, 9), (0, 3), (3, 0)])
def test_qr_with_pivoting(rng, dtype, layout, shape):
    a = random(rng, dtype, *shape)
    for mode in ("full", "economic"):
        q, r, p = startile.qr(laid_out(a, layout), mode=mode, pivoting=True)
        assert sorted(p) == list(range(shape[1]))
        assert close(q @ r, a[:, p])
        if a.size:
            expected_q, expected_r, expected_p = scipy.linalg.qr(a, mode=mode, pivoting=True)
            assert (p == expected_p).all() and close(q, expected_q) and close(r, expected_r)
    r, p = startile.qr(laid_out(a, layout), mode="r", pivoting=True)
    assert r.shape == shape and (np.abs(np.diag(r)) <= np.abs(np.ravel(r)[:1]) * 1.001).all()


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (9, 9), (0, 3), (3, 0)])
@pytest.mark.parametrize("pivoting", [False, True, "random"])
def test_raw_qr(rng, dtype, layout, shape, pivoting):
    a, k = random(rng, dtype, *shape), min(shape)
    (factors, tau), r, *p = startile.qr(laid_out(a, layout), mode="raw", pivoting=pivoting)
    assert factors.shape == shape and tau.shape == (k,) and (r == np.triu(factors)[:k]).all()
    assert len(p) == bool(pivoting) and (not p or sorted(p[0]) == list(range(shape[1])))
    if a.size:
        orgqr = scipy.linalg.get_lapack_funcs("ungqr" if dtype in "FD" else "orgqr", (a,))
        q = orgqr(factors[:, :k], tau)[0]
        assert close(q @ r, a[:, p[0]] if p else a) and close(q.conj().T @ q, np.eye(k, dtype=dtype))
    if not pivoting and a.size:
        expected = scipy.linalg.qr(a, mode="raw")
        assert close(factors, expected[0][0]) and close(tau, expected[0][1]) and close(r, expected[1])


def test_raw_qr_of_stacks_and_in_place(rng):
    stack = random(rng, "D", 2, 3, 7, 4)
    (factors, tau), r = startile.qr(stack, mode="raw")
    for i in np.ndindex(2, 3):
        (expected, scales), upper = scipy.linalg.qr(stack[i], mode="raw")
        assert close(factors[i], expected) and close(tau[i], scales) and close(r[i], upper)
    (factors, tau), r, p = startile.qr(stack, mode="raw", pivoting=True)
    for i in np.ndindex(2, 3):
        (expected, scales), upper, columns = scipy.linalg.qr(stack[i], mode="raw", pivoting=True)
        assert close(factors[i], expected) and close(tau[i], scales) and close(r[i], upper) and (p[i] == columns).all()
    a = np.array(stack[0, 0], order="F")
    (factors, tau), r = startile.qr(a, overwrite_a=True, mode="raw")
    assert np.shares_memory(factors, a) and not np.shares_memory(r, a) and (a == factors).all()


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (9, 9), (0, 3), (3, 0)])
def test_qr_with_random_pivoting(rng, dtype, layout, shape):
    a = random(rng, dtype, *shape)
    q, r, p = startile.qr(laid_out(a, layout), pivoting="random", seed=2**64 - 1)
    assert sorted(p) == list(range(shape[1]))
    assert close(q @ r, a[:, p]) and close(q.T.conj() @ q, np.eye(shape[0], dtype=dtype))
    again, same = startile.qr(laid_out(a, layout), mode="r", pivoting="random", seed=2**64 - 1)
    assert close(again, r) and (same == p).all()


@every_type
@every_layout
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (9, 9)])
def test_lstsq(rng, dtype, layout, shape):
    a, b = random(rng, dtype, *shape), random(rng, dtype, shape[0], 2)
    for right in (b, b[:, 0]):
        x, residues, rank, values = startile.lstsq(laid_out(a, layout), right)
        expected = scipy.linalg.lstsq(a, right)
        assert close(x, expected[0])
        assert np.allclose(residues, expected[1], rtol=1e-4) and np.shape(residues) == np.shape(expected[1])
        assert rank == min(shape) and values is None


@pytest.mark.parametrize("dtype", "dD")
@every_layout
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_mixed(rng, dtype, layout, assume_a):
    a, b = positive(rng, dtype, N, N), random(rng, dtype, N, 3)
    result = startile.solve_mixed(laid_out(a, layout), b, assume_a=assume_a)
    assert close(result.x, np.linalg.solve(a, b))
    assert result.iterations > 0 and 1e-18 < result.backward < 1e-15 and result.forward < 1e-10
    assert close(startile.solve_mixed(a, b[:, 0], assume_a=assume_a).x, result.x[:, 0])


@pytest.mark.parametrize("dtype", "dD")
@every_layout
@pytest.mark.parametrize("shape", [(40, 12), (30, 30), (600, 20)])
def test_lstsq_mixed(rng, dtype, layout, shape):
    a, b = random(rng, dtype, *shape), random(rng, dtype, shape[0], 3)
    array = laid_out(a, layout)
    result = startile.lstsq_mixed(array, b)
    expected = scipy.linalg.lstsq(a, b)[0]
    assert close(result.x, expected, 1e5) and result.backward < 1e-14 and (array == a).all()
    assert close(startile.lstsq_mixed(a, b[:, 0]).x, expected[:, 0], 1e5)
    stack = np.stack([b, 2 * b])
    assert close(startile.lstsq_mixed(a, stack).x, np.stack([expected, 2 * expected]), 1e5)


def test_lstsq_mixed_of_consistent_systems(rng):
    a, x = random(rng, "d", 50, 9), random(rng, "d", 9)
    result = startile.lstsq_mixed(a, a @ x)
    assert result.iterations > 0 and close(result.x, x)
    assert startile.lstsq_mixed(np.zeros((3, 0)), np.ones(3)).x.shape == (0,)
    with pytest.raises(startile.LinAlgError, match="does not have full rank"):
        startile.lstsq_mixed(np.diag([1.0, 2, 0, 3]), np.ones(4))


def test_mixed_falls_back(rng):
    a = scipy.linalg.hilbert(12)
    with pytest.warns(startile.LinAlgWarning):
        result = startile.solve_mixed(a, a @ np.ones(12))
    assert result.iterations < 0 and np.abs(a @ (result.x - 1)).max() < 1e-14


@pytest.mark.parametrize("layout", "CF")
def test_overwrite(rng, layout):
    """With overwrite_a and overwrite_b results are in the caller's arrays."""
    a, b = positive(rng, "d", N, N), random(rng, "d", N)
    array = laid_out(a, layout)
    assert np.shares_memory(startile.cholesky(array, overwrite_a=True), array)
    array, right = laid_out(a, layout), b.copy()
    x = startile.solve(array, right, overwrite_a=True, overwrite_b=True)
    assert np.shares_memory(x, right) and not (array == a).all()
    assert close(right, np.linalg.solve(a, b))
    array = laid_out(a, layout)
    assert np.shares_memory(startile.inv(array, overwrite_a=True), array)
    array.flags.writeable = False
    assert not np.shares_memory(startile.inv(array, overwrite_a=True), array)


def test_very_tall(rng):
    """More than 1024 times the usual width of a block column in the transpose, which the library factors."""
    a = random(rng, "f", 70000, 3)
    assert close(np.abs(startile.qr(a, mode="economic")[1]), np.abs(np.linalg.qr(a)[1]))
    assert close(startile.lstsq(a, a[:, 1])[0], np.array([0, 1, 0], "f"))


def test_triangle_larger_than_a_block(rng):
    a = positive(rng, "f", 600, 600)
    for lower in (False, True):
        assert close(startile.cholesky(a, lower=lower), scipy.linalg.cholesky(a, lower=lower), 1e5)
    assert (np.tril(startile.qr(a[:, :300], mode="r")[0], -1) == 0).all()


def test_empty():
    for n, k in ((0, 0), (0, 2), (3, 0)):
        assert startile.solve(np.eye(n), np.zeros((n, k))).shape == (n, k)
        assert startile.lstsq(np.ones((n, k)), np.ones(n))[0].shape == (k,)
    assert startile.cholesky(np.zeros((0, 0))).shape == (0, 0)
    assert startile.slogdet(np.zeros((0, 0))) == (1, 0)
    q, r = startile.qr(np.zeros((3, 0)))
    assert close(q, np.eye(3)) and r.shape == (3, 0)
    assert startile.qr(np.zeros((0, 3)), mode="r")[0].shape == (0, 3)


def test_types():
    """Integers are computed in double, mixed types in the larger one."""
    assert startile.solve([[2, 1], [1, 3]], [3, 4]).tolist() == [1, 1]
    a = np.eye(2, dtype="f")
    assert startile.solve(a, np.ones(2, "D")).dtype == "D"
    assert startile.solve(a.astype(">f4"), np.ones(2, "f")).dtype == "f"
    assert startile.solve(a.astype("e"), np.ones(2, "e")).dtype == "f"
