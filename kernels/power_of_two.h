/* Scaling by powers of two, for the kernels of both devices */
#ifndef STARTILE_POWER_OF_TWO_H
#define STARTILE_POWER_OF_TWO_H

#include "host_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Returns the e with 2^e ≤ x[i] < 2^(e+1) if x[i] is finite and positive, otherwise 0. If x is
 * NULL, returns 0. */
static inline STARTILE_HD int startile_exponent(const double *x, int64_t i)
{
    return x != NULL && x[i] > 0 && x[i] < INFINITY ? ilogb(x[i]) : 0;
}

/* Returns 2^p for −1022 ≤ p ≤ 1023. */
static inline STARTILE_HD double startile_power_of_two(int p)
{
    const uint64_t bits = (uint64_t)(p + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* Returns 2^p v with one rounding. A p beyond −2044 … 2046 counts as the nearer of these bounds.
 *
 * If 2^p is not a normal number, multiplies by two powers. If the first product is subnormal, the
 * second one is 0, so that no result is rounded twice. */
static inline STARTILE_HD double startile_scaled(double v, int p)
{
    const int limited = p < -2044 ? -2044 : p > 2046 ? 2046 : p;
    const int first = limited >= -1022 && limited <= 1023 ? 0 : limited / 2;
    return v * startile_power_of_two(first) * startile_power_of_two(limited - first);
}

#endif
