# Checks R's routines on LAPACK.
set.seed(1)
near <- function(x, y) max(Mod(x - y)) < 1e-10 * nrow(x)
for (n in c(3, 20, 90)) {
  a <- matrix(rnorm(n * n), n)
  z <- a + 1i * matrix(rnorm(n * n), n)
  h <- crossprod(a) / n + diag(n)
  b <- matrix(rnorm(2 * n), n)
  stopifnot(near(a %*% solve(a, b), b), near(z %*% solve(z, b), b),
            near(crossprod(chol(h)), h), near(h %*% chol2inv(chol(h)), diag(n)),
            near(backsolve(chol(h), forwardsolve(t(chol(h)), b)), solve(h, b)))
}
indefinite <- try(chol(-diag(30)), silent = TRUE)
stopifnot(inherits(indefinite, "try-error"))
cat("R is right\n")
