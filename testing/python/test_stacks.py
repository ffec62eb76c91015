"""Stacks of matrices: broadcasting and results, compared with numpy's."""
import numpy as np
import pytest
import startile
from matrices import TYPES, close, positive, random

every_type = pytest.mark.parametrize("dtype", TYPES)
N = 6


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def expected_solution(a, b):
    """Returns numpy's solution. numpy 1 takes some stacks b for stacks of vectors, unless b has a's dimensions."""
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.linalg.solve(a, np.broadcast_to(b, stack + b.shape[-2:]))


def by_columns(a):
    """Returns a copy whose matrices are column-major."""
    return np.array(a.swapaxes(-1, -2)).swapaxes(-1, -2)


@every_type
@pytest.mark.parametrize("stacks", [((4,), (4,)), ((), (2, 3)), ((2, 3), ()), ((2, 1), (3,)), ((1,), (5,))])
@pytest.mark.parametrize("arrange", [np.array, by_columns])
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_solve(rng, dtype, stacks, arrange, assume_a):
    a, b = positive(rng, dtype, *stacks[0], N, N), random(rng, dtype, *stacks[1], N, 2)
    kept = arrange(a)
    x = startile.solve(kept, b, assume_a=assume_a)
    assert close(x, expected_solution(a, b))
    assert (kept == a).all()
    transposed = startile.solve(kept, b, assume_a=assume_a, transposed=True)
    assert close(transposed, expected_solution(a.swapaxes(-1, -2), b))


@every_type
def test_vector_for_all(rng, dtype):
    a, b = random(rng, dtype, 2, 3, N, N), random(rng, dtype, N)
    x = startile.solve(a, b)
    assert x.shape == (2, 3, N) and close(a @ x[..., np.newaxis], np.broadcast_to(b[:, np.newaxis], (2, 3, N, 1)), 1e5)


def test_factors_once(rng, calls):
    """One matrix for a stack of right-hand sides is factored once, and a stack in one call."""
    startile.solve(random(rng, "d", N, N), random(rng, "d", 5, N, 2))
    assert calls == ["dgetrf", "dgecon", "dgetrs"]
    calls.clear()
    startile.solve(random(rng, "d", 5, N, N), random(rng, "d", 5, N, 2))
    assert calls == ["dgetrf_batch_strided", "dgetrs_batch_strided"]


@every_type
@pytest.mark.parametrize("arrange", [np.array, by_columns])
def test_factors(rng, dtype, arrange):
    a, b = positive(rng, dtype, 3, N, N), random(rng, dtype, 3, N, 2)
    for lower in (False, True):
        factor = startile.cholesky(arrange(a), lower=lower)
        adjoint = factor.conj().swapaxes(-1, -2)
        assert close(factor @ adjoint if lower else adjoint @ factor, a)
        assert close(startile.cho_solve((factor, lower), b), np.linalg.solve(a, b))
    lu, piv = startile.lu_factor(arrange(a))
    assert close(startile.lu_solve((lu, piv), b), np.linalg.solve(a, b))
    assert close(startile.inv(arrange(a)), np.linalg.inv(a))
    one = startile.lu_solve((lu[0], piv[0]), b)
    assert close(one, np.linalg.solve(a[0], b))


@every_type
@pytest.mark.parametrize("arrange", [np.array, by_columns])
def test_determinants(rng, dtype, arrange):
    a = random(rng, dtype, 2, 3, N, N)
    a[1, 2] = 0
    sign, logabsdet = startile.slogdet(arrange(a))
    expected = np.linalg.slogdet(a)
    assert np.allclose(sign, expected[0], rtol=1e-3) and np.allclose(logabsdet, expected[1], rtol=1e-3)
    if dtype == "d":
        logdet = startile.logdet(a)
        assert (np.isnan(logdet) == (expected[0] < 0)).all() and logdet[1, 2] == -np.inf
    if dtype == "D":
        assert np.allclose(np.exp(startile.logdet(a)[0]), np.linalg.det(a)[0])


@every_type
@pytest.mark.parametrize("arrange", [np.array, by_columns])
@pytest.mark.parametrize("shape", [(7, 4), (4, 7)])
def test_qr_and_lstsq(rng, dtype, arrange, shape):
    a, b = random(rng, dtype, 3, *shape), random(rng, dtype, 3, shape[0], 2)
    for mode in ("full", "economic"):
        q, r = startile.qr(arrange(a), mode=mode)
        columns = shape[0] if mode == "full" else min(shape)
        assert q.shape == (3, shape[0], columns) and close(q @ r, a)
        identity = np.broadcast_to(np.eye(columns, dtype=dtype), (3, columns, columns))
        assert close(q.conj().swapaxes(-1, -2) @ q, identity)
        assert (np.tril(r, -1) == 0).all()
        q, r, p = startile.qr(arrange(a), mode=mode, pivoting=True)
        assert p.shape == (3, shape[1]) and close(q @ r, np.take_along_axis(a, p[:, np.newaxis], axis=-1))
        for k in range(3):
            assert (p[k] == startile.qr(a[k], mode=mode, pivoting=True)[2]).all()
    x, residues, _, _ = startile.lstsq(arrange(a), b)
    for k in range(3):
        expected = np.linalg.lstsq(a[k], b[k], rcond=None)
        assert close(x[k], expected[0]) and np.allclose(residues[k] if residues.size else [], expected[1], rtol=1e-4)


@every_type
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_cond(rng, dtype, assume_a):
    a = positive(rng, dtype, 2, 3, N, N)
    values = startile.cond(a, assume_a=assume_a)
    exact = np.linalg.cond(a, 1)
    assert values.shape == (2, 3) and (values <= 1.001 * exact).all() and (values > exact / 10).all()
    a[1, 2] = 0
    if assume_a == "gen":
        assert startile.cond(a)[1, 2] == np.inf
    else:
        with pytest.raises(startile.LinAlgError, match=r"^a\[1, 2\] is not positive") as caught:
            startile.cond(a, assume_a="pos")
        assert caught.value.matrix == (1, 2) and caught.value.pivot == 0
    assert startile.cond(np.zeros((0, 3, 3))).shape == (0,)


def test_empty_stack():
    assert startile.solve(np.zeros((0, 3, 3)), np.zeros((0, 3, 1))).shape == (0, 3, 1)
    assert startile.slogdet(np.zeros((0, 3, 3))).sign.shape == (0,)
