#include "real.h"
#include "check.h"
#include "matrix_market.h"
#include "reference.h"
#include "scalar.h"

#include <stdio.h>
#include <stdlib.h>

struct array read_real(const char *name)
{
    const char *folder = getenv("STARTILE_TEST_DATA");
    char path[4096];
    struct mm_file f;
    void *a;
    snprintf(path, sizeof path, "%s/%s.mtx.gz", folder != NULL ? folder : "testing/data", name);
    if (!mm_open(&f, path) || !mm_read(&f, dtype, 1, &a))
        exit(1); /* after a report */
    struct array A = array_new(dtype, f.m, f.n, 5);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, element_get(dtype, a, (size_t)(i + j * A.m)));
    free(a);
    mm_close(&f);
    return A;
}

struct array row_sums(struct array A)
{
    struct array B = array_new(A.dtype, A.m, 1, 0), ones = array_new(A.dtype, A.n, 1, 0);
    for (int64_t i = 0; i < A.n; i++)
        set(ones, i, 0, 1);
    for (int64_t i = 0; i < A.m; i++)
        set(B, i, 0, 0);
    lapack(A)->gemm('N', 'N', 1, A, ones, 0, B);
    array_free(ones);
    return B;
}
