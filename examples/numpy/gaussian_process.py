"""Gaussian-process regression: mean, deviation and likelihood, by one Cholesky factorization.

    python3 gaussian_process.py --n 500,1000,2000
    startile run -- python3 gaussian_process.py --n 500,1000,2000

The data are noisy samples of a function at n points. The model has a squared exponential kernel
(Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
"""
import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

import sizes


def kernel(x, y, length=0.3):
    """Returns the matrix of the squared exponential kernel for all pairs of points."""
    return np.exp(-0.5 * ((x[:, None] - y[None, :]) / length) ** 2)


def truth(x):
    """Returns the function of which the data are noisy samples."""
    return np.sin(3 * x) + 0.5 * np.cos(11 * x)


def regression(n):
    """Returns the log marginal likelihood, then mean and standard deviation at 50 new points."""
    noise = 0.1
    rng = np.random.default_rng(n)
    x = np.sort(rng.uniform(-3, 3, n))
    y = truth(x) + noise * rng.standard_normal(n)
    new = np.linspace(-3, 3, 50)

    factor, lower = cho_factor(kernel(x, x) + noise**2 * np.eye(n), lower=True)
    weights = cho_solve((factor, lower), y)
    cross = kernel(x, new)
    mean = cross.T @ weights
    reduction = solve_triangular(factor, cross, lower=True)
    deviation = np.sqrt(np.maximum(1 - np.sum(reduction**2, axis=0), 0))
    likelihood = -0.5 * y @ weights - np.log(np.diag(factor)).sum() - n / 2 * np.log(2 * np.pi)
    return np.concatenate(([likelihood], mean, deviation))


if __name__ == "__main__":
    sizes.run(regression, "log likelihood")
