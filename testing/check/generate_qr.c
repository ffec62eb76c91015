#include "generate_qr.h"

#include <complex.h>
#include <math.h>

/* Fills A with random columns; their scales go geometrically from 1 towards `last`. */
static void graded(struct array A, double last)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, random_element(A.dtype) * pow(last, (double)j / (double)A.n));
}

/* Scales the columns down to 1e-15, or 1e-6 in single precision. */
static void falling(struct array A)
{
    graded(A, is_single(A.dtype) ? 1e-6 : 1e-15);
}

/* Scales the columns up to 1e15, or 1e6 in single precision. */
static void rising(struct array A)
{
    graded(A, is_single(A.dtype) ? 1e6 : 1e15);
}

/* Fills A with perturbed copies of one column: condition near 1e14, 1e6 in single precision. */
static void nearly_dependent(struct array A)
{
    double distance = is_single(A.dtype) ? 1e-6 : 1e-14;
    for (int64_t i = 0; i < A.m; i++) {
        startile_complex common = random_element(A.dtype);
        for (int64_t j = 0; j < A.n; j++)
            set(A, i, j, common + distance * random_element(A.dtype));
    }
}

/* Fills A with random elements; columns 0, 3, 6, … are zero. */
static void some_zero_columns(struct array A)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j += 3)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, 0);
}

/* Fills A with random columns, each equal to one of the first four. */
static void repeated(struct array A)
{
    array_random(A);
    for (int64_t j = 4; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, get(A, i, j % 4));
}

/* Returns a random integer from −3 to 3; for complex types with such an imaginary part. */
static startile_complex small_integer(startile_dtype type)
{
    startile_complex v = 3 * random_element(type);
    return round(creal(v)) + round(cimag(v)) * I;
}

/* Fills A with a product of integer factors of rank 5. The product is exact: all other singular
 * values of A are 0. */
static void rank_five(struct array A)
{
    struct array X = array_new(A.dtype, A.m, 5, 0), Y = array_new(A.dtype, 5, A.n, 0);
    for (int64_t r = 0; r < 5; r++) {
        for (int64_t i = 0; i < A.m; i++)
            set(X, i, r, small_integer(A.dtype));
        for (int64_t j = 0; j < A.n; j++)
            set(Y, r, j, small_integer(A.dtype));
    }
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex sum = 0;
            for (int64_t r = 0; r < 5; r++)
                sum += get(X, i, r) * get(Y, r, j);
            set(A, i, j, sum);
        }
    arrays_free(X, Y);
}

static void all_zero(struct array A)
{
    array_fill(A, 0);
}

static void ones(struct array A)
{
    array_fill(A, 1);
}

/* Fills A with an upper triangle, so that there is nothing to eliminate. */
static void triangle(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, i <= j ? random_element(A.dtype) : 0);
}

/* -- scaled ---------------------------------------------------------------------------------- */

/* Returns a large factor. A hundred times its square does not overflow; the square of its
 * reciprocal is a normal number. */
static double far_factor(startile_dtype type)
{
    return is_single(type) ? 1e18 : 1e150;
}

/* Fills A with random elements; element (i, j) is scaled by row[i % 3] · column[j % 3]. */
static void scale(struct array A, const double row[3], const double column[3])
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, random_element(A.dtype) * row[i % 3] * column[j % 3]);
}

static const double unscaled[3] = {1, 1, 1};

static void large(struct array A)
{
    scale(A, unscaled, (double[]){far_factor(A.dtype), far_factor(A.dtype), far_factor(A.dtype)});
}

static void small(struct array A)
{
    scale(A, unscaled,
          (double[]){1 / far_factor(A.dtype), 1 / far_factor(A.dtype), 1 / far_factor(A.dtype)});
}

static void mixed_columns(struct array A)
{
    scale(A, unscaled, (double[]){1 / far_factor(A.dtype), far_factor(A.dtype), 1});
}

static void mixed_rows(struct array A)
{
    scale(A, (double[]){1 / far_factor(A.dtype), far_factor(A.dtype), 1}, unscaled);
}

/* Returns a factor near the end of the range: its square overflows. */
static double extreme_factor(startile_dtype type)
{
    return is_single(type) ? 1e36 : 1e300;
}

static void largest(struct array A)
{
    scale(A, unscaled, (double[]){extreme_factor(A.dtype), 1, extreme_factor(A.dtype)});
}

static void smallest(struct array A)
{
    scale(A, unscaled, (double[]){1 / extreme_factor(A.dtype), 1, 1 / extreme_factor(A.dtype)});
}

const struct general full_rank[] = {
    {"graded, falling", falling, false},
    {"graded, rising", rising, false},
    {"nearly dependent", nearly_dependent, false},
    {"large", large, false},
    {"small", small, false},
    {NULL, NULL, false},
};

const struct general deficient[] = {
    {"zero columns", some_zero_columns, false},
    {"repeated columns", repeated, false},
    {"rank 5", rank_five, false},
    {"all zero", all_zero, false},
    {"ones", ones, false},
    {NULL, NULL, false},
};

const struct general mixed[] = {
    {"triangle", triangle, false},
    {"mixed columns", mixed_columns, false},
    {"mixed rows", mixed_rows, false},
    {NULL, NULL, false},
};

const struct general extremes[] = {
    {"largest", largest, false},
    {"smallest", smallest, false},
    {NULL, NULL, false},
};
