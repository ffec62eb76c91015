/*
 * Random matrix elements as functions of seed, row and column, so that all devices compute the same
 * bits for a tile. The generator applies SplitMix64's finaliser (Steele, Lea & Flood 2014) to seed,
 * row and column.
 */
#ifndef STARTILE_RANDOM_H
#define STARTILE_RANDOM_H

#include "host_device.h"

#include <stdint.h>

static inline STARTILE_HD uint64_t startile_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number uniform in [−1, 1), a multiple of 2⁻²³, which every type represents exactly.
 * part: 0 for the real part, 1 for the imaginary part. */
static inline STARTILE_HD double startile_uniform(uint64_t seed, int64_t i, int64_t j, int part)
{
    uint64_t z = startile_mix(seed + startile_mix((uint64_t)i));
    z = startile_mix(z ^ startile_mix(2 * (uint64_t)j + (uint64_t)part));
    return (double)(int64_t)(z >> 40) * 0x1p-23 - 1.0;
}

#endif
