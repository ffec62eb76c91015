/* Functions that several algorithms share. */
#ifndef STARTILE_ALGORITHMS_H
#define STARTILE_ALGORITHMS_H

#include "checks.h"
#include "data/temporary.h"
#include "grid/agreement.h"
#include "grid/step.h"
#include "operations/insert_norms.h"
#include "plan.h"
#include "startile_mixed.h"
#include "startile_testing.h"

/* Declares submit_NAME() of each routine. Without a request, which is the last argument,
 * submit_NAME() submits nothing and returns −i for the first wrong argument, at the latest for the
 * request. */
#define PARAMETERS(...) __VA_ARGS__
#define ROUTINE(name, parameters, ...)                                                             \
    int submit_##name(PARAMETERS parameters, startile_request *request);
#include "routine_list.h"
#undef ROUTINE
#undef PARAMETERS

/* Index of no tile row and no block column */
enum { NO_INDEX = -1 };

/* Submits B := alpha A⁻¹ B for a triangular view A, which is lower if `forward`, else upper. uplo:
 * the triangle of the stored matrix A.A, which view A may transpose. `later`: number
 * of steps of a later solve with B, which raises the priorities; 0: this is the last solve, and the
 * tiles of B return to host memory. after_info: the first task on each block column of B waits for
 * the last factorization, and does nothing if that failed. */
void solve_triangle(context ctx, bool forward, char uplo, char diag, startile_complex alpha, view A,
                    view B, int64_t later, bool after_info);

/* Checks the arguments of trsm or trmm and carries out p with them; p has only name, equation and
 * submit(). X op(A) = B is solved as op(A)ᴴ Xᴴ = Bᴴ, or with ᵀ. Returns 0 or −i. (trsm.c) */
int submit_with_triangle(plan p, char side, char uplo, char transa, char diag,
                         startile_complex alpha, const startile_matrix *A, startile_matrix *B,
                         startile_request *request);
/* Submits D := diagonal block k of A with both triangles, in a temporary of one tile. uplo: the
 * stored triangle; op 'C': A is Hermitian, 'T': symmetric. Returns NULL without memory. (hemm.c) */
startile_matrix *full_diagonal(context ctx, int64_t priority, char op, char uplo,
                               const startile_matrix *A, int64_t k);
/* Submits C := beta C, for beta = 0 without reading C, and the return of C to host memory. (gemm.c)
 */
void scale_matrix(context ctx, startile_complex beta, view C);

/* Returns k + 1 if a step of Cholesky gives tasks of their own to the tiles (k+1,k+1), (k+2,k+1)
 * and (k+2,k+2), which the critical path needs next, else NO_INDEX. (potrf_priority.c) */
int64_t next_diagonal(const step *s);
/* Return priorities of a step of Cholesky: of sending L(i,k), of A(i,k)'s solve, and of A(i,n)'s
 * update by panel k. (potrf_priority.c) */
int64_t priority_of_send(const step *s, int64_t i);
int64_t priority_of_solve(const step *s, int64_t i);
int64_t priority_of_update(const step *s, int64_t i, int64_t n);

/* Submits B := A⁻¹ B with the Cholesky factor in A, by two substitutions. after_info: as in
 * solve_triangle(), for the first substitution. */
void solve_by_cholesky(context ctx, char uplo, const startile_matrix *A, view B, bool after_info);

/* Submits A := A⁻¹ for the plan's triangle of A. With diag 'N' a zero on the diagonal fails the
 * request, and A is not changed. (trtri.c) */
bool invert_triangle(context ctx, const plan *p);

/* -- panels ------------------------------------------------------------------------------------ */

/* Return the number of panels of A, the first row of panel k, and the number of pivots of panel k,
 * which is the order of its diagonal block. */
static inline int64_t panels_of(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return ((s.m < s.n ? s.m : s.n) + s.nb - 1) / s.nb;
}

static inline int64_t first_row(const startile_matrix *A, int64_t k)
{
    return k * startile_matrix_shape(A).nb;
}

static inline int64_t pivots_in_panel(const startile_matrix *A, int64_t k)
{
    startile_shape s = startile_matrix_shape(A);
    int64_t remaining = (s.m < s.n ? s.m : s.n) - k * s.nb;
    return remaining < s.nb ? remaining : s.nb;
}

/* Returns the matrix with more elements, for begin_step(). */
static inline const startile_matrix *larger_matrix(const startile_matrix *A,
                                                   const startile_matrix *B)
{
    startile_shape a = startile_matrix_shape(A), b = startile_matrix_shape(B);
    return a.m * a.n >= b.m * b.n ? A : B;
}

/* -- LU --------------------------------------------------------------------------------------- */

/* Factors the panel without pivoting: diagonal block, then the rows below it. */
panel_factorization factor_panel_nopiv;
/* Returns the plan of an LU factorization with the given panel factorization; P is NULL if there
 * are no interchanges. (getrf.c) */
plan plan_of_lu(const char *name, startile_matrix *A, startile_pivots *P,
                panel_factorization *panel);
/* Submit A := L and U; return whether all steps were submitted. factor_lu() has tasks on block
 * columns, factor_lu_by_tiles() tasks on square tiles and no interchanges. factor_lu_on_grid()
 * interchanges rows between process rows; p->panel factors the panels whose rows all belong to one
 * process row, the others choose pivots by a tournament or by partial pivoting. */
bool factor_lu(context ctx, const plan *p);
bool factor_lu_by_tiles(context ctx, const plan *p);
bool factor_lu_on_grid(context ctx, const plan *p);
/* Submit interchanges of rows of L by later panels. interchange_left() is called in each step. It
 * submits a task for a block column left of the panel when the interchanges of PANELS_AT_A_TIME
 * panels wait for it, and for all these block columns after the last panel. interchange_columns()
 * submits all interchanges of block columns first … last − 1. (left_interchanges.c) */
void interchange_left(const step *s);
void interchange_columns(context ctx, const plan *p, int64_t first, int64_t last);
/* Does what interchange_left() does, on a grid with several process rows: for every
 * PANELS_AT_A_TIME-th panel k and the last one, submits the interchanges of the panels since the
 * last such k; nothing for other k. (interchange.c) */
void interchange_left_on_grid(context ctx, const startile_pivots *P, const startile_matrix *A,
                              int64_t k);
/* Submits B := P B, or P^T B with `inverse`; nothing if P is NULL. The tasks wait for the tile
 * `after` unless it is NULL; `after` is not used on a grid with several process rows.
 * (interchange.c) */
void interchange_rows(context ctx, int64_t priority, const startile_pivots *P, bool inverse,
                      const startile_matrix *B, const tile *after);
/* Submits a tournament among the rows of A; returns the n selected rows. A has at least n rows. */
candidates *select_rows(context ctx, int64_t urgency, column A, int64_t n);

/* Returns step `step` of B := op(T)⁻¹ B for the triangle T of A that begins at diagonal block
 * `first`. The steps are numbered from `first` to A.nt − 1. */
substitution substitution_step(char uplo, char trans, char diag, const startile_matrix *A,
                               int64_t first, int64_t step);
/* Submits B(first:,j) := op(T)⁻¹ B(first:,j) for the triangle T of A(first:,first:) that uplo
 * names. `first` is the index of a diagonal block. W[k] is the inverse of the triangle in diagonal
 * block k, or NULL; W may be NULL. */
void substitute(context ctx, char uplo, char trans, char diag, const startile_matrix *A,
                inverse *const *W, startile_matrix *B, int64_t j, int64_t first);

/* Submits B := op(T)⁻¹ B step by step for all block columns of B, so that a factor larger than the
 * memory is transferred once. `later`: number of steps of a later solve with B, which raises the
 * priorities. The tasks wait for the tile `after` unless it is NULL. */
void substitute_step_by_step(context ctx, char uplo, char trans, char diag, int64_t later,
                             const startile_matrix *A, startile_matrix *B, const tile *after);
/* Submits B := op(T)⁻¹ B for the triangle T of A that uplo names. */
void substitute_all(context ctx, char uplo, char trans, char diag, const startile_matrix *A,
                    startile_matrix *B);

/* Return a temporary of A's type, shape and tiles, or NULL if the request has failed.
 * temporary_like() gives it no values; copy_of() submits a copy of A to it. (lacpy.c) */
startile_matrix *temporary_like(context ctx, const startile_matrix *A);
startile_matrix *copy_of(context ctx, const startile_matrix *A);

/* Submits R := B − A X by tasks on block columns. (residual.c) */
void find_residual(context ctx, const startile_matrix *A, const startile_matrix *X,
                   const startile_matrix *B, startile_matrix *R);

/* Submits B := op(A)⁻¹ B with the factors in A. The tasks wait for the factorization. P is NULL if
 * there are no interchanges. */
void solve_by_lu(context ctx, char trans, const startile_matrix *A, const startile_pivots *P,
                 startile_matrix *B);

/* Returns the options as an argument of a distributed call, see begin_call(). (mixed/solver.c) */
argument mixed_options_argument(const startile_mixed_options *options);

/* -- errors of the solution of a symmetric or Hermitian system -------------------------------- */

/* Factors in the form of ldl.h */
struct ldl;

/* System A X = B with factors of A. A is Hermitian with op 'C', symmetric with 'T'. */
typedef struct {
    char op, uplo; /* uplo: stored triangle of A, and of F */
    const startile_matrix *A, *F, *B;
    const startile_symmetric_pivots *P; /* F: Bunch–Kaufman factors; NULL: Cholesky's factor */
    startile_matrix *X;
} factored_system;

/* Checks uplo, A, F, B and X, where uplo is a capital. Returns 0 or −i for the i-th of these five.
 * (refine.c) */
int check_factored_system(const factored_system *s);
/* Submits the refinement of X, then *ferr and *berr of porfs or syrfs. With op 'T' A is complex.
 * Submits nothing if memory does not suffice. (refine.c) */
void refine_with_bounds(context ctx, const factored_system *s, double *ferr, double *berr);

/* Submits R := B − A X for a Hermitian A, not on a grid, of which the triangle uplo is stored.
 * (residual.c) */
void find_hermitian_residual(context ctx, char uplo, const startile_matrix *A,
                             const startile_matrix *X, const startile_matrix *B,
                             startile_matrix *R);
/* Submits W := W + |A| |X| for a Hermitian A, with op 'T' for a symmetric one. (refine.c) */
void add_abs_product(context ctx, char op, char uplo, const startile_matrix *A,
                     const startile_matrix *X, const startile_matrix *W);
/* Submits *rcond := 1 / (*anorm ‖A⁻¹‖₁) with an estimate of ‖A⁻¹‖₁ for the Hermitian A of which F
 * is the Cholesky factor; 1 for an empty A. *anorm, which may be *rcond, is read when the
 * operations submitted into the request so far have ended. best: NULL, or the vector v of
 * pocon_vector(). (gecon.c) */
void estimate_rcond_by_cholesky(context ctx, char uplo, const startile_matrix *F,
                                const double *anorm, double *rcond, const startile_matrix *best);
/* Submits *norm := an estimate of ‖A⁻¹ D‖∞ for the A with the Bunch–Kaufman factors ldl or, if ldl
 * is NULL, the Cholesky factor F. D is the diagonal matrix whose diagonal is column j of W.
 * (gecon.c) */
void estimate_weighted_inverse(context ctx, char uplo, const startile_matrix *F,
                               const struct ldl *ldl, const startile_matrix *W, int64_t j,
                               double *norm);

/* -- QR over block columns ------------------------------------------------------------------- */

/* Carries out the QR factorization by panels, without `verify`: A := R and V, T := the triangles of
 * the block reflectors. Returns false if memory does not suffice or not all steps were submitted.
 */
bool factor_by_panels(context ctx, startile_matrix *A, const startile_matrix *T);
/* Returns the plan of geqp3. geqp3_random has it, too, with another submit(). (geqp3.c) */
plan plan_of_geqp3(const char *name, startile_matrix *A, startile_permutation *P,
                   const startile_matrix *T);
/* Submits the QR factorization with column pivoting, without the return of A to host memory. A's
 * tiles have all its rows. Returns false if memory does not suffice. (geqp3.c) */
bool factor_with_pivoting(context ctx, startile_matrix *A, startile_permutation *P,
                          const startile_matrix *T);
/* Submits C := op(Q) C for the Q of the reflectors in the first columns of A, one for each column
 * of T. */
void apply_reflectors(context ctx, char trans, const startile_matrix *A, const startile_matrix *T,
                      const startile_matrix *C);
/* Carries out C := op(Q) C, or C := C op(Q) with side 'R', for the Q of a QR factorization.
 * (unmqr.c) */
void submit_product_with_q(char side, char trans, const startile_matrix *A,
                           const startile_matrix *T, startile_matrix *C, startile_request *request);

/* -- QR on several process rows (geqrf_grid.c, grid_reflector.c) ------------------------------- */

/* Block reflector I − V T V^H of panel k. V is a copy of the reflectors in A, with ones on its
 * diagonal and zeros above. Process row (top + i) mod p has part i of the rows, 0 ≤ i < parts; part
 * 0 has the diagonal block. V is in a temporary of p × q tiles, where q is the number of process
 * columns: part i is the first rows of tile ((top + i) mod p, k mod q). */
typedef struct {
    const startile_matrix *A;
    int64_t k, row, n; /* panel, its first row, number of reflectors */
    int p, top, parts; /* number of process rows, process row of part 0, number of parts */
    tile T;
    startile_matrix *V;
} grid_reflector;

/* Returns whether the grid has several process rows, and each of them owns the same rows of A and
 * of C, so that a grid_reflector of A applies to C. */
bool rows_are_split_alike(const startile_matrix *A, const startile_matrix *C);
/* Returns the reflector of panel k without values; V is NULL, and the request has failed, if memory
 * does not suffice. V is a temporary of the request. */
grid_reflector new_reflector(context ctx, const startile_matrix *A, const startile_matrix *T,
                             int64_t k);
/* rows_of_part() returns the rows of part i in block column j of X, from the panel's first row on;
 * part_of_v() returns those of V. */
column rows_of_part(const grid_reflector *Q, const startile_matrix *X, int64_t j, int i);
column part_of_v(const grid_reflector *Q, int i);
/* Returns whether this process is in the process row of part i. */
bool owns_part(const grid_reflector *Q, int i);
/* Submits V := the reflectors below A's diagonal. */
void read_reflector(context ctx, int64_t priority, const grid_reflector *Q);
/* Submits C(row:,j) := op(I − V T V^H) C(row:,j) for those block columns j ≥ first of C of which
 * this process owns a part. The tasks of block column `urgent` are critical. */
void apply_reflector(context ctx, int64_t priority, char trans, const grid_reflector *Q,
                     const startile_matrix *C, int64_t first, int64_t urgent);
/* Submits the tasks of a QR factorization; returns whether all steps were submitted. */
bool factor_on_grid(context ctx, const plan *p);

/* -- QR by a tree ----------------------------------------------------------------------------- */

/* Submits the QR factorization by a tree: A := R and a part of Q's reflectors, tree := the rest of
 * Q. */
void factor_by_tree(context ctx, startile_matrix *A, const startile_tree *tree);
/* Submits C := op(Q) C; C has A's tile height. */
void apply_tree(context ctx, char trans, const startile_matrix *A, const startile_tree *tree,
                const startile_matrix *C);
/* Returns the tree as an argument of a distributed call, see begin_call(). */
argument tree_argument(const startile_tree *tree);
/* Makes the request the owner of the tree. */
void own_tree(context ctx, startile_tree *tree);

/* -- scaling --------------------------------------------------------------------------------- */

/* Submits the search for max |a_ij| in A's first `rows` rows; returns the result, which the tasks
 * fill. */
magnitude *largest_of(context ctx, const startile_matrix *A, int64_t rows);
/* Submits A := f(up) / f(down) A for rows row … row + rows − 1, see insert_lascl(). */
void rescale(context ctx, const magnitude *up, const magnitude *down, const startile_matrix *A,
             int64_t row, int64_t rows);

/* -- transposition ---------------------------------------------------------------------------- */

/* Submits B := Aᴴ. */
void transpose(context ctx, const startile_matrix *A, const startile_matrix *B);
/* Returns a temporary with Aᴴ, whose tiles are whole block columns of A's tile width; NULL if the
 * request has failed. */
startile_matrix *adjoint_copy(context ctx, const startile_matrix *A);

/* Submits a search for zeros on U's diagonal. Returns the context for tasks that wait for it. The
 * first zero fails the request, except where `largest`, the largest |a_ij| of the factored matrix
 * or NULL, is 0. */
context after_zero_check(context ctx, const startile_matrix *U, const magnitude *largest);

/* -- checks of memory -------------------------------------------------------------------------- */

/* Returns whether the memory suffices for a routine with this working set on A and B, by the table
 * in capacity.c; B may be NULL. Fails the request otherwise. (capacity.c) */
bool has_capacity_for_working_set(context ctx, enum working_set set, const startile_matrix *A,
                                  const startile_matrix *B);

#endif
