"""JAX on CPU cores, which takes LAPACK's functions from scipy.linalg.cython_lapack."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy as np
from results import result

jax.config.update("jax_enable_x64", True)
n = 1500
random = np.random.default_rng(1)
a, b = jnp.asarray(random.standard_normal((n, n))), jnp.asarray(random.standard_normal(n))
h = a @ a.T / n + jnp.eye(n)


def likelihood(scale):
    """Returns the logarithm of a normal density without its constant, with the covariance scale * h."""
    factor = jax.scipy.linalg.cho_factor(scale * h, lower=True)
    return -0.5 * b @ jax.scipy.linalg.cho_solve(factor, b) - jnp.log(jnp.diag(factor[0])).sum()


result("solve", 1e-8, np.asarray(jnp.linalg.solve(a, b)))
result("inv", 1e-8, np.asarray(jnp.diag(jnp.linalg.inv(a))))
result("slogdet", 1e-10, np.asarray(jnp.linalg.slogdet(a)[1]))
result("cholesky", 1e-10, np.asarray(jnp.diag(jnp.linalg.cholesky(h))))
result("qr", 1e-8, np.asarray(jnp.abs(jnp.diag(jnp.linalg.qr(a)[1]))))
value, slope = jax.jit(jax.value_and_grad(likelihood))(1.5)
result("likelihood", 1e-10, np.asarray([value, slope]))
