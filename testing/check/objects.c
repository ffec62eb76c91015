#include "objects.h"
#include "check.h"
#include "triangles.h"

startile_matrix *matrix_created(startile_dtype type, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    startile_matrix *A = NULL;
    require_info(startile_matrix_create(&A, type, m, n, mb, nb), 0);
    return A;
}

startile_matrix *matrix_wrapped(startile_dtype type, int64_t m, int64_t n, void *a, int64_t ld,
                                int64_t mb, int64_t nb)
{
    startile_matrix *A = NULL;
    require_info(startile_matrix_wrap(&A, type, m, n, a, ld, mb, nb), 0);
    return A;
}

startile_matrix *array_wrapped(struct array A, int64_t mb, int64_t nb)
{
    return matrix_wrapped(A.dtype, A.m, A.n, A.a, A.ld, mb, nb);
}

startile_pivots *pivots_created(const startile_matrix *A)
{
    startile_pivots *P = NULL;
    require_info(startile_pivots_create(&P, A), 0);
    return P;
}

startile_matrix *reflectors_created(const startile_matrix *A)
{
    startile_matrix *T = NULL;
    require_info(new_triangles(&T, A), 0);
    return T;
}

startile_request *request_created(void)
{
    startile_request *r = NULL;
    require_info(startile_request_create(&r), 0);
    return r;
}

void matrices_destroy_all(size_t count, startile_matrix **A)
{
    for (size_t i = 0; i < count; i++)
        startile_matrix_destroy(A[i]);
}
