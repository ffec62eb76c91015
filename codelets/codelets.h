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

/* The inverse of a diagonal tile, in a temporary of its own; or none. */
typedef struct inverse inverse;

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

/* -- the library ---------------------------------------------------------------------------- */

/* startile_init(); *first says that it started StarPU, and then took a second reference. */
int library_enter(const startile_options *options, bool *first);

/* -- requests ------------------------------------------------------------------------------- */

/* A blocking call is an asynchronous one between these two: finish waits, frees the request and
 * returns the call's own result if that is not 0, else the request's. */
startile_request *request_start(void);
int64_t request_finish(startile_request *r, int result);

/* -- argument checks ------------------------------------------------------------------------ */

/* LAPACK takes its letters in either case; from here on they are capitals. */
char capital(char c);
bool is_one_of(char c, const char *letters);
/* n elements cut into tiles of nb1 and of nb2 give the same tiles */
bool same_tiles(int64_t n, int64_t nb1, int64_t nb2);
bool has_square_tiles(const startile_matrix *A);
bool is_complex(const startile_matrix *A);

/* -- operations ----------------------------------------------------------------------------- */

/* C := alpha A B + beta C; with A.A NULL: C := beta C */
void insert_gemm(startile_request *r, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C);

/* C := alpha A Aᴴ + beta C (op 'C', real scalars) or alpha A Aᵀ + beta C (op 'T') on the triangle
 * uplo; with A.A NULL: C := beta C */
void insert_herk(startile_request *r, int64_t priority, char op, char uplo, startile_complex alpha,
                 tile A, startile_complex beta, tile C);

/* B := alpha T⁻¹ B (side 'L') or alpha B T⁻¹ (side 'R'). With after_info, not before the
 * last factorization has succeeded. */
void insert_trsm(startile_request *r, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info);

/* B := B T⁻¹, by multiplication with the inverse W where insert_potrf() made one that is good */
void insert_trsm_inverse(startile_request *r, int64_t priority, char uplo, tile T, inverse *W,
                         tile B);

/* The tiles of one factorization follow: what is submitted with after_info waits for these only. */
void begin_factorization(startile_request *r);

/* A := its Cholesky factor; info of the request := failing minor. With want_inverse returns the
 * factor's inverse where a device gains from it, else NULL. */
inverse *insert_potrf(startile_request *r, int64_t priority, char uplo, tile A, bool want_inverse);

/* No later task uses W. */
void forget(inverse *W);

/* No later task writes this tile: if its home is the caller's storage, it may travel there. */
void insert_send_home(startile_request *r, tile A);

/* A := offdiag, and diag on the matrix' diagonal; in the triangle uplo of the tile, or 'G' */
void insert_laset(startile_request *r, char uplo, startile_complex offdiag, startile_complex diag,
                  tile A);

/* B := A in the triangle uplo, or 'G' */
void insert_lacpy(startile_request *r, char uplo, tile A, tile B);

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

#endif
