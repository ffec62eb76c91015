/*
 * Calls Fortran symbols described by tables. All arguments are addresses, so that one function type
 * serves every symbol. A symbol's arguments are letters, in its order:
 *   u uplo   t trans   d diag   s side   o norm      m n k   r nrhs      l lda   b ldb   c ldc
 *   A B C matrices   h tb   H ltb   p ipiv   g ipiv2   T tau   w work   L lwork   v anorm   q rcond
 * x iwork or rwork   i info   f rcond as an input   e tol (−1)   y rank   z itype
 */
#ifndef TESTING_DROPIN_CALL_H
#define TESTING_DROPIN_CALL_H

#include "array.h"

/* Content of A on entry. */
enum content {
    DEFINITE,
    TRIANGLE,
    GENERAL,
    LU_FACTORS,
    REFLECTORS,
    INDEFINITE,
    LDL_FACTORS,
    AASEN_FACTORS
};

enum {
    T_POTRF,
    T_PSTRF,
    T_POTRS,
    T_POTRI,
    T_POSV,
    T_TRTRI,
    T_TRTRS,
    T_LAUUM,
    T_SYGST, /* complex types: hegst */
    T_POCON,
    T_GETRF,
    T_GETRS,
    T_GETRI,
    T_GESV,
    T_GECON,
    T_GEQRF,
    T_GELQF,
    T_GEQP3,
    T_ORGQR,
    T_ORGLQ,
    T_ORMQR,
    T_ORMLQ,
    T_GELS,
    T_GELSY,
    T_SYTRF,
    T_SYTRS,
    T_SYTRS2,
    T_SYTRI,
    T_SYSV,
    T_SYCON,
    T_SYTRF_AA,
    T_SYTRS_AA,
    T_SYSV_AA,
    T_HETRF, /* T_HETRF to T_HESV_AA: complex types */
    T_HETRS,
    T_HETRS2,
    T_HETRI,
    T_HESV,
    T_HECON,
    T_HETRF_AA,
    T_HETRS_AA,
    T_HESV_AA,
    T_SYMBOLS
};

typedef void fortran_function(void);

struct symbol {
    int id;
    enum content content;
    const char *arguments;
    char name[20],
        upper_name[20]; /* name: with the letter of the type; upper_name: as passed to XERBLA */
    fortran_function *ours, *machines;
};

/* The symbols for the type on the command line. The last entry has no arguments. */
extern struct symbol symbols[T_SYMBOLS + 1];

/* Completes the names of all symbols by the letter of the type, and finds the symbols in both
 * libraries. Call it once. Ends the program if a symbol is missing. */
void symbols_load(void);
/* Returns startile's function of this name, without its suffix. Ends the program if it is missing.
 */
fortran_function *startile_symbol(const char *name);

struct arguments {
    char uplo, trans, diag, side, norm_letter; /* norm_letter: gecon's NORM */
    int32_t m, n, k, nrhs, lda, ldb, ldc, lwork, ltb, rank, info, itype;
    int32_t *ipiv, *ipiv2, *iwork; /* iwork: IWORK or RWORK */
    struct array A, B, C, tb, tau, work, anorm, rcond, tol;
};

/* Returns arguments with their dimensions set. B is n × k for a square A, has as many rows as
 * gels needs, or is n × n for sygst; C is m × n. `pad` is kept in lda until arguments_fill()
 * allocates the matrices, with leading dimensions that are larger by `pad`. */
struct arguments arguments_new(const struct symbol *s, int64_t m, int64_t n, int64_t k, int pad);
struct arguments arguments_copy(const struct arguments *x, const struct symbol *s);
void arguments_free(struct arguments *x);
/* Returns true if the symbol accepts the dimensions and letters in x. */
bool arguments_fit(const struct arguments *x, const struct symbol *s);
/* Allocates and fills the matrices; the letters must be set. With `shortest`, LWORK is the minimum
 * that the reference documents. */
void arguments_fill(struct arguments *x, const struct symbol *s, bool shortest);
/* Sets all dimensions to n, for calls that do not access the matrices. */
void arguments_enlarge(struct arguments *x, int32_t n);

/* Return the address of the argument of that kind in x; NULL if it is no letter or no integer. */
char *letter_of(struct arguments *x, char kind);
int32_t *integer_of(struct arguments *x, char kind);
/* Returns the values of all letter arguments as a text, which the next call overwrites. */
const char *letters_as_text(const struct arguments *x, const struct symbol *s);

/* Call the symbol in startile's and in the machine's library. startile's symbols take 64-bit
 * INTEGERs if compiled for STARTILE_ILP64; the machine's take 32 bits. */
void call_startile(const struct symbol *s, struct arguments *x);
void call_machine(const struct symbol *s, struct arguments *x);

/* Requires the results in x and y to be equal up to rounding, and rcond within a factor of 3.
 * Poison, info and pivots must be exactly equal. */
void require_same_results(const struct symbol *s, const struct arguments *x,
                          const struct arguments *y);
/* Requires the matrices, tau and rcond to be equal bit by bit. */
void require_untouched(const struct symbol *s, const struct arguments *x,
                       const struct arguments *y);

/* Number of calls of XERBLA since xerbla_reset(), and the arguments of the last one. */
struct xerbla {
    int calls, position;
    char name[20];
    size_t length;
};
extern struct xerbla xerbla_last;
void xerbla_reset(void);

#endif
