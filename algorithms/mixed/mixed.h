/*
 * Solution of A X = B in mixed precision: A is factored in single precision, and X is improved to
 * double precision by refinement or by GMRES. gesv_mixed.c and posv_mixed.c have what depends on
 * the factorization.
 */
#ifndef STARTILE_MIXED_H
#define STARTILE_MIXED_H

#include "algorithms.h"

enum { MOST_ITERATIONS = 30 }; /* as in LAPACK's xSGESV */
enum { AT_ONCE = 2 };          /* iterations that are submitted before the first decision */
/* Columns of the known solution: one alone may be nearly orthogonal to the smallest singular vector
 */
enum { KNOWN_COLUMNS = 2 };

/* Maxima over the elements of each column, in one iteration */
typedef struct {
    values *x, *d;        /* of X, and of the correction of the iteration; that of refinement is
                             scaled */
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

typedef struct mixed_solver mixed_solver;
struct mixed_solver {
    temporary owned;
    const struct mixed_steps *steps;
    char uplo; /* triangle of A for Cholesky; 'Q' for QR, 0 for LU */
    startile_matrix *A, *X;
    startile_pivots *P; /* LU, else NULL */
    const startile_matrix *B;
    startile_mixed_options options;
    startile_mixed_result *result; /* the caller's, or NULL */
    startile_request *request;     /* the caller's */
    startile_request *work;        /* values, residual and the decisions */
    startile_request *low, *full;  /* factorization and solves in single, in double precision */
    hold *hold;                    /* NULL on a grid */
    startile_matrix *F, *S; /* single precision: the factors; the residual, then the correction */
    inverse **WL, **WU;     /* inverses of the diagonal blocks of L and U; WU is NULL but for LU */
    startile_matrix *R;     /* residual; least squares: Aᴴ E */
    startile_matrix *E; /* least squares: B − A X; known solution: its error (known_solution.c) */
    /* acceleration.c: of this step and the last one, by turns; NULL: without acceleration */
    startile_matrix *corrections[2], *differences[2];
    values *product, *norm; /* t of the last step is their quotient; NULL: it was not accelerated */
    startile_matrix *converted[2]; /* columns of F in double precision, for GMRES; NULL
                                      if takes_whole() */
    startile_matrix *in_double;    /* on a grid: F in double precision, for GMRES; or NULL */
    direction direction[MOST_ITERATIONS];
    values *row_sums;     /* Σ_j |a_ij| */
    values *row, *column; /* rows and columns of A are scaled by f(row_i) f(column_j) */
    values *ratios;       /* componentwise backward errors */
    column_maxima before; /* r, r_scaled: of B, the residual before the first iteration */
    column_maxima maxima[MOST_ITERATIONS + 1];
    mixed_solver *known_system;      /* with the known solution; owned */
    startile_matrix *known_solution; /* Y */
    column_maxima known;             /* of that system after its last step; d: of E */
    int64_t n, nrhs;                 /* order of A, columns of B */
    int submitted, decided;          /* number of iterations submitted, and number examined */
    int first_gmres;                 /* first iteration by GMRES; MOST_ITERATIONS + 1: none */
    int directions;                  /* number of directions of GMRES */
    int steps_without_gain;          /* iterations since the error was halved */
    bool accelerates;                /* the next step of refinement is accelerated */
    startile_products products;      /* of the factorization */
    int iterations;                  /* LAPACK's ITER */
    double error, forward, last_correction; /* largest over all columns, see find_errors() */
    double least_scale, largest_scale;      /* of the values that scale maxima's r */
    double least_residual;           /* rounding errors of maxima's r, relative to ‖x‖∞ */
    double least_sum, largest_sum;   /* min f(v_i) v_i for the values v that scale maxima's r;
                                        max row_sums_i. Same in all iterations */
    double residual;                 /* largest of maxima's r relative to ‖x‖∞ */
    double inverse_norm;             /* lower bound of ‖(f(row_sums) A)⁻¹‖∞ */
    double first_error, least_error; /* error after the first iteration; least so far */
    double last_error;               /* error after the iteration before the last one examined */
};

/* Steps of a solver that depend on the factorization */
typedef struct mixed_steps {
    bool is_least_squares; /* A may have more rows than columns */
    /* Submits row_sums, the scale factors, and F := the scaled A in single precision. */
    void (*convert)(context ctx, mixed_solver *s);
    /* Returns the products that suffice for the matrix, from row_sums and the scale factors in main
     * memory; NULL: two FP16 numbers. */
    startile_products (*choose_products)(const mixed_solver *s);
    void (*factor)(mixed_solver *s); /* F := its factors, in request s->low */
    /* V := F⁻¹ V, in single or double precision as V is */
    void (*solve)(context ctx, mixed_solver *s, startile_matrix *V);
    void (*find_first_residual)(context ctx, mixed_solver *s); /* R := the residual for X = 0 */
    void (*find_residual)(context ctx, mixed_solver *s);       /* R := B − A X */
    /* Returns the backward error of a column of X after iteration i. NaN or Inf: a value was out of
     * range */
    double (*error)(const mixed_solver *s, int i, int64_t column);
    /* W := W + |A| |X|; NULL for least squares */
    void (*abs_product)(context ctx, const mixed_solver *s, const startile_matrix *W);
    /* A := its factors and X := A⁻¹ B in double precision, in request s->full */
    void (*solve_in_double)(mixed_solver *s);
} mixed_steps;

/* -- steps (refinement.c, gmres.c) ------------------------------------------------------------- */

/* Submits W[k] := the inverse of the triangle in F's diagonal block k, for all k. Does nothing if W
 * is NULL, or if substitute_factor() does without inverses. */
void invert_diagonal_blocks(context ctx, const mixed_solver *s, char uplo, char diag, inverse **W);
/* Submits V := P V for LU, and V := op(T)⁻¹ V for triangles of F one after the other, in one task
 * for each block column of V, if takes_whole(). V is in any precision. */
void solve_whole(context ctx, const mixed_solver *s, int steps, const triangular_factor *step,
                 const startile_matrix *V);
/* Submits R := B − A X by one task for each block column, if takes_whole(). uplo: as in
 * insert_whole_residual() */
void find_whole_residual(context ctx, const mixed_solver *s, char uplo);
/* Submit V := op(T)⁻¹ V for the triangle uplo of F. substitute_factor() has V in any precision, and
 * W as for substitute(), used in single precision; substitute_in_double() has V in double
 * precision. It converts a few columns of F for each of its steps. */
void substitute_factor(context ctx, const mixed_solver *s, char uplo, char trans, char diag,
                       inverse *const *W, startile_matrix *V);
void substitute_in_double(context ctx, const mixed_solver *s, char uplo, char trans, char diag,
                          startile_matrix *V);
/* Returns F in V's precision, on a grid. */
const startile_matrix *factors_for(context ctx, mixed_solver *s, const startile_matrix *V);
/* Return the part of a matrix on which one task works: a block column or, on a grid, a tile. The
 * loop over all parts is
 *
 *     for (column c = first_part(A); c.A != NULL; c = next_part(c))
 *
 * All processes submit the tasks, or those on their own parts if no other process has copies. */
column first_part(const startile_matrix *A);
column next_part(column c);
bool is_own_part(column c);
/* Returns the rows of c in V. */
column same_rows(const startile_matrix *V, column c);
/* Returns a value for each column of B, or NULL and the request fails. */
values *one_per_column(mixed_solver *s);
/* Submits the maxima of V's columns, with rows scaled by f(scale) or not at all (NULL), and returns
 * them. */
values *column_maxima_of(context ctx, mixed_solver *s, const startile_matrix *V,
                         const values *scale);
/* Returns U(:,j)ᴴ V(:,j) for all columns, as insert_column_dots() does; NULL without memory. */
values *column_dots_of(context ctx, const mixed_solver *s, const startile_matrix *U,
                       const startile_matrix *V);
/* V := V + sign t / norm U, or V + sign U if t and norm are NULL */
void add_columns(context ctx, int sign, const values *t, const values *norm,
                 const startile_matrix *U, const startile_matrix *V);
/* Returns whether `blocks` matrices like X have no more elements than a sixteenth of A, or those of
 * a small matrix. */
bool has_room_for(const mixed_solver *s, int64_t blocks);
/* R := B */
void copy_right_side(context ctx, mixed_solver *s);
/* Submits the maxima of the residual R. */
void find_residual_maxima(context ctx, mixed_solver *s, column_maxima *m);
/* Submits a step of refinement, and one of GMRES; each writes X, R and its maxima. */
void refine(mixed_solver *s);
void step_of_gmres(mixed_solver *s);
/* Returns whether the memory for GMRES, which is limited, suffices for another step. */
bool has_capacity_of_direction(const mixed_solver *s);

/* -- acceleration of refinement (acceleration.c) ----------------------------------------------- */

/* Creates the matrices for it, unless they would be too large. Returns false, and the request
 * fails, without memory. */
bool make_buffers(context ctx, mixed_solver *s);
/* Returns whether the step after iteration i may be accelerated, given s->error and s->last_error.
 */
bool can_accelerate(const mixed_solver *s, int i);
/* Given X, moved by the correction S / f(r): keeps both for the next step, and moves X further if
 * s->accelerates. */
void accelerate(context ctx, mixed_solver *s, const values *r);

/* -- a known solution (known_solution.c) ------------------------------------------------------- */

/* Submits the first step for a system whose solution is known, and finds s->known. */
void solve_known_system(mixed_solver *s);
/* Given s->known, submits further steps if the error is not small, and finds s->known again.
 * Returns whether it did. */
bool continue_known_system(mixed_solver *s);

/* -- errors (errors.c) ------------------------------------------------------------------------- */

/* Finds the errors after iteration `i`, the largest over all columns: s->error, by the solver's
 * measure, and s->forward, an estimate of the error in x, see forward_error(). Returns whether all
 * numbers are finite. */
bool find_errors(mixed_solver *s, int i);
/* Raises s->forward to the error that the bound of ‖A⁻¹‖ from s->known gives. */
void include_known_solution(mixed_solver *s);
/* Returns the backward error that ends the iteration. */
double tolerance(const mixed_solver *s);
/* Returns the backward error that suffices if the iteration makes no more progress. It implies
 * LAPACK's criterion, ‖r‖∞ ≤ sqrt(n) eps ‖A‖∞ ‖x‖∞, where complex elements of r and x count as
 * |re| + |im|. For least squares it is the usual size of the backward error of QR, whose bound is
 * γ_mn (Higham 2002, theorem 20.3). */
double sufficient_error(const mixed_solver *s);
/* Returns whether the error is within the bound. For least squares the last correction must also be
 * small: the second measure of the error is meaningless if R has no correct digit. */
bool is_within(const mixed_solver *s, double bound);
/* Returns max_i f(r_i) |b − A x|_i / (min_i f(r_i) r_i ‖x‖∞) ≥ max_i |b − A x|_i / (r_i ‖x‖∞) for
 * the sums r_i of A's rows. */
double rowwise_error(const mixed_solver *s, int i, int64_t column);
/* Returns f(x), the power of two by which insert_lag2() multiplies for the value x. */
double scale_factor(double x);
/* *largest := max(*largest, x). NaN stays. */
void include(double *largest, double x);
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
/* Validates `options`, which may be NULL, and returns whether they are valid. */
bool has_valid_options(const startile_mixed_options *options);
/* Returns whether A has double precision. */
bool may_be_mixed(const startile_matrix *A);
/* Returns whether X has the shape and the block columns of B, and is a matrix of its own. */
bool is_solution_of(const startile_matrix *X, const startile_matrix *B, const startile_matrix *A);
/* Submits the solution. The arguments are valid. */
void solve_mixed(const mixed_steps *steps, char uplo, startile_matrix *A, startile_pivots *P,
                 const startile_matrix *B, startile_matrix *X,
                 const startile_mixed_options *options, startile_mixed_result *result,
                 startile_request *request);

#endif
