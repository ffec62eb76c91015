/*
 * Numbers (re + i im) 2^exponent for products of many factors, for the kernels of both devices.
 *
 * The exponent is counted separately, as in LINPACK's xGEDI, so that a product neither overflows
 * nor underflows. The relative error of a product of n factors is at most n eps for real numbers
 * and 3 n eps for complex ones, with eps = 2⁻⁵³ (Higham 2002, lemmas 3.1 and 3.5).
 */
#ifndef STARTILE_WIDE_H
#define STARTILE_WIDE_H

#include "power_of_two.h"

typedef struct {
    double re, im, exponent; /* exponent: an integer */
} startile_wide;

/* Returns (re + i im) 2^exponent with the larger of |re| and |im| in [1, 2), unless both are 0 or
 * one is not finite. */
static inline STARTILE_HD startile_wide startile_wide_of(double re, double im, double exponent)
{
    const double larger = fmax(fabs(re), fabs(im));
    const int e = startile_exponent(&larger, 0);
    startile_wide w = {startile_scaled(re, -e), startile_scaled(im, -e), exponent + e};
    return w;
}

/* Returns a b. Real numbers have im = 0, and infinities of one of them do not reach im. */
static inline STARTILE_HD startile_wide startile_wide_product(startile_wide a, startile_wide b)
{
    const double exponent = a.exponent + b.exponent;
    if (a.im == 0 && b.im == 0)
        return startile_wide_of(a.re * b.re, 0, exponent);
    return startile_wide_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, exponent);
}

/* Returns log |w|: −∞ for w = 0. */
static inline STARTILE_HD double startile_wide_logarithm(startile_wide w)
{
    const double log_of_2 = 0.693147180559945309417232121458;
    return log(hypot(w.re, w.im)) + w.exponent * log_of_2;
}

/* Returns w / |w| with exponent 0: 0 for w = 0, NaN for a w that is not finite. */
static inline STARTILE_HD startile_wide startile_wide_sign(startile_wide w)
{
    const double magnitude = hypot(w.re, w.im);
    startile_wide sign = {w.re, w.im, 0};
    if (magnitude == 0)
        return sign;
    sign.re = w.re / magnitude;
    sign.im = w.im == 0 ? 0 : w.im / magnitude;
    return sign;
}

#endif
