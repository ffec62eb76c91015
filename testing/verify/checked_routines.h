/* The routines that the option `verify` checks, on arrays: calls, and residuals of their results.
 */
#ifndef TESTING_CHECKED_ROUTINES_H
#define TESTING_CHECKED_ROUTINES_H

#include "array.h"
#include "startile_testing.h"
#include "startile_trace.h"

/* Order of the tiles */
enum { NB = 32 };

/* Residuals of CONTRIBUTING.md must be below 30; a flip matters if it makes one 10 times larger. */
enum { MATTERS = 10 * 30 };

/* Operands: A is m × n, B m × n or the right sides, C n × n, t the triangles of QR. */
struct arrays {
    struct array a, b, c, t;
    int64_t *ipiv, *jpvt;
};

struct operands {
    startile_matrix *A, *B, *C, *T;
    startile_pivots *P;
    startile_permutation *permutation; /* NULL unless A has whole columns */
    startile_symmetric_pivots *S;      /* NULL unless the routine is a symmetric factorization */
    startile_pivots *band_pivots;
    startile_request *r;
};

struct checked_routine {
    const char *name, *reported; /* `reported`: in startile_corruption */
    int (*submit)(struct operands *o);
    double (*residual)(struct arrays before, struct arrays after);
    bool is_definite, is_square; /* what A must be */
    bool needs_dominant;         /* residuals are bounded for diagonally dominant matrices only */
    bool has_whole_columns;      /* column pivoting: tiles of A have all rows */
    char symmetry; /* symmetric factorization A = L D op(L) or L T op(L): its op 'T' or 'C'; else 0
                    */
    char uplo;     /* triangle of A that it uses */
};
/* The first UNPERMUTED routines have no column pivoting and no symmetric interchanges: only these
 * run again and, with those by Aasen's method, on grids. Symmetric factorizations are those from
 * SYMMETRIC on, of which those from AASEN on are by Aasen's method, with the band in C. From
 * PIVOTED on they have column pivoting. */
enum {
    FIRST_GEMM = 6,
    UNPERMUTED = 11,
    SYMMETRIC = UNPERMUTED,
    AASEN = 15,
    PIVOTED = 19,
    ROUTINES = 21
};
extern const struct checked_routine checked_routines[ROUTINES];
/* Returns the number of routines that can run: column pivoting with `verify` needs a CPU worker. */
int runnable_routines(void);

/* Residuals of the factors in `after` (checked_ldl.c, checked_aasen.c) */
double residual_ldl(char op, char uplo, struct arrays before, struct arrays after);
double residual_aasen(char op, char uplo, struct arrays before, struct arrays after);

/* Returns operands with A as given, which they own; B is like A, and C square with well-conditioned
 * triangles. */
struct arrays operands_for(struct array A);
struct arrays arrays_copy(struct arrays x);
void arrays_end(struct arrays x);
/* Returns whether all elements have the same bits. */
bool is_same_result(struct arrays x, struct arrays y);
startile_matrix *wrapped(struct array X);

/* Make and end the operands of run_checked(): local matrices, unless a test changes these. ipiv is
 * as startile_pivots_to_lapack() gives it. */
extern startile_matrix *(*make_operand)(struct array X);
extern void (*end_operand)(startile_matrix *A, struct array X);

/* Runs a routine on the arrays with this level of verify. Returns its result, and the place of a
 * corruption. */
int64_t run_checked(const struct checked_routine *routine, struct arrays x, int level,
                    startile_corruption *found);

/* Returns a profile of the routine with verification. */
startile_profile *profile_of(const struct checked_routine *routine, struct arrays x);
/* Returns a random bit of a random task in the profile that is not one of the checks. */
startile_flip random_flip(const startile_profile *profile);

/* Returns the bit of an element that changes its real part by about a tenth, and that of the sign
 * of a part. */
int small_bit(void);
int sign_bit(void);

/* Returns the integer in an environment variable, or `otherwise` without the variable. */
int number_of(const char *variable, int otherwise);

#endif
