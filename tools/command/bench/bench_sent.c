/*
 * Least mean number of bytes that a process of a p × q grid sends, if elements are spread evenly
 * and the owner of an element computes it. Each element of a panel goes to the q − 1 other
 * processes of its process row if they update elements of its row. Each element of a block row goes
 * to the p − 1 other processes of its process column. The mean process sends R (1 − 1/q) / p + C (1
 * − 1/p) / q elements, where all panels together have R elements and all block rows C elements.
 *
 * For Cholesky R = C = n²/2, so on p = q = √P a process sends (1 − 1/√P) n²/√P elements. This has
 * the order of the lower bound n²/√P of Ballard, Demmel, Holtz and Schwartz (Minimizing
 * Communication in Numerical Linear Algebra) for a memory of n²/P elements per process. Row
 * interchanges and the search for pivots are not counted.
 *
 * On a symmetric grid of order r the owners of row i of tiles and those of column i are the same r
 * − 1 processes (r with r²/2 processes), so that each element goes to r − 2 (r − 1) others, and the
 * elements of Cholesky's panels and of A in A Aᴴ go there once, not along rows and columns.
 * (Beaumont et al., SC22)
 */
#include "bench.h"
#include "scalar.h"

#include <math.h>
#include <string.h>

/* Elements that are sent along process rows, and along process columns */
struct traffic {
    double rows, columns;
};

static struct traffic add_traffic(struct traffic a, struct traffic b)
{
    return (struct traffic){a.rows + b.rows, a.columns + b.columns};
}

/* Returns the traffic of LU: L along process rows, U along process columns. */
static struct traffic lu_traffic(double m, double n)
{
    double s = fmin(m, n);
    return (struct traffic){m * s - s * s / 2, n * s - s * s / 2};
}

/* Returns the traffic of a triangular solve: along process rows the triangle or the partial sums,
 * whichever is smaller; along process columns the solution. */
static struct traffic solve_traffic(double n, double k)
{
    return (struct traffic){fmin(n * n / 2, n * k), n * k};
}

/* Returns the traffic of applying s reflectors of length m: the reflectors along process rows;
 * along process columns V^H C, which is summed and sent back. product: elements of V^H C */
static struct traffic reflector_traffic(double m, double s, double product)
{
    return (struct traffic){m * s - s * s / 2, 2 * product};
}

/* Returns the traffic of QR: its reflectors are applied to the columns on their right. */
static struct traffic qr_traffic(double m, double n)
{
    double s = fmin(m, n);
    return reflector_traffic(m, s, n * s - s * s / 2);
}

/* Returns the traffic of the transposed matrix. */
static struct traffic swapped(struct traffic t)
{
    return (struct traffic){t.columns, t.rows};
}

/* Returns the routine's traffic. sends_once: the processes of row i are those of column i. gels:
 * its solve applies the reflectors once more, to B, for which only V^H B travels: the factorization
 * has sent the reflectors. */
static struct traffic traffic_of(const char *name, double m, double n, double k, bool sends_once)
{
    struct traffic cholesky = {n * n / 2, sends_once ? 0 : n * n / 2}, solve = solve_traffic(n, k);
    struct traffic herk = {n * k, sends_once ? 0 : n * k}, solves = add_traffic(solve, solve),
                   unknown = {NAN, NAN};
    return !strcmp(name, "potrf")       ? cholesky
           : !strcmp(name, "potrs")     ? solves
           : !strcmp(name, "getrs")     ? solves
           : !strcmp(name, "posv")      ? add_traffic(cholesky, solves)
           : !strncmp(name, "getrf", 5) ? lu_traffic(m, n)
           : !strcmp(name, "gesv")      ? add_traffic(lu_traffic(n, n), solves)
           : !strncmp(name, "geqrf", 5) ? qr_traffic(m, n)
           : !strcmp(name, "gelqf")     ? swapped(qr_traffic(n, m))
           : !strcmp(name, "ormqr")     ? reflector_traffic(m, fmin(m, n), k * fmin(m, n))
           : !strcmp(name, "orgqr")     ? reflector_traffic(m, n, n * n / 2)
           : !strcmp(name, "gels") && m >= n
               ? add_traffic(add_traffic(qr_traffic(m, n), reflector_traffic(0, 0, k * n)), solve)
           : !strcmp(name, "gemm") ? (struct traffic){m * k, k * n}
           : !strcmp(name, "herk") ? herk
           : !strcmp(name, "trsm") ? solve
                                   : unknown;
}

double sent_by_formula(const struct problem *p, int rows, int columns)
{
    struct traffic t =
        traffic_of(p->routine->name, (double)p->m, (double)p->n, (double)p->k, false);
    return (double)dtype_size(p->dtype) *
           (t.rows * (1 - 1.0 / columns) / rows + t.columns * (1 - 1.0 / rows) / columns);
}

double sent_on_symmetric_grid(const struct problem *p, int order, int processes)
{
    struct traffic t = traffic_of(p->routine->name, (double)p->m, (double)p->n, (double)p->k, true);
    int receivers = 2 * processes == order * order ? order - 1 : order - 2;
    return (double)dtype_size(p->dtype) * (t.rows + t.columns) * receivers / processes;
}
