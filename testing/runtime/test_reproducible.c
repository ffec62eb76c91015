/*
 * Tests that a routine gives the same bits in every run: with one worker and with several, other
 * schedulers, other tasks that read its tiles at random times, and matrices in memory and on a disk
 * with less memory than the matrix. On GPUs a matrix on a disk has bits of its own, the same in all
 * runs with a disk (docs/reproducibility.md). STARTILE_TEST_RUNS is the number of runs, by
 * default 15.
 */
#include "check.h"
#include "startile_batch.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* N: so that the disk's matrices are larger than 1 MiB in double precision */
enum { N = 368, NB = 24, NRHS = 5, COUNT = 45, ORDER = 19 };

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_array(uint64_t hash, struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        hash = hash_bytes(hash, array_part(A, 0, j, A.m, 1).a, (size_t)A.m * element_size(A.dtype));
    return hash;
}

/* -- tasks of the program ---------------------------------------------------------------------- */

/* Random numbers that differ from run to run */
static unsigned delay_seed;

static void wait_a_moment(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
    usleep((useconds_t)(rand_r(&delay_seed) % 300));
}

static struct starpu_codelet delays = {
    .cpu_funcs = {wait_a_moment}, .nbuffers = 1, .modes = {STARPU_R}, .name = "delay"};

/* Submits tasks that read random tiles of A, so that tasks that write them wait. */
static void delay_tiles(startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    for (int i = 0; i < 12; i++)
        starpu_task_insert(
            &delays, STARPU_R,
            startile_matrix_handle(A, rand_r(&delay_seed) % s.mt, rand_r(&delay_seed) % s.nt),
            STARPU_PRIORITY, rand_r(&delay_seed) % 2, 0);
}

/* -- routines ---------------------------------------------------------------------------------- */

/* Operands of a routine; A is `rows` × N. */
struct operands {
    startile_matrix *A, *B, *X, *T;
    startile_pivots *P;
    startile_request *r;
};

static int submit_potrf(struct operands *o)
{
    return startile_potrf_async('L', o->A, o->r);
}

static int submit_posv(struct operands *o)
{
    return startile_posv_async('U', o->A, o->B, o->r);
}

static int submit_potri(struct operands *o)
{
    int status = startile_potrf_async('L', o->A, o->r);
    return status != 0 ? status : startile_potri_async('L', o->A, o->r);
}

static int submit_getrf(struct operands *o)
{
    return startile_getrf_async(o->A, o->P, o->r);
}

static int submit_getrf_tntpiv(struct operands *o)
{
    return startile_getrf_tntpiv_async(o->A, o->P, o->r);
}

static int submit_gesv(struct operands *o)
{
    return startile_gesv_async(o->A, o->P, o->B, 1, o->r);
}

static int submit_getri(struct operands *o)
{
    int status = startile_getrf_async(o->A, o->P, o->r);
    return status != 0 ? status : startile_getri_async(o->A, o->P, o->r);
}

static int submit_geqrf(struct operands *o)
{
    return startile_geqrf_async(o->A, o->T, o->r);
}

static int submit_gels(struct operands *o)
{
    return startile_gels_async('N', o->A, o->B, o->r);
}

/* The solvers in mixed precision have no routine for single precision. */
static int submit_gesv_mixed(struct operands *o)
{
    return is_single(dtype) ? 0
                            : startile_gesv_mixed_async(o->A, o->P, o->B, o->X, NULL, NULL, o->r);
}

static int submit_posv_mixed(struct operands *o)
{
    static const startile_mixed_options gmres = {.method = STARTILE_METHOD_GMRES};
    return is_single(dtype) ? 0
                            : startile_posv_mixed_async('L', o->A, o->B, o->X, &gmres, NULL, o->r);
}

static int submit_gels_mixed(struct operands *o)
{
    return is_single(dtype) ? 0 : startile_gels_mixed_async(o->A, o->B, o->X, NULL, NULL, o->r);
}

/* mb: A's tile height; on_disk: A may be on a disk */
static const struct routine {
    const char *name;
    int (*submit)(struct operands *o);
    bool is_definite, on_disk;
    int64_t rows, mb;
} routines[] = {{"potrf", submit_potrf, true, true, N, NB},
                {"posv", submit_posv, true, false, N, NB},
                {"potri", submit_potri, true, false, N, NB},
                {"getrf", submit_getrf, false, true, N, N},
                {"getrf, low tiles", submit_getrf, false, false, N, 3 * NB},
                {"getrf_tntpiv", submit_getrf_tntpiv, false, false, N, N},
                {"gesv", submit_gesv, false, false, N, N},
                {"getri", submit_getri, false, false, N, N},
                {"geqrf", submit_geqrf, false, true, N, N},
                {"gels", submit_gels, false, false, 2 * N, 2 * N},
                {"gels by a tree", submit_gels, false, false, 8 * N, 30 * NB},
                {"gesv_mixed", submit_gesv_mixed, false, false, N, N},
                {"posv_mixed, GMRES", submit_posv_mixed, true, false, N, NB},
                {"gels_mixed", submit_gels_mixed, false, false, 2 * N, 2 * N}};
enum { ROUTINES = sizeof routines / sizeof *routines };

/* Runs the routine on random operands and returns a hash of its results. */
static uint64_t run(const struct routine *f, const char *disk, bool with_delays)
{
    struct operands o;
    random_seed(3);
    struct array a = array_new_random(dtype, f->rows, N, 0),
                 b = array_new_random(dtype, f->rows, NRHS, 0), x = array_new(dtype, N, NRHS, 0);
    array_fill(x, 0);
    for (int64_t i = 0; i < N && f->is_definite; i++)
        set(a, i, i, N);
    require_info(disk == NULL
                     ? startile_matrix_create(&o.A, dtype, f->rows, N, f->mb, NB)
                     : startile_matrix_create_on_disk(&o.A, dtype, f->rows, N, f->mb, NB, disk),
                 0);
    require_info(startile_matrix_wrap(&o.B, dtype, f->rows, NRHS, b.a, b.ld, f->mb, NB), 0);
    require_info(startile_matrix_wrap(&o.X, dtype, N, NRHS, x.a, x.ld, f->mb < N ? f->mb : N, NB),
                 0);
    require_info(startile_from_lapack(o.A, a.a, a.ld), 0);
    require_info(startile_reflectors_create(&o.T, o.A), 0);
    require_info(startile_pivots_create(&o.P, o.A), 0);
    require_info(startile_request_create(&o.r), 0);
    if (with_delays)
        delay_tiles(o.A);
    require_info(f->submit(&o), 0);
    if (with_delays)
        delay_tiles(o.A);
    require_info(startile_wait(o.r), 0);
    require_info(startile_to_lapack(o.A, a.a, a.ld), 0);
    startile_request_destroy(o.r);
    startile_pivots_destroy(o.P);
    startile_matrix_destroy(o.T);
    startile_matrix_destroy(o.A);
    startile_matrix_destroy(o.B);
    startile_matrix_destroy(o.X);
    uint64_t hash = hash_array(hash_array(hash_array(5, a), b), x);
    arrays_free(a, b, x);
    return hash;
}

/* Returns a hash of the results of LU, QR and Cholesky of a batch, per_task matrices in a task. */
static uint64_t run_batches(int64_t per_task)
{
    uint64_t hash = 7;
    for (int routine = 0; routine < 3; routine++) {
        random_seed(4);
        struct array a = array_new_random(dtype, ORDER, ORDER * COUNT, 0),
                     tau = array_new(dtype, ORDER, COUNT, 0);
        int64_t ipiv[ORDER * COUNT] = {0}, info[COUNT];
        startile_batch *A, *P, *I, *T;
        for (int64_t i = 0; i < ORDER * COUNT && routine == 0; i++)
            set(a, i % ORDER, i, ORDER);
        array_fill(tau, 0);
        require_info(startile_batch_wrap(&A, dtype, COUNT, ORDER, ORDER, a.a, a.ld, ORDER * a.ld,
                                         per_task, NULL),
                     0);
        require_info(startile_batch_wrap_integers(&P, COUNT, ORDER, ipiv, ORDER, per_task, A), 0);
        require_info(startile_batch_wrap_integers(&I, COUNT, 1, info, 1, per_task, A), 0);
        require_info(
            startile_batch_wrap(&T, dtype, COUNT, ORDER, 1, tau.a, tau.ld, tau.ld, per_task, A), 0);
        require_info(routine == 0   ? startile_potrf_batch('L', A, I)
                     : routine == 1 ? startile_getrf_batch(A, P, I)
                                    : startile_geqrf_batch(A, T),
                     0);
        startile_batch_destroy(A);
        startile_batch_destroy(P);
        startile_batch_destroy(I);
        startile_batch_destroy(T);
        hash = hash_array(hash_array(hash_bytes(hash, ipiv, sizeof ipiv), a), tau);
        arrays_free(a, tau);
    }
    return hash;
}

/* -- runs -------------------------------------------------------------------------------------- */

/* Starts the library for run i: other numbers of workers and schedulers, every fifth time with 1
 * MiB of memory and matrices on a disk. */
static void start(int i)
{
    static const char *const schedulers[] = {NULL, "eager", "random", "ws", "lws", "prio", "dmda"};
    startile_options o = check_options();
    o.scheduler = schedulers[i % 7];
    o.pause_when_idle = 0;
    if (backend == CPU)
        o.ncpu = 1 + i % 3;
    else
        o.workers_per_cuda = 1 + i % 4, o.ncpu = 1, /* for the delays */
            o.implementation = STARTILE_OWN;
    if (i % 5 == 4)
        setenv("STARPU_LIMIT_CPU_MEM", "1", 1);
    else
        unsetenv("STARPU_LIMIT_CPU_MEM");
    require_info(startile_init(&o), 0);
}

static void test_same_bits(void **state)
{
    (void)state;
    uint64_t first[2][ROUTINES + 1]; /* in memory; on a disk */
    bool is_known[2] = {false, false};
    char folder[] = "/tmp/startile-test-XXXXXX";
    require(mkdtemp(folder) != NULL);
    delay_seed = (unsigned)getpid();
    const char *text = getenv("STARTILE_TEST_RUNS");
    int runs = text == NULL ? 15 : atoi(text);
    for (int i = 0; i < runs; i++) {
        start(i);
        int place = backend != CPU && i % 5 == 4;
        for (int f = 0; f <= ROUTINES; f++) {
            bool is_batch = f == ROUTINES, is_limited = i % 5 == 4;
            in_case("%s, run %d", is_batch ? "batches" : routines[f].name, i);
            if (is_limited && !is_batch && !routines[f].on_disk)
                continue;
            uint64_t hash = is_batch ? run_batches(i % 4 == 3 ? 0 : 7 * (i % 4) + 1)
                                     : run(&routines[f], is_limited ? folder : NULL, i % 2);
            if (!is_known[place])
                first[place][f] = hash;
            require(hash == first[place][f]);
        }
        is_known[place] = true;
        startile_finalize();
    }
    rmdir(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits)};
    check_arguments(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
