"""Checks numpy's and scipy's routines on LAPACK: residuals, errors, and calls from several threads."""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.linalg
from numpy.linalg import lapack_lite


def require_small(what, residual, n):
    """Ends the program unless the residual is less than 100 n eps."""
    if not residual < 100 * n * np.finfo(float).eps:
        sys.exit(f"{what}: {residual}")


def check(n, dtype):
    """Checks factorizations and solves of random matrices: a general, h positive definite."""
    rng = np.random.default_rng(n)
    a = rng.standard_normal((n, n)).astype(dtype)
    if np.iscomplexobj(a):
        a += 1j * rng.standard_normal((n, n))
    b = rng.standard_normal((n, 3))
    h = a @ a.conj().T / n + np.eye(n)
    eye, norm = np.eye(n), np.linalg.norm

    require_small("solve", norm(a @ np.linalg.solve(a, b) - b) / norm(a) / norm(b), 100 * n)
    require_small("inv", norm(h @ np.linalg.inv(h) - eye), 10 * n)
    lower = np.linalg.cholesky(h)
    require_small("cholesky", norm(lower @ lower.conj().T - h) / norm(h), n)
    q, r = np.linalg.qr(a)
    require_small("qr", norm(q @ r - a) / norm(a), n)
    require_small("orthogonality", norm(q.conj().T @ q - eye), n)
    p, l, u = scipy.linalg.lu(a)
    require_small("lu", norm(p @ l @ u - a) / norm(a), n)
    x = scipy.linalg.cho_solve(scipy.linalg.cho_factor(h), b)
    require_small("cho_solve", norm(h @ x - b) / norm(h) / norm(b), n)
    tall = a[:, : n // 2]
    q, r, p = scipy.linalg.qr(tall, pivoting=True)
    require_small("qr with pivoting", norm(q @ r - tall[:, p]) / norm(a), n)
    x = scipy.linalg.lstsq(tall @ tall.conj().T, b, lapack_driver="gelsy", cond=1e-10)[0]
    expected = np.linalg.pinv(tall @ tall.conj().T, 1e-10) @ b
    require_small("gelsy", norm(x - expected) / norm(expected), 1e4 * n)
    x = np.linalg.lstsq(tall, b, rcond=None)[0]
    require_small("lstsq", norm(tall.conj().T @ (b - tall @ x)) / norm(a) ** 2 / norm(b), n)


for dtype in (float, complex):
    for n in (2, 17, 60, 150):
        check(n, dtype)
with ThreadPoolExecutor(8) as pool:
    list(pool.map(lambda n: check(n, float), range(20, 60)))
try:
    np.linalg.cholesky(-np.eye(30))
    sys.exit("an indefinite matrix has a Cholesky factor")
except np.linalg.LinAlgError:
    pass
try:
    lapack_lite.dgeqrf(-1, 3, np.eye(3), 3, np.zeros(3), np.zeros(3), 3, 0)
    print("a wrong argument raises no exception")
except ValueError:
    print("a wrong argument raises ValueError")
print("all results are right")
