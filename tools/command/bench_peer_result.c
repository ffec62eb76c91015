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
        status =
            startile_matrix_create(&data->matrix[i], p->dtype, o->m, o->n, operand_mb(p, o), p->nb);
        if (!status)
            status = startile_from_lapack(data->matrix[i], elements, at_least_1(o->m));
    }
    return status;
}

static int64_t take_reflectors(const struct problem *p, const struct reference *reference,
                               struct library_data *data)
{
    char storev = p->routine->reflectors == REFLECTORS_IN_ROWS ? 'R' : 'C';
    int64_t status = startile_reflectors_create(&data->reflectors, data->matrix[0]);
    if (!status)
        status = startile_reflectors_from_lapack(storev, data->matrix[0], reference->tau,
                                                 data->reflectors);
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
