"""GPy: a Gaussian process with a fitted kernel, and a sparse one."""
import GPy
import numpy as np
from results import result

random = np.random.default_rng(1)
x = random.uniform(-3, 3, (1200, 2))
y = np.sin(x[:, :1]) * np.cos(x[:, 1:]) + 0.05 * random.standard_normal((len(x), 1))
fresh = random.uniform(-3, 3, (200, 2))

model = GPy.models.GPRegression(x, y, GPy.kern.RBF(2))
model.optimize(max_iters=10)
mean, variance = model.predict(fresh)
# Ten steps of L-BFGS-B enlarge rounding errors.
result("likelihood", 1e-6, model.log_likelihood())
result("mean", 1e-4, mean)
result("variance", 1e-3, variance)
sparse = GPy.models.SparseGPRegression(x, y, GPy.kern.RBF(2), Z=x[:60])
result("sparse.likelihood", 1e-6, sparse.log_likelihood())
