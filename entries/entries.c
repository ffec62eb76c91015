/* Functions that the typed entries share. Compiled once, not per type. */
#include "data/pointer.h"
#include "library/environment.h"
#include "library/library.h"
#include "memory/host_memory.h"
#include "models/tile_size.h"
#include "typed.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- the end of the program -------------------------------------------------------------------- */

/* Times after the begin of exit(), in seconds: exit() stops waiting for the calls of other threads,
 * and calls that they begin later return. One second suffices for the small calls of a loop, and a
 * program that ends should not compute for minutes. */
enum { END_WAIT = 1, END_REFUSAL = 2 };

/* Calls of typed entries that have begun and not ended. */
static atomic_int running;

/* Time of the first call of sleep_within(), shortly after the begin of exit() */
static struct timespec began;
static pthread_once_t once_at_exit = PTHREAD_ONCE_INIT;

static void note_time(void)
{
    clock_gettime(CLOCK_MONOTONIC, &began);
}

/* Sleeps for a millisecond. Returns whether fewer than `seconds` seconds have passed since the
 * first call of this function. */
static bool sleep_within(int seconds)
{
    struct timespec now;
    pthread_once(&once_at_exit, note_time);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec) <
           seconds;
}

/* Runs at exit, only once. Stops StarPU, unless calls still run: StarPU then ends with the process.
 */
static void stop_at_exit(void)
{
    static atomic_bool has_run;
    if (library_unusable_after_fork() || atomic_exchange(&has_run, true))
        return;
    library_note_exit();
    while (atomic_load(&running) > 0 && sleep_within(END_WAIT))
        ;
    if (atomic_load(&running) == 0)
        startile_finalize();
}

/* Registers stop_at_exit() again after 1, 2, 4, 8, … calls with GPUs. CUDA's libraries register
 * exit handlers of their own when a function of theirs is first used; handlers that are registered
 * later run earlier. */
static void register_again(void)
{
    static atomic_uint calls;
    unsigned count = atomic_fetch_add(&calls, 1) + 1;
    if ((count & (count - 1)) == 0 && startile_cuda_workers() > 0)
        atexit(stop_at_exit);
}

/* Delays the error of a call of another thread after exit() has begun. Normally the process ends
 * meanwhile: the thread does not see an error that its program would report. The delay ends,
 * because an exit handler may join the thread. */
static void delay_refusal(void)
{
    while (sleep_within(END_REFUSAL))
        ;
}

/* -- common to the entries --------------------------------------------------------------------- */

int check_host_array(const void *p, int64_t count, int at)
{
    return count > 0 && (p == NULL || is_gpu_memory(p)) ? -at : 0;
}

int lapack_enter(void)
{
    startile_options options;
    bool has_started = false;
    startile_options_default(&options, sizeof options);
    options.pause_when_idle = 1;
    atomic_fetch_add(&running, 1);
    int status = library_ends() ? STARTILE_ERROR_STARPU : library_enter(&options, &has_started);
    if (has_started) /* library_enter() has taken a second reference for stop_at_exit() */
        atexit(stop_at_exit);
    if (status != 0)
        atomic_fetch_sub(&running, 1);
    if (status != 0 && library_ends())
        delay_refusal();
    return status;
}

void lapack_leave(void)
{
    register_again();
    startile_finalize();
    atomic_fetch_sub(&running, 1);
}

int lapack_tiles(const char *routine, startile_dtype dtype, int64_t m, int64_t n, const void *a,
                 int64_t *mb, int64_t *nb)
{
    int64_t environment_nb;
    int status = environment_tile_width(&environment_nb);
    if (status == 0)
        status = tile_shape_for(routine, dtype, m, n, a, mb, nb);
    if (status == 0 && environment_nb > 0) {
        *mb = routine_has_square_tiles(routine) ? environment_nb : m > 1 ? m : 1;
        *nb = environment_nb;
    }
    return status;
}

void lapack_keep_small(startile_matrix *A, startile_matrix *B, startile_matrix *C)
{
    keep_small_on_cores(3, (startile_matrix *[]){A, B, C});
}

void lapack_page_lock(startile_matrix *A)
{
    page_lock(A);
}

bool lapack_solve_on_cores(int64_t n, int64_t nrhs, const void *a, const void *b, int64_t *mb,
                           int64_t *nb)
{
    bool in_host = !is_gpu_memory(a) && (b == NULL || !is_gpu_memory(b));
    int64_t environment_nb, tile = in_host ? tile_for_few(n, nrhs, *nb) : 0;
    if (tile == 0)
        return false;
    bool is_given = environment_tile_width(&environment_nb) == 0 && environment_nb > 0;
    *mb = *nb = is_given ? environment_nb : tile;
    return true;
}

/* Wraps a and b; on_cores: see keep_on_cores(). Returns 0 or an error. */
static int wrap_operands(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                         int64_t lda, int64_t nrhs, void *b, int64_t ldb, int64_t nb, bool on_cores)
{
    /* the cast drops const: operations that only read A take a const matrix */
    int status = startile_matrix_wrap(&p->A, dtype, n, n, (void *)a, lda, nb, nb);
    if (status == 0 && b != NULL)
        status = startile_matrix_wrap(&p->B, dtype, n, nrhs, b, ldb, nb, nb);
    if (on_cores && p->A != NULL)
        keep_on_cores(p->A);
    if (on_cores && p->B != NULL)
        keep_on_cores(p->B);
    if (!on_cores)
        lapack_page_lock(p->B);
    if (status == 0)
        lapack_keep_small(p->A, p->B, NULL);
    return status;
}

/* Begins an entry with square tiles; is_solve: a has factors already. */
static int begin_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                       int64_t lda, int64_t nrhs, void *b, int64_t ldb, bool is_solve)
{
    *p = (struct problem){.entered = false};
    int64_t nb;
    int status = lapack_enter();
    p->entered = status == 0;
    if (status == 0)
        status = lapack_tiles("potrf", dtype, n, n, a, &nb, &nb);
    if (status != 0)
        return status;
    bool on_cores = is_solve && lapack_solve_on_cores(n, nrhs, a, b, &nb, &nb);
    return wrap_operands(p, dtype, n, a, lda, nrhs, b, ldb, nb, on_cores);
}

int begin_square_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                       int64_t lda, int64_t nrhs, void *b, int64_t ldb)
{
    return begin_entry(p, dtype, n, a, lda, nrhs, b, ldb, false);
}

int begin_solve_entry(struct problem *p, startile_dtype dtype, int64_t n, const void *a,
                      int64_t lda, int64_t nrhs, void *b, int64_t ldb)
{
    return begin_entry(p, dtype, n, a, lda, nrhs, b, ldb, true);
}

int64_t end_entry(struct problem *p, int64_t info)
{
    startile_matrix_destroy(p->A);
    startile_matrix_destroy(p->B);
    startile_matrix_destroy(p->C);
    if (p->entered)
        lapack_leave();
    return info;
}
