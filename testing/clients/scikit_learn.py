"""scikit-learn: Gaussian process, ridge regressions."""
import numpy as np
from results import result
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

random = np.random.default_rng(1)
x = random.uniform(-2, 2, (1500, 4))
y = np.sin(x[:, 0]) * x[:, 1] + 0.1 * random.standard_normal(len(x))
fresh = random.uniform(-2, 2, (200, 4))

process = GaussianProcessRegressor(RBF() + WhiteKernel(0.1), optimizer=None).fit(x, y)
mean, deviation = process.predict(fresh, return_std=True)
result("gaussian.process", 1e-8, mean)
result("gaussian.process.deviation", 1e-6, deviation)
result("gaussian.process.likelihood", 1e-8, process.log_marginal_likelihood_value_)
fitted = GaussianProcessRegressor(RBF() + WhiteKernel(0.1)).fit(x[:1000], y[:1000])
# L-BFGS-B stops at a relative change of 2.2e-9 of the likelihood; the kernel's parameters are then known to its root.
result("gaussian.process.fitted", 1e-6, fitted.log_marginal_likelihood_value_)
result("gaussian.process.kernel", 1e-3, fitted.kernel_.theta)
result("kernel.ridge", 1e-8, KernelRidge(alpha=0.1, kernel="rbf").fit(x, y).predict(fresh))
features = random.standard_normal((3000, 1500))
result("ridge", 1e-8, Ridge(solver="cholesky").fit(features, features[:, 0] + random.standard_normal(3000)).coef_)
