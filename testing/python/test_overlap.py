"""Right-hand sides that share memory with the matrix or its factors, with all overwrite flags."""
import itertools

import gpu_arrays
import numpy as np
import pytest
import startile
from matrices import close, positive, random

N = 40
FLAGS = list(itertools.product([False, True], repeat=2))
every_order = pytest.mark.parametrize("order", "CF")
every_type = pytest.mark.parametrize("dtype", "dF")

# Parts of a matrix that are stored as right-hand sides are, or copied anyway.
PARTS = {
    "column": lambda a: a[:, 0],
    "row": lambda a: a[3],
    "columns": lambda a: a[:, 1:4],
    "rows": lambda a: a[2:4].T,
    "all": lambda a: a,
    "transpose": lambda a: a.T,
}
every_part = pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)


@pytest.fixture
def rng():
    return np.random.default_rng(31)


def check(a, part, solve, expected):
    """Checks solve(a, b, overwrite_a, overwrite_b) for the part b of a, and that nothing else changes.

    Without overwrite_a the matrix stays as it is, also with overwrite_b. expected(a, b): the solution.
    """
    for overwrite_a, overwrite_b in FLAGS:
        matrix = a.copy(order="K")
        x = solve(matrix, part(matrix), overwrite_a, overwrite_b)
        assert close(x, expected(a, part(a)), 1e5), (overwrite_a, overwrite_b)
        assert overwrite_a or (matrix == a).all(), (overwrite_a, overwrite_b)


@every_type
@every_order
@every_part
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_solve(rng, dtype, order, part, assume_a):
    def solve(a, b, *flags):
        return startile.solve(a, b, False, *flags, assume_a=assume_a)

    check(np.array(positive(rng, dtype, N, N), order=order), part, solve, np.linalg.solve)


@every_order
@every_part
def test_factors(rng, order, part):
    a = positive(rng, "d", N, N)
    lu, piv = startile.lu_factor(a)
    check(
        np.array(lu, order=order),
        part,
        lambda lu, b, _, overwrite_b: startile.lu_solve((lu, piv), b, overwrite_b=overwrite_b),
        lambda _, b: np.linalg.solve(a, b),
    )
    check(
        np.array(startile.cholesky(a, lower=True), order=order),
        part,
        lambda c, b, _, overwrite_b: startile.cho_solve((c, True), b, overwrite_b),
        lambda _, b: np.linalg.solve(a, b),
    )


@every_order
@pytest.mark.parametrize("shape", [(60, 12), (12, 60), (30, 30)])
def test_lstsq(rng, order, shape):
    def expected(a, b):
        return np.linalg.lstsq(a, b, rcond=None)[0]

    for part in (PARTS["column"], PARTS["columns"], PARTS["all"]):
        a = np.array(random(rng, "d", *shape), order=order)
        check(a, part, lambda a, b, *flags: startile.lstsq(a, b, None, *flags)[0], expected)


@every_order
def test_mixed(rng, order):
    a = np.array(positive(rng, "d", N, N), order=order)
    for assume_a in ("gen", "pos"):

        def solve(a, b, overwrite_a, _):
            return startile.solve_mixed(a, b, overwrite_a=overwrite_a, assume_a=assume_a).x

        check(a, PARTS["column"], solve, np.linalg.solve)
    tall = np.array(random(rng, "d", 60, 12), order=order)
    for part in (PARTS["column"], PARTS["all"]):
        check(
            tall,
            part,
            lambda a, b, overwrite_a, _: startile.lstsq_mixed(a, b, overwrite_a).x,
            lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0],
        )


def test_stacks(rng):
    a = np.array(positive(rng, "d", 3, N, N)).swapaxes(-1, -2)

    def expected(a, b):
        return np.linalg.solve(a, np.broadcast_to(b, a.shape))

    for part in (lambda a: a, lambda a: a[0]):
        for assume_a in ("gen", "pos"):

            def solve(a, b, *flags):
                return startile.solve(a, b, False, *flags, assume_a=assume_a)

            check(a, part, solve, expected)


def test_neighbors(rng):
    """[a b] in one array: b is overwritten in place. b that begins in a's last column is copied."""
    memory = np.zeros((N + 1) * N)
    a = memory[: N * N].reshape(N, N, order="F")
    a[...] = positive(rng, "d", N, N)
    kept, b = a.copy(), memory[N * N :]
    b[...] = 1
    x = startile.solve(a, b, overwrite_a=True, overwrite_b=True)
    assert np.shares_memory(x, b) and close(b, np.linalg.solve(kept, np.ones(N)))
    a[...], b = kept, memory[N * N - 1 : -1]
    expected = np.linalg.solve(kept, b)
    assert close(startile.solve(a, b, overwrite_a=True, overwrite_b=True), expected)


def test_two_maps_of_a_file(rng, tmp_path):
    file, a = tmp_path / "a.bin", positive(rng, "d", N, N)
    for first in (0, N * N - 1):
        matrix = np.memmap(file, "d", "w+", 4096, (N, N), "F")
        matrix[...] = a
        b = np.memmap(file, "d", "r+", 4096 + 8 * first, (N,))
        expected = np.linalg.solve(a, b)
        assert close(startile.solve(matrix, b, overwrite_a=True, overwrite_b=True), expected)


@pytest.mark.parametrize("name", gpu_arrays.libraries())
def test_gpu_arrays(rng, name, monkeypatch):
    library = gpu_arrays.library(name, monkeypatch)
    a = np.asfortranarray(positive(rng, "d", N, N))
    for part in (PARTS["column"], PARTS["columns"], PARTS["all"]):
        for assume_a in ("gen", "pos"):
            A = library.give(a)
            x = startile.solve(A, part(A), overwrite_a=True, overwrite_b=True, assume_a=assume_a)
            assert close(library.take(x), np.linalg.solve(a, part(a)))
        lu, piv = startile.lu_factor(library.give(a))
        expected = np.linalg.solve(a, library.take(part(lu)))
        assert close(library.take(startile.lu_solve((lu, piv), part(lu), overwrite_b=True)), expected)
