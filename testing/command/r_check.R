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
# Column pivoting: qr() by dgeqp3 and zgeqp3, chol() by dpstrf
for (n in c(3, 20, 90)) {
  a <- matrix(rnorm(2 * n * n), 2 * n)
  b <- rnorm(2 * n)
  for (x in list(a, a + 1i * matrix(rnorm(2 * n * n), 2 * n))) {
    q <- qr(x, LAPACK = TRUE)
    r <- Mod(diag(q$qr))
    stopifnot(near(qr.Q(q) %*% qr.R(q), x[, q$pivot]), all(diff(r) <= 1e-12 * r[1]))
  }
  stopifnot(near(qr.coef(qr(a, LAPACK = TRUE), b), qr.coef(qr(a), b)))
  k <- n %/% 3
  h <- tcrossprod(matrix(rnorm(n * k), n))
  r <- suppressWarnings(chol(h, pivot = TRUE))
  p <- attr(r, "pivot")
  r[-(1:k), -(1:k)] <- 0
  stopifnot(attr(r, "rank") == k, near(crossprod(r), h[p, p]))
}
indefinite <- try(chol(-diag(30)), silent = TRUE)
stopifnot(inherits(indefinite, "try-error"))
cat("R is right\n")
