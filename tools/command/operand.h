/*
 * Operands of a routine that is measured, as rows of tables describe them.
 */
#ifndef OPERAND_H
#define OPERAND_H

#include "startile.h"

#include <stdbool.h>

enum { OPERANDS = 5 };

/* k: right-hand sides, inner dimension, interchanges or reflectors */
struct dimensions {
    int64_t m, n, k;
};

/* REALS have the real type of the elements' precision. */
enum element { ELEMENTS, REALS, INTEGERS };

/* Before a run. DEFINITE: Hermitian, positive definite; DOMINANT: by its diagonal; LOWER: so, with
 * zeros above the diagonal; UPPER: zeros below it; FACTOR: 0.75; NOTHING: to be written, or what
 * the preparation makes */
enum content { NOTHING, UNIFORM, HERMITIAN, DEFINITE, DOMINANT, LOWER, UPPER, FACTOR };

struct operand {
    /* Its name in formulas of residuals, rows and columns, as in "Amn"; NULL: there is no more.
     * 's', 'g': the smaller, the greater of m and n; 'p', 'q': five times 's', five times 'k', as
     * kernels keep interchanges */
    const char *is;
    enum element element;
    enum content content;
    bool read, written;
    char op;        /* kernels only; 'a': op is --trans's first letter, 'b': its second; or 0 */
    bool piecewise; /* kernels only: each member of a group has its own */
};

#define READ .read = true
#define CHANGED .read = true, .written = true
#define WRITTEN .written = true
#define IN ELEMENTS, UNIFORM, READ
#define IN_OUT ELEMENTS, UNIFORM, CHANGED
#define OUT ELEMENTS, NOTHING, WRITTEN

int64_t operand_rows(const struct operand *o, const struct dimensions *d);
int64_t operand_columns(const struct operand *o, const struct dimensions *d);
/* Bytes of one element */
size_t operand_size(const struct operand *o, startile_dtype dtype);
/* Whether it is one number */
bool operand_is_number(const struct operand *o);
int operand_count(const struct operand *operands);
/* An element of the content, whose diagonal is `bump` where it dominates */
double _Complex operand_element(enum content content, startile_dtype dtype, double bump,
                                uint64_t seed, int64_t i, int64_t j);

#endif
