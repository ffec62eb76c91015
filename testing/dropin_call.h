/*
 * Calls of Fortran symbols by tables: all arguments are addresses, so one type of function will do.
 * A symbol's arguments are letters, in its order:
 *   u uplo   t trans   d diag   s side   o norm      m n k   r nrhs      l lda   b ldb   c ldc
 *   A B C matrices   p ipiv   T tau   w work   L lwork   v anorm   q rcond   x iwork or rwork
 *   i info
 */
#ifndef TESTING_DROPIN_CALL_H
#define TESTING_DROPIN_CALL_H

#include "array.h"

/* What A holds on entry. */
enum content { DEFINITE, TRIANGLE, GENERAL, LU_FACTORS, REFLECTORS };

enum {
    T_POTRF,
    T_POTRS,
    T_POTRI,
    T_POSV,
    T_TRTRI,
    T_LAUUM,
    T_POCON,
    T_GETRF,
    T_GETRS,
    T_GETRI,
    T_GESV,
    T_GECON,
    T_GEQRF,
    T_GELQF,
    T_ORGQR,
    T_ORGLQ,
    T_ORMQR,
    T_ORMLQ,
    T_GELS,
    T_SYMBOLS
};

typedef void fortran_function(void);

struct symbol {
    int id;
    enum content content;
    const char *arguments;
    char name[8], upper_name[8]; /* with the type's letter; as XERBLA gets it */
    fortran_function *ours, *machines;
};

/* Those of the type of the command line; the last one has no arguments. */
extern struct symbol symbols[T_SYMBOLS + 1];

void symbols_load(void);

struct arguments {
    char uplo, trans, diag, side, which;
    int32_t m, n, k, nrhs, lda, ldb, ldc, lwork, info;
    int32_t *ipiv, *more;
    struct array A, B, C, tau, work, norm, rcond;
};

/* B is square's n × k, or as many rows as gels needs; C is m × n. */
struct arguments arguments_new(const struct symbol *s, int64_t m, int64_t n, int64_t k, int pad);
struct arguments arguments_copy(const struct arguments *x, const struct symbol *s);
void arguments_free(struct arguments *x);
/* Whether the shape is one that the symbol takes, given its letters. */
bool arguments_fit(const struct arguments *x, const struct symbol *s);
/* Numbers, after the letters are set; false where there are none to be had. With `shortest` LWORK
 * is what the reference asks for at least. */
bool arguments_fill(struct arguments *x, const struct symbol *s, bool shortest);
/* All dimensions, of a call that does not look at the matrices. */
void arguments_enlarge(struct arguments *x, int32_t n);

char *letter_of(struct arguments *x, char kind);
int32_t *integer_of(struct arguments *x, char kind);
const char *letters_in_words(const struct arguments *x, const struct symbol *s);

/* Ours takes INTEGERs of 64 bits where this is compiled for STARTILE_ILP64; the machine's has 32.
 */
void call_ours(const struct symbol *s, struct arguments *x);
void call_machines(const struct symbol *s, struct arguments *x);

/* Numbers near each other; bits the same where poison was, and of info and pivots. */
void require_same_results(const struct symbol *s, const struct arguments *x,
                          const struct arguments *y);
/* All bits the same but work's. */
void require_untouched(const struct symbol *s, const struct arguments *x,
                       const struct arguments *y);

struct xerbla {
    int calls, position;
    char name[8];
    size_t length;
};
extern struct xerbla xerbla_last;
void xerbla_reset(void);

#endif
