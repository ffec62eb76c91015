"""Warnings of matrices that are singular, or without full rank, to working precision."""
import warnings

import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import LAYOUTS, TYPES, close, laid_out, random

HILBERT = {"f": 7, "d": 14, "F": 7, "D": 14}
every_type = pytest.mark.parametrize("dtype", TYPES)
every_order = pytest.mark.parametrize("order", "CF")
SINGULAR = r"^a is singular to working precision \(rcond [0-9.]+e-"


@pytest.fixture
def rng():
    return np.random.default_rng(21)


def hilbert(dtype, order="C"):
    """Returns a Hilbert matrix whose solution has no correct digit."""
    return np.array(scipy.linalg.hilbert(HILBERT[dtype]), dtype, order=order)


def dependent(rng, dtype, m, n, order="C"):
    """Returns a matrix of which two columns, or two rows if it is wide, are equal."""
    a = np.array(random(rng, dtype, m, n), order=order)
    view = a if m >= n else a.T
    view[:, -1] = view[:, 1]
    return a


@every_type
@every_order
def test_lu(dtype, order):
    a = hilbert(dtype, order)
    b = a.sum(axis=1)
    for call in (lambda: startile.solve(a, b), lambda: startile.inv(a), lambda: startile.solve(a, b, transposed=True)):
        with pytest.warns(startile.LinAlgWarning, match=SINGULAR) as warned:
            call()
        assert len(warned) == 1 and warned[0].filename == __file__
    assert issubclass(startile.LinAlgWarning, RuntimeWarning)


@pytest.mark.parametrize("n", [12, 300])
@every_order
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(n, order, lower):
    """Only one triangle is read. With n = 300 the library computes the norm, with n = 12 numpy."""
    a = np.eye(n)
    a[-12:, -12:] = scipy.linalg.hilbert(12)
    half = np.array(np.tril(a) if lower else np.triu(a), order=order)
    with pytest.warns(startile.LinAlgWarning, match=SINGULAR):
        startile.solve(half, np.ones(n), lower=lower, assume_a="pos")
    assert startile.cond(half, lower=lower, assume_a="pos") > 1e15


@every_order
def test_the_norm_is_that_of_columns(order):
    """1 / cond(a) is below eps in the 1-norm, and above it in the ∞-norm."""
    a = np.eye(40)
    a[1:, 0] = 2e7
    with pytest.warns(startile.LinAlgWarning, match=SINGULAR):
        startile.solve(np.array(a, order=order), np.ones(40))
    startile.solve(np.array(a.T, order=order), np.ones(40))


@pytest.mark.parametrize("n", [10, 400])
def test_well_conditioned(rng, n):
    """No warning for rcond far above eps, nor for badly scaled matrices."""
    a, b = random(rng, "d", n, n), np.ones(n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in (1, 1e200, 1e-200):
            startile.solve(scale * a, b)
            startile.inv(scale * a)
            startile.lstsq(scale * a, b)
            startile.solve(scale * (np.eye(n) + np.ones((n, n))), b, assume_a="pos")
        startile.solve(scipy.linalg.hilbert(10), np.ones(10))
        startile.lstsq(np.vander(np.linspace(0, 1, 50), 9), np.ones(50))
        startile.solve(np.full((2, 2), np.nan), np.ones(2), check_finite=False)


def test_stacks():
    a = np.stack([np.eye(14), hilbert("d"), np.eye(14)])
    by_diagonal = r"a\[1\] is singular to working precision, by the diagonal"
    for call in (lambda: startile.solve(a, np.ones(14)), lambda: startile.inv(a)):
        with pytest.warns(startile.LinAlgWarning, match=by_diagonal):
            call()
    definite = np.stack([np.eye(3), np.diag([1, 1e-8, 1]) ** 2])
    with pytest.warns(startile.LinAlgWarning, match=by_diagonal):
        startile.solve(definite, np.ones(3), assume_a="pos")
    assert startile.solve(np.zeros((0, 3, 3)), np.ones(3)).shape == (0, 3)


def test_mixed():
    """The estimate of x's error decides, or the factors in double precision if refinement fails."""
    a = hilbert("d")
    for b, words in ((np.ones(14), r"^a is too ill-conditioned .*\(forward error [01]\."), (a.sum(axis=1), SINGULAR)):
        with pytest.warns(startile.LinAlgWarning, match=words):
            startile.solve_mixed(a, b)
    a = scipy.linalg.hilbert(12)
    with pytest.warns(startile.LinAlgWarning, match=SINGULAR):
        assert startile.solve_mixed(a, np.ones(12), assume_a="pos").iterations < 0
    with pytest.warns(startile.LinAlgWarning, match="^a does not have full rank to working precision"):
        assert startile.lstsq_mixed(scipy.linalg.hilbert(100)[:, :14], np.ones(100)).iterations < 0


def test_future():
    a = hilbert("d")
    with pytest.warns(startile.LinAlgWarning, match=SINGULAR):
        startile.submit(startile.solve, a, np.ones(14)).result()


@every_type
@every_order
@pytest.mark.parametrize("shape", [(100, 5), (5, 100), (20, 20), (300, 290)])
def test_rank(rng, dtype, order, shape):
    """The solution of least norm, without a warning."""
    a, b = dependent(rng, dtype, *shape, order), random(rng, dtype, shape[0], 3)
    kept, right, k = a.copy(), b.copy(), min(shape)
    for overwrite in (False, True):
        x, residues, rank, _ = startile.lstsq(a, b, overwrite_a=overwrite, overwrite_b=overwrite)
        expected = np.linalg.lstsq(kept, right, rcond=k * np.finfo(dtype).eps)
        assert rank == expected[2] == k - 1 and type(rank) is int and residues.shape == expected[1].shape == (0,)
        assert close(x, expected[0], 1e4)
        assert overwrite or ((a == kept).all() and (b == right).all())
    assert close(startile.lstsq(kept, right[:, 0])[0], expected[0][:, 0], 1e4)


@every_type
@pytest.mark.parametrize("rank", [0, 1, 7, 20])
@pytest.mark.parametrize("shape", [(50, 20), (20, 50), (20, 20)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_pinv(rng, dtype, rank, shape, layout):
    a = laid_out(random(rng, dtype, shape[0], rank) @ random(rng, dtype, rank, shape[1]), layout)
    kept = a.copy()
    x = startile.pinv(a)
    assert close(x, np.linalg.pinv(a, 100 * np.finfo(dtype).eps), 1e5) and (a == kept).all()
    assert rank == 0 or close(a @ x @ a, a, 1e4)


def test_pinv_by_rcond(rng):
    """Singular values 1, 1e-2, 1e-4, …"""
    q, p = np.linalg.qr(random(rng, "d", 30, 6))[0], np.linalg.qr(random(rng, "d", 6, 6))[0]
    a = (q * 0.01 ** np.arange(6)) @ p
    for rank in range(1, 7):
        norm = np.linalg.norm(startile.pinv(a, 0.3 * 0.01 ** (rank - 1)), 2)
        assert 0.5 * 100 ** (rank - 1) < norm < 2 * 100 ** (rank - 1)


def test_pinv_of_stacks_and_empty(rng):
    a = random(rng, "F", 2, 3, 20, 6)
    a[1, 2, :, 4], a[1, 2, :, 5] = a[1, 2, :, 0], a[1, 2, :, 1]
    for stack in (a, a.swapaxes(-1, -2)):
        assert close(startile.pinv(stack), np.linalg.pinv(stack, 1e-5), 1e4)
    for shape in ((3, 0), (0, 3), (0, 0), (0, 4, 2), (2, 0, 4)):
        assert startile.pinv(np.zeros(shape)).shape == np.linalg.pinv(np.zeros(shape)).shape
    assert (startile.pinv(np.zeros((4, 2), "f")) == np.zeros((2, 4), "f")).all()
    assert startile.pinv([[1, 2]]).dtype == np.float64 and startile.pinv(np.zeros((2, 2), "f")).dtype == np.float32


@every_type
@pytest.mark.parametrize("rank", [0, 1, 7, 20])
@pytest.mark.parametrize("shape", [(50, 20), (20, 50), (20, 20)])
def test_rank_of_products(rng, dtype, rank, shape):
    a, b = random(rng, dtype, shape[0], rank) @ random(rng, dtype, rank, shape[1]), random(rng, dtype, shape[0])
    x, _, found, _ = startile.lstsq(a, b)
    assert found == rank and close(x, np.linalg.lstsq(a, b, rcond=100 * np.finfo(dtype).eps)[0], 1e5)
    assert startile.lstsq(a, b, -1)[2] == rank
    assert startile.matrix_rank(a) == rank


def test_rank_by_cond(rng):
    """Singular values 1, 1e-2, 1e-4, …"""
    q, p = np.linalg.qr(random(rng, "d", 30, 6))[0], np.linalg.qr(random(rng, "d", 6, 6))[0]
    a, b = (q * 0.01 ** np.arange(6)) @ p, random(rng, "d", 30, 2)
    for rank in range(1, 7):
        x, residues, found, _ = startile.lstsq(a, b, 0.3 * 0.01 ** (rank - 1))
        assert found == rank and residues.shape == ((2,) if rank == 6 else (0,))
        assert startile.matrix_rank(a, 0.1 ** (2 * rank - 1)) == rank
    assert startile.lstsq(a, b)[2] == 6


def test_matrix_rank(rng):
    a = random(rng, "d", 2, 3, 20, 6)
    a[1, 2, :, 4], a[1, 2, :, 5] = a[1, 2, :, 0], a[1, 2, :, 1]
    for stack in (a, a.swapaxes(-1, -2)):
        assert (startile.matrix_rank(stack) == np.linalg.matrix_rank(stack)).all()
    assert startile.matrix_rank(np.zeros((3, 0))) == 0 and startile.matrix_rank(np.zeros((4, 2))) == 0
    assert type(startile.matrix_rank(a[0, 0])) is int and startile.matrix_rank([[1, 2], [2, 4]]) == 1


def test_rank_in_stacks(rng):
    a = random(rng, "d", 2, 3, 20, 6)
    a[1, 2, :, 4], a[1, 2, :, 5] = a[1, 2, :, 0], a[1, 2, :, 1]
    for stack in (a, a.swapaxes(-1, -2), np.array(a.swapaxes(-1, -2)).swapaxes(-1, -2)):
        b = np.ones(stack.shape[-2])
        x, residues, rank, _ = startile.lstsq(stack, b)
        assert rank == 4 and residues.shape == (0,)
        for k in np.ndindex(2, 3):
            assert close(x[k], np.linalg.lstsq(stack[k], b, rcond=1e-10)[0])
    assert startile.lstsq(a[0], np.ones(20))[2] == 6


def test_rank_that_the_diagonal_does_not_tell():
    """Kahan's triangular matrix R: no element of its diagonal is small, and its condition is that of a singular matrix."""
    n, c = 100, 0.6
    r = np.diag(0.8 ** np.arange(n)) @ (np.eye(n) - c * np.triu(np.ones((n, n)), 1))
    assert np.diagonal(r)[-1] > n * np.finfo("d").eps
    x, _, rank, _ = startile.lstsq(np.asfortranarray(r), np.ones(n))
    assert rank == 99 and close(x, np.linalg.lstsq(r, np.ones(n), rcond=n * np.finfo("d").eps)[0], 1e5)


def test_rank_without_right_sides():
    """Nothing is factored."""
    for a in (np.zeros((2, 4, 3)), np.zeros((4, 3))):
        assert startile.lstsq(a, np.ones((4, 0)))[2] == 3


def test_rank_of_zero():
    """x = 0 is the solution of least norm."""
    x, _, rank, _ = startile.lstsq(np.zeros((4, 2)), np.ones(4))
    assert rank == 0 and (x == 0).all()
