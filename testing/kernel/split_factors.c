/*
 * Factors of the tests of products on tensor cores
 */
#include "split_factors.h"

#include "check.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* Returns 2^e with a random exponent e from `least` to `most`. */
static double random_power_of_2(int least, int most)
{
    return ldexp(1, least + (int)((most - least + 1) * (random_real() + 1) / 2));
}

/* Each of these returns the element of row `row` of op(A), or of column `row` of op(B), with index
 * `term` in the sum. */

static float uniform(int row, int term)
{
    (void)row, (void)term;
    return (float)random_real();
}

static float positive(int row, int term)
{
    return fabsf(uniform(row, term));
}

/* Returns an element of rows that are scaled by 10⁻¹⁵ … 10¹⁵. */
static float badly_scaled(int row, int term)
{
    return (float)(uniform(row, term) * pow(10, (row * 37) % 31 - 15));
}

/* Terms have sizes from 2⁻²⁰ to 2²⁰. */
static float wide(int row, int term)
{
    return (float)(uniform(row, term) * random_power_of_2(-20, 20));
}

static float wide_positive(int row, int term)
{
    return fabsf(wide(row, term));
}

/* Returns an element of factors of which half of the sums cancel: products of an even and an odd
 * row come in pairs of nearly opposite terms. */
static float cancelling(int row, int term)
{
    double x = sin(1 + row + 1e-3 * (term / 2 * 2) * (row + 1));
    return (float)(term % 2 == 0 ? x : row % 2 == 0 ? x : -x * (1 + 1e-5 * random_real()));
}

/* One term of each row is about 10¹⁰ times as large as the others. */
static float dominated(int row, int term)
{
    return uniform(row, term) * (term == row % 97 ? 1 : 1e-10f);
}

/* Returns ±1.5 plus set bits in each of the three BF16 parts into which an operand is split. */
static float all_bits(int row, int term)
{
    return (uniform(row, term) < 0 ? -1.0f : 1.0f) * (1 + 0x808101 * ldexpf(1, -24)) +
           ldexpf((float)(rand() % 1024), -23);
}

static float sparse(int row, int term)
{
    return rand() % 32 == 0 ? uniform(row, term) : 0;
}

static float tiny(int row, int term)
{
    return ldexpf(uniform(row, term), -60);
}

static float with_denormals(int row, int term)
{
    return term % 97 == 5 ? uniform(row, term) * 1e-40f : uniform(row, term);
}

static float with_infinity(int row, int term)
{
    return row == 3 && term == 7 ? INFINITY : uniform(row, term);
}

static float with_nan(int row, int term)
{
    return row == 5 && term == 9 ? NAN : uniform(row, term);
}

/* Products of two such elements are nearly as large as the largest float. */
static float nearly_overflowing(int row, int term)
{
    return uniform(row, term) * 1.7e19f;
}

static float largest(int row, int term)
{
    return uniform(row, term) * 3.4e38f;
}

static float zero(int row, int term)
{
    (void)row, (void)term;
    return 0;
}

/* Elements up to 2¹⁵, the limit of FP16 formats */
static float largest_of_fp16(int row, int term)
{
    return ldexpf(uniform(row, term), 15);
}

static float above_fp16(int row, int term)
{
    return uniform(row, term) * 40000;
}

/* Elements of which some are below the least normal number of FP16, 2⁻¹⁴ */
static float small(int row, int term)
{
    return ldexpf(uniform(row, term), -9);
}

enum {
    FP16_FORMATS = FP16X2 | FP16,
    BF16_FORMATS = SPLIT | BF16,
    EACH = FP16_FORMATS | BF16_FORMATS
};

const struct kind kinds[] = {{"uniform", uniform, EACH | TF32},
                             {"positive", positive, EACH | TF32},
                             {"badly scaled", badly_scaled, BF16_FORMATS | TF32},
                             {"wide", wide, BF16_FORMATS | TF32},
                             {"wide, positive", wide_positive, BF16_FORMATS | TF32},
                             {"cancelling", cancelling, EACH | TF32},
                             {"dominated", dominated, EACH | TF32},
                             {"all bits", all_bits, EACH | TF32},
                             {"sparse", sparse, EACH | TF32},
                             {"tiny", tiny, EACH | TF32}, /* zero in FP16 */
                             {"largest of FP16", largest_of_fp16, EACH | TF32},
                             {"above FP16", above_fp16, BF16_FORMATS},
                             {"small", small, EACH},
                             {"denormals", with_denormals, FP16_FORMATS | BF16},
                             {"zero", zero, 0}, /* equal to FFMA's result, split or not */
                             {"infinity", with_infinity, 0},
                             {"NaN", with_nan, 0},
                             {"nearly overflowing", nearly_overflowing, 0},
                             {"largest", largest, 0},
                             {NULL, NULL, 0}};

struct array split_factor(const struct kind *kind, int length, int k, bool is_length_by_k, int pad)
{
    struct array F =
        is_length_by_k ? array_new(dtype, length, k, pad) : array_new(dtype, k, length, pad);
    for (int i = 0; i < length; i++)
        for (int t = 0; t < k; t++) {
            double re = kind->element(i, t), im = kind->element(i, t + k);
            set(F, is_length_by_k ? i : t, is_length_by_k ? t : i, CMPLX(re, im));
        }
    return F;
}
