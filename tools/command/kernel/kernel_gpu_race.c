/*
 * Measures one kernel at one shape. All implementations and the peer run in turn, so that the GPU's
 * clocks are the same for all. Before each run the arrays are evicted from the L2 cache.
 */
#include "command.h"
#include "kernel.h"
#include "measure.h"
#include "peer/peer_cuda_state.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* limit of the difference to the peer's result, as of residuals (CONTRIBUTING.md, Correctness) */
static const double largest_difference = 30;

/* Arithmetic of a contender's products in single precision */
struct arithmetic {
    startile_products products;
    double roundoff; /* unit roundoff of the operands, in units of the type's unit roundoff */
};

/* Returns the arithmetic of contender `who`. */
static struct arithmetic arithmetic_of(int who)
{
    static const struct arithmetic of[PEER] = {
        [OWN] = {STARTILE_PRODUCTS_PLAIN, 1},      [VENDOR] = {STARTILE_PRODUCTS_PLAIN, 1},
        [SPLIT] = {STARTILE_PRODUCTS_SPLIT, 1},    [FP16X2] = {STARTILE_PRODUCTS_FP16X2, 4},
        [FP16] = {STARTILE_PRODUCTS_FP16, 0x1p13}, [BF16] = {STARTILE_PRODUCTS_BF16, 0x1p16},
        [TF32] = {STARTILE_PRODUCTS_TF32, 0x1p14}};
    return of[who];
}

/* -- arrays --------------------------------------------------------------------------------- */

static const struct operand *operand_of(const struct trial *t, int i)
{
    return &t->kernel->operand[i];
}

static bool is_random(const struct operand *o)
{
    return o->content != NOTHING;
}

static startile_symmetry symmetry_of(const struct operand *o)
{
    bool hermitian = o->content == HERMITIAN || o->content == DEFINITE;
    return hermitian ? STARTILE_HERMITIAN : STARTILE_GENERAL;
}

/* Returns the value that is added to the diagonal: for DEFINITE, DOMINANT and LOWER more than the
 * norm of a random matrix, so that the sum is well-conditioned, and positive definite if Hermitian;
 * for other contents 0. */
static double diagonal_bump(const struct operand *o, int n)
{
    bool has_bump = o->content == DEFINITE || o->content == DOMINANT || o->content == LOWER;
    return has_bump ? 2 * sqrt(n) + 1 : 0;
}

/* Fills array i with random elements times 1/3. The random elements are multiples of 2⁻²³, so that
 * their products might be exact; products of their thirds are rounded. LOWER: sets the upper
 * triangle, which begins in column 1, to zero */
static int fill(struct trial *t, int i)
{
    const struct operand *o = operand_of(t, i);
    const struct array *a = &t->array[i];
    const startile_kernels *K = t->library->faster[t->shape.dtype];
    const startile_scalar zero = {0, 0}, third = {1 / 3.0, 0};
    const int n = a->n * (o->piecewise ? t->shape.pieces : 1);
    char *upper = (char *)a->device + (size_t)a->m * dtype_size(t->shape.dtype);
    return library_check("random",
                         K->random(t->exec, symmetry_of(o), (uint64_t)i + 1, diagonal_bump(o, n), 0,
                                   0, a->m, n, a->device, a->m)) ||
           library_check("geadd", K->geadd(t->exec, a->m, n, third, a->device, a->m, zero,
                                           a->device, a->m)) ||
           (o->content == LOWER && library_check("laset", K->laset(t->exec, 'U', a->m - 1, n - 1, 0,
                                                                   zero, zero, upper, a->m)));
}

/* Allocates and fills array i. */
static int open_array(struct trial *t, int i)
{
    const struct operand *o = operand_of(t, i);
    struct array *a = &t->array[i];
    bool has_integers = o->element == INTEGERS && o->read;
    a->integers = has_integers ? calloc(1, a->bytes) : NULL;
    return library_check("malloc", has_integers && !a->integers ? STARTILE_ERROR_MEMORY : 0) ||
           cuda_peer_alloc(&a->device, a->bytes) || (is_random(o) && fill(t, i)) ||
           (o->written && is_random(o) &&
            (cuda_peer_alloc(&a->original, a->bytes) ||
             CUDA(cudaMemcpyAsync(a->original, a->device, a->bytes, cudaMemcpyDeviceToDevice,
                                  cuda_peer.stream))));
}

/* Prepares the arrays of the trial. close_trial() must follow, also after a failure. */
static int open_trial(struct trial *t)
{
    t->library = startile_cuda_access_get();
    t->exec = t->library->exec_create(cuda_peer.stream, NULL);
    int failed = library_check("exec_create", t->exec ? 0 : STARTILE_ERROR_MEMORY) ||
                 CUDA(cudaMallocHost((void **)&t->status, sizeof *t->status));
    for (int i = 0; i < t->arrays && !failed; i++)
        failed = open_array(t, i);
    failed = failed || (t->kernel->prepare && library_check("preparing", t->kernel->prepare(t)));
    for (int i = 0; i < t->arrays && !failed; i++)
        failed = t->array[i].integers &&
                 cuda_peer_to_device(t->array[i].device, t->array[i].integers, t->array[i].bytes);
    return failed || cuda_peer_wait();
}

static void close_trial(struct trial *t)
{
    if (t->exec)
        t->library->exec_destroy(t->exec);
    for (int i = 0; i < t->arrays; i++) {
        struct array *a = &t->array[i];
        cuda_peer_free(a->device);
        cuda_peer_free(a->original);
        free(a->integers);
    }
    cuda_peer_free(t->peer_data);
    if (t->status)
        cudaFreeHost(t->status);
}

/* Enqueues the restoration of the arrays that the kernel changes. Arrays that it only writes become
 * NaN. */
static int restore(struct trial *t)
{
    int failed = 0;
    for (int i = 0; i < t->arrays && !failed; i++) {
        const struct operand *o = operand_of(t, i);
        struct array *a = &t->array[i];
        if (o->written && !is_random(o))
            failed = CUDA(cudaMemsetAsync(a->device, 0xff, a->bytes, cuda_peer.stream));
        else if (o->written)
            failed = CUDA(cudaMemcpyAsync(a->device, a->original, a->bytes,
                                          cudaMemcpyDeviceToDevice, cuda_peer.stream));
    }
    return failed;
}

/* -- check ---------------------------------------------------------------------------------- */

/* Returns the first array that the kernel writes. */
static const struct array *result_of(const struct trial *t)
{
    int i = 0;
    while (!operand_of(t, i)->written)
        i++;
    return &t->array[i];
}

/* Copies the result to `to` in main memory. */
static int fetch_result(const struct trial *t, void *to)
{
    const struct array *a = result_of(t);
    return cuda_peer_to_host(to, a->device, a->bytes) || cuda_peer_wait();
}

/* Returns ||X − Y|| / (d ||Y|| eps) of the own result X and the peer's Y, in Frobenius norms; d:
 * the largest size. */
static double difference_of(const struct trial *t, const void *x, const void *y)
{
    const struct array *a = result_of(t);
    const startile_dtype dtype = t->shape.dtype;
    const struct dimensions s = t->shape.size;
    const int64_t columns = (int64_t)(a->bytes / a->piece_bytes) * a->n;
    const bool lower = kernel_has_flag(t->kernel, 'l');
    double difference = 0, norm = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = lower && j < a->n ? j : 0; i < a->m; i++) {
            const size_t at = (size_t)(i + j * a->m);
            const double _Complex of_y = element_get(dtype, y, at);
            const double _Complex apart = element_get(dtype, x, at) - of_y;
            difference += creal(apart) * creal(apart) + cimag(apart) * cimag(apart);
            norm += creal(of_y) * creal(of_y) + cimag(of_y) * cimag(of_y);
        }
    const double d = fmax(fmax((double)s.m, (double)s.n), (double)s.k);
    return difference == 0 ? 0 : sqrt(difference / norm) / (d * dtype_unit_roundoff(dtype));
}

/* -- one run -------------------------------------------------------------------------------- */

/* A trial with its contenders, their times, and differences to the peer's result */
struct race {
    struct trial trial;
    const struct kernel_peer *peer;
    void *result, *peer_result; /* in main memory; NULL: nothing to compare */
    bool runs[CONTENDERS];      /* true: the contender takes part */
    bool not_split[CONTENDERS]; /* true: the contender does not split the operands, so it equals OWN
                                   and is not timed */
    cudaEvent_t begin, end;
    int repeats;
    double *seconds[CONTENDERS], difference[CONTENDERS];
    char reason[128];
};

/* Formats the reason of a failure. Returns false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct race *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->reason, sizeof r->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* Takes the reason from CUDA's last failure. Returns false. */
static bool fail_with_peer_reason(struct race *r)
{
    return fail(r, "error: %.100s", cuda_peer_reason());
}

/* Enqueues one run of contender `who`. */
static bool enqueue(struct race *r, int who)
{
    struct trial *t = &r->trial;
    const startile_cuda_access *library = t->library;
    if (who == PEER)
        return !r->peer->run(t, CUDA_RUN) || fail_with_peer_reason(r);
    library->set_products(t->exec, arithmetic_of(who).products);
    library->keep_own(t->exec, 1); /* also for small products, which the library leaves to cuBLAS */
    int status =
        t->kernel->run(t, (who == VENDOR ? library->vendor : library->own)[t->shape.dtype]);
    return !status || fail(r, "error: %s: %s", contender_names[who], startile_strerror(status));
}

/* Times one run between two events. The read of the flood keeps the GPU busy while the host
 * enqueues the run. The time includes a launch only if the GPU waits for it. */
static bool run_once(struct race *r, int who, double *seconds)
{
    float milliseconds = 0;
    struct trial *t = &r->trial;
    t->status->info = 0;
    if (restore(t) || cuda_flood_read() || CUDA(cudaEventRecord(r->begin, cuda_peer.stream)))
        return fail_with_peer_reason(r);
    if (!enqueue(r, who))
        return false;
    if (CUDA(cudaEventRecord(r->end, cuda_peer.stream)) || cuda_peer_wait() ||
        CUDA(cudaEventElapsedTime(&milliseconds, r->begin, r->end)))
        return fail_with_peer_reason(r);
    *seconds = 1e-3 * milliseconds;
    if (who == PEER && cuda_peer_info())
        return fail(r, "FAIL: info %d from the peer", cuda_peer_info());
    return !t->status->info || fail(r, "FAIL: info %d", (int)t->status->info);
}

/* Returns whether contender `who` is an own kernel with split operands. */
static bool splits_operands(int who)
{
    return who >= SPLIT && who < TF32;
}

/* Makes a contender's first run, which warms up, compares its result with the peer's, and records
 * whether it splits operands. */
static bool run_first(struct race *r, int who)
{
    struct trial *t = &r->trial;
    double seconds;
    /* number of split products before the run */
    const int64_t splits = t->library->splits(t->exec);
    if (!run_once(r, who, &seconds))
        return false;
    r->not_split[who] = splits_operands(who) && t->library->splits(t->exec) == splits;
    if (!r->result)
        return true;
    if (fetch_result(t, who == PEER ? r->peer_result : r->result))
        return fail_with_peer_reason(r);
    if (who != PEER)
        r->difference[who] = difference_of(t, r->result, r->peer_result);
    return true;
}

/* Runs the contenders in turn, the peer first: once to warm up and check, then `repeats` times to
 * measure. */
static bool run_all(struct race *r)
{
    for (int i = 0; i <= r->repeats; i++)
        for (int c = 0; c < CONTENDERS; c++) {
            const int who = c == 0 ? PEER : c - 1; /* PEER is the last contender */
            double seconds = NAN;
            if (!r->runs[who] || r->not_split[who])
                continue;
            if (i == 0 ? !run_first(r, who) : !run_once(r, who, &seconds))
                return false;
            if (i > 0)
                r->seconds[who][i - 1] = seconds;
        }
    return true;
}

/* -- race ----------------------------------------------------------------------------------- */

/* Checks that there are no more reflectors or interchanges than rows; otherwise sets the reason. */
static bool check_shape(struct race *r)
{
    const struct trial *t = &r->trial;
    int64_t least = kernel_has_size(t->kernel, 'k') ? t->shape.size.k : t->shape.size.n;
    return !kernel_has_flag(t->kernel, 't') || t->shape.size.m >= least ||
           fail(r, "error: %s needs m >= %d here", t->kernel->name, (int)least);
}

/* Checks that the arrays, written ones twice, fit into GPU memory, that two results fit into main
 * memory, and that both leave 1 GiB; otherwise sets the reason. */
static bool check_memory(struct race *r)
{
    struct gpu gpu;
    const double gib = 0x1p30, host = (double)memory_available();
    double needs = gib;
    if (cuda_describe(0, &gpu))
        return fail_with_peer_reason(r);
    for (int i = 0; i < r->trial.arrays; i++)
        needs += (double)r->trial.array[i].bytes * (operand_of(&r->trial, i)->written ? 2 : 1);
    const double has = host < (double)gpu.available ? host : (double)gpu.available;
    return needs < has || fail(r, "error: needs %.3g GiB of GPU and main memory, has %.3g",
                               needs / gib, has / gib);
}

/* Allocates memory for the results if they can be compared. */
static bool open_results(struct race *r)
{
    if (!r->runs[PEER] || !r->peer->same_result)
        return true;
    r->result = malloc(result_of(&r->trial)->bytes);
    r->peer_result = malloc(result_of(&r->trial)->bytes);
    return (r->result && r->peer_result) || fail(r, "error: out of memory");
}

/* Opens the trial, and runs all contenders. Returns false after a failure, with the reason in
 * *r. */
static bool race(struct race *r)
{
    if (!check_shape(r) || !check_memory(r) || !open_results(r))
        return false;
    if (CUDA(cudaEventCreate(&r->begin)) || CUDA(cudaEventCreate(&r->end)) || cuda_flood_open() ||
        open_trial(&r->trial) || (r->runs[PEER] && r->peer->run(&r->trial, CUDA_PREPARE)))
        return fail_with_peer_reason(r);
    return run_all(r);
}

static void close_race(struct race *r)
{
    close_trial(&r->trial);
    free(r->result);
    free(r->peer_result);
    cuda_flood_close();
    if (r->begin)
        cudaEventDestroy(r->begin);
    if (r->end)
        cudaEventDestroy(r->end);
}

/* Returns the row of contender `who`. good: false if the race failed */
static struct kernel_row make_row(struct race *r, int who, bool good)
{
    const struct kernel *kernel = r->trial.kernel;
    struct kernel_row row = {.implementation = contender_names[who],
                             .peer = r->peer ? r->peer->description : ""};
    report_clear(kernel_fields, &row);
    const double work = kernel->work(&r->trial.shape);
    memcpy(row.status, r->reason, sizeof row.status);
    if (!good)
        return row;
    if (r->not_split[who]) {
        row.ok = true;
        snprintf(row.status, sizeof row.status,
                 "none: FFMA instead of split operands at this size or on this GPU");
        return row;
    }
    row.seconds = median(r->seconds[who], (size_t)r->repeats);
    row.seconds_min = r->seconds[who][0]; /* median() has sorted them */
    row.seconds_max = r->seconds[who][r->repeats - 1];
    row.rate = work / row.seconds;
    if (r->runs[PEER])
        row.peer_rate = work / median(r->seconds[PEER], (size_t)r->repeats);
    row.ratio = row.rate / row.peer_rate;
    row.difference = r->difference[who];
    row.ok = !r->result || row.difference < largest_difference * arithmetic_of(who).roundoff;
    snprintf(row.status, sizeof row.status, row.ok ? "ok" : "FAIL: difference %.3g",
             row.difference);
    return row;
}

/* Returns whether contender `who` runs the kernel: it exists, and for the library's kernels is
 * wanted. */
static bool takes_part(const struct kernel_settings *s, const struct trial *t, int who)
{
    if (who == PEER)
        return kernel_peer_of(t->kernel) != NULL;
    return s->implementation[who] && (who != VENDOR || kernel_has_flag(t->kernel, 'v')) &&
           (who < SPLIT || (kernel_has_flag(t->kernel, 's') &&
                            (t->shape.dtype == STARTILE_S || t->shape.dtype == STARTILE_C)));
}

/* Measures the kernel at one shape, and prints one row per implementation. Returns whether all are
 * ok. */
static bool run_shape(const struct kernel_settings *s, const struct kernel *kernel,
                      const struct shape *shape, const struct report *report)
{
    double seconds[CONTENDERS][s->repeats];
    struct race r = {
        .trial = trial_of(kernel, shape), .peer = kernel_peer_of(kernel), .repeats = s->repeats};
    for (int who = 0; who < CONTENDERS; who++) {
        r.seconds[who] = seconds[who];
        r.difference[who] = NAN;
        r.runs[who] = takes_part(s, &r.trial, who);
    }
    bool good = race(&r), all_ok = true;
    for (int who = 0; who < PEER; who++) {
        if (!r.runs[who])
            continue;
        struct kernel_row row = make_row(&r, who, good);
        kernel_row_complete(&row, kernel, shape);
        all_ok = report_row(report, &row) && row.ok && all_ok;
    }
    close_race(&r);
    return all_ok;
}

/* -- all ------------------------------------------------------------------------------------ */

/* Returns size i of the list, or, if the list is empty, the default: `usual`, or n if that is 0. */
static int64_t size_or_usual(const struct size_list *given, size_t i, int64_t usual, int64_t n)
{
    return given->count ? given->values[i] : usual ? usual : n;
}

/* Returns the number of sizes to run: 1, the default size, if the list is empty. */
static size_t count_or_one(const struct size_list *given)
{
    return given->count ? given->count : 1;
}

/* Measures the kernel at all sizes in one type. Returns whether all rows are ok. */
static bool run_sizes(const struct kernel_settings *s, const struct kernel *kernel,
                      startile_dtype dtype, const struct report *report)
{
    bool good = true;
    for (size_t j = 0; j < count_or_one(&s->n); j++)
        for (size_t i = 0; i < count_or_one(&s->m); i++)
            for (size_t l = 0; l < count_or_one(&s->k); l++) {
                const int64_t n = size_or_usual(&s->n, j, kernel->usual.n, 0);
                struct shape shape = {.dtype = dtype,
                                      .size = {size_or_usual(&s->m, i, kernel->usual.m, n), n,
                                               size_or_usual(&s->k, l, kernel->usual.k, n)},
                                      .pieces = kernel_has_size(kernel, 'p') ? s->pieces : 1,
                                      .transa = "NNCC"[s->trans],
                                      .transb = "CNNC"[s->trans]};
                good = run_shape(s, kernel, &shape, report) && good;
            }
    return good;
}

bool kernel_run(const struct kernel_settings *s, const struct report *table)
{
    struct gpu gpu;
    bool good = true;
    if (cuda_describe(0, &gpu) || cuda_peer_open()) {
        report("bench kernel: %s", cuda_peer_reason());
        good = false;
    } else {
        printf("# startile %s, %s, median of %d\n", startile_version(), gpu.name, s->repeats);
        report_heading(table);
        for (const struct kernel *k = kernels; k->name; k++)
            for (int t = 0; t < s->precisions.count && (!s->kernel || s->kernel == k); t++)
                good = run_sizes(s, k, s->precisions.dtype[t], table) && good;
    }
    cuda_peer_close();
    return good;
}
