/*
 * Index of the first NaN; without NaN, of the first element of largest |re| + |im|. The magnitudes'
 * bits are compared as integers, so that the compiler can vectorize the maximum: for nonnegative
 * numbers the order is the same, and NaN is larger than all numbers.
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

/* Returns the bits of |re| + |im| as an integer; for any NaN, the integer after that of infinity.
 */
static inline bits magnitude_of(const element *x)
{
#ifdef STARTILE_COMPLEX
    real sum = (real)(fabs((double)creal(*x)) + fabs((double)cimag(*x)));
#else
    real sum = *x;
#endif
    bits b;
    memcpy(&b, &sum, sizeof b);
    b &= ~sign;
    return b > infinite ? infinite + 1 : b;
}

/* Returns the largest magnitude. The function is inlined, so that the compiler also makes loops for
 * the constant ld = 1. */
static inline bits largest(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    for (int i = 0; i < n; i++) {
        bits magnitude = magnitude_of(x + i * ld);
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

/* Number of elements that contains() compares without a branch. */
enum { GROUP = 32 };

/* Returns whether one of GROUP elements has this magnitude. */
static inline bool contains(bits magnitude, const element *x, ptrdiff_t ld)
{
    bits found = 0;
    for (int i = 0; i < GROUP; i++)
        found |= magnitude_of(x + i * ld) == magnitude;
    return found != 0;
}

/* Returns the index of the first element of magnitude `magnitude`; at least one of the n elements
 * has it. */
static inline int first_of(bits magnitude, int n, const element *x, ptrdiff_t ld)
{
    int i = 0;
    while (i + GROUP < n && !contains(magnitude, x + i * ld, ld))
        i += GROUP;
    while (magnitude_of(x + i * ld) != magnitude)
        i++;
    return i;
}

/* Number of elements of a block. A block stays in the L1 cache between the two loops over it,
 * largest() and first_of(). */
enum { BLOCK = 128 };

/* Returns the result of iamax_small() for vectors longer than SHORT, block by block. The second
 * pass over a block, first_of(), is only needed if the block has a larger magnitude than the blocks
 * before. */
static inline int64_t find_long(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    int64_t index = 0;
    for (int64_t first = 0; first < n; first += BLOCK) {
        const element *block = x + first * ld;
        int count = n - first < BLOCK ? (int)(n - first) : BLOCK;
        bits block_most = largest(count, block, ld);
        if (index > 0 && block_most <= most)
            continue;
        most = block_most;
        index = first + 1 + first_of(block_most, count, block, ld);
    }
    return index;
}

/* Largest length for which find_short() is faster than find_long(). */
enum { SHORT = 24 };

/* Returns the result of iamax_small() in one pass. */
static inline int64_t find_short(int n, const element *x, ptrdiff_t ld)
{
    bits most = 0;
    int64_t index = n > 0;
    for (int i = 0; i < n; i++) {
        bits magnitude = magnitude_of(x + i * ld);
        index = magnitude > most ? i + 1 : index;
        most = magnitude > most ? magnitude : most;
    }
    return index;
}

int64_t SMALL(iamax_small)(int n, const element *x, int ld)
{
    if (n <= SHORT)
        return find_short(n, x, ld);
    return ld == 1 ? find_long(n, x, 1) : find_long(n, x, ld);
}
