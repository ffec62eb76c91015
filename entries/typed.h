/* Element type of the files of typed entries, which are compiled once per type
 * (cmake/StartileLibrary.cmake). */
#ifndef STARTILE_TYPED_H
#define STARTILE_TYPED_H

#include "startile.h"
#include "startile_lapack.h"

#include <stdbool.h>
#include <string.h>

#if defined STARTILE_TYPE_S
#define ENTRY(op) startile_s##op
#define DTYPE STARTILE_S
typedef float element;
typedef float real;
#elif defined STARTILE_TYPE_D
#define ENTRY(op) startile_d##op
#define DTYPE STARTILE_D
typedef double element;
typedef double real;
#elif defined STARTILE_TYPE_C
#define ENTRY(op) startile_c##op
#define DTYPE STARTILE_C
typedef startile_cfloat element;
typedef float real;
#elif defined STARTILE_TYPE_Z
#define ENTRY(op) startile_z##op
#define DTYPE STARTILE_Z
typedef startile_cdouble element;
typedef double real;
#endif

static inline bool is_letter(char c, const char *letters)
{
    return c != '\0' && strchr(letters, c) != NULL;
}

/* Names of QR's routines (xOR… for real types, xUN… for complex ones), and their letters for op. */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define UNITARY(op) ENTRY(or ##op)
#define ADJOINT "NnTt"
#else
#define UNITARY(op) ENTRY(un##op)
#define ADJOINT "NnCc"
#endif

/* Returns whether lda is valid for a matrix of m rows. StarPU's matrix interface and BLAS store it
 * in 32 bits. */
static inline bool is_leading_dimension(int64_t lda, int64_t m)
{
    return lda >= (m > 1 ? m : 1) && lda <= INT32_MAX;
}

/* Validates the arguments a and lda of an m × n matrix at positions `at` and `at` + 1; returns 0 or
 * −i. */
static inline int check_matrix(int64_t m, int64_t n, const void *a, int64_t lda, int at)
{
    return a == NULL && m > 0 && n > 0 ? -at : !is_leading_dimension(lda, m) ? -at - 1 : 0;
}

/* Validates an array at position `at` that the host reads or writes, such as pivots: needed if it
 * has `count` > 0 elements, and never in the memory of a GPU. Returns 0 or −i. */
int check_host_array(const void *p, int64_t count, int at);

/* Calls startile_init() for the duration of a typed entry. If it starts StarPU, StarPU runs until
 * the program ends; its workers sleep between calls, so that the caller can use the cores. Returns
 * 0 or a startile_error. After 0, call lapack_leave() at the end of the entry. */
int lapack_enter(void);
void lapack_leave(void);

/* Sets *mb and *nb to the tile shape for a matrix in the memory of the array `a`, main memory or a
 * GPU's. If the environment variable STARTILE_NB is set, it is the width of the tiles, which are
 * then square where startile_tile_shape() gives square ones, and have all m rows otherwise. Returns
 * 0 or an error. */
int lapack_tiles(const char *routine, startile_dtype dtype, int64_t m, int64_t n, const void *a,
                 int64_t *mb, int64_t *nb);

/* Returns whether CPU cores shall solve nrhs systems with the factors of a matrix of order n in the
 * array a, and sets *mb and *nb, which lapack_tiles() has set, to the order of the tiles then. Call
 * keep_on_cores() for the operands. b: the right-hand sides, or NULL */
bool lapack_solve_on_cores(int64_t n, int64_t nrhs, const void *a, const void *b, int64_t *mb,
                           int64_t *nb);

/* Lets CPU workers run the tasks of the entry, before it submits them, if all its matrices are
 * small and in main memory (suits_cores()). B and C may be NULL, and so may all after an error. */
void lapack_keep_small(startile_matrix *A, startile_matrix *B, startile_matrix *C);

/* Page-locks the array of a matrix that the entry overwrites, until the matrix is destroyed, where
 * that makes transfers to GPUs faster; NULL is allowed. See page_lock(). */
void lapack_page_lock(startile_matrix *A);

/* The wrapped matrices of an entry, with matching tiles; `entered`: lapack_enter() succeeded. */
struct problem {
    startile_matrix *A, *B, *C;
    bool entered;
};

/* Starts the library and wraps a (n × n) and b (n × nrhs; NULL: no B) in tiles for potrf. Returns 0
 * or an error. Call end_entry() in both cases. */
int begin_square_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                       int64_t lda, int64_t nrhs, void *b, int64_t ldb);

/* begin_square_entry() for a solution with the factors in a; b NULL: one system whose right-hand
 * side is a temporary */
int begin_solve_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                      int64_t lda, int64_t nrhs, void *b, int64_t ldb);

/* Transfers results to the caller's storage, destroys the matrices and leaves the library. Returns
 * info. */
int64_t end_entry(struct problem *p, int64_t info);

#endif
