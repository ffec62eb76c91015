/*
 * Elements of the four types, converted from and to double complex; functions for dimensions.
 */
#ifndef SCALAR_H
#define SCALAR_H

#include "startile.h"

#include <stdbool.h>

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

/* Returns 's', 'd', 'c' or 'z'. */
char dtype_letter(startile_dtype dtype);
/* Returns a text such as "real, single". */
const char *dtype_description(startile_dtype dtype);
/* Returns the bytes of an element. */
size_t dtype_size(startile_dtype dtype);
bool dtype_is_complex(startile_dtype dtype);
bool dtype_is_single(startile_dtype dtype);
/* Returns the type in the other precision: d for s, s for d, z for c, c for z. */
startile_dtype dtype_other_precision(startile_dtype dtype);
/* Returns the unit roundoff, LAPACK's xLAMCH('E'): 2⁻²⁴ or 2⁻⁵³. */
double dtype_unit_roundoff(startile_dtype dtype);
/* Stores the type with this letter. Returns false if there is none. */
bool dtype_from_letter(char letter, startile_dtype *dtype);

/* Return element i of the array a, or its magnitude. */
double _Complex element_get(startile_dtype dtype, const void *a, size_t i);
double element_abs(startile_dtype dtype, const void *a, size_t i);
/* Stores a value in element i: rounds it to the type, and for real types ignores the imaginary
 * part. */
void element_set(startile_dtype dtype, void *a, size_t i, double _Complex value);

#endif
