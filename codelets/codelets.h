/*
 * What an algorithm sees: matrices as views of tiles, and one insert function per operation, which
 * submits one task on those tiles and returns. Declared without StarPU, so that an algorithm cannot
 * reach past it.
 *
 * A view may be transposed. It costs nothing: a tile remembers how it is seen, and the insert
 * functions turn the operation around so that the tile is updated as it is stored. So the upper
 * case of an algorithm is its lower case on the view of the conjugate transpose.
 *
 * uplo always names the triangle as stored.
 */
#ifndef STARTILE_CODELETS_H
#define STARTILE_CODELETS_H

#include "startile.h"
#include "startile_batch.h"

#include <stdbool.h>

typedef struct {
    const startile_matrix *A; /* NULL: no tile */
    int64_t i, j;             /* as stored */
    char op;                  /* 'N', 'T', 'C': how it is seen */
} tile;

typedef struct {
    const startile_matrix *A;
    char op;
    int64_t mt, nt; /* as seen */
} view;

/* Rows row, row + 1, … of block column j, in whichever tiles they lie. */
typedef struct {
    const startile_matrix *A;
    int64_t j, row, rows;
} column;

/* Tiles i, i + 1, … of block column j, as seen. */
typedef struct {
    view A;
    int64_t i, j, count;
} tile_range;

/* The inverse of a triangular diagonal block, in a temporary of its own; or none. */
typedef struct inverse inverse;

/* Rows of a panel that take part in a tournament. */
typedef struct candidates candidates;

/* -- views ---------------------------------------------------------------------------------- */

view view_of(const startile_matrix *A, char op);

/* Xᴴ for op 'C', Xᵀ for 'T', X for 'N'; a conjugate without a transposition cannot be expressed. */
char compose(char op, char seen);

static inline tile at(view V, int64_t i, int64_t j)
{
    return V.op == 'N' ? (tile){V.A, i, j, 'N'} : (tile){V.A, j, i, V.op};
}

static inline tile tile_op(char op, tile t)
{
    t.op = compose(op, t.op);
    return t;
}

static inline column rows_of(const startile_matrix *A, int64_t j, int64_t row, int64_t rows)
{
    return (column){A, j, row, rows};
}

/* from `row` to the bottom */
static inline column below(const startile_matrix *A, int64_t j, int64_t row)
{
    return (column){A, j, row, startile_matrix_shape(A).m - row};
}

/* Tiles i, i + 1, … of block column j, as many as one task should take of the rest of it: a GPU
 * wants more work at once than a tile, other devices a share each. */
tile_range tiles_from(view V, int64_t i, int64_t j);

/* -- temporary matrices --------------------------------------------------------------------- */

/* Of A's type. NULL when there is no memory, and then the request has failed. */
startile_matrix *temporary(startile_request *r, const startile_matrix *A, int64_t m, int64_t n,
                           int64_t mb, int64_t nb);
/* No task that is submitted later uses it. */
void forget_matrix(startile_matrix *A);

/* -- the library ---------------------------------------------------------------------------- */

/* startile_init(); *first says that it started StarPU, and then took a second reference. */
int library_enter(const startile_options *options, bool *first);

/* -- requests ------------------------------------------------------------------------------- */

/* A blocking call is an asynchronous one between these two: finish waits, frees the request and
 * returns the call's own result if that is not 0, else the request's. */
startile_request *request_start(void);
int64_t request_finish(startile_request *r, int result);
/* Keeps the first failure; 0 is none. */
void request_fail(startile_request *r, int64_t code);

/* -- memory --------------------------------------------------------------------------------- */

/* Whether each worker's memory has room for two tasks of it on rows × columns of A's elements (not
 * more than A has); else the request fails. */
bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns);

/* Whether main memory has room for a copy of so many columns as long as A's, too, where A is on a
 * disk; else the request fails. */
bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns);

/* Block columns from `first` on, at least one, of that many rows, which an algorithm had better
 * finish before it begins with others: all the rest, where the least memory that A's tiles have to
 * be brought to has room for them. Its tasks may work on whole panels. */
int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels);

/* What is submitted after open_gate() opens the gate when it ends, one after the other, and what is
 * submitted after behind_gate() waits for the last one that does: so that no worker begins with a
 * block for which the memory has no room yet, or before factors are known to be good.
 * past_gate(): neither. */
void open_gate(startile_request *r);
void behind_gate(startile_request *r);
void past_gate(startile_request *r);
/* No task uses the tile for a while after those that were submitted; its place may go first. */
void hint_idle(tile A);

/* -- argument checks ------------------------------------------------------------------------ */

/* LAPACK takes its letters in either case; from here on they are capitals. */
char capital(char c);
bool is_one_of(char c, const char *letters);
/* n elements cut into tiles of nb1 and of nb2 give the same tiles */
bool same_tiles(int64_t n, int64_t nb1, int64_t nb2);
bool has_square_tiles(const startile_matrix *A);
bool is_complex(const startile_matrix *A);
/* Diagonal blocks of nb rows do not straddle A's tiles, which are not more than MOST_TILES in a
 * column. */
enum { MOST_TILES = 1024 };
bool has_whole_blocks(const startile_matrix *A, int64_t nb);
/* So many times as many rows as columns make a tree faster than panels on CPUs
 * (perf_models/NOTES.md). */
enum { TALL = 2 };
/* Rows of the matrix above panel k; the number of panels. */
int64_t pivots_first_row(const startile_pivots *P, int64_t k);
int64_t pivots_panels(const startile_pivots *P);
/* P was made for a matrix of A's shape and tile width. */
bool pivots_fit(const startile_pivots *P, const startile_matrix *A);

/* T holds the triangles of reflectors in the first columns of A, of all or of fewer. */
bool reflectors_fit(const startile_matrix *T, const startile_matrix *A);
/* Blocking; 0 or a startile_error. */
int reflectors_set_tau(startile_matrix *T, const void *tau);

/* -- priorities ----------------------------------------------------------------------------- */

/* Of a task on the critical path: it goes before all others of its request, and where a GPU has
 * several workers one of them takes no other tasks. */
enum { CRITICAL = 1 << 19 };
static inline int64_t critical(int64_t priority)
{
    return priority + CRITICAL;
}

/* -- operations ----------------------------------------------------------------------------- */

/* C := alpha A B + beta C; with A.A NULL: C := beta C */
void insert_gemm(startile_request *r, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C);

/* C := alpha A Aᴴ + beta C (op 'C', real scalars) or alpha A Aᵀ + beta C (op 'T') on the triangle
 * uplo; with A.A NULL: C := beta C */
void insert_herk(startile_request *r, int64_t priority, char op, char uplo, startile_complex alpha,
                 tile A, startile_complex beta, tile C);

/* The step of the algorithm's outer loop, from 0, that what is submitted from here on belongs to:
 * it is shown in traces. end_steps(): to none. */
void begin_step(startile_request *r, int64_t step);
void end_steps(startile_request *r);

/* What is submitted from here on does nothing if a factorization before has met a zero pivot. */
void next_stage(startile_request *r);

/* B := alpha T⁻¹ B (side 'L') or alpha B T⁻¹ (side 'R'). With after_info, not before the
 * last factorization has succeeded. */
void insert_trsm(startile_request *r, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info);

/* B := alpha W B (side 'L') or alpha B W (side 'R') for a triangle W whose other half is zero */
void insert_trmm(startile_request *r, int64_t priority, char side, char uplo,
                 startile_complex alpha, tile W, tile B);

/* T := T⁻¹ for a triangle that has no zero on its diagonal */
void insert_trtri(startile_request *r, int64_t priority, char uplo, char diag, tile T);

/* B := B T⁻¹, by multiplication with the inverse W where insert_potrf() made one that is good */
void insert_trsm_inverse(startile_request *r, int64_t priority, char uplo, tile T, inverse *W,
                         tile_range B);

/* C := C − A Bᴴ, tile by tile, where the tile B of A's block column faces the block column of C; on
 * the diagonal, in the triangle uplo (and then C's first tile is there, and A's is B) */
void insert_herk_gemm(startile_request *r, int64_t priority, char uplo, tile_range A, tile B,
                      tile_range C);

/* The tiles of one factorization follow: what is submitted with after_info waits for these only. */
void begin_factorization(startile_request *r);

/* A := its Cholesky factor; info of the request := failing minor. With want_inverse returns the
 * factor's inverse where a device gains from it, else NULL. */
inverse *insert_potrf(startile_request *r, int64_t priority, char uplo, tile A, bool want_inverse);

/* A := its factors L and U with partial pivoting, panel k of P := its interchanges, zero pivot of
 * the request := info. With want_inverse returns L11's inverse where a device gains from it. */
inverse *insert_getrf(startile_request *r, int64_t priority, column A, startile_pivots *P,
                      int64_t k, bool want_inverse);

/* A, a diagonal block of n columns at the top of its column, := its factors without pivoting; *WL
 * and *WU := their inverses where a device gains from them. */
void insert_getrf_nopiv(startile_request *r, int64_t priority, column A, int64_t n, inverse **WL,
                        inverse **WU);

/* B := B U⁻¹ for the upper triangle of the diagonal block T of n columns, by its inverse if there
 * is a good one */
void insert_trsm_column(startile_request *r, int64_t priority, column T, int64_t n, inverse *W,
                        column B);

/* B := P B for the panels first … last − 1 of P, or their inverse undoing them from the last; not
 * before the tile `after` is there, unless it is NULL */
void insert_laswp(startile_request *r, int64_t priority, const startile_pivots *P, int64_t first,
                  int64_t last, bool inverse, column B, const tile *after);

/* A := A P for panel k of P, in row i of A's tiles */
void insert_lapmt(startile_request *r, int64_t priority, const startile_pivots *P, int64_t k,
                  startile_matrix *A, int64_t i);

/*
 * One step of a substitution, on the columns of a triangle T and the same rows of B. T's triangular
 * block of n columns is at its top for uplo 'L' and at its bottom for 'U'; B_k are the rows of B
 * beside it, B_rest the others:
 *   trans 'N':       B_k := T_k⁻¹ B_k,  B_rest := B_rest − T_rest B_k
 *   trans 'T', 'C':  B_k := op(T_k)⁻¹ (B_k − op(T_rest) B_rest)
 */
typedef struct {
    char uplo, trans, diag;
    int64_t n;
    column T;
    inverse *W;        /* of T_k, or NULL */
    const tile *after; /* not before this tile is there; or NULL */
} substitution;
void insert_substitution(startile_request *r, int64_t priority, const substitution *s, column B);

/* The step of LU with pivoting: B := P B for panel k of P, then the substitution, all in one task,
 * since StarPU's cost of a task is that of a small product. */
void insert_update(startile_request *r, int64_t priority, const startile_pivots *P, int64_t k,
                   const substitution *s, column B);

/* C := C − A B for all rows of a block column A, where B's rows are A's columns */
void insert_gemm_column(startile_request *r, int64_t priority, column A, column B, column C);

/* B := alpha A + beta B */
void insert_geadd(startile_request *r, startile_complex alpha, tile A, startile_complex beta,
                  tile B);

/* A := R and V of its QR factorization, for rows of a block column; the tile T := their triangle */
void insert_geqrf(startile_request *r, int64_t priority, column A, tile T);

/* T := the triangle of V's k columns, given tau on its diagonal; k are T's columns */
void insert_larft(startile_request *r, column V, tile T);

/* C := op(Q) C for the block reflector Q of V and T ('N', 'C'); C has as many rows as V, and V as
 * many columns as T (more are not read) */
void insert_larfb(startile_request *r, int64_t priority, char trans, column V, tile T, column C);

/* [R; B] := R and V of its QR factorization, for an upper triangle R on top of B: uplo 'G', or 'U'
 * where B is upper trapezoidal; the tile T := their triangle */
void insert_tpqrt(startile_request *r, int64_t priority, char uplo, column R, column B, tile T);

/* [A; B] := op(Q) [A; B] for the Q of V and T from insert_tpqrt() */
void insert_tpmqrt(startile_request *r, int64_t priority, char uplo, char trans, column V, tile T,
                   column A, column B);

/* B := Aᴴ, where A's rows are B's columns and A's columns B's rows, whatever their tiles */
void insert_transpose(startile_request *r, column A, column B);

/* B := A for as many rows and the columns that both have; or, with both in one tile, in the
 * triangle uplo 'U' */
void insert_copy(startile_request *r, int64_t priority, char uplo, column A, column B);

/* The largest of |a_ij|, known when the tasks run; it begins as 0. */
typedef struct magnitude magnitude;
magnitude *magnitude_begin(startile_request *r);
void forget_magnitude(magnitude *x);
/* x := max(x, |a_ij|) */
void insert_largest(startile_request *r, column A, magnitude *x);
/* A := f(up) / f(down) A for the power of two f(x) that brings an x too large or too small for safe
 * arithmetic to about 1 or 1/s, and is 1 for others; either may be NULL: 1. f(∞) = 0, and A := 0
 * where up is 0. (LAPACK xLASCL, as in xGELS) */
void insert_lascl(startile_request *r, const magnitude *up, const magnitude *down, column A);

/* One leaf of a tournament: the n rows of A that partial pivoting would choose. */
candidates *insert_select(startile_request *r, int64_t priority, column A, int64_t n);
/* winners := the n best of winners and losers */
void insert_match(startile_request *r, int64_t priority, candidates *winners, candidates *losers);
/* panel k of P := the interchanges that bring the winners to the top */
void insert_order(startile_request *r, int64_t priority, candidates *winners, startile_pivots *P,
                  int64_t k);
/* No later task uses them. */
void forget_candidates(candidates *c);
/* Rows of a leaf for panels of n columns. */
int64_t leaf_rows(int64_t n);

/* The first zero on the diagonal of U's block column k, if there is one, fails the request, unless
 * `largest`, which may be NULL, is 0. */
void insert_first_zero(startile_request *r, const startile_matrix *U, int64_t k,
                       const magnitude *largest);

/* The estimator of a 1-norm on the vector v, one tile (LAPACK xLACN2). */
typedef struct norm_estimate norm_estimate;
norm_estimate *estimate_begin(startile_request *r, tile v);
void insert_sign(startile_request *r, norm_estimate *e, tile v);
void insert_unit(startile_request *r, norm_estimate *e, tile v);
void insert_alternating(startile_request *r, norm_estimate *e, tile v);
/* *rcond := 1 / (anorm · estimate), 0 where that overflowed; frees e */
void insert_rcond(startile_request *r, norm_estimate *e, tile v, double anorm, double *rcond);

/* No later task uses W. */
void forget(inverse *W);

/* No later task writes this tile: if its home is the caller's storage, it may travel there. */
void return_to_host(startile_request *r, tile A);

/* A := offdiag, and diag on the matrix' diagonal; in the triangle uplo of the tile, or 'G' */
void insert_laset(startile_request *r, char uplo, startile_complex offdiag, startile_complex diag,
                  tile A);

/* B := A in the triangle uplo, or 'G' */
void insert_lacpy(startile_request *r, char uplo, tile A, tile B);

/* Only the real parts of the diagonal of A, a tile of a temporary, stay */
void insert_real_diagonal(startile_request *r, tile A);

/* A := random; kind 'G', 'S' or 'H' */
void insert_random(startile_request *r, char kind, uint64_t seed, double bump, tile A);

/* Partial norms: one accumulator per block column ('1', 'M', 'F') or block row ('I'). */
typedef struct norm_parts norm_parts;
norm_parts *norm_begin(startile_request *r, char norm, const startile_matrix *A);
/* parts of block p += tile; weight 2 counts its elements twice in 'F' */
void insert_lange(startile_request *r, char norm, double weight, tile A, norm_parts *parts,
                  int64_t p);
/* the same for a diagonal tile stored by its triangle */
void insert_lansy(startile_request *r, char norm, char uplo, bool hermitian, tile A,
                  norm_parts *parts, int64_t p);
/* *value := the norm that the parts add up to; frees the parts */
void insert_norm_end(startile_request *r, norm_parts *parts, double *value);

/* -- batches -------------------------------------------------------------------------------- */

int64_t batch_chunks(const startile_batch *b);
int64_t batch_matrices(const startile_batch *b);
/* Chunk q of the one holds the same matrices, in the same order, as chunk q of the other. */
bool same_partition(const startile_batch *a, const startile_batch *b);
/* Of matrix i in the order of the cut; without batch_varies() they are all alike. */
bool batch_varies(const startile_batch *b);
int64_t batch_rows(const startile_batch *b, int64_t i);
int64_t batch_columns(const startile_batch *b, int64_t i);
bool batch_has_elements(const startile_batch *b, startile_dtype dtype);
bool batch_has_integers(const startile_batch *b);
startile_dtype batch_dtype(const startile_batch *b);
/* One number a matrix, side by side or the same for all. */
bool batch_has_numbers(const startile_batch *b);
/* One matrix stands for all. */
bool batch_is_shared(const startile_batch *b);
/* The caller's number, from 1, of the first matrix with an info other than 0; 0: there is none; or
 * a startile_error. Waits for the tasks that write it. */
int64_t batch_first_failure(startile_batch *info);

/* Chunk q of every operand. info := of each matrix; where done ≠ 0 (it may be NULL) a matrix is
 * passed over; P may be NULL: without pivoting. See kernels' batch.h for what is computed. */
void insert_potrf_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *info, int64_t q);
void insert_potrs_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *B, const startile_batch *done, int64_t q);
void insert_getrf_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_getrs_batch(startile_request *r, char trans, const startile_batch *A,
                        const startile_batch *P, const startile_batch *B,
                        const startile_batch *done, int64_t q);
void insert_getri_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_geqrf_batch(startile_request *r, const startile_batch *A, const startile_batch *tau,
                        int64_t q);
void insert_ormqr_batch(startile_request *r, char side, char trans, const startile_batch *A,
                        const startile_batch *tau, const startile_batch *C, int64_t q);
void insert_gels_batch(startile_request *r, char trans, const startile_batch *A,
                       const startile_batch *B, const startile_batch *info, int64_t q);
void insert_gemm_batch(startile_request *r, char transa, char transb, startile_complex alpha,
                       const startile_batch *A, const startile_batch *B, startile_complex beta,
                       const startile_batch *C, int64_t q);
void insert_trsm_batch(startile_request *r, char side, char uplo, char trans, char diag,
                       startile_complex alpha, const startile_batch *A, const startile_batch *B,
                       int64_t q);
void insert_nrm2_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_asum_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_iamax_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                        int64_t q);
void insert_dot_batch(startile_request *r, bool conjugate, const startile_batch *X,
                      const startile_batch *Y, const startile_batch *result, int64_t q);
void insert_scal_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       int64_t q);
void insert_axpy_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       const startile_batch *Y, int64_t q);

#endif
