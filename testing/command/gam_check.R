# Checks the coefficients of mgcv, which calls dgeqp3, against the normal equations with the same smoothing parameters,
# solved by R's LINPACK.
suppressMessages(library(mgcv))
set.seed(1)
n <- 600
d <- data.frame(x = runif(n), z = runif(n))
d$y <- sin(6 * d$x) + d$z^2 + rnorm(n) / 5
for (method in c("GCV.Cp", "REML")) {
  fit <- gam(y ~ s(x, k = 12) + s(z, k = 9), data = d, method = method)
  X <- model.matrix(fit)
  penalty <- matrix(0, ncol(X), ncol(X))
  for (i in 1:2) {
    s <- fit$smooth[[i]]
    of <- s$first.para:s$last.para
    penalty[of, of] <- fit$sp[i] * s$S[[1]]
  }
  expected <- qr.solve(crossprod(X) + penalty, crossprod(X, d$y))
  stopifnot(max(abs(coef(fit) - expected)) < 1e-7 * max(abs(expected)))
}
cat("gam is right\n")
