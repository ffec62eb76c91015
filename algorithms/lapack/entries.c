/* Functions that the typed entries share. Compiled once, not per type. */
#include "codelets.h"
#include "typed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Process that owns StarPU's threads. A child of fork() has no such threads and must not wait for
 * them. */
static pid_t owner_pid;

static void stop_at_exit(void)
{
    if (getpid() == owner_pid)
        startile_finalize();
}

int check_host_array(const void *p, int64_t count, int at)
{
    return count > 0 && (p == NULL || is_gpu_memory(p)) ? -at : 0;
}

int lapack_enter(void)
{
    startile_options options;
    bool has_started = false;
    startile_options_default(&options);
    options.pause_when_idle = 1;
    int status = library_enter(&options, &has_started);
    if (has_started) {
        /* library_enter() has taken a second reference, which stop_at_exit() gives back */
        owner_pid = getpid();
        atexit(stop_at_exit);
    }
    return status;
}

int lapack_tiles(const char *routine, startile_dtype dtype, int64_t m, int64_t n, const void *a,
                 int64_t *mb, int64_t *nb)
{
    int64_t environment_nb;
    int status = environment_tile_width(&environment_nb);
    if (status == 0)
        status = is_gpu_memory(a) ? startile_tile_shape(routine, dtype, m, n, mb, nb)
                                  : startile_tile_shape_in_host(routine, dtype, m, n, mb, nb);
    if (status == 0 && environment_nb > 0) {
        bool square = strcmp(routine, "potrf") == 0;
        *mb = square ? environment_nb : m > 1 ? m : 1;
        *nb = environment_nb;
    }
    return status;
}

void lapack_page_lock(startile_matrix *A)
{
    page_lock(A);
}

int begin_cholesky_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                         int64_t lda, int64_t nrhs, void *b, int64_t ldb)
{
    *p = (struct problem){NULL, NULL, false};
    int64_t nb;
    int status = lapack_enter();
    p->entered = status == 0;
    if (status == 0)
        status = lapack_tiles("potrf", dtype, n, n, a, &nb, &nb);
    /* the cast drops const: operations that only read A take a const matrix */
    if (status == 0)
        status = startile_matrix_wrap(&p->A, dtype, n, n, (void *)a, lda, nb, nb);
    if (status == 0 && b != NULL)
        status = startile_matrix_wrap(&p->B, dtype, n, nrhs, b, ldb, nb, nb);
    lapack_page_lock(p->B);
    return status;
}

int64_t end_cholesky_entry(struct problem *p, int64_t info)
{
    startile_matrix_destroy(p->A);
    startile_matrix_destroy(p->B);
    if (p->entered)
        startile_finalize();
    return info;
}
