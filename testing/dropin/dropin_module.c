/* A module of a wheel */
#include "dropin_wheel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int64_t factor(int64_t n, double *root)
{
    const integer order = (integer)n, ld = order > 0 ? order : 1;
    integer info = (integer)WRONG;
    double *a = calloc((size_t)ld * (size_t)ld, sizeof *a);
    if (a == NULL)
        return WRONG;
    for (integer i = 0; i < order; i++)
        a[i * (ld + 1)] = 4;
    SYMBOL(dpotrf)("L", &order, a, &ld, &info, 1);
    *root = a[0];
    free(a);
    return info;
}

/* Returns whether the pivots and the solution of exchange() are right: row i is exchanged with row
 * n − 1 − i in the first half of the steps, with itself in the others, and b is reversed. */
static bool is_exchange(integer n, const integer *ipiv, const double *b)
{
    bool good = true;
    for (integer i = 0; i < n; i++)
        good = good && ipiv[i] == (i < n / 2 ? n - i : i + 1) && b[i] == (double)(n - 1 - i);
    return good;
}

static int64_t exchange(int64_t n)
{
    const integer order = (integer)n, one = 1;
    integer info = (integer)WRONG;
    double *a = calloc((size_t)(n * n), sizeof *a), *b = calloc((size_t)n, sizeof *b);
    integer *ipiv = calloc((size_t)n, sizeof *ipiv);
    bool good = a != NULL && b != NULL && ipiv != NULL;
    for (integer i = 0; good && i < order; i++) {
        a[i * order + order - 1 - i] = 1;
        b[i] = (double)i;
    }
    if (good)
        SYMBOL(dgesv)(&order, &one, a, &order, ipiv, b, &order, &info);
    good = good && (info != 0 || is_exchange(order, ipiv, b));
    free(a);
    free(b);
    free(ipiv);
    return good ? info : WRONG;
}

static int64_t invert(void)
{
    const integer one = 1;
    integer info = (integer)WRONG;
    double a = 2;
    SYMBOL(dtrtri)("L", "N", &one, &a, &one, &info, 1, 1);
    return a == 0.5 ? info : WRONG;
}

extern const struct module module;
const struct module module = {factor, exchange, invert};
