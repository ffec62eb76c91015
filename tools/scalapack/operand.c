/* Submatrices of distributed arrays, and the local parts of pivots and reflectors' scalars */
#include "scalapack.h"

#include "scalar.h"

#include <stdlib.h>
#include <string.h>

struct axis rows_of(const integer *desc, const struct context *c)
{
    return (struct axis){desc[MB_], desc[RSRC_], c->p, c->row};
}

struct axis columns_of(const integer *desc, const struct context *c)
{
    return (struct axis){desc[NB_], desc[CSRC_], c->q, c->col};
}

int owner(struct axis x, int64_t i)
{
    return (int)((i / x.nb + x.source) % x.processes);
}

/* position: distance of this process row (column) from that of the first block. The processes with
 * position < extra_blocks own one whole block more than the others; the next one owns the
 * incomplete last block. */
int64_t local_extent(struct axis x, int64_t n)
{
    int64_t blocks = n / x.nb, position = (x.mine - x.source + x.processes) % x.processes;
    int64_t own = blocks / x.processes * x.nb, extra_blocks = blocks % x.processes;
    return position < extra_blocks ? own + x.nb : position == extra_blocks ? own + n % x.nb : own;
}

int first_process_row(const struct operand *A, const struct context *c)
{
    return owner(rows_of(A->desc, c), *A->ia - 1);
}

int first_process_column(const struct operand *A, const struct context *c)
{
    return owner(columns_of(A->desc, c), *A->ja - 1);
}

/* Returns whether n > 0, the n indices from i on (1-based) are at most `total`, and the
 * distribution is valid. */
static bool contains(struct axis x, int64_t total, int64_t i, int64_t n)
{
    return x.nb > 0 && x.source >= 0 && x.source < x.processes && n > 0 && i > 0 &&
           i + n - 1 <= total;
}

bool is_usable(const struct operand *A, const struct context *c)
{
    enum { DENSE = 1 };
    const integer *desc = A->desc;
    struct axis rows = rows_of(desc, c);
    return desc[DTYPE_] == DENSE && contains(rows, desc[M_], *A->ia, A->m) &&
           contains(columns_of(desc, c), desc[N_], *A->ja, A->n) &&
           desc[LLD_] >= larger(1, local_extent(rows, desc[M_]));
}

bool is_aligned(const struct operand *A)
{
    return (*A->ia - 1) % A->desc[MB_] == 0 && (*A->ja - 1) % A->desc[NB_] == 0;
}

int wrap_blocks(struct operand *A, startile_dtype dtype, const struct context *c,
                startile_grid *grid)
{
    const integer *desc = A->desc;
    int64_t row = local_extent(rows_of(desc, c), *A->ia - 1);
    int64_t column = local_extent(columns_of(desc, c), *A->ja - 1);
    char *first = (char *)A->array + (row + column * desc[LLD_]) * (int64_t)dtype_size(dtype);
    return startile_matrix_wrap_local(&A->matrix, dtype, A->m, A->n, first, desc[LLD_], desc[MB_],
                                      desc[NB_], grid);
}

/* -- pivots and reflectors' scalars ------------------------------------------------------------ */

/* Allocates n elements, which are zeros. Returns NULL on all processes if memory does not suffice
 * on one. Collective. */
static void *new_array(const struct context *c, int64_t n, size_t size)
{
    void *array = calloc((size_t)n, size);
    if (agree(c, array != NULL, 0))
        return array;
    free(array);
    return NULL;
}

/* Sets the process' part of IPIV to P's pivots plus ia − 1: ScaLAPACK counts rows in the global
 * array, startile in the submatrix, which begins at row ia. */
int64_t pivots_to_local(startile_pivots *P, const struct operand *A, const struct context *c,
                        integer *ipiv)
{
    struct axis rows = rows_of(A->desc, c);
    int64_t n = smaller(A->m, A->n), before = *A->ia - 1;
    int64_t *pivots = new_array(c, n, sizeof *pivots);
    int64_t status = pivots == NULL ? STARTILE_ERROR_MEMORY : startile_pivots_to_lapack(P, pivots);
    for (int64_t i = 0; i < n && status == 0; i++)
        if (owner(rows, before + i) == rows.mine)
            ipiv[local_extent(rows, before + i)] = (integer)(before + pivots[i]);
    free(pivots);
    return status;
}

/* Sets P on every process to all pivots of IPIV. Each process fills in those of its process row and
 * 0 for the others; the maximum over the processes is IPIV, since pivots are at least 1. */
int64_t pivots_from_local(startile_pivots *P, const struct operand *A, const struct context *c,
                          const integer *ipiv)
{
    struct axis rows = rows_of(A->desc, c);
    int64_t n = smaller(A->m, A->n), before = *A->ia - 1;
    int64_t *pivots = new_array(c, n, sizeof *pivots);
    if (pivots == NULL)
        return NOT_CALLED;
    for (int64_t i = 0; i < n; i++)
        if (owner(rows, before + i) == rows.mine)
            pivots[i] = ipiv[local_extent(rows, before + i)] - before;
    MPI_Allreduce(MPI_IN_PLACE, pivots, (int)n, MPI_INT64_T, MPI_MAX, c->communicator);
    int64_t status = startile_pivots_from_lapack(P, pivots);
    free(pivots);
    return status;
}

/* Returns the axis over which TAU is distributed. *before := number of TAU's elements before those
 * of the submatrix. tau_i is on all processes of the process column that owns column i of A (QR,
 * storev 'C') or of the process row that owns row i (LQ). */
static struct axis axis_of_tau(const struct operand *A, const struct context *c, char storev,
                               int64_t *before)
{
    *before = storev == 'C' ? *A->ja - 1 : *A->ia - 1;
    return storev == 'C' ? columns_of(A->desc, c) : rows_of(A->desc, c);
}

/* Copies this process' part of all min(m, n) scalars to TAU. */
static void scalars_to_local(const char *all, const struct operand *A, const struct context *c,
                             startile_dtype dtype, char storev, void *tau)
{
    int64_t n = smaller(A->m, A->n), before;
    struct axis x = axis_of_tau(A, c, storev, &before);
    size_t size = dtype_size(dtype);
    for (int64_t j = 0; j < n; j++)
        if (owner(x, before + j) == x.mine)
            memcpy((char *)tau + (size_t)local_extent(x, before + j) * size, all + (size_t)j * size,
                   size);
}

int64_t reflectors_to_local(startile_reflectors *T, const struct operand *A,
                            const struct context *c, startile_dtype dtype, char storev, void *tau)
{
    char *all = new_array(c, smaller(A->m, A->n), dtype_size(dtype));
    int64_t status = all == NULL ? STARTILE_ERROR_MEMORY : startile_reflectors_to_lapack(T, all);
    if (status == 0)
        scalars_to_local(all, A, c, dtype, storev, tau);
    free(all);
    return status;
}

/* Sets this process' part of IPIV to jpvt plus ja − 1: ScaLAPACK counts columns in the global
 * array.
 */
static void permutation_to_local(const int64_t *jpvt, const struct operand *A,
                                 const struct context *c, integer *ipiv)
{
    struct axis columns = columns_of(A->desc, c);
    int64_t before = *A->ja - 1;
    for (int64_t j = 0; j < A->n; j++)
        if (owner(columns, before + j) == columns.mine)
            ipiv[local_extent(columns, before + j)] = (integer)(before + jpvt[j]);
}

int64_t pivoting_to_local(int64_t status, const startile_permutation *P, startile_reflectors *T,
                          const struct operand *A, const struct context *c, startile_dtype dtype,
                          integer *ipiv, void *tau)
{
    int64_t k = smaller(A->m, A->n);
    int64_t *jpvt = new_array(c, A->n, sizeof *jpvt);
    char *all = new_array(c, k, dtype_size(dtype));
    bool is_first = c->row == 0 && c->col == 0, is_allocated = jpvt != NULL && all != NULL;
    if (!is_allocated)
        status = STARTILE_ERROR_MEMORY;
    if (is_first && status == 0)
        status = startile_permutation_to_lapack(P, jpvt);
    if (is_first && status == 0)
        status = startile_reflectors_to_lapack(T, all);
    MPI_Bcast(&status, 1, MPI_INT64_T, 0, c->communicator);
    if (status == 0) {
        MPI_Bcast(jpvt, (int)A->n, MPI_INT64_T, 0, c->communicator);
        MPI_Bcast(all, (int)k * (dtype_is_complex(dtype) ? 2 : 1),
                  dtype_is_single(dtype) ? MPI_FLOAT : MPI_DOUBLE, 0, c->communicator);
        permutation_to_local(jpvt, A, c, ipiv);
        scalars_to_local(all, A, c, dtype, 'C', tau);
    }
    free(jpvt);
    free(all);
    return status;
}

/* Takes tau_j from the process that owns diagonal element j of A; the other processes add 0. */
int64_t reflectors_from_local(startile_reflectors *T, int64_t k, const struct operand *A,
                              const struct context *c, startile_dtype dtype, char storev,
                              const void *tau)
{
    int64_t before;
    struct axis x = axis_of_tau(A, c, storev, &before);
    struct axis rows = rows_of(A->desc, c), columns = columns_of(A->desc, c);
    size_t size = dtype_size(dtype);
    char *all = new_array(c, k, size);
    if (all == NULL)
        return NOT_CALLED;
    for (int64_t j = 0; j < k; j++)
        if (owner(rows, *A->ia - 1 + j) == rows.mine &&
            owner(columns, *A->ja - 1 + j) == columns.mine)
            memcpy(all + (size_t)j * size,
                   (const char *)tau + (size_t)local_extent(x, before + j) * size, size);
    MPI_Allreduce(MPI_IN_PLACE, all, (int)k * (dtype_is_complex(dtype) ? 2 : 1),
                  dtype_is_single(dtype) ? MPI_FLOAT : MPI_DOUBLE, MPI_SUM, c->communicator);
    int64_t status = startile_reflectors_from_lapack(storev, A->matrix, all, T);
    free(all);
    return status;
}
