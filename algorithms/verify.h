/*
 * Detection of silent corruption (startile_options::verify)
 *
 * A routine computes factors F and G with A = F G, or a product or solution that satisfies such an
 * equation. With weights E, a matrix of two columns (kernels/weights.h), each column j is checked:
 *
 *     c_j = A(:,j)^H E        before the tasks of the routine
 *     y   = F^H E             after all tasks on F; Cholesky: on a block column of F
 *     d_j = G(:,j)^H y        after all tasks
 *
 * c_j = d_j up to rounding. Only the lower triangle of Cholesky's A is stored, so its sums for
 * block column j begin at tile row j, and there is a y for each j. All tiles are read after the
 * last task of the routine has written, so a flip is found whether it happened in a kernel, in a
 * transfer, or in a tile at rest. For n columns this takes O(n²) operations.
 *
 * Threshold. The rounding errors R = A − F G satisfy ‖R(:,j)‖ ≤ λ (k + 32 + √m) u √v_j with high
 * probability, where k is the number of terms of an element's inner product, u the unit roundoff
 * and v_j = Σ_ik |f_ik|² |g_kj|²: each of the k roundings in an element is at most u times a
 * partial sum, which is at most √k (Σ_k |f_ik g_kj|²)^½ by Cauchy's inequality, and roundings that
 * are independent with mean 0 add up to √k times one of them (Higham & Mary 2019, A new approach to
 * probabilistic rounding error analysis). The random signs of E make |E^H R(:,j)| about ‖R(:,j)‖
 * for any R (Hoeffding's inequality). √m is for the sums of m terms themselves. λ comes from runs
 * without corruption (docs/verification.md). A bound for the worst case would be n times larger and
 * would miss flips that matter. The fallback for a false alarm is level 0.
 */
#ifndef STARTILE_VERIFY_H
#define STARTILE_VERIFY_H

#include "algorithms.h"
#include "request/corruption.h"
#include "request/decision.h"

/* The step that computes tile (i, j) last: min(i, j) of a factorization by panels, the last one of
 * a product, and in a solution i, or the number of steps − 1 − i. */
enum last_step { BY_PANELS, BY_PRODUCTS, DOWNWARD, UPWARD };

/* Checksums of one call. With routine NULL there is no verification, and the functions below do
 * nothing. */
typedef struct {
    const char *routine;
    const startile_matrix *A; /* matrix of the type and tiles to report */
    int64_t rows, columns;    /* of the checked matrix */
    int64_t terms;            /* number of terms of an inner product */
    double threshold;         /* λ */
    startile_matrix *E;       /* weights in A's type */
    startile_matrix *W;       /* checksum of E */
    startile_matrix *C, *D;   /* checksums c_j and d_j, in tiles */
    startile_matrix *Y; /* checksums y, in tiles; Cholesky: block column j for tile rows ≥ j */
    startile_matrix *G, *H; /* QR: checksums of E before and after the multiplication by Q^H */
    values *found;          /* result of the comparisons */
    values *diagonal;       /* trsm: magnitudes of the triangle's diagonal, or NULL */
    int64_t mb, nb;         /* tile size for the report */
    enum last_step last_step;
    int64_t steps;           /* of a product or a solution */
    bool is_transposed;      /* the checks see the transpose of the stored matrix */
    const temporary *before; /* newest temporary before the checksums */
} verification;

/* The first function of each pair submits c_j, before the tasks of a routine, the second one the
 * rest. The request fails with STARTILE_ERROR_CORRUPTION if a column differs. */

/* Cholesky: L is the view in which the triangle is lower. */
verification verify_potrf(context ctx, view L);
void verify_potrf_end(context ctx, verification *v, view L);
/* LU and QR of A. */
verification verify_columns(context ctx, const char *name, const startile_matrix *A);
void verify_lu_end(context ctx, verification *v, const startile_pivots *P);
void verify_qr_end(context ctx, verification *v, const startile_matrix *T);
/* C := alpha A B + beta C */
verification verify_gemm(context ctx, startile_complex alpha, view A, view B, startile_complex beta,
                         view C);
void verify_gemm_end(context ctx, verification *v, view C);
/* B := alpha A^-1 B for a triangular view A */
verification verify_trsm(context ctx, bool is_lower, char diag, startile_complex alpha, view A,
                         view B);
void verify_trsm_end(context ctx, verification *v, view B);

/* -- level 2 (verify_again.c) ------------------------------------------------------------------ */

/* Submits the plan so that it runs again if its result is wrong. Returns false, and has done
 * nothing, if the request's level is not 2 or the plan has no check. */
bool repeats(const plan *p, startile_request *request);
/* Tells that judge_attempt() will be called. */
void attempt_begins_decision(struct attempts *a);
/* Decision: place is that of a wrong element, or NULL. */
void judge_attempt(struct attempts *a, const startile_corruption *place);

/* -- common to the routines (verify.c) --------------------------------------------------------- */

/* Creates the checksums for a matrix of m rows and n columns in tiles of nb, with `sums` checksums
 * y of k rows in tiles of kb, and submits the weights. has_diagonal: also creates v.diagonal.
 * `stored` is the view whose matrix the report names. */
verification verify_begin(context ctx, const char *routine, view stored, int64_t m, int64_t n,
                          int64_t nb, int64_t k, int64_t kb, int64_t sums, bool has_diagonal);
/* Submits the weights again, after the last task that writes the tile `last`: tasks that read them
 * then see the finished result. W is not set. */
void verify_restart(context ctx, const verification *v, const tile *last);
/* Submits W := the checksum of E. */
void verify_spread(context ctx, const verification *v, int64_t priority);
/* Submits S := S + alpha A^H W for the tiles (first,j) … (end−1,j) of a view, in tasks of as many
 * tiles as tiles_from() has. uplo, diag, after: as for insert_checksum(). */
void verify_sums(context ctx, int64_t priority, char uplo, char diag, startile_complex alpha,
                 view A, int64_t first, int64_t end, int64_t j, column W, column S,
                 const tile *after);
/* Submits the comparison of the checksums `input`, which depends on the input only, and `output`.
 * verify_pair() has the given bound, in units of the roundoff, and adds `before` to the number of a
 * row that differs. */
void verify_compare(context ctx, const verification *v, const startile_matrix *input,
                    const startile_matrix *output);
void verify_pair(context ctx, const verification *v, double bound, int64_t before,
                 const startile_matrix *input, const startile_matrix *output);
/* Frees the checksums and submits the decision. */
void verify_end(context ctx, const verification *v);

#endif
