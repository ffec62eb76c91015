/*
 * Residuals of `startile bench`, from the formulas of the routines (residual.h). Elements of the
 * random matrices are computed where they are needed; results are read tile by tile.
 */
#include "bench.h"
#include "random.h"
#include "residual.h"
#include "scalar.h"
#include "startile_testing.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

/* A matrix after the operation, and the data that apply_q() needs */
struct result {
    startile_matrix *matrix;
    startile_reflectors *reflectors;
    startile_tree *tree;
    const struct library_data *data; /* pivots of the matrix, for solve() */
    bool in_rows;
    const struct problem *problem;
    int64_t *failure; /* first error of an access function; 0: none */
};

double _Complex random_element(startile_dtype dtype, const void *random_matrix, int64_t i,
                               int64_t j)
{
    const struct random_matrix *o = random_matrix;
    bool mirrored = o->kind != 'G' && i < j;
    int64_t row = mirrored ? j : i, column = mirrored ? i : j;
    double re = startile_uniform(o->seed, row, column, 0) + (i == j ? o->bump : 0), im = 0;
    if (dtype_is_complex(dtype) && !(o->kind == 'H' && i == j))
        im = startile_uniform(o->seed, row, column, 1);
    if (dtype_is_single(dtype))
        re = (float)re;
    return CMPLX(re, mirrored && o->kind == 'H' ? -im : im);
}

/* Keeps the status for check_result() if it is the first error: residual() returns NaN after any
 * error. Returns the status. */
static int64_t keep_failure(const struct result *r, int64_t status)
{
    if (*r->failure == 0)
        *r->failure = status;
    return status;
}

/* Calls the function for each tile of the result that this process owns. */
static int64_t for_tiles(const void *after, residual_tile_function *function, void *argument)
{
    const struct result *r = after;
    const startile_matrix *A = r->matrix;
    const struct ranks *ranks = r->problem->ranks;
    startile_shape shape = startile_matrix_shape(A);
    for (int64_t j = 0; j < shape.nt; j++)
        for (int64_t i = 0; i < shape.mt; i++) {
            if (ranks && startile_matrix_owner(A, i, j) != ranks->rank)
                continue;
            starpu_data_handle_t handle = startile_matrix_handle(A, i, j);
            /* STARPU_MAIN_RAM, because the home node may be a disk */
            if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R))
                return keep_failure(r, STARTILE_ERROR_STARPU);
            const struct residual_tile tile = {(const void *)starpu_matrix_get_local_ptr(handle),
                                               starpu_matrix_get_local_ld(handle),
                                               i * shape.mb,
                                               j * shape.nb,
                                               starpu_matrix_get_nx(handle),
                                               starpu_matrix_get_ny(handle)};
            function(&tile, argument);
            starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
        }
    return 0;
}

/* X := A⁻¹ X, for the Bunch–Kaufman factors of A, or those of Aasen's method */
static int64_t solve_with(const struct result *a, startile_matrix *X)
{
    const struct problem *p = a->problem;
    const struct library_data *x = a->data;
    bool is_hermitian = p->routine->operand[0].content == HERMITIAN;
    if (x->band)
        return (is_hermitian ? startile_hetrs_aa : startile_sytrs_aa)(p->uplo, a->matrix, x->pivots,
                                                                      x->band, x->band_pivots, X);
    return (is_hermitian ? startile_hetrs : startile_sytrs)(p->uplo, a->matrix, x->symmetric_pivots,
                                                            X);
}

/* X := op(Q) X, for the Q of a QR or LQ factorization or of a tree */
static int64_t apply_to(const struct result *q, char trans, startile_matrix *X)
{
    return q->tree      ? startile_unmqr_tree('L', trans, q->matrix, q->tree, X)
           : q->in_rows ? startile_unmlq('L', trans, q->matrix, q->reflectors, X)
                        : startile_unmqr('L', trans, q->matrix, q->reflectors, X);
}

/* Computes x := A⁻¹ x for trans 'S', else x := op(Q) x, with the library, in the working
 * precision. */
static int64_t apply(const struct result *q, char trans, int64_t rows, double _Complex *x)
{
    const struct ranks *ranks = q->problem->ranks;
    startile_shape s = startile_matrix_shape(q->matrix);
    startile_matrix *X = NULL;
    void *columns = malloc((size_t)rows * RESIDUAL_PROBES * dtype_size(s.dtype));
    if (columns)
        for (int64_t i = 0; i < rows * RESIDUAL_PROBES; i++)
            element_set(s.dtype, columns,
                        (size_t)(i / RESIDUAL_PROBES + i % RESIDUAL_PROBES * rows), x[i]);
    int64_t status = columns ? create_matrix(&X, q->problem, rows, RESIDUAL_PROBES,
                                             q->in_rows ? rows : s.mb, RESIDUAL_PROBES)
                             : STARTILE_ERROR_MEMORY;
    status = status ? status : startile_matrix_from_lapack(X, columns, rows);
    status = status ? status : trans == 'S' ? solve_with(q, X) : apply_to(q, trans, X);
    status = status ? status : startile_matrix_to_lapack(X, columns, rows);
    startile_matrix_destroy(X);
    for (int64_t i = 0; !status && i < rows * RESIDUAL_PROBES; i++)
        x[i] = element_get(s.dtype, columns,
                           (size_t)(i / RESIDUAL_PROBES + i % RESIDUAL_PROBES * rows));
    free(columns);
    if (!status && ranks) {
        /* only the first process has the result */
        if (ranks->rank > 0)
            memset(x, 0, (size_t)(rows * RESIDUAL_PROBES) * sizeof *x);
        ranks->sum((double *)x, 2 * rows * RESIDUAL_PROBES);
    }
    return status;
}

static int64_t apply_q(const void *after, char trans, int64_t rows, double _Complex *x)
{
    return keep_failure(after, apply(after, trans, rows, x));
}

static int64_t solve(const void *after, int64_t rows, double _Complex *x)
{
    return keep_failure(after, apply(after, 'S', rows, x));
}

/* Computes the LQ factorization of the first operand. Its Q shows how far a solution of least norm
 * is from the span of A's rows. */
static int64_t factor_rows(const struct problem *p, const struct random_matrix *o, int64_t *failure,
                           struct result *r)
{
    *r = (struct result){.in_rows = true, .problem = p, .failure = failure};
    int64_t status = create_matrix(&r->matrix, p, o->m, o->n, o->m, p->nb);
    status = status ? status : startile_random(o->kind, o->seed, o->bump, r->matrix);
    status = status ? status : startile_reflectors_create(&r->reflectors, r->matrix);
    return status ? status : startile_gelqf(r->matrix, r->reflectors);
}

int64_t check_result(const struct problem *p, const struct library_data *x, double *found)
{
    const struct ranks *ranks = p->ranks;
    const struct residual_access access = {random_element,
                                           for_tiles,
                                           apply_q,
                                           solve,
                                           .part = ranks ? ranks->rank : 0,
                                           .parts = ranks ? ranks->count : 1,
                                           .sum = ranks ? ranks->sum : NULL};
    const struct routine *routine = p->routine;
    struct random_matrix operand[MAX_OPERANDS];
    int64_t failure = 0;
    struct result result[MAX_OPERANDS], rows = {.matrix = NULL};
    bool in_rows = routine->traits & REFLECTORS_IN_ROWS, wide = routine->wide && p->m < p->n;
    struct residual_problem q = {.dtype = p->dtype,
                                 .uplo = p->uplo,
                                 .q_of_rows = in_rows || wide,
                                 .access = &access,
                                 .team = team_open(team_cores())};
    q.count = describe_operands(p, operand);
    for (int i = 0; i < q.count; i++) {
        result[i] = (struct result){x->matrix[i], x->reflectors, x->tree, x, in_rows, p, &failure};
        q.array[i] = (struct residual_array){.name = operand[i].name,
                                             .m = operand[i].m,
                                             .n = operand[i].n,
                                             .before = &operand[i],
                                             .after = &result[i]};
    }
    int64_t k = pivot_count(p), *ipiv = malloc((size_t)k * sizeof *ipiv);
    int64_t status = ipiv && q.team ? 0 : STARTILE_ERROR_MEMORY;
    if (!status && x->pivots)
        status = startile_pivots_to_lapack(x->pivots, ipiv);
    q.array[q.count++] = (struct residual_array){.name = 'P', .m = k, .n = 1, .after = ipiv};
    if (!status && wide)
        status = factor_rows(p, &operand[0], &failure, &rows);
    q.array[q.count++] = (struct residual_array){.name = 'F', .m = p->m, .n = p->n, .after = &rows};
    const char *formula = routine->tiled_formula ? routine->tiled_formula : routine->formula;
    if (!status)
        *found = residual(&q, wide                           ? routine->wide
                              : p->m > p->n && routine->tall ? routine->tall
                                                             : formula);
    free(ipiv);
    team_close(q.team);
    startile_matrix_destroy(rows.matrix);
    startile_reflectors_destroy(rows.reflectors);
    return status ? status : failure;
}
