/*
 * Householder reflectors H = I − tau v vᴴ with Hᴴ (alpha, x)ᵀ = (beta, 0)ᵀ, v = (1, factor x)ᵀ and
 * real beta, one per vector lane (LAPACK xLARFG).
 */
#ifndef STARTILE_SMALL_REFLECTOR_H
#define STARTILE_SMALL_REFLECTOR_H

#include "small.h"

struct reflector {
    lanes beta;
    numbers tau, factor;
};

/* Returns the square root of each lane. */
static inline lanes square_root(lanes x)
{
    for (int l = 0; l < LANES; l++)
        x[l] = (real)sqrt(x[l]);
    return x;
}

/* z += |x|² */
static inline void add_square(lanes *z, const numbers *x)
{
    for (int c = 0; c < PARTS; c++)
        *z += x->part[c] * x->part[c];
}

/* z += conj(x) y */
static inline void add_conjugate_product(numbers *z, const numbers *x, const numbers *y)
{
    z->part[0] += x->part[0] * y->part[0];
    for (int c = 1; c < PARTS; c++) {
        z->part[0] += x->part[c] * y->part[c];
        z->part[c] += x->part[0] * y->part[c];
        z->part[c] -= x->part[c] * y->part[0];
    }
}

/* Returns conj(z). */
static inline numbers conjugate(numbers z)
{
    for (int c = 1; c < PARTS; c++)
        z.part[c] = -z.part[c];
    return z;
}

/* Σ|x|², and |alpha|² + Σ|x|² */
struct squares {
    lanes x, all;
};

/* Returns whether |alpha|² + Σ|x|² of each lane is so far from the ends of the range that neither
 * overflow nor underflow of its terms changes it by a relative eps. False for NaN. */
static inline condition is_in_range(const struct squares *sum)
{
    const bool is_double = sizeof(real) == sizeof(double);
    const real least = is_double ? (real)0x1p-900 : (real)0x1p-80,
               most = is_double ? (real)0x1p+900 : (real)0x1p+100;
    return (sum->all >= least) & (sum->all <= most);
}

static inline bool is_true_everywhere(condition where)
{
    bool all = true;
    for (int l = 0; l < LANES; l++)
        all = all && where[l] != 0;
    return all;
}

/* Returns max(most, |re|, |im|) of each lane; NaN does not count. */
static inline lanes larger_part(lanes most, const numbers *x)
{
    for (int c = 0; c < PARTS; c++) {
        lanes size = choose(x->part[c] < 0, -x->part[c], x->part[c]);
        most = choose(size > most, size, most);
    }
    return most;
}

/* Returns 1 where the sum is in range, and elsewhere a power of two by which a column with this
 * largest part is multiplied, so that it is. */
static inline lanes scale_of(condition in_range, lanes most)
{
    const int largest = sizeof(real) == sizeof(double) ? 1021 : 125;
    lanes scale = {0};
    for (int l = 0; l < LANES; l++) {
        int exponent = 0;
        if (!in_range[l] && isfinite(most[l]))
            frexp(most[l], &exponent);
        exponent = exponent > largest ? largest : exponent < -largest ? -largest : exponent;
        scale[l] = (real)ldexp(1, -exponent);
    }
    return scale;
}

/* Returns the lanes where H = I: x = 0, and alpha is real. */
static inline condition identities(const numbers *alpha, condition is_x_zero)
{
    for (int c = 1; c < PARTS; c++)
        is_x_zero &= alpha->part[c] == 0;
    return is_x_zero;
}

/* Returns the reflectors for alpha and |alpha|² + Σ|x|². */
static inline struct reflector reflector_of(const numbers *alpha, lanes squares,
                                            condition is_identity)
{
    const lanes norm = square_root(squares), zero = {0};
    struct reflector h = {.beta = choose(alpha->part[0] < 0, norm, -norm)};
    numbers difference = *alpha;
    difference.part[0] -= h.beta;
    lanes square = zero;
    add_square(&square, &difference);
    if (PARTS == 1)
        square = difference.part[0];
    const lanes inverse = 1 / square;
    for (int c = 0; c < PARTS; c++) {
        lanes part = inverse;
        if (PARTS > 1)
            part *= c == 0 ? difference.part[c] : -difference.part[c];
        h.factor.part[c] = choose(is_identity, zero, part);
        h.tau.part[c] = choose(is_identity, zero, -difference.part[c] / h.beta);
    }
    h.beta = choose(is_identity, alpha->part[0], h.beta);
    return h;
}

#endif
