/*
 * The result of `startile bench`'s peer, from LAPACK's storage into the library's hands, for the
 * same check as the library's own.
 */
#include "bench.h"
#include "scalar.h"

#include <complex.h>
#include <stdlib.h>

static int64_t at_least_1(int64_t n)
{
    return n > 1 ? n : 1;
}

static int64_t take_matrices(const struct operands *x, const struct reference *reference,
                             struct library_data *data, bool *complete)
{
    const struct problem *p = x->problem;
    int64_t status = 0;
    *complete = true;
    for (int i = 0; i < p->routine->operands && !status; i++) {
        const struct operand *o = &x->describe[i];
        const void *elements = o->result ? reference->result[i] : reference->input[i];
        *complete = *complete && (!o->result || elements);
        if (!elements)
            continue;
        status = startile_matrix_create(&data->matrix[i], p->dtype, o->m, o->n, p->mb, p->nb);
        if (!status)
            status = startile_from_lapack(data->matrix[i], elements, at_least_1(o->m));
    }
    return status;
}

/* *B := Aᴴ for m × n A, in tiles of its whole height and nb columns */
static int64_t make_transpose(const struct problem *p, const void *a, startile_matrix **B)
{
    int64_t m = p->m, n = p->n;
    void *b = malloc((size_t)m * (size_t)n * dtype_size(p->dtype));
    if (!b)
        return STARTILE_ERROR_MEMORY;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            element_set(p->dtype, b, (size_t)(j + i * n),
                        conj(element_get(p->dtype, a, (size_t)(i + j * m))));
    int64_t status = startile_matrix_create(B, p->dtype, n, m, n, p->nb);
    if (!status)
        status = startile_from_lapack(*B, b, n);
    free(b);
    return status;
}

/* The reflectors of LQ are rows of A; those of Aᴴ's QR are the same in columns. */
static int64_t take_reflectors(const struct problem *p, const struct reference *reference,
                               struct library_data *data)
{
    bool rows = p->routine->reflectors == REFLECTORS_IN_ROWS;
    startile_matrix *transpose = NULL;
    int64_t status = startile_reflectors_create(&data->reflectors, data->matrix[0]);
    if (!status && rows)
        status = make_transpose(p, reference->result[0], &transpose);
    if (!status)
        status = startile_reflectors_from_lapack(rows ? transpose : data->matrix[0], reference->tau,
                                                 data->reflectors);
    startile_matrix_destroy(transpose);
    return status;
}

int64_t result_take_over(const struct operands *x, const struct reference *reference,
                         struct library_data *data, bool *complete)
{
    *data = (struct library_data){.pivots = NULL};
    int64_t status = take_matrices(x, reference, data, complete);
    if (status || !data->matrix[0])
        return status;
    if (reference->tau)
        status = take_reflectors(x->problem, reference, data);
    if (status || !reference->ipiv)
        return status;
    status = startile_pivots_create(&data->pivots, data->matrix[0]);
    return status ? status : startile_pivots_from_lapack(data->pivots, reference->ipiv);
}

void result_free(struct library_data *data)
{
    for (int i = 0; i < MAX_OPERANDS; i++)
        startile_matrix_destroy(data->matrix[i]);
    startile_pivots_destroy(data->pivots);
    startile_matrix_destroy(data->reflectors);
}
