/*
 * Weights of the checksums by which the option `verify` finds corrupted elements (checksum in
 * kernel_list.h). Row i of m has two weights: s_i and t_i (m + i + 1) / (2 m), with random signs
 * s_i and t_i that depend only on i. The quotient of the two sums of a column in which only row i
 * is wrong gives i.
 */
#ifndef STARTILE_WEIGHTS_H
#define STARTILE_WEIGHTS_H

#include "random.h"

/* Returns weight q, 0 or 1, of row i of m. */
static inline STARTILE_HD double startile_weight(int64_t i, int64_t m, int q)
{
    uint64_t z = startile_mix(0x5354415254494c45u + (uint64_t)i);
    double sign = ((z >> (20 + q)) & 1) != 0 ? 1 : -1;
    return q == 0 ? sign : sign * (double)(m + i + 1) / (2 * (double)m);
}

#endif
