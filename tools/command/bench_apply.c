/*
 * Matrix times vector on the host, tile by tile, in double precision: a check that shares no
 * kernel with the library.
 */
#include "bench.h"
#include "scalar.h"

#include <complex.h>
#include <starpu.h>

struct tile_data {
    startile_dtype dtype;
    const void *elements;
    int64_t ld, m, n;
    int64_t row, column; /* of the first element in the matrix */
};

/* Rows [first, end) of the tile's column j that count. */
static void column_range(const struct tile_data *t, enum apply_as as, char uplo, int64_t j,
                         int64_t *first, int64_t *end)
{
    int64_t diagonal = t->column + j - t->row;
    *first = 0;
    *end = t->m;
    if (as != APPLY_HERMITIAN && as != APPLY_TRIANGULAR)
        return;
    if (uplo == 'L')
        *first = diagonal < 0 ? 0 : diagonal > t->m ? t->m : diagonal;
    else
        *end = diagonal < 0 ? 0 : diagonal >= t->m ? t->m : diagonal + 1;
}

static void apply_column(const struct tile_data *t, enum apply_as as, char uplo, double scale,
                         int64_t j, const double _Complex *x, double _Complex *y)
{
    int64_t first, end, column = t->column + j;
    double _Complex across = 0, factor = scale * x[column];
    column_range(t, as, uplo, j, &first, &end);
    for (int64_t i = first; i < end; i++) {
        int64_t row = t->row + i;
        double _Complex a = element_get(t->dtype, t->elements, (size_t)(i + j * t->ld));
        if (as == APPLY_HERMITIAN && row == column)
            a = creal(a);
        if (as != APPLY_CONJUGATE_TRANSPOSE)
            y[row] += a * factor;
        if (as == APPLY_CONJUGATE_TRANSPOSE || (as == APPLY_HERMITIAN && row != column))
            across += conj(a) * x[row];
    }
    y[column] += scale * across;
}

static int64_t apply_tile(const startile_matrix *A, int64_t i, int64_t j, enum apply_as as,
                          char uplo, double scale, const double _Complex *x, double _Complex *y)
{
    startile_shape shape = startile_matrix_shape(A);
    starpu_data_handle_t handle = startile_matrix_handle(A, i, j);
    /* not at its home, which may be a disk */
    if (starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R))
        return STARTILE_ERROR_STARPU;
    struct tile_data t = {shape.dtype,
                          (const void *)starpu_matrix_get_local_ptr(handle),
                          starpu_matrix_get_local_ld(handle),
                          starpu_matrix_get_nx(handle),
                          starpu_matrix_get_ny(handle),
                          i * shape.mb,
                          j * shape.nb};
    for (int64_t c = 0; c < t.n; c++)
        apply_column(&t, as, uplo, scale, c, x, y);
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    return 0;
}

int64_t apply(const startile_matrix *A, enum apply_as as, char uplo, double scale,
              const double _Complex *x, double _Complex *y)
{
    startile_shape shape = startile_matrix_shape(A);
    bool one_triangle = as == APPLY_HERMITIAN || as == APPLY_TRIANGULAR;
    int64_t status = 0;
    for (int64_t j = 0; j < shape.nt && !status; j++)
        for (int64_t i = 0; i < shape.mt && !status; i++)
            if (!one_triangle || (uplo == 'L' ? i >= j : i <= j))
                status = apply_tile(A, i, j, as, uplo, scale, x, y);
    return status;
}
