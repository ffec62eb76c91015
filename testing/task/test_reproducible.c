/*
 * Tests that a routine gives the same bits in every run: with other numbers of workers, other
 * schedulers, one of which runs tasks in random order with delays, other tasks that read its tiles
 * at random times, matrices in tiles, in arrays of other alignments, and on a disk with less memory
 * than the matrix (main memory, or that of a GPU). On CPUs every second run has the option
 * reproducible, because the default mode gives the same bits; on GPUs all have it
 * (docs/reproducibility.md). STARTILE_TEST_RUNS is the number of runs, by default 63, but on CPUs
 * 35 in d and 14 in s, c and z. On CPUs each run starts the library, on GPUs every eighth, because
 * a start takes seconds there.
 */
#include "check.h"
#include "objects.h"
#include "random_scheduler.h"
#include "startile_batch.h"
#include "startile_disk.h"
#include "startile_mixed.h"
#include "triangles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* N: so that the disk's matrices are larger than memory_limit() on CPUs, except in single
 * precision; TALL: rows of which a team of threads shares the loops; LARGE_NB: tile width of
 * matrices larger than the limited memory of a GPU */
enum {
    N = 368,
    NB = 24,
    TALL = 3 * N,
    LARGE_NB = 96,
    LOW = 3 * NB,
    NRHS = 5,
    COUNT = 45,
    ORDER = 19
};

/* FNV-1a of 32-bit words; size: in bytes, a multiple of 4 */
static uint64_t hash_words(uint64_t hash, const void *words, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const char *)words + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32; /* bits of the word's upper half move down */
    }
    return hash;
}

static uint64_t hash_array(uint64_t hash, struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        hash = hash_words(hash, array_part(A, 0, j, A.m, 1).a, (size_t)A.m * element_size(A.dtype));
    return hash;
}

/* -- tasks of the program ---------------------------------------------------------------------- */

static void wait_a_moment(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
    usleep(any_below(300));
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
            startile_matrix_handle(A, any_below((unsigned)s.mt), any_below((unsigned)s.nt)),
            STARPU_PRIORITY, (int)any_below(2), 0);
}

/* -- routines ---------------------------------------------------------------------------------- */

/* Operands of a routine; A is `rows` × N. */
struct operands {
    startile_matrix *A, *B, *X, *T;
    startile_pivots *P;
    startile_permutation *permutation;
    startile_symmetric_pivots *symmetric_pivots;
    startile_request *r;
    struct found {
        int64_t rank;
        double estimate;
    } found; /* results for the host */
};

/* Define submit_NAME(). SUBMIT_TWO: the second call follows if the first returns 0. */
#define SUBMIT(name, call)                                                                         \
    static int submit_##name(struct operands *o)                                                   \
    {                                                                                              \
        return call;                                                                               \
    }
#define SUBMIT_TWO(name, first, second)                                                            \
    static int submit_##name(struct operands *o)                                                   \
    {                                                                                              \
        int failed = first;                                                                        \
        return failed != 0 ? failed : second;                                                      \
    }
SUBMIT(potrf, startile_potrf_async('L', o->A, o->r))
SUBMIT(posv, startile_posv_async('U', o->A, o->B, o->r))
SUBMIT_TWO(potri, startile_potrf_async('L', o->A, o->r), startile_potri_async('L', o->A, o->r))
SUBMIT(getrf, startile_getrf_async(o->A, o->P, o->r))
SUBMIT(getrf_tntpiv, startile_getrf_tntpiv_async(o->A, o->P, o->r))
SUBMIT(gesv, startile_gesv_async(o->A, o->P, o->B, 1, o->r))
SUBMIT_TWO(getri, startile_getrf_async(o->A, o->P, o->r), startile_getri_async(o->A, o->P, o->r))
SUBMIT(geqrf, startile_geqrf_async(o->A, reflectors_of(o->T), o->r))
SUBMIT(gels, startile_gels_async('N', o->A, o->B, o->r))
SUBMIT(pstrf, startile_pstrf_async('L', o->A, o->permutation, -1, &o->found.rank, o->r))
SUBMIT(sysv, startile_sysv_async('U', o->A, o->symmetric_pivots, o->B, o->r))
SUBMIT(geqp3, startile_geqp3_async(o->A, o->permutation, reflectors_of(o->T), o->r))
SUBMIT(geqp3_random,
       startile_geqp3_random_async(o->A, o->permutation, reflectors_of(o->T), 7, o->r))
SUBMIT(geqp3_rank, startile_geqp3_rank_async(o->A, o->permutation, reflectors_of(o->T), 0.5, N,
                                             &o->found.rank, o->r))

/* A square random matrix is deficient with this bound of the rank, a tall one is not. */
SUBMIT(gelsy, startile_gelsy_async(o->A, o->permutation, o->B, 0.02, &o->found.rank,
                                   &o->found.estimate, o->r))

/* The solvers in mixed precision have no routine for single precision. */
SUBMIT(gesv_mixed,
       is_single(dtype) ? 0 : startile_gesv_mixed_async(o->A, o->P, o->B, o->X, NULL, NULL, o->r))

static int submit_posv_mixed(struct operands *o)
{
    static const startile_mixed_options gmres = {.size = sizeof gmres,
                                                 .method = STARTILE_METHOD_GMRES};
    return is_single(dtype) ? 0
                            : startile_posv_mixed_async('L', o->A, o->B, o->X, &gmres, NULL, o->r);
}

SUBMIT(gels_mixed,
       is_single(dtype) ? 0 : startile_gels_mixed_async(o->A, o->B, o->X, NULL, NULL, o->r))

/* mb: A's tile height, lower than A in block columns: the bits in arrays are others without the
 * option; rows 0: A is larger than the limited memory of a GPU, and only for GPUs; on_disk: A may
 * be on a disk; rare: runs in every seventh run only */
static const struct routine {
    const char *name;
    int (*submit)(struct operands *o);
    bool is_definite, on_disk, rare;
    int64_t rows, mb;
} routines[] = {{"potrf", submit_potrf, true, true, false, N, NB},
                {"posv", submit_posv, true, false, true, N, NB},
                {"potri", submit_potri, true, false, true, N, NB},
                {"getrf", submit_getrf, false, true, false, N, N},
                {"getrf, low tiles", submit_getrf, false, false, true, N, LOW},
                {"getrf_tntpiv", submit_getrf_tntpiv, false, false, true, N, N},
                {"gesv", submit_gesv, false, false, false, N, N},
                {"getri", submit_getri, false, false, true, N, N},
                {"geqrf", submit_geqrf, false, true, false, N, N},
                {"gels", submit_gels, false, false, false, 2 * N, 2 * N},
                {"gels by a tree", submit_gels, false, false, true, 4 * N, 20 * NB},
                {"gesv_mixed", submit_gesv_mixed, false, false, true, N, N},
                {"posv_mixed, GMRES", submit_posv_mixed, true, false, true, N, NB},
                {"gels_mixed", submit_gels_mixed, false, false, true, 2 * N, 2 * N},
                {"pstrf", submit_pstrf, true, false, true, TALL, NB},
                {"sysv", submit_sysv, true, false, true, TALL, NB},
                {"geqp3", submit_geqp3, false, false, false, N, N},
                {"geqp3_random", submit_geqp3_random, false, false, true, 2 * N, 2 * N},
                {"geqp3_rank", submit_geqp3_rank, false, false, true, N, N},
                {"gelsy", submit_gelsy, false, false, true, TALL, TALL},
                {"gelsy, deficient", submit_gelsy, false, false, false, N, N},
                {"potrf, large", submit_potrf, true, true, true, 0, 0},
                {"getrf, large", submit_getrf, false, true, true, 0, 0},
                {"geqrf, large", submit_geqrf, false, true, true, 0, 0}};
enum { ROUTINES = sizeof routines / sizeof *routines, HASHES = ROUTINES + 1 };

/* Returns A's shape. A large one has about 90 MiB. */
static startile_shape shape_of(const struct routine *f)
{
    int64_t n = dtype == STARTILE_S ? 4800 : dtype == STARTILE_Z ? 2400 : 3400;
    if (f->rows == 0)
        return (startile_shape){
            .m = n, .n = n, .mb = f->is_definite ? LARGE_NB : n, .nb = LARGE_NB};
    return (startile_shape){.m = f->rows, .n = f->is_definite ? f->rows : N, .mb = f->mb, .nb = NB};
}

/* Data of one run */
struct setting {
    const char *disk; /* folder of the disk for A, or NULL */
    int64_t shift; /* 0: A is in tiles of the library, and arrays have aligned columns; else A is in
                      an array, and all arrays begin this many elements later */
    bool with_delays;
    int64_t per_task; /* matrices in a task of a batch, or 0 */
};

/* Returns a copy of `from` in an array whose first `shift` rows are not used. */
static struct array array_shifted(struct array from, int64_t shift)
{
    struct array store = array_new(from.dtype, from.m + shift, from.n, shift),
                 shifted = array_part(store, shift, 0, from.m, from.n);
    shifted.memory = store.memory;
    array_assign(from, shifted);
    return shifted;
}

/* Returns a random array in the storage of the setting. */
static struct array new_random(const struct setting *s, int64_t m, int64_t n)
{
    struct array random = array_new_random(dtype, m, n, 0),
                 shifted = array_shifted(random, s->shift);
    array_free(random);
    return shifted;
}

static startile_matrix *new_a(const struct routine *f, const struct setting *s, struct array a)
{
    startile_matrix *A;
    startile_shape q = shape_of(f);
    if (s->disk == NULL && s->shift > 0) {
        A = matrix_wrapped(dtype, q.m, q.n, a.a, a.ld, q.mb, q.nb);
        return A;
    }
    require_info(s->disk == NULL
                     ? startile_matrix_create(&A, dtype, q.m, q.n, q.mb, q.nb)
                     : startile_matrix_create_on_disk(&A, dtype, q.m, q.n, q.mb, q.nb, s->disk),
                 0);
    require_info(startile_matrix_from_lapack(A, a.a, a.ld), 0);
    return A;
}

/* Runs the routine on the operands, with other tasks on A if the setting has delays. Returns a hash
 * of the permutation and of the results for the host. */
static uint64_t run_on(const struct routine *f, const struct setting *s, struct operands *o)
{
    int64_t n = startile_matrix_shape(o->A).n, *jpvt = malloc((size_t)n * sizeof *jpvt);
    o->T = reflectors_created(o->A);
    o->P = pivots_created(o->A);
    require_info(startile_permutation_create(&o->permutation, o->A), 0);
    require_info(startile_symmetric_pivots_create(&o->symmetric_pivots, o->A), 0);
    o->r = request_created();
    if (s->with_delays)
        delay_tiles(o->A);
    require_info(f->submit(o), 0);
    if (s->with_delays)
        delay_tiles(o->A);
    require_info(startile_request_wait(o->r), 0);
    require(jpvt != NULL);
    require_info(startile_permutation_to_lapack(o->permutation, jpvt), 0);
    uint64_t hash = hash_words(5, &o->found, sizeof o->found);
    hash = hash_words(hash, jpvt, (size_t)n * sizeof *jpvt);
    free(jpvt);
    startile_request_destroy(o->r);
    startile_permutation_destroy(o->permutation);
    startile_symmetric_pivots_destroy(o->symmetric_pivots);
    startile_pivots_destroy(o->P);
    startile_matrix_destroy(o->T);
    return hash;
}

/* Runs the routine on random operands and returns a hash of its results. */
static uint64_t run(const struct routine *f, const struct setting *s)
{
    random_seed(3);
    startile_shape q = shape_of(f);
    struct array a = new_random(s, q.m, q.n), b = new_random(s, q.m, NRHS),
                 x = new_random(s, q.n, NRHS);
    for (int64_t i = 0; i < q.n && f->is_definite; i++)
        set(a, i, i, (double)q.n);
    struct operands o = {.A = new_a(f, s, a)};
    o.B = matrix_wrapped(dtype, q.m, NRHS, b.a, b.ld, q.mb, q.nb);
    o.X = matrix_wrapped(dtype, q.n, NRHS, x.a, x.ld, min(q.mb, q.n), q.nb);
    uint64_t hash = run_on(f, s, &o);
    require_info(startile_matrix_to_lapack(o.A, a.a, a.ld), 0);
    matrices_destroy(o.A, o.B, o.X);
    hash = hash_array(hash_array(hash_array(hash, a), b), x);
    arrays_free(a, b, x);
    return hash;
}

/* -- batches ----------------------------------------------------------------------------------- */

/* Returns a batch of COUNT matrices in a, of orders 1 … ORDER with `varies`, else of order ORDER;
 * of columns if a has COUNT columns only. */
static startile_batch *new_batch(struct array a, bool varies, int64_t per_task,
                                 const startile_batch *like)
{
    startile_batch *A;
    int64_t width = a.n / COUNT, m[COUNT], n[COUNT], ld[COUNT];
    void *each[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        m[i] = varies ? 1 + 7 * i % ORDER : ORDER;
        n[i] = min(m[i], width);
        ld[i] = a.ld;
        each[i] = array_part(a, 0, width * i, ORDER, width).a;
    }
    require_info(varies
                     ? startile_batch_wrap_sizes(&A, dtype, COUNT, m, n, each, ld, per_task, like)
                     : startile_batch_wrap(&A, dtype, COUNT, ORDER, width, a.a, a.ld, width * a.ld,
                                           per_task, like),
                 0);
    return A;
}

/* Returns a batch of columns of integers in memory[ORDER * COUNT], as long as the orders of
 * new_batch(). */
static startile_batch *new_pivots(int64_t *memory, bool varies, const startile_batch *A)
{
    startile_batch *P;
    int64_t m[COUNT], *each[COUNT];
    for (int64_t i = 0; i < COUNT; i++) {
        m[i] = varies ? 1 + 7 * i % ORDER : ORDER;
        each[i] = memory + ORDER * i;
    }
    require_info(startile_batch_wrap_integer_pointers(&P, COUNT, m, each, 0, A), 0);
    return P;
}

/* Runs Cholesky, LU, QR or QR with column pivoting of a batch and returns a hash of the results. On
 * GPUs the kernels depend on the largest matrix of a task. */
static uint64_t run_batch(int routine, bool varies, const struct setting *s)
{
    int64_t per_task = varies && backend != CPU ? 8 : s->per_task;
    random_seed(4);
    struct array a = new_random(s, ORDER, ORDER * COUNT), tau = array_new(dtype, ORDER, COUNT, 0);
    int64_t ipiv[ORDER * COUNT] = {0};
    for (int64_t i = 0; i < ORDER * COUNT && routine == 0; i++)
        set(a, i % ORDER, i, ORDER);
    array_fill(tau, 0);
    startile_batch *A = new_batch(a, varies, per_task, NULL), *I, *T = new_batch(tau, varies, 0, A),
                   *P = new_pivots(ipiv, varies, A);
    require_info(startile_batch_create_integers(&I, COUNT, 1, 0, A), 0);
    require_info(routine == 0   ? startile_potrf_batch('L', A, I)
                 : routine == 1 ? startile_getrf_batch(A, P, I)
                 : routine == 2 ? startile_geqrf_batch(A, T)
                                : startile_geqp3_batch(A, P, T),
                 0);
    startile_batch_destroy(I);
    startile_batch_destroy(P);
    startile_batch_destroy(T);
    startile_batch_destroy(A);
    uint64_t hash = hash_array(hash_array(hash_words(7, ipiv, sizeof ipiv), a), tau);
    arrays_free(a, tau);
    return hash;
}

/* Returns a hash of the results of run_batch(), of batches of one size and of several. */
static uint64_t run_batches(const struct setting *s)
{
    uint64_t hash = 0;
    for (int routine = 0; routine < 4; routine++)
        for (int varies = 0; varies < 2; varies++)
            hash = 31 * hash + run_batch(routine, varies, s);
    return hash;
}

/* -- tile shapes ------------------------------------------------------------------------------- */

enum { NAMES = 6, SHAPES = 2 * NAMES };

/* Requires the default tile shapes of earlier starts: with the option they depend neither on the
 * workers nor on memory. */
static void check_tile_shapes(int64_t first[SHAPES][2])
{
    static const char *const names[NAMES] = {"potrf", "getrf", "geqrf", "gels", "geqp3", "gelsy"};
    for (int f = 0; f < SHAPES; f++) {
        int64_t n = f < NAMES ? 300 : 6000, mb, nb;
        require_info(startile_tile_shape(names[f % NAMES], dtype, 3 * n, n, &mb, &nb), 0);
        if (first[f][0] == 0)
            first[f][0] = mb, first[f][1] = nb;
        require(mb == first[f][0] && nb == first[f][1]);
    }
}

/* -- starts ------------------------------------------------------------------------------------ */

/* Returns the number of runs after each start. */
static int runs_per_start(void)
{
    return backend == CPU ? 1 : 8;
}

/* Returns the memory for tiles in a limited run, in MiB: LU needs four block columns for each
 * worker, and StarPU allocates the memory of GPUs in chunks of 32 MiB. */
static const char *memory_limit(void)
{
    return backend != CPU ? "64" : dtype == STARTILE_Z ? "2" : "1";
}

static bool is_limited(int i)
{
    return i % 5 == 4;
}

/* Returns whether start i has the option reproducible. */
static bool is_reproducible(int i)
{
    return backend != CPU || i % 2 == 1;
}

static const char *const schedulers[] = {NULL, "eager", "random", "ws", "lws", "prio", "dmda"};
enum { SCHEDULERS = sizeof schedulers / sizeof *schedulers };

/* Returns whether start i has the policy of random_scheduler.h. */
static bool is_in_random_order(int i)
{
    return i % (SCHEDULERS + 1) == SCHEDULERS && !is_limited(i);
}

/* Starts StarPU with the policy of random_scheduler.h. */
static void start_in_random_order(const startile_options *o)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = o->ncpu;
    conf.ncuda = o->ncuda;
    conf.sched_policy = &random_scheduler;
    require(starpu_init(&conf) == 0);
}

/* Starts the library for the i-th time: with other numbers of workers and GPUs, and schedulers,
 * every fifth time with little memory for tiles. */
static void start(int i)
{
    startile_options o = check_options();
    o.scheduler = is_limited(i) ? NULL : schedulers[i % (SCHEDULERS + 1) % SCHEDULERS];
    o.ncpu = 1 + i % 3;
    o.reproducible = is_reproducible(i);
    if (backend != CPU) {
        o.ncuda = i % 3 == 0 ? 1 : -1;
        o.workers_per_cuda = 1 + i % 4;
        o.hybrid = i % 2; /* has no effect */
    }
    const char *variable = backend == CPU ? "STARPU_LIMIT_CPU_MEM" : "STARPU_LIMIT_CUDA_MEM";
    if (is_limited(i))
        setenv(variable, memory_limit(), 1);
    else
        unsetenv(variable);
    if (is_in_random_order(i))
        start_in_random_order(&o);
    require_info(startile_init(&o), 0);
}

static void stop(int i)
{
    startile_finalize();
    if (is_in_random_order(i))
        starpu_shutdown();
}

/* -- runs -------------------------------------------------------------------------------------- */

/* Returns whether a task of the routine needs a CPU worker. */
static bool needs_cpu(const struct routine *f)
{
    return f->submit == submit_geqp3_rank || f->submit == submit_gelsy;
}

/* Returns whether run i after the start `started` has routine f: not if it is rare, needs more
 * memory than there is, or needs the option or a CPU worker that is not there. */
static bool has_routine(int i, int started, const struct routine *f)
{
    if ((f->mb == LOW && !is_reproducible(started)) ||
        (needs_cpu(f) && starpu_cpu_worker_get_count() == 0))
        return false;
    if (f->rows == 0)
        return backend != CPU && i % (is_limited(started) ? 4 : 16) == 0;
    return is_limited(started) ? f->on_disk : !f->rare || i % 7 == 0;
}

/* Runs all routines and the batches in the setting of run i, and compares their hashes with those
 * of earlier runs. */
static void run_all(int i, const char *folder, uint64_t hash[HASHES], bool is_known[HASHES])
{
    static const int64_t per_task[] = {1, 8, 15, 0};
    int started = i / runs_per_start();
    struct setting s = {is_limited(started) ? folder : NULL, i % 4, (i + i / 4) % 2,
                        per_task[i % 4]};
    for (int f = 0; f < HASHES; f++) {
        in_case("%s, run %d", f == ROUTINES ? "batches" : routines[f].name, i);
        if (f < ROUTINES && !has_routine(i, started, &routines[f]))
            continue;
        uint64_t now = f == ROUTINES ? run_batches(&s) : run(&routines[f], &s);
        if (!is_known[f])
            hash[f] = now;
        is_known[f] = true;
        require(now == hash[f]);
    }
}

static void test_same_bits(void)
{
    uint64_t hash[HASHES];
    bool is_known[HASHES] = {false};
    int64_t shapes[SHAPES][2] = {{0}};
    char folder[] = "/tmp/startile-test-XXXXXX";
    require(mkdtemp(folder) != NULL);
    setenv("STARPU_SILENT", "1", 1);
    const char *text = getenv("STARTILE_TEST_RUNS");
    int runs = text != NULL ? atoi(text) : backend != CPU ? 63 : dtype == STARTILE_D ? 35 : 14;
    for (int i = 0; i < runs;) {
        int started = i / runs_per_start(), end = min(runs, i + runs_per_start());
        start(started);
        in_case("start %d", started);
        if (is_reproducible(started))
            check_tile_shapes(shapes);
        for (; i < end; i++)
            run_all(i, folder, hash, is_known);
        stop(started);
    }
    rmdir(folder);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    return run_group("reproducible", test_same_bits);
}
