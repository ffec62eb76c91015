"""statsmodels: generalized least squares with correlated errors."""
import numpy as np
import scipy.linalg
import statsmodels.api as sm
from results import result

n = 1500
random = np.random.default_rng(1)
sigma = scipy.linalg.toeplitz(0.5 ** np.arange(n))
x = sm.add_constant(random.standard_normal((n, 20)))
y = x @ np.arange(21) + np.linalg.cholesky(sigma) @ random.standard_normal(n)

fit = sm.GLS(y, x, sigma=sigma).fit()
result("params", 1e-10, fit.params)
result("errors", 1e-8, fit.bse)
result("likelihood", 1e-10, fit.llf)
