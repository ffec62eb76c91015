/*
 * The first of the largest |re| + |im|, or the first that is NaN. Sizes are compared as integers:
 * for what is not negative the order is the same, and NaN comes after all numbers, so that the
 * compiler may take the largest of several at a time.
 */
#include "small.h"

#include <string.h>

#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_C
typedef uint32_t bits;
static const bits sign = UINT32_C(1) << 31, infinite = UINT32_C(0x7f800000);
#else
typedef uint64_t bits;
static const bits sign = UINT64_C(1) << 63, infinite = UINT64_C(0x7ff0000000000000);
#endif

/* NaN: what comes after infinity */
static inline bits size_of(const element *x)
{
#ifdef STARTILE_COMPLEX
    real size = (real)(fabs((double)creal(*x)) + fabs((double)cimag(*x)));
#else
    real size = *x;
#endif
    bits b;
    memcpy(&b, &size, sizeof b);
    b &= ~sign;
    return b > infinite ? infinite + 1 : b;
}

/* The loops below are compiled for an ld that is known. */
static inline bits largest(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    for (int i = 0; i < n; i++) {
        bits size = size_of(x + i * ld);
        most = size > most ? size : most;
    }
    return most;
}

/* A group is compared without a branch. */
enum { GROUP = 32 };

static inline bool has(bits size, const element *x, ptrdiff_t ld)
{
    bits found = 0;
    for (int i = 0; i < GROUP; i++)
        found |= size_of(x + i * ld) == size;
    return found != 0;
}

/* Of n elements, one has that size. */
static inline int first_of(bits size, int n, const element *x, ptrdiff_t ld)
{
    int i = 0;
    while (i + GROUP < n && !has(size, x + i * ld, ld))
        i += GROUP;
    while (size_of(x + i * ld) != size)
        i++;
    return i;
}

/* A piece stays in the first cache between the two loops. */
enum { PIECE = 128 };

static inline int64_t find(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    int64_t at = 0;
    for (int64_t first = 0; first < n; first += PIECE) {
        const element *piece = x + first * ld;
        int count = n - first < PIECE ? (int)(n - first) : PIECE;
        bits here = largest(count, piece, ld);
        if (at > 0 && here <= most)
            continue;
        most = here;
        at = first + 1 + first_of(here, count, piece, ld);
    }
    return at;
}

/* The same in one pass, where two would take longer. */
enum { SHORT = 24 };

static inline int64_t find_short(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    int64_t at = n > 0;
    for (int i = 0; i < n; i++) {
        bits size = size_of(x + i * ld);
        at = size > most ? i + 1 : at;
        most = size > most ? size : most;
    }
    return at;
}

int64_t SMALL(iamax_small)(int n, const element *x, int ld)
{
    if (n <= SHORT)
        return find_short(n, x, ld);
    return ld == 1 ? find(n, x, 1) : find(n, x, ld);
}
