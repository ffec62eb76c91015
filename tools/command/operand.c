#include "operand.h"

#include "random.h"
#include "scalar.h"

#include <complex.h>

/* Returns the dimension that a letter or digit of struct operand's `letters` means. */
static int64_t dimension(char letter, const struct dimensions *d)
{
    int64_t least = d->m < d->n ? d->m : d->n;
    switch (letter) {
    case 'm':
        return d->m;
    case 'n':
        return d->n;
    case 'k':
        return d->k;
    case 's':
        return least;
    case 'g':
        return d->m + d->n - least;
    case 'p':
        return 5 * least;
    case 'q':
        return 5 * d->k;
    default:
        return letter - '0';
    }
}

int64_t operand_rows(const struct operand *o, const struct dimensions *d)
{
    return dimension(o->letters[1], d);
}

int64_t operand_columns(const struct operand *o, const struct dimensions *d)
{
    return dimension(o->letters[2], d);
}

size_t operand_size(const struct operand *o, startile_dtype dtype)
{
    const size_t real = dtype_is_single(dtype) ? sizeof(float) : sizeof(double);
    return o->element == INTEGERS ? sizeof(int64_t)
           : o->element == REALS  ? real
                                  : dtype_size(dtype);
}

bool operand_is_number(const struct operand *o)
{
    return o->letters[1] == '1' && o->letters[2] == '1';
}

int operand_count(const struct operand *operands)
{
    int count = 0;
    while (count < OPERANDS && operands[count].letters)
        count++;
    return count;
}

/* Returns a random element. startile_uniform() returns multiples of 2⁻²³, whose sums would be exact
 * in double precision; the division by 3 makes them inexact. */
static double _Complex random_element(startile_dtype dtype, uint64_t seed, int64_t i, int64_t j)
{
    double re = startile_uniform(seed, i, j, 0) / 3;
    return dtype_is_complex(dtype) ? CMPLX(re, startile_uniform(seed, i, j, 1) / 3) : re;
}

double _Complex operand_element(enum content content, startile_dtype dtype, double bump,
                                uint64_t seed, int64_t i, int64_t j)
{
    bool above = i < j, diagonal = i == j;
    switch (content) {
    case NOTHING:
        return 0;
    case FACTOR:
        return 0.75; /* exact in all types */
    case UNIFORM:
        break;
    case DEFINITE:
        return diagonal ? bump
               : above  ? conj(random_element(dtype, seed, j, i))
                        : random_element(dtype, seed, i, j);
    case HERMITIAN:
        return diagonal ? creal(random_element(dtype, seed, i, j))
               : above  ? conj(random_element(dtype, seed, j, i))
                        : random_element(dtype, seed, i, j);
    case SYMMETRIC:
        return above ? random_element(dtype, seed, j, i) : random_element(dtype, seed, i, j);
    case LOWER:
        return above ? 0 : random_element(dtype, seed, i, j) + (diagonal ? bump : 0);
    case DOMINANT:
        return random_element(dtype, seed, i, j) + (diagonal ? bump : 0);
    }
    return random_element(dtype, seed, i, j);
}
