/*
 * What all test programs share: the command line, skipping, failing with a description of the
 * case, and the residuals of CONTRIBUTING.md.
 *
 * A test program is called as `program BACKEND [TYPE [FILTER]]`: BACKEND is cpu, gpu or hybrid, or
 * of kernel tests vendor, which is gpu with cuBLAS' and cuSOLVER's implementations where there are
 * any; TYPE one of s, d, c, z (d if left out), FILTER cmocka's pattern of test names. It ends with
 * 77 where the backend is not there.
 */
#ifndef TESTING_CHECK_H
#define TESTING_CHECK_H

#include "array.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum backend { CPU, GPU, HYBRID };

/* What the command line said. */
extern enum backend backend;
extern startile_dtype dtype;
extern bool with_vendor;

/* Reads the command line. Skips the program when the backend is not there. */
void check_arguments(int argc, char **argv);

/* check_arguments(), then starts the library on that backend. Workers sleep between calls, so that
 * they leave the cores to the reference computations. */
void check_start(int argc, char **argv);

/* The exit code of main(): stops the library, and 1 when tests failed. */
int check_finish(int failed);

/* How the library is started on the backend. */
startile_options check_options(void);

_Noreturn void check_skip(const char *why);

/* Says what the following checks are about; printed when one fails. */
void in_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define require(condition) require_at((condition), #condition, __FILE__, __LINE__)
void require_at(bool condition, const char *text, const char *file, int line);

/* `what` is the number that failed */
#define require_below(value, bound) require_below_at(value, bound, #value, __FILE__, __LINE__)
void require_below_at(double value, double bound, const char *text, const char *file, int line);

#define require_info(value, expected) require_info_at(value, expected, #value, __FILE__, __LINE__)
void require_info_at(int64_t value, int64_t expected, const char *text, const char *file, int line);

/* -- residuals ------------------------------------------------------------------------------- */

/* unit roundoff, dlamch('E') */
double unit_roundoff(startile_dtype dtype);

/*
 * A normwise residual `ours` in the units of section 4, beside LAPACK's on the same matrix, for
 * which `unit` is one roundoff of the norm:
 *  - below 30, unless LAPACK's is not either: where elements grow, no factorization's is;
 *  - at most `times` LAPACK's, plus max(16, 2 √n) roundings of the norm, which rounding the n
 *    elements of one column in another order may cost; slack() in check.c derives them. With
 *    times = INFINITY this is not asked.
 * The worst since the last check_report() are kept for it.
 */
void check_residual(double ours, double lapacks, double times, int64_t n, double unit);
/* The upper bound that check_residual() requires. */
double residual_bound(double lapacks, double times, int64_t n, double unit);

/* A residual of single elements in units of their own: below 30; the worst is kept. */
void check_componentwise(double ours);

/* The Hermitian matrix of which T holds a triangle. */
struct array full_hermitian(char uplo, struct array T);

/*
 * The factor of the leading k × k block, in the triangle uplo of `factor`, of the Hermitian A:
 *  - ‖A − LLᴴ‖₁ / (k ‖A‖₁ eps) < 30;
 *  - max |A − LLᴴ|_ij / (√(a_ii a_jj) k eps) < 30, which badly scaled rows cannot hide from;
 *  - ‖A − LLᴴ‖₁ at most twice that of LAPACK's factor, as check_residual() says.
 */
void check_factor(char uplo, struct array A, struct array factor, int64_t k);

/* ‖B − AX‖₁ / (n ‖A‖₁ ‖X‖₁ eps) */
double solution_residual(struct array A, struct array X, struct array B);
/* solution_residual() < 30 and at most twice LAPACK's, as check_residual() says.
 * lapacks_X is LAPACK's solution. */
void check_solution(struct array A, struct array X, struct array lapacks_X, struct array B);
/* The same where A's factors grow: one roundoff is that of elements so much larger than A's. */
void check_solution_grown(struct array A, struct array X, struct array lapacks_X, struct array B,
                          double growth);

/* ‖X − Y‖_M ≤ bound · eps, no element of X being NaN. */
void check_near(struct array X, struct array Y, double bound);
/* The same in the triangle uplo, diagonal included; or 'G'. */
void check_near_in(char uplo, struct array X, struct array Y, double bound);

/* Prints the worst residual and ratio to LAPACK's so far, and forgets them. */
void check_report(const char *title);

#endif
