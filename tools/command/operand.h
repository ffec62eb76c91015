/*
 * Operands of a routine that is measured. The tables of routines (bench_routines.c, kernel_rows.c)
 * contain these descriptions.
 */
#ifndef OPERAND_H
#define OPERAND_H

#include "startile.h"

#include <stdbool.h>

enum { OPERANDS = 5 };

/* Dimensions of a problem. k: number of right-hand sides, inner dimension of a product, or number
 * of interchanges or reflectors */
struct dimensions {
    int64_t m, n, k;
};

/* Type of an operand's elements. ELEMENTS: the type of the problem; REALS: real numbers of the same
 * precision; INTEGERS: int64_t */
enum element { ELEMENTS, REALS, INTEGERS };

/* Content of an operand before a run.
 * - NOTHING: zeros; the routine writes the operand, or a preparation computes it
 * - UNIFORM: random
 * - HERMITIAN, SYMMETRIC: random, and Hermitian or symmetric
 * - DEFINITE: Hermitian and positive definite
 * - DOMINANT: random and diagonally dominant
 * - LOWER: as DOMINANT, with zeros above the diagonal
 * - FACTOR: all elements 0.75 */
enum content { NOTHING, UNIFORM, HERMITIAN, SYMMETRIC, DEFINITE, DOMINANT, LOWER, FACTOR };

struct operand {
    /* Three letters: name in formulas of residuals, number of rows, number of columns, as in "Amn".
     * NULL ends a table of operands. Dimensions: m, n, k; 's', 'g': the smaller and the greater of
     * m and n; 'p', 'q': 5 s and 5 k, the number of integers for the interchanges of a panel with s
     * or k pivots (startile_pivots_of_panel); or a digit */
    const char *letters;
    enum element element;
    enum content content;
    bool read, written; /* by the routine */
    char op; /* kernels only. 'a', 'b': op is the first, the second letter of --trans; 0: no op */
    bool piecewise; /* kernels only. True: each member of a group (--pieces) has its own operand */
};

/* Initializers of the fields after `letters` */
#define READ .read = true
#define CHANGED .read = true, .written = true
#define WRITTEN .written = true
#define IN ELEMENTS, UNIFORM, READ
#define IN_OUT ELEMENTS, UNIFORM, CHANGED
#define OUT ELEMENTS, NOTHING, WRITTEN

int64_t operand_rows(const struct operand *o, const struct dimensions *d);
int64_t operand_columns(const struct operand *o, const struct dimensions *d);
/* Returns the size of one element in bytes. */
size_t operand_size(const struct operand *o, startile_dtype dtype);
/* Returns whether the operand is 1 × 1. */
bool operand_is_number(const struct operand *o);
/* Returns the number of operands in a table. */
int operand_count(const struct operand *operands);
/* Returns element (i, j) of an operand with this content. bump: diagonal of DEFINITE; added to the
 * diagonal of DOMINANT and LOWER */
double _Complex operand_element(enum content content, startile_dtype dtype, double bump,
                                uint64_t seed, int64_t i, int64_t j);

#endif
