"""Singular values that R's diagonal shows with column pivoting, on matrices of the literature.

python3 testing/python/test_rank_revealing.py prints the table of docs/lu-qr-tiles.md.
"""

import numpy as np
import pytest
import scipy.linalg
import startile

N = 192


def with_singular_values(rng, values):
    """Returns a random matrix with these singular values."""
    left, right = (scipy.linalg.qr(rng.standard_normal((N, N)))[0] for _ in range(2))
    return left * values @ right


def kahan(rng):
    sine = np.sqrt(1 - 0.285**2)
    return sine ** np.arange(N)[:, None] * (np.eye(N) - 0.285 * np.triu(np.ones((N, N)), 1)) * (1 - 1e-4 * np.arange(N))


def gks(rng):
    scale = 1 / np.sqrt(np.arange(1, N + 1))
    return np.diag(scale) - np.triu(np.ones((N, N)), 1) * scale


def stewart(rng):
    values = np.where(np.arange(N) < N // 2, 10.0 ** (-3 * np.arange(N) / (N // 2)), 0)
    return with_singular_values(rng, values) + 0.1 * 1e-3 * rng.standard_normal((N, N)) / np.sqrt(N)


def hilbert(rng):
    return scipy.linalg.hilbert(N)


def stairs(rng):
    return with_singular_values(rng, 10.0 ** (-0.6 * (np.arange(N) // 12)))


def break_1(rng):
    return with_singular_values(rng, np.where(np.arange(N) < N - 1, 1, 1e-9))


def break_9(rng):
    return with_singular_values(rng, np.where(np.arange(N) < N - 9, 1, 1e-9))


def heat(rng):
    t = (np.arange(N) + 0.5) / N
    return scipy.linalg.toeplitz(t**-1.5 * np.exp(-0.25 / t), np.zeros(N)) / (2 * N * np.sqrt(np.pi))


def gravity(rng):
    t = (np.arange(N) + 0.5) / N
    return 0.25 / N * (0.25**2 + (t[:, None] - t) ** 2) ** -1.5


def low_rank(rng):
    return rng.standard_normal((N, N // 3)) @ rng.standard_normal((N // 3, N))


MATRICES = {
    "Kahan": kahan,
    "Gks": gks,
    "Stewart": stewart,
    "Hilbert": hilbert,
    "Devil's stairs": stairs,
    "Break-1": break_1,
    "Break-9": break_9,
    "heat": heat,
    "gravity": gravity,
    "random, rank 64": low_rank,
}


def worst_factor(a, pivoting):
    """Returns the largest factor between |r_kk| and the k-th singular value, of those above n eps times the first."""
    values = scipy.linalg.svdvals(a)
    r = np.abs(np.diag(startile.qr(a, mode="r", pivoting=pivoting)[0]))
    ratio = (r / values)[values > N * np.finfo(float).eps * values[0]]
    return max(ratio.max(), (1 / ratio).max())


@pytest.mark.parametrize("name", MATRICES)
def test_random_pivoting(name):
    a = MATRICES[name](np.random.default_rng(5))
    assert worst_factor(a, "random") <= 10 * worst_factor(a, True)


if __name__ == "__main__":
    print("| matrix | `geqp3` | `geqp3_random` |\n|---|---|---|")
    for name, make in MATRICES.items():
        a = make(np.random.default_rng(5))
        print(f"| {name} | {worst_factor(a, True):.3g} | {worst_factor(a, 'random'):.3g} |")
