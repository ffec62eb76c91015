/* QR and LQ factorizations of an array by the library and by LAPACK, and checks of factors, of
 * products with Q and of least squares. */
#ifndef TESTING_QR_H
#define TESTING_QR_H

#include "array.h"
#include "shapes.h"
#include "test_matrix.h"

enum factorization { QR, LQ };
extern const char *const factorization_names[2];

/* A = Q R or A = L Q in LAPACK's form: reflectors and triangle in one array, min(m, n) tau in a
 * column. */
struct qr {
    enum factorization factorization;
    struct array F, tau;
};

/* Returns the order to pass to check_residual() for a problem of order n: larger than n, because
 * even a short reflector costs some rounding errors. */
static inline int64_t roundings(int64_t n)
{
    return n + 16;
}

/* Returns the library's factors of a copy of A. */
struct qr qr_of(struct array A, enum factorization factorization, enum way way, struct tiling t);
/* Returns LAPACK's factors of a copy of A. */
struct qr lapack_qr(struct array A, enum factorization factorization);
/* Returns a struct qr with allocated arrays; F is a copy of A. */
struct qr qr_new(struct array A, enum factorization factorization);
void qr_free(struct qr f);

/* Returns the triangles T, nb × k, for a factorization of A with k reflectors; nb is A's tile
 * width. For CREATED and k = min(m, n), startile_reflectors_create() makes them; otherwise they are
 * a matrix made in the given way. For WRAPPED and FROM_HANDLES all elements are NaN. */
struct test_matrix triangles_new(const startile_matrix *A, int64_t k, enum way way);
/* Destroys the triangles, after checking that tau is on their diagonals and zeros are below. Frees
 * their array. */
void triangles_end(struct test_matrix *T, struct array tau);
/* Destroys triangles that were not written or need no check. */
void triangles_free(struct test_matrix *T);

/* Q (m × k) and R (k × n) of the m × n matrix A, or of Aᴴ for an LQ factorization of A; k = min(m,
 * n). */
struct factors {
    struct array Q, R;
};
struct factors factors_of(struct qr f);
void factors_free(struct factors f);

/* Returns ‖I − QᴴQ‖₁. */
double loss_of_orthogonality(struct array Q);

/*
 * Checks the factors of the m × n matrix A, k = min(m, n):
 *  - ‖A − QR‖₁ / (max(m, n) ‖A‖₁ eps) and ‖I − QᴴQ‖₁ / (m eps) against LAPACK's xGEQRF by
 *    check_residual();
 *  - ‖(A − QR)_j‖₁ / (max(m, n) ‖a_j‖₁ eps) < 30 for each column (Higham 2002, theorem 19.4), which
 *    also detects errors in badly scaled columns;
 *  - ‖R − SR'‖₁ / (max(m, n) ‖A‖₁ eps) < 30 κ₁ for LAPACK's R', if κ₁ max(m, n) eps < 0.01. The
 *    diagonal S of ±1 makes the signs of the diagonals equal; κ₁ is the condition of the leading
 *    k × k block of R' (Higham 2002, section 19.9).
 * `times` is the argument of check_residual(). For an LQ factorization of B, A is Bᴴ.
 */
void check_factors(struct array A, struct factors f, double times);
/* Calls check_factors() for f's factors, and requires intact borders. */
void check_qr(struct array A, struct qr f, double times);
/* Applies check_qr() to the first `count` columns of A (QR) or rows (LQ) only: their factors do not
 * depend on the others. */
void check_leading(struct array A, int64_t count, struct qr f, double times);

/* Returns A P, after checking that P is a permutation; jpvt: n elements, as in LAPACK */
struct array permuted(struct array A, const int64_t *jpvt);
/* Requires of the factors F of A P by column pivoting |R(k,k)| ≥ ‖R(k:j,j)‖ for k ≥ first and j >
 * k, up to rounding in A. */
void check_pivots(struct array A, struct array F, int64_t first);

/* Requires ‖C − C'‖₁ / (order ‖C'‖₁ eps) < 30 for LAPACK's product C'. `order` is that of Q. */
void check_product(struct array C, struct array lapack_C, int64_t order);

/* Returns LAPACK's estimate of κ₁(R) for the QR factorization of A, or of Aᴴ if A is wide. */
double condition(struct array A);

/* -- least squares for op(A), selected by trans, with m rows and n columns ----------------------
 */

/* Returns ‖B − op(A) X‖₁ / (max(m, n) ‖op(A)‖₁ ‖X‖₁ eps) (LAPACK xQRT16). */
double qrt16(char trans, struct array A, struct array X, struct array B);
/* Returns ‖op(A)ᴴ (B − op(A) X)‖₁ / (‖op(A)ᴴ‖₁ ‖B‖₁ max(m, n, nrhs) eps) (LAPACK xQRT17). */
double qrt17(char trans, struct array A, struct array X, struct array B);
/* Returns the distance of X from the range of op(A)ᴴ for m ≤ n: ‖Pᴴ X‖₁ / (n ‖X‖₁ eps), where the
 * columns of P span the orthogonal complement (as in LAPACK's xQRT14). */
double qrt14(char trans, struct array A, struct array X);

#endif
