/*
 * Solution of A X = B in mixed precision: A is factored in single precision, and X is improved to
 * double precision by refinement or by GMRES. gesv_mixed.c, posv_mixed.c and gels_mixed.c have the
 * parts that depend on the factorization.
 */
#ifndef STARTILE_MIXED_SOLVER_H
#define STARTILE_MIXED_SOLVER_H

#include "algorithms.h"
#include "operations/insert_refinement.h"
#include "request/decision.h"
#include "request/hold.h"
#include "startile_mixed.h"

enum { MOST_ITERATIONS = 30 }; /* as in LAPACK's xSGESV */
enum { AT_ONCE = 2 };          /* iterations that are submitted before the first decision */
/* Columns of the known solution. A single one may be nearly orthogonal to the singular vector of
 * the smallest singular value. */
enum { KNOWN_COLUMNS = 2 };

/* Maxima over the elements of each column, in one iteration */
typedef struct {
    values *x, *d; /* of X after the iteration; of its correction: D of GMRES, but f(column) S
                      of refinement, which is scaled by f(r) */
    values *r, *r_scaled; /* of the residual B − A X after the iteration, its rows scaled by
                             f(row_sums) and by f(row); see insert_lag2() for f. Least squares: of
                             Aᴴ (B − A X), both scaled by f(row) */
    values *projected, *e; /* least squares: of R⁻ᴴ S in the iteration, and of B − A X after it */
} column_maxima;

/* A direction of GMRES; maxima and products of each column */
typedef struct {
    startile_matrix *D, *Q;        /* the direction, and A D */
    values *norm;                  /* Qᴴ Q, see insert_column_dots() */
    values *largest_d, *largest_q; /* of D, and of Q with its rows scaled by f(row_sums) */
} direction;

/* The system and its factors. Written by solver.c and by mixed_steps before the first iteration;
 * gmres.c makes the converted factors. */
typedef struct {
    const struct mixed_steps *steps;
    startile_mixed_options options;
    char uplo; /* triangle of A for Cholesky; 'Q' for QR, 0 for LU */
    int64_t n; /* number of A's columns */
    startile_matrix *A;
    startile_pivots *P;         /* LU, else NULL */
    startile_request *work;     /* values, residual and the decisions */
    startile_request *low;      /* factorization and solves in single precision */
    values *row_sums;           /* Σ_j |a_ij| */
    values *row, *column;       /* rows and columns of A are scaled by f(row_i) f(column_j) */
    startile_products products; /* of the factorization */
    startile_matrix *F;         /* the factors, in single precision */
    inverse **WL, **WU; /* inverses of the diagonal blocks of L and U; WU is NULL but for LU */
    /* of F in double precision, for GMRES: columns, or NULL if takes_whole(); all on a grid */
    startile_matrix *converted[2], *in_double;
} mixed_system;

/* The solution for some right-hand sides, and the data of its improvement. Written by refinement.c,
 * gmres.c and acceleration.c. */
typedef struct {
    mixed_system *system;
    int64_t nrhs; /* number of B's columns */
    const startile_matrix *B;
    startile_matrix *X, *R; /* solution, residual; least squares: R = Aᴴ E */
    startile_matrix *E;     /* least squares: B − A X */
    startile_matrix *S;     /* single precision: the scaled residual, then the correction */
    int submitted;          /* number of iterations */
    int first_gmres;        /* convergence.c: first step of GMRES; MOST_ITERATIONS + 1: none */
    column_maxima before;   /* r, r_scaled: of B, the residual before the first iteration */
    column_maxima maxima[MOST_ITERATIONS + 1];
    /* acceleration.c: of this step and the last one, by turns; NULL: without acceleration */
    startile_matrix *corrections[2], *differences[2];
    values *product, *norm; /* t of the last step is their quotient; NULL: it was not accelerated */
    bool accelerates;       /* convergence.c: the next step of refinement is accelerated */
    int directions;         /* number of directions of GMRES */
    direction direction[MOST_ITERATIONS];
} iteration;

/* Errors of the newest iteration that was examined, the largest over all columns. Written by
 * errors.c. */
typedef struct {
    double least_scale, largest_scale; /* min and max of v, the values by which column_maxima.r is
                                          scaled: row_sums, or column for least squares */
    double least_sum, largest_sum;     /* min f(v_i) v_i; max row_sums_i */
    double least_residual; /* size of the rounding errors of column_maxima.r / ‖x‖∞ */
    double residual;       /* largest column_maxima.r / ‖x‖∞ */
    double inverse_norm;   /* lower bound of ‖(f(row_sums) A)⁻¹‖∞ */
    double correction;     /* size of the correction, relative to ‖x‖∞ */
    double error;          /* backward error, see mixed_steps.error() */
    double forward;        /* estimate of the error in x */
    double first_error;    /* backward error of the first iteration */
    double last_error;     /* backward error of the iteration before */
} errors;

/* A system with a known solution and the same factors (known_solution.c) */
typedef struct {
    iteration iteration;
    startile_matrix *Y, *E; /* −Y is the solution; E = X + Y is the error of X */
    column_maxima found;    /* x, r: after the last step; d: of E */
} known_system;

typedef struct {
    temporary owned;
    startile_request *request;     /* the caller's */
    startile_mixed_result *result; /* the caller's, or NULL */
    startile_request *full;        /* factorization and solves in double precision, or NULL */
    hold *hold;                    /* NULL on a grid */
    mixed_system system;
    iteration iteration;
    errors errors;
    /* convergence.c: certificate, and decisions */
    values *ratios;         /* componentwise backward errors, or NULL */
    known_system *known;    /* owned; or NULL */
    int decided;            /* number of iterations examined */
    int iterations;         /* LAPACK's ITER */
    int steps_without_gain; /* iterations since the error was halved */
    double least_error;     /* so far */
} mixed_solver;

/* Steps of a solver that depend on the factorization */
typedef struct mixed_steps {
    bool is_least_squares; /* A may have more rows than columns */
    /* Submits row_sums, the scale factors, and F := the scaled A in single precision. */
    void (*convert)(context ctx, iteration *it);
    /* Returns the products that suffice for the matrix, from row_sums and the scale factors in main
     * memory; NULL: two FP16 numbers. */
    startile_products (*choose_products)(const mixed_system *s);
    void (*factor)(iteration *it); /* F := its factors, in request `low` */
    /* V := F⁻¹ V, in single or double precision as V is */
    void (*solve)(context ctx, iteration *it, startile_matrix *V);
    void (*find_first_residual)(context ctx, iteration *it); /* R := the residual for X = 0 */
    void (*find_residual)(context ctx, iteration *it);       /* R := B − A X */
    /* Returns the backward error of a column of X after iteration i. NaN or Inf: a value was out of
     * range */
    double (*error)(const mixed_solver *s, int i, int64_t column);
    /* W := W + |A| |X|; NULL for least squares */
    void (*abs_product)(context ctx, const iteration *it, const startile_matrix *W);
    /* A := its factors and X := A⁻¹ B in double precision, in request `full` */
    void (*solve_in_double)(const iteration *it, startile_request *full);
} mixed_steps;

/* -- steps (refinement.c, gmres.c) ------------------------------------------------------------- */

/* Submits W[k] := the inverse of the triangle in F's diagonal block k, for all k. Does nothing if W
 * is NULL, or if substitute_factor() does without inverses. */
void invert_diagonal_blocks(context ctx, const iteration *it, char uplo, char diag, inverse **W);
/* Submits V := P V for LU, then V := op(T)⁻¹ V for triangles of F one after the other, in one task
 * for each block column of V. Only where takes_whole(). V is in any precision. */
void solve_whole(context ctx, const mixed_system *s, int steps, const triangular_factor *step,
                 const startile_matrix *V);
/* Submits R := B − A X by one task for each block column. Only where takes_whole(). uplo: as in
 * insert_whole_residual() */
void find_whole_residual(context ctx, const iteration *it, char uplo);
/* Submit V := op(T)⁻¹ V for the triangle uplo of F. substitute_factor() has V in any precision, and
 * W as for substitute(), used in single precision. substitute_in_double() has V in double
 * precision, and converts F a few columns at a time. */
void substitute_factor(context ctx, const mixed_system *s, char uplo, char trans, char diag,
                       inverse *const *W, startile_matrix *V);
void substitute_in_double(context ctx, const mixed_system *s, char uplo, char trans, char diag,
                          startile_matrix *V);
/* Returns the factors in V's precision, on a grid. */
const startile_matrix *factors_for(const mixed_system *s, const startile_matrix *V);
/* The part of a matrix on which one task works: a block column or, on a grid, a tile */
typedef struct {
    context ctx; /* of the loop over all parts, which is a step */
    column rows;
} part;
/* The loop over all parts of A is
 *
 *     for (part p = first_part(ctx, A); p.rows.A != NULL; p = next_part(p))
 *
 * All processes submit the tasks, or those on their own parts if these need no messages. */
part first_part(context ctx, const startile_matrix *A);
part next_part(part p);
bool is_own_part(column rows);
/* Returns the rows of c in V. */
column same_rows(const startile_matrix *V, column c);
/* Returns a value for each column of B, or NULL and the request fails. */
values *new_column_values(iteration *it);
/* Submits the maxima of V's columns, with rows scaled by f(scale) or not at all (NULL), and returns
 * them. */
values *column_maxima_of(context ctx, iteration *it, const startile_matrix *V, const values *scale);
/* Returns U(:,j)ᴴ V(:,j) for all columns, as insert_column_dots() does; NULL without memory. */
values *column_dots_of(context ctx, const iteration *it, const startile_matrix *U,
                       const startile_matrix *V);
/* V := V + sign t / norm U, or V + sign U if t and norm are NULL */
void add_columns(context ctx, int sign, const values *t, const values *norm,
                 const startile_matrix *U, const startile_matrix *V);
/* Returns whether `blocks` matrices like X have no more elements than a sixteenth of A, or than
 * 2^20. */
bool is_within_workspace_limit(const iteration *it, int64_t blocks);
/* R := B */
void copy_right_hand_side(context ctx, iteration *it);
/* Submits the maxima of the residual R. */
void find_residual_maxima(context ctx, iteration *it, column_maxima *m);
/* Submits a step of refinement, and one of GMRES; each writes X, R and its maxima. */
void refine(iteration *it);
void step_of_gmres(iteration *it);
/* Returns whether the memory for GMRES, which is limited, suffices for another step. */
bool has_capacity_for_direction(const iteration *it);

/* -- acceleration of refinement (acceleration.c) ----------------------------------------------- */

/* Creates the matrices for acceleration; none if they would be too large. Returns false, and the
 * request fails, without memory. */
bool make_buffers(context ctx, iteration *it);
/* Returns whether the step after iteration i may be accelerated, given its errors. */
bool can_accelerate(const mixed_solver *s, int i);
/* Keeps the correction S / f(r), by which X has just been moved, for the next step. Moves X further
 * if it->accelerates. */
void accelerate(context ctx, iteration *it, const values *r);

/* -- a known solution (known_solution.c) ------------------------------------------------------- */

/* Submits the first step for a system with the matrix of s and a known solution of X's height.
 * Returns the system, with the maxima after the step in `found`, or NULL if the request has failed.
 * The caller frees it. */
known_system *solve_known_system(mixed_system *s, const startile_matrix *X);
/* If the error in k->found is not small after the first step, submits further steps and new maxima
 * k->found. Returns whether it did so. */
bool continue_known_system(known_system *k);

/* -- errors (errors.c) ------------------------------------------------------------------------- */

/* Finds s->errors after iteration `i`. Returns whether all numbers are finite. */
bool find_errors(mixed_solver *s, int i);
/* Raises s->errors.forward to the error that follows from the lower bound of ‖A⁻¹‖ by s->known. */
void include_known_solution(mixed_solver *s);
/* Returns the backward error that ends the iteration. */
double tolerance(const mixed_solver *s);
/* Returns the backward error that suffices if the iteration makes no more progress. It implies
 * LAPACK's criterion, ‖r‖∞ ≤ sqrt(n) eps ‖A‖∞ ‖x‖∞, where complex elements of r and x count as
 * |re| + |im|. For least squares it is the usual size of the backward error of QR, whose bound is
 * γ_mn (Higham 2002, theorem 20.3). */
double sufficient_error(const mixed_solver *s);
/* Returns whether the backward error is at most `bound`. For least squares the last correction must
 * also be small: the second measure of error_of() in gels_mixed.c is meaningless if R has no
 * correct digit. */
bool has_error_within(const mixed_solver *s, double bound);
/* Returns max_i f(r_i) |b − A x|_i / (min_i f(r_i) r_i ‖x‖∞) ≥ max_i |b − A x|_i / (r_i ‖x‖∞) for
 * the sums r_i of A's rows. */
double rowwise_error(const mixed_solver *s, int i, int64_t column);
/* Returns f(x), the power of two by which insert_lag2() multiplies for the value x. */
double scale_factor(double x);
/* *largest := max(*largest, x). NaN stays. */
void raise_maximum(double *largest, double x);
/* Returns the largest of n values ≥ 0; NaN if one is NaN. */
double largest_of_values(const values *v, int64_t n);

/* -- decisions (convergence.c) ----------------------------------------------------------------- */

/* Submits a decision on the iterations from s->decided on. */
void decide_later(mixed_solver *s);
/* Ends the operation after the tasks submitted so far. */
void end_operation(mixed_solver *s);

/* -- the solver (solver.c) --------------------------------------------------------------------- */

/* Stores the outcome in the caller's request and result. */
void store_outcome(void *solver);
/* Fills *o with the caller's options, and with zeros for the fields that the caller's version of
 * the header does not have. options: may be NULL. Returns whether size and values are valid. */
bool read_mixed_options(startile_mixed_options *o, const startile_mixed_options *options);
/* Returns whether the result is NULL or has the size of a version of the header. */
bool has_valid_size(const startile_mixed_result *result);
/* Returns whether A has double precision. */
bool is_double_precision(const startile_matrix *A);
/* Returns whether X has the shape and the block columns of B, and is a matrix of its own. */
bool is_solution_of(const startile_matrix *X, const startile_matrix *B, const startile_matrix *A);
/* Submits the solution. The arguments are valid; `options` comes from read_mixed_options(). */
void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request);

#endif
