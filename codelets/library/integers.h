/* Integer functions that C lacks. */
#ifndef STARTILE_INTEGERS_H
#define STARTILE_INTEGERS_H

#include <stdint.h>

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns a / b rounded up, for a >= 0 and b > 0. */
static inline int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

#endif
