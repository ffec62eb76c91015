"""numpy.linalg and scipy.linalg: systems, inverses, factorizations, least squares.

usage: python3 numpy_scipy.py [ORDER]"""
import sys

import numpy as np
import scipy.linalg
from results import result

n = int(sys.argv[1]) if len(sys.argv) > 1 else 1500
random = np.random.default_rng(1)
a, b = random.standard_normal((n, n)), random.standard_normal((n, 3))
h = a @ a.T / n + np.eye(n)

result("solve", 1e-8, np.linalg.solve(a, b))
result("inv", 1e-8, np.diag(np.linalg.inv(a)))
result("slogdet", 1e-10, np.linalg.slogdet(a)[1])
result("cholesky", 1e-10, np.diag(np.linalg.cholesky(h)))
result("qr", 1e-8, np.abs(np.diag(np.linalg.qr(a)[1])))
result("lstsq", 1e-8, np.linalg.lstsq(a[:, : n // 3], b, rcond=None)[0])

result("scipy.solve", 1e-8, scipy.linalg.solve(a, b))
result("scipy.solve.positive", 1e-10, scipy.linalg.solve(h, b, assume_a="pos"))
lu, pivots = scipy.linalg.lu_factor(a)
result("lu", 1e-8, np.diag(lu))
result("lu.pivots", 0, pivots)
q, r, order = scipy.linalg.qr(a[:, : n // 2], pivoting=True, mode="economic")
result("qr.pivots", 0, order[:50])
result("lstsq.gelsy", 1e-8, scipy.linalg.lstsq(a[:, : n // 2], b, lapack_driver="gelsy")[0])
result("expm", 1e-10, np.diag(scipy.linalg.expm(h / 4)))
z = scipy.linalg.solve((a + 1j * a[::-1]).astype(np.complex64), b[:, 0])
result("solve.complex64", 1e-2, np.r_[z.real, z.imag])
