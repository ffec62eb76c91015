# R's linear algebra, the package Matrix, and lm().
result <- function(name, tolerance, values) {
    cat("result", name, tolerance, sprintf("%.17g", as.vector(values)), "\n")
}
set.seed(1)
n <- 1500
a <- matrix(rnorm(n * n), n)
b <- matrix(rnorm(3 * n), n)
tall <- matrix(rnorm(2 * n * n / 2), 2 * n)
y <- rnorm(2 * n)
h <- crossprod(a) / n + diag(n)

result("solve", 1e-8, solve(a, b)[, 2])
result("inverse", 1e-8, diag(solve(a)))
result("determinant", 1e-10, determinant(a)$modulus)
r <- chol(h)
result("chol", 1e-10, diag(r))
result("chol2inv", 1e-10, diag(chol2inv(r)))
result("rcond", 1e-6, rcond(a))

q <- qr(tall, LAPACK = TRUE)
result("qr.pivots", 0, q$pivot[1:50])
result("qr.r", 1e-8, abs(diag(q$qr)))
result("qr.coef", 1e-8, qr.coef(q, y))
result("lm", 1e-8, coef(lm(y ~ tall[, 1:200])))

suppressMessages(library(Matrix))
result("Matrix.solve", 1e-8, as.vector(solve(Matrix(a), b[, 1])))
result("Matrix.chol", 1e-10, diag(chol(as(h, "dpoMatrix"))))
