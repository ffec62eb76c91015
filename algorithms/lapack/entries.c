/* What the typed entries share; not compiled per type. */
#include "typed.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int start_status;

/* The library stays started until the program ends. If the caller starts it too, the calls nest. */
static void start(void)
{
    startile_options options;
    startile_options_default(&options);
    options.pause_when_idle = 1;
    start_status = startile_init(&options);
    if (start_status == 0)
        atexit(startile_finalize);
}

int lapack_start(void)
{
    pthread_once(&once, start);
    return start_status;
}

int lapack_wrap(struct problem *p, startile_dtype dtype, int64_t n, const void *a, int64_t lda,
                int64_t nrhs, void *b, int64_t ldb)
{
    *p = (struct problem){NULL, NULL};
    int status = lapack_start();
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
    return info;
}
