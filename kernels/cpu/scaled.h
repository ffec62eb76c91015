/* Elements scaled by powers of two, one power for each row. A kernel takes the exponents of one
 * strip of rows at a time, and then loops over the columns. */
#ifndef STARTILE_SCALED_H
#define STARTILE_SCALED_H

#include "dtype.h"
#include "power_of_two.h"

enum { STRIP = 128 };

/* Returns the number of rows of the strip that begins at row i of m. */
static inline int strip_rows(int m, int i)
{
    return m - i < STRIP ? m - i : STRIP;
}

/* p[i] := sign times the exponent of r[i], for all rows of a strip; 0 if r is NULL. */
static inline void strip_exponents(int rows, const double *r, int sign, int *p)
{
    for (int i = 0; i < rows; i++)
        p[i] = sign * startile_exponent(r, i);
}

/* Returns 2^p a in double precision. */
static inline double_element scaled(element a, int p)
{
#ifdef STARTILE_COMPLEX
    return CMPLX(startile_scaled(creal(a), p), startile_scaled(cimag(a), p));
#else
    return startile_scaled(a, p);
#endif
}

#endif
