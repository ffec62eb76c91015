"""Least-squares fit by QR: n Fourier modes to 3 n noisy samples of a function.

    python3 least_squares.py --n 500,1000,2000
    startile run -- python3 least_squares.py --n 500,1000,2000
"""
import numpy as np
from scipy.linalg import qr, solve_triangular

import sizes


def modes(x, n):
    """Returns the first n Fourier modes, in columns, at the points x."""
    k = np.arange(n)
    return np.cos(np.pi * x[:, None] * ((k + 1) // 2)[None, :] - np.pi / 2 * (k % 2)[None, :])


def fit(n):
    """Returns the residual's norm per sample, then the coefficients."""
    rng = np.random.default_rng(n)
    x = rng.uniform(-1, 1, 3 * n)
    y = np.abs(x) + 0.01 * rng.standard_normal(3 * n)
    a = modes(x, n)
    q, r = qr(a, mode="economic")
    coefficients = solve_triangular(r, q.T @ y)
    residual = np.linalg.norm(y - a @ coefficients) / np.sqrt(3 * n)
    return np.concatenate(([residual], coefficients))


if __name__ == "__main__":
    sizes.run(fit, "residual")
