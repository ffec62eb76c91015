/*
 * Functions shared by all test programs: command line, skipping, failure messages with a
 * description of the case, and the residuals of CONTRIBUTING.md.
 *
 * A test program is called as `program BACKEND [TYPE [FILTER]]`. BACKEND is cpu, gpu or hybrid; for
 * kernel tests also vendor, which is gpu with cuBLAS and cuSOLVER where they have the routine. TYPE
 * is s, d, c or z (default d), FILTER is cmocka's pattern of test names. The exit code is 77 if the
 * backend does not exist on the machine.
 */
#ifndef TESTING_CHECK_H
#define TESTING_CHECK_H

#include "array.h"
#include "tests.h"

enum backend { CPU, GPU, HYBRID };

/* Values from the command line; with_vendor: BACKEND is vendor. */
extern enum backend backend;
extern startile_dtype dtype;
extern bool with_vendor;

/* Reads the command line. Skips the program if the backend does not exist. */
void check_arguments(int argc, char **argv);

/* Reads the command line and starts the library on the backend. Skips the program if the backend
 * does not exist. Workers sleep between calls and leave the cores to the reference computations. */
void check_start(int argc, char **argv);

/* Stops the library and returns the exit code of main(): 1 if `failed`, the number of tests that
 * failed, is not 0. */
int check_finish(int failed);

/* Body of main(): starts the library, runs the tests as run_group() does, stops the library. */
#define check_main(argc, argv, name, ...)                                                          \
    (check_start(argc, argv), check_finish(run_group(name, __VA_ARGS__)))

/* Returns the options that start the library on the backend. */
startile_options check_options(void);

/* Prints `why` and ends the program with exit code 77. */
_Noreturn void check_skip(const char *why);

/* Returns true if case `case_index`, from 0, is to be skipped on CPUs in the program's type: each
 * type has a third of the cases, d the same third as c. So each task graph, which does not depend
 * on the type, runs at least once, and the kernels of each type in a third of the shapes. With a
 * loop of 3 or 6 innermost cases, `case_index` must not only count them: a type would always have
 * the same of the three. */
bool is_left_to_other_types(int case_index);
/* Returns true if case `case_index`, from 0, is to be skipped: on CPUs is_left_to_other_types(),
 * with GPU workers six of seven cases. All cases of small matrices together have 100,000 tiny
 * tasks, which take three times as long on a GPU as on cores, and longer if other tests use the
 * GPU. */
bool is_left_out(int case_index);

/* Sets the description of the following checks, which is printed when one of them fails. */
void in_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define require(condition) require_at((condition), #condition, __FILE__, __LINE__)
void require_at(bool condition, const char *text, const char *file, int line);

/* Requires value < bound; prints the text of `value` on failure. */
#define require_below(value, bound) require_below_at(value, bound, #value, __FILE__, __LINE__)
void require_below_at(double value, double bound, const char *text, const char *file, int line);

#define require_info(value, expected) require_info_at(value, expected, #value, __FILE__, __LINE__)
void require_info_at(int64_t value, int64_t expected, const char *text, const char *file, int line);

/* Requires value == code < 0, and a message with `words`. */
#define require_message(value, code, words)                                                        \
    require_message_at(value, code, words, #value, __FILE__, __LINE__)
void require_message_at(int64_t value, int64_t code, const char *words, const char *text,
                        const char *file, int line);

/* -- residuals ------------------------------------------------------------------------------- */

/* Returns the unit roundoff, dlamch('E'). */
double unit_roundoff(startile_dtype dtype);

/*
 * Checks a normwise residual `ours` against `lapacks`, LAPACK's residual of the same matrix. Both
 * are in the units of CONTRIBUTING.md; `unit` is one roundoff of the norm in these units. Requires
 *  - ours < 30 max(1, n · unit), unless LAPACK's residual is not below this bound either;
 *  - ours < times * lapacks + max(16, 2 √n) · unit (2 √(2n) for complex types). The second term
 *    allows for a different order of the operations; see slack() in check.c. Not checked with
 *    times = INFINITY.
 * A factorization with growing elements has n · unit > 1.
 * Keeps the largest values for check_report().
 */
void check_residual(double ours, double lapacks, double times, int64_t n, double unit);
/* Returns the upper bound that check_residual() requires. */
double residual_bound(double lapacks, double times, int64_t n, double unit);

/* Requires an elementwise residual below 30, and keeps the largest for check_report(). */
void check_componentwise(double ours);

/* Returns the Hermitian matrix whose triangle uplo is in T. */
struct array full_hermitian(char uplo, struct array T);

/*
 * Checks the factor of A's leading k × k block, in the triangle uplo of `factor`. A is Hermitian;
 * for uplo 'U' UᴴU takes the place of LLᴴ:
 *  - ‖A − LLᴴ‖₁ / (k ‖A‖₁ eps) < 30;
 *  - max |A − LLᴴ|_ij / (√(a_ii a_jj) k eps) < 30, which also detects errors in badly scaled rows;
 *  - ‖A − LLᴴ‖₁ against the residual of LAPACK's factor, by check_residual() with times = 2.
 */
void check_factor(char uplo, struct array A, struct array factor, int64_t k);

/* Returns ‖B − AX‖₁ / (n ‖A‖₁ ‖X‖₁ eps). */
double solution_residual(struct array A, struct array X, struct array B);
/* Returns ‖I − AX‖₁ / (n ‖A‖₁ ‖X‖₁ eps). */
double inverse_residual(struct array A, struct array X);

/* Checks solution_residual() by check_residual() with times = 2; lapack_X is LAPACK's solution. */
void check_solution(struct array A, struct array X, struct array lapack_X, struct array B);
/* Checks as check_solution() does, for growing factors: one roundoff is multiplied by `growth`. */
void check_solution_grown(struct array A, struct array X, struct array lapack_X, struct array B,
                          double growth);

/* Requires max |x_ij − y_ij| < bound · eps (< 2^-1000 if bound is 0), and no NaN. */
void check_near(struct array X, struct array Y, double bound);
/* Checks as check_near() does, in the triangle uplo with its diagonal, or everywhere for 'G'. */
void check_near_in(char uplo, struct array X, struct array Y, double bound);

/* Returns check_near()'s bound for alpha op(A) op(B) + beta C with inner products of k terms.
 * Elements of A, B and C have magnitudes of at most √2, and each of the two computations has k + 2
 * roundings. */
double product_bound(int64_t k, startile_complex alpha, startile_complex beta);

/* Prints the largest residual and ratio to LAPACK's residual, and resets them. */
void check_report(const char *title);

#endif
