# Generalized additive models of mgcv: QR with column pivoting in each iteration.
result <- function(name, tolerance, values) {
    cat("result", name, tolerance, sprintf("%.17g", as.vector(values)), "\n")
}
suppressMessages(library(mgcv))
set.seed(1)
n <- 20000
x <- matrix(runif(4 * n), n)
data <- data.frame(x0 = x[, 1], x1 = x[, 2], x2 = x[, 3], x3 = x[, 4])
data$y <- sin(2 * pi * data$x0) + exp(2 * data$x1) + data$x2 * data$x3 + rnorm(n)
model <- gam(y ~ s(x0, bs = "cr", k = 60) + s(x1, bs = "cr", k = 60) + s(x2, bs = "cr", k = 60) +
                 te(x1, x3, bs = "cr", k = c(10, 10)), data = data)
# The search for the smoothing parameters stops at a relative change of 1e-7 of its score.
result("score", 1e-7, model$gcv.ubre)
result("deviance", 1e-6, deviance(model))
result("fitted", 1e-4, fitted(model)[1:500])
