/* The element type that an entry file is compiled for; see CMakeLists.txt. */
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

/* op(Q) and op(A) of QR: the names of its routines, and the letters that they take. */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define UNITARY(op) ENTRY(or ##op)
#define ADJOINT "NnTt"
#else
#define UNITARY(op) ENTRY(un##op)
#define ADJOINT "NnCc"
#endif

/* StarPU's matrix interface and BLAS keep it in 32 bits. */
static inline bool is_leading_dimension(int64_t lda, int64_t n)
{
    return lda >= (n > 1 ? n : 1) && lda <= INT32_MAX;
}

/* Arguments a and lda of an m × n matrix, at position `at`. */
static inline int check_matrix(int64_t m, int64_t n, const void *a, int64_t lda, int at)
{
    return a == NULL && m > 0 && n > 0 ? -at : !is_leading_dimension(lda, m) ? -at - 1 : 0;
}

/* One startile_init() for the time of a call. If it starts StarPU, that stays until the program
 * ends, with workers that sleep between calls, since a caller of LAPACK's interface wants its cores
 * back. */
int lapack_enter(void);

/* startile_tile_shape(), or tiles as wide as the environment variable STARTILE_NB says. */
int lapack_tiles(const char *routine, startile_dtype dtype, int64_t m, int64_t n, int64_t *mb,
                 int64_t *nb);

/* What an entry was given, as matrices with tiles that fit each other. */
struct problem {
    startile_matrix *A, *B;
    bool entered;
};

/* Wraps a (n × n) and b (n × nrhs; NULL: none). */
int lapack_wrap(struct problem *p, startile_dtype dtype, int64_t n, const void *a, int64_t lda,
                int64_t nrhs, void *b, int64_t ldb);

/* Brings results home and lets go. Returns info. */
int64_t lapack_unwrap(struct problem *p, int64_t info);

#endif
