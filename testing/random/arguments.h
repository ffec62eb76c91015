/*
 * Random arguments of the entries with LAPACK's arguments.
 *
 * The arguments are global variables with the names of the interface. A call is described by its
 * list of these names, as text, and by the shapes of its operands.
 */
#ifndef TESTING_ARGUMENTS_H
#define TESTING_ARGUMENTS_H

#include "random.h"
#include "startile_batch.h"
#include "startile_lapack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- the arguments --------------------------------------------------------------------------- */

enum { MOST_MATRICES = 5 };

/* Dimensions of each matrix of a batch; the first one is that of all matrices in the other forms.
 */
extern int64_t m[MOST_MATRICES], n[MOST_MATRICES], k[MOST_MATRICES], nrhs[MOST_MATRICES];
extern int64_t count;
extern char uplo, side, trans, transa, transb, adjoint, diag, norm;
extern int itype;
/* Aasen's method: order of the tiles that the array tb suffices for; elements of tb */
extern int64_t band_order, ltb;
extern double anorm;
extern startile_complex alpha, beta;

/* An operand: `count` matrices in one piece of memory. A column of integers or of tau has no
 * leading dimension; that of a vector x is its increment. */
struct operand {
    const char *name;
    void *memory;              /* the first matrix; NULL as a wrong argument */
    void *each[MOST_MATRICES]; /* all matrices; each_argument is this array or NULL */
    void *each_argument;
    int64_t ld[MOST_MATRICES], stride;
    int64_t rows[MOST_MATRICES], columns[MOST_MATRICES]; /* as allocated */
    char mode, row_letter, column_letter;                /* from the shape */
    bool has_wrong_values;                               /* pivots outside 1 … n */
    size_t element;                                      /* bytes */
    unsigned char *all, *before; /* the allocation, with a border before it, and a copy of it */
    size_t bytes, border;
    bool is_guarded; /* ends at a page that cannot be accessed */
};
enum { A, B, C, X, Y, TAU, IPIV, TB, IPIV2, INFO, RESULT, ITER, RCOND, SIGN, LOGABSDET, OPERANDS };
extern struct operand operands[OPERANDS];

/* -- calls ----------------------------------------------------------------------------------- */

/* SINGLE: one problem; the others are the forms of a batch. */
enum form { SINGLE, STRIDED, POINTERS, SIZES };

struct call {
    const char *name;
    enum form form;
    /* '!': the result may be positive. "a+nr": a is updated and has n rows and nrhs columns; '=':
     * read;
     * '?': read, and may be NULL. "k<q": k is at most the order of Q. Letters: dimension() */
    const char *shapes;
    const char *arguments; /* names, separated by commas */
    int64_t (*run)(void);
};

/* Calls of one type; the last has the name NULL. */
extern const struct call calls_s[], calls_d[], calls_c[], calls_z[];

/* Returns the dimension that the letter of a shape means for matrix q. */
int64_t dimension(char letter, int q);
/* Returns the operand whose name the text begins with, or NULL. */
struct operand *operand_of(const char *text);

/* Draws right arguments of the call, except that k or n may exceed its limit. (draw.c) */
void draw_right(const struct call *call, startile_dtype dtype);
/* Draws the arguments of the call, some of them wrong. Returns the number of the first wrong
 * argument, or 0. */
int draw_arguments(const struct call *call, startile_dtype dtype);

/* Checks the result and what has been written. Returns the fault, or NULL. */
const char *check_result(const struct call *call, int64_t result, int wrong);

/* Frees the operands. */
void free_arguments(void);

#endif
