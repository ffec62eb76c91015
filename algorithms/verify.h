/*
 * Detection of silent corruption (startile_options::verify)
 *
 * A routine computes factors F and G with A = F G, a product A = F G, or a solution G of F G = A.
 * With weights E, a matrix of two columns (kernels/weights.h), each column j is checked:
 *
 *     c_j = A(:,j)^H E        before the tasks of the routine
 *     y   = F^H E             after all tasks on F; Cholesky: on a block column of F
 *     d_j = G(:,j)^H y        after all tasks
 *
 * A symmetric indefinite factorization has P A P^T = L D op(L), or L T op(L) with a band matrix T
 * (verify_symmetric.c):
 *
 *     c_j = A(:,j)^T E, or A(:,j)^H E
 *     d   = P^T L D op(L) P E, or P^T L T op(L) P E
 *
 * c_j = d_j up to rounding. All tiles are read after the last task of the routine has written, so a
 * flip is found whether it happened in a kernel, in a transfer, or in a tile at rest. For n columns
 * this takes O(n²) operations.
 *
 * On a grid each process adds up its own tiles, and the sums y, c and d of the processes are added
 * when all have ended: the caller's thread waits for the routine.
 *
 * Threshold. The rounding errors R = A − F G satisfy ‖R(:,j)‖ ≤ λ (k + MORE_TERMS + √m) u √v_j with
 * high probability, where k is the number of terms of an element's inner product, u the unit
 * roundoff and v_j = Σ_ik |f_ik|² |g_kj|²: each of the k roundings in an element is at most u times
 * a partial sum, which is at most √k (Σ_k |f_ik g_kj|²)^½ by Cauchy's inequality, and roundings
 * that are independent with mean 0 add up to √k times one of them (Higham & Mary 2019, A new
 * approach to probabilistic rounding error analysis). With three factors v_j is the sum of
 * |l_ik|² |d_kp|² |l_jp|²: the columns of L D come from pivots of order 2 that are stable (Higham
 * 1997, Stability of the diagonal pivoting method with partial pivoting), so an element of A is a
 * sum of k terms l_ik (L D)_jk with these roundings, and L D adds one or two roundings to each. The
 * random signs of E make |E^H R(:,j)| about
 * ‖R(:,j)‖ for any R (Hoeffding's inequality). √m is for the sums of m terms themselves. λ comes
 * from runs without corruption (docs/verification.md). A bound for the worst case would be n times
 * larger and would miss flips that matter. A program that meets a false alarm can set level 0.
 */
#ifndef STARTILE_VERIFY_H
#define STARTILE_VERIFY_H

#include "algorithms.h"
#include "request/corruption.h"
#include "request/decision.h"
#include "request/request.h"

/* Terms that the bounds add to those of an inner product, for the roundings of the checksums and of
 * small matrices */
enum { MORE_TERMS = 32 };

/* The step that computes tile (i, j) last */
enum last_step {
    BY_PANELS,   /* min(i, j): factorizations */
    BY_PRODUCTS, /* the last step: products */
    DOWNWARD,    /* i: solution from the first block row down */
    UPWARD,      /* number of steps − 1 − i: solution from the last block row up */
    UNKNOWN      /* −1: with symmetric interchanges, which move the elements of both i and j */
};

/* Returns the request's outcome; if A is on a grid, the same on all its processes. */
static inline int64_t agreed_outcome(startile_request *request, const startile_matrix *A)
{
    return startile_matrix_grid(A) != NULL ? request_agree(request) : request_outcome(request);
}

/* Data of the decision on a comparison; a temporary of the request */
struct report {
    temporary owned;
    startile_request *request;
    const startile_matrix *A;
    const char *routine;
    int64_t rows, columns; /* of the checked matrix */
    int64_t mb, nb;        /* its tile size */
    bool is_transposed;    /* the checks see the transpose of the stored matrix */
    enum last_step last_step;
    int64_t steps;    /* of a product or a solution */
    bool is_complete; /* the result has the equation even if the info is a zero pivot */
    values *found;    /* results of the comparisons, see enum found in verify.c */
    values *diagonal; /* trsm: magnitudes of the triangle's diagonal, or NULL */
};

/* Checksums of one call. With report NULL there is no verification, and the functions below do
 * nothing. */
typedef struct {
    struct report *report;
    context step; /* step of all tasks of the verification; end_step() frees the matrices */
    const startile_matrix *A;                  /* checked matrix, which has the type and the grid */
    int64_t terms;                             /* number of terms of an inner product */
    double threshold;                          /* λ */
    startile_matrix *E;                        /* weights in A's type, on A's grid */
    startile_matrix *W, *X;                    /* checksum of E; of P E (LU) or Q^H E (QR) */
    startile_matrix *C, *D;                    /* checksums c_j and d_j */
    startile_matrix *Y;                        /* checksums y */
    startile_matrix *gram_before, *gram_after; /* QR: E^H E, and (Q^H E)^H Q^H E */
} verification;

/* begin_verification() submits c_j before the tasks of the plan. end_verification() frees
 * the checksums; before that, if the tasks of the plan were submitted, it submits the rest and the
 * decision. The request
 * fails with STARTILE_ERROR_CORRUPTION if a column differs. */
verification begin_verification(context ctx, const plan *p);
void end_verification(context ctx, verification *v, const plan *p, bool is_submitted);

/* The parts of begin_verification() and end_verification() that depend on the equation */
typedef verification verify_before(context ctx, const plan *p);
typedef void verify_after(context ctx, verification *v, const plan *p);
verify_before verify_before_hermitian, verify_before_symmetric, verify_before_lu_or_qr,
    verify_before_gemm, verify_before_trsm;
verify_after verify_after_potrf, verify_after_lu, verify_after_qr, verify_after_ldl,
    verify_after_ltl, verify_after_gemm, verify_after_trsm;
/* Submits C(j) := A(:,j)^T E (op 'T') or A(:,j)^H E ('C') for a symmetric or Hermitian matrix with
 * the lower triangle L. */
void add_symmetric_checksum(context ctx, const verification *v, char op, view L);

/* -- level 2 (verify_again.c) ------------------------------------------------------------------ */

/* Submits the plan so that it runs again if its result is wrong. Returns false, and has done
 * nothing, if the request's level is not 2 or it has failed, or if the plan has no check, a
 * journal, a column permutation, symmetric interchanges or an empty matrix. */
bool submit_with_retries(const plan *p, startile_request *request);
/* Records that decide_on_attempt() will be called for the current run. */
void expect_decision(struct attempts *a);
/* Ends the operation, or submits its next run. place: a wrong element of the current run, or NULL.
 * The processes of a grid have agreed on the outcome of the run. */
void decide_on_attempt(struct attempts *a, const startile_corruption *place);

/* -- common to the routines (verify.c) --------------------------------------------------------- */

/* Creates the checksums for a matrix of m rows and n columns in tiles of mb × nb, with checksums y
 * of k rows in tiles of kb, and submits the weights. has_diagonal: also creates report->diagonal.
 * `stored` is the view of the matrix that the report names. */
verification new_verification(context ctx, const char *routine, view stored, int64_t m, int64_t mb,
                              int64_t n, int64_t nb, int64_t k, int64_t kb, bool has_diagonal);
/* Submits E := the weights. `last`: NULL, or a tile for whose last write the tasks wait, so that
 * tasks that read E start after it. On a grid they do not wait. */
void submit_weights(context ctx, const verification *v, const tile *last);
/* Submits W := E in the form of a checksum, on all processes. */
void submit_checksum_of_weights(context ctx, const verification *v, int64_t priority,
                                const startile_matrix *W);
/* Submits S += alpha A(first:end,j)^H W(first:end) for those tiles that this process owns. The
 * view's tiles are as high as those of W. uplo, diag, after: as for insert_checksum(). */
void add_column_checksum(context ctx, int64_t priority, char uplo, char diag,
                         startile_complex alpha, view A, int64_t first, int64_t end, int64_t j,
                         const startile_matrix *W, column S, const tile *after);
/* Submit the comparison of two checksums of the same columns; `input` depends on the operands only.
 * compare_checksums() first adds up those of all processes. compare_within() has the given bound,
 * in units of the roundoff, and adds `before` to the number of a row that differs. */
void compare_checksums(context ctx, const verification *v, const startile_matrix *input,
                       const startile_matrix *output);
void compare_within(context ctx, const verification *v, double bound, int64_t before,
                    const startile_matrix *input, const startile_matrix *output);
#endif
