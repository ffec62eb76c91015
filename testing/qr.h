/* QR and LQ factorizations of an array, by the library and by LAPACK, and what must hold of them,
 * of products with Q and of least squares. */
#ifndef TESTING_QR_H
#define TESTING_QR_H

#include "array.h"
#include "shapes.h"
#include "subject.h"

enum factorization { QR, LQ };
extern const char *const factorization_names[2];

/* A = Q R or A = L Q as LAPACK has it: reflectors and triangle in one array, min(m, n) tau in a
 * column. */
struct qr {
    enum factorization of;
    struct array F, tau;
};

/* The order that check_residual() takes for a problem of order n: a reflector costs some rounding
 * errors however short it is. */
static inline int64_t roundings(int64_t n)
{
    return n + 16;
}

/* The library's factors of a copy of A. */
struct qr qr_of(struct array A, enum factorization of, enum way way, struct tiling t);
struct qr lapacks_qr(struct array A, enum factorization of);
/* Both arrays are unwritten, but F is a copy of A. */
struct qr qr_new(struct array A, enum factorization of);
void qr_free(struct qr f);

/* The triangles T for a factorization of A with k reflectors: startile_reflectors_create()'s for
 * CREATED and k = min(m, n), else a matrix of that shape made in the other ways, whose elements are
 * NaN as long as they are not written. */
struct subject triangles_new(const startile_matrix *A, int64_t k, enum way way);
/* Destroys them, when tau has been taken, and the home: tau is on the diagonals, zeros below. */
void triangles_end(struct subject *T, struct array tau);
/* The same where they have not been written, or tau does not matter. */
void triangles_free(struct subject *T);

/* Aᴴ */
struct array adjoint(struct array A);
struct array identity(startile_dtype dtype, int64_t n);

/* Q (m × k) and R (k × n) of A, or of Aᴴ for an LQ factorization; k = min(m, n). */
struct factors {
    struct array Q, R;
};
struct factors factors_of(struct qr f);
void factors_free(struct factors f);

/* ‖I − QᴴQ‖₁ */
double departure(struct array Q);

/*
 * The factors of the m × n matrix A, k = min(m, n):
 *  - ‖A − QR‖₁ / (max(m, n) ‖A‖₁ eps) and ‖I − QᴴQ‖₁ / (m eps), beside those of LAPACK's xGEQRF, as
 *    check_residual() says;
 *  - ‖(A − QR)_j‖₁ / (max(m, n) ‖a_j‖₁ eps) < 30 for each column, since the bound holds column by
 *    column (Higham 2002, theorem 19.4), which badly scaled columns cannot hide from;
 *  - ‖R − SR'‖₁ / (max(m, n) ‖A‖₁ eps) < 30 κ₁ for LAPACK's R', where the diagonal S of ±1 makes
 *    their diagonals' signs equal and κ₁ is the condition of R's leading k × k block (Higham 2002,
 *    section 19.9), unless nothing is left of R's digits then.
 */
void check_factors(struct array A, struct factors f, double times);
/* The same of f, and has_borders_intact(). */
void check_qr(struct array A, struct qr f, double times);
/* check_qr() of the first columns of A (QR) or rows (LQ) alone: whatever A holds in others, they
 * are factored as if that were not there. */
void check_leading(struct array A, int64_t count, struct qr f, double times);

/* Q C and its kin: ‖C − C'‖₁ / (n ‖C'‖₁ eps) < 30 for LAPACK's product C' by a Q of order n. */
void check_product(struct array C, struct array lapacks_C, int64_t order);

/* κ₁ of the triangle of A or Aᴴ, whichever is tall, as LAPACK estimates it. */
double condition(struct array A);

/* -- least squares, for op(A) as named by trans, of m rows and n columns ----------------------- */

/* ‖B − op(A) X‖₁ / (max(m, n) ‖op(A)‖₁ ‖X‖₁ eps) (LAPACK xQRT16) */
double qrt16(char trans, struct array A, struct array X, struct array B);
/* ‖op(A)ᴴ (B − op(A) X)‖₁ / (‖op(A)ᴴ‖₁ ‖B‖₁ max(m, n, nrhs) eps) (LAPACK xQRT17) */
double qrt17(char trans, struct array A, struct array X, struct array B);
/* How far X is from the range of op(A)ᴴ, for m ≤ n: ‖Pᴴ X‖₁ / (n ‖X‖₁ eps), where P spans what is
 * orthogonal to it (as LAPACK's xQRT14 asks) */
double qrt14(char trans, struct array A, struct array X);

#endif
