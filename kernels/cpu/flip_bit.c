/* Flips one bit, for tests of what detects it. */
#include "dtype.h"

int NAME(flip_bit)(startile_exec *x, void *a, int64_t bit)
{
    (void)x;
    ((unsigned char *)a)[bit / 8] ^= (unsigned char)(1u << bit % 8);
    return 0;
}
