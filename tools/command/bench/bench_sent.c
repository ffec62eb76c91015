/*
 * Bytes that a process of a p × q grid sends, at least. Elements are spread evenly, and the owner
 * of an element computes it. Then each element of a panel goes to the q − 1 other processes of its
 * row of the grid if they update elements of its row, and each of a block row to the p − 1 others
 * of its column: the mean process sends R (1 − 1/q) / p + C (1 − 1/p) / q elements for panels of R
 * and block rows of C elements in all. For Cholesky with R = C = n²/2 on p = q = √P this is n²/√P
 * less what is owned, the order of the lower bound n²/√P of Ballard, Demmel, Holtz and Schwartz
 * (Minimizing Communication in Numerical Linear Algebra) for a memory of n²/P elements per process.
 * Row interchanges and the search for pivots are not in it.
 */
#include "bench.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* Elements that travel along process rows and along process columns */
struct traffic {
    double rows, columns;
};

static struct traffic add(struct traffic a, struct traffic b)
{
    return (struct traffic){a.rows + b.rows, a.columns + b.columns};
}

/* L by rows, U by columns */
static struct traffic lu(double m, double n)
{
    double s = fmin(m, n);
    return (struct traffic){m * s - s * s / 2, n * s - s * s / 2};
}

/* The smaller of the triangle and the partial sums by rows, the solution by columns */
static struct traffic triangular_solve(double n, double k)
{
    return (struct traffic){fmin(n * n / 2, n * k), n * k};
}

/* The s reflectors of length m by rows. V^H C is summed over process columns, and goes back. */
static struct traffic reflect(double m, double s, double columns)
{
    return (struct traffic){m * s - s * s / 2, 2 * columns};
}

static struct traffic qr(double m, double n)
{
    double s = fmin(m, n);
    return reflect(m, s, n * s - s * s / 2);
}

static struct traffic swapped(struct traffic t)
{
    return (struct traffic){t.columns, t.rows};
}

static struct traffic traffic_of(const char *name, double m, double n, double k)
{
    struct traffic cholesky = {n * n / 2, n * n / 2}, solve = triangular_solve(n, k);
    struct traffic solves = add(solve, solve), unknown = {NAN, NAN};
    return !strcmp(name, "potrf")            ? cholesky
           : !strcmp(name, "potrs")          ? solves
           : !strcmp(name, "getrs")          ? solves
           : !strcmp(name, "posv")           ? add(cholesky, solves)
           : !strncmp(name, "getrf", 5)      ? lu(m, n)
           : !strcmp(name, "gesv")           ? add(lu(n, n), solves)
           : !strncmp(name, "geqrf", 5)      ? qr(m, n)
           : !strcmp(name, "gelqf")          ? swapped(qr(n, m))
           : !strcmp(name, "ormqr")          ? reflect(m, fmin(m, n), k * fmin(m, n))
           : !strcmp(name, "orgqr")          ? reflect(m, n, n * n / 2)
           : !strcmp(name, "gels") && m >= n ? add(add(qr(m, n), reflect(0, 0, k * n)), solve)
           : !strcmp(name, "gemm")           ? (struct traffic){m * k, k * n}
           : !strcmp(name, "herk")           ? (struct traffic){n * k, n * k}
           : !strcmp(name, "trsm")           ? solve
                                             : unknown;
}

double sent_by_formula(const struct problem *p, int rows, int columns)
{
    struct traffic t = traffic_of(p->routine->name, (double)p->m, (double)p->n, (double)p->k);
    return (double)dtype_size(p->dtype) *
           (t.rows * (1 - 1.0 / columns) / rows + t.columns * (1 - 1.0 / rows) / columns);
}
