"""Gaussian-process regression: chooses the length scale by a stack of small problems, then fits all data.

    python3 gaussian_process.py --n 2000

The data are noisy samples of a function at n points. The model has a squared exponential kernel
(Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, algorithm 2.1).
"""
import argparse

import numpy as np
import startile

NOISE = 0.1


def truth(x):
    """Returns the function of which the data are noisy samples."""
    return np.sin(3 * x) + 0.5 * np.cos(11 * x)


def kernel(x, y, length):
    """Returns the matrix of the squared exponential kernel for all pairs of points."""
    return np.exp(-0.5 * ((x[:, None] - y[None, :]) / length) ** 2)


def likelihoods(x, y, lengths):
    """Returns the log marginal likelihood for each length scale: one stack of matrices, one call per step."""
    covariances = np.stack([kernel(x, x, length) for length in lengths]) + NOISE**2 * np.eye(len(x))
    factors = startile.cho_factor(covariances, lower=True)
    weights = startile.cho_solve(factors, y)
    halves = np.log(np.diagonal(factors[0], axis1=1, axis2=2)).sum(axis=1)
    return -0.5 * weights @ y - halves - len(x) / 2 * np.log(2 * np.pi)


def fit(x, y, length):
    """Returns the function that predicts the mean at new points."""
    covariance = kernel(x, x, length) + NOISE**2 * np.eye(len(x))
    weights = startile.solve(covariance, y, overwrite_a=True, assume_a="pos")
    return lambda new: kernel(new, x, length) @ weights


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=int, default=2000, help="number of points")
    n = parser.parse_args().n
    rng = np.random.default_rng(n)
    x = rng.uniform(-3, 3, n)
    y = truth(x) + NOISE * rng.standard_normal(n)

    lengths = np.array([0.03, 0.1, 0.3, 1, 3])
    values = likelihoods(x[:150], y[:150], lengths)
    for length, value in zip(lengths, values):
        print(f"length {length:5.2f}  log likelihood {value:9.2f}")
    best = lengths[np.argmax(values)]

    future = startile.submit(fit, x, y, best)  # runs while this thread does something else
    new = np.linspace(-2.9, 2.9, 50)
    expected = truth(new)
    error = np.abs(future.result()(new) - expected).max()
    print(f"length {best}, {n} points: largest error {error:.3f}")
    if error > 4 * NOISE:
        raise SystemExit("the fit is wrong")


if __name__ == "__main__":
    main()
