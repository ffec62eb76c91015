/* What the typed entries share; not compiled per type. */
#include "codelets.h"
#include "typed.h"

#include <stdlib.h>

int lapack_enter(void)
{
    startile_options options;
    bool first = false;
    startile_options_default(&options);
    options.pause_when_idle = 1;
    int status = library_enter(&options, &first);
    /* what was started for this call stays until the program ends */
    if (first)
        atexit(startile_finalize);
    return status;
}

int lapack_wrap(struct problem *p, startile_dtype dtype, int64_t n, const void *a, int64_t lda,
                int64_t nrhs, void *b, int64_t ldb)
{
    *p = (struct problem){NULL, NULL, false};
    int status = lapack_enter();
    p->entered = status == 0;
    /* operations that only read A take a const matrix */
    if (status == 0)
        status = startile_matrix_wrap(&p->A, dtype, n, n, (void *)a, lda, 0, 0);
    if (status == 0 && b != NULL) {
        int64_t nb = startile_matrix_shape(p->A).nb;
        status = startile_matrix_wrap(&p->B, dtype, n, nrhs, b, ldb, nb, nb);
    }
    return status;
}

int64_t lapack_unwrap(struct problem *p, int64_t info)
{
    startile_matrix_destroy(p->A);
    startile_matrix_destroy(p->B);
    if (p->entered)
        startile_finalize();
    return info;
}
