/*
 * Soak test: eight host threads make random calls for a long time (CONTRIBUTING.md).
 *
 *     test_soak cpu|gpu|hybrid [SECONDS [SEED]]
 *
 * Every result is checked. Once a minute all threads rest, without a matrix or request, and a line
 * is printed. The resident memory may grow by 1 % after WARM_UP minutes, in which StarPU, BLAS and
 * the heap reach the size that they keep. The exit code is 1 after a wrong result or more growth,
 * and 2 for wrong arguments.
 */
#include "call.h"
#include "check.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

enum { THREADS = 8, DEFAULT_SECONDS = 5, WARM_UP = 10, MOST_MESSAGES = 20 };
static const double MOST_GROWTH = 1.01;

/* Counts of one routine */
struct tally {
    int64_t calls, cancelled, infos, wrong; /* infos: matrices with info > 0, as expected */
    double residual;                        /* largest */
};

/* `mutex` guards the tallies. At `gate` the main thread and all others meet twice for each rest. */
static struct {
    uint64_t seed;
    atomic_bool rests, ends;
    pthread_barrier_t gate;
    pthread_mutex_t mutex;
    struct tally tally[SOAK_ROUTINES];
} soak = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* -- the calls -------------------------------------------------------------------------------- */

static void print_wrong(const struct soak_result *c, int thread, int64_t number)
{
    printf("WRONG: seed %" PRIu64 ", thread %d, call %" PRId64 ": %s, form %c, type %c, %" PRId64
           " x %" PRId64 "%s: status %" PRId64 " (%s), expected %" PRId64 ", residual %g\n",
           soak.seed, thread, number, soak_routines[c->routine], c->form, "sdcz"[c->type], c -> m,
           c -> n, c -> was_cancelled ? ", again after a cancellation" : "", c->status,
           startile_strerror(c->status), c->expected, c->residual);
    fflush(stdout);
}

static void count_call(const struct soak_result *c, int thread, int64_t number)
{
    pthread_mutex_lock(&soak.mutex);
    struct tally *t = &soak.tally[c->routine];
    t->calls++;
    t->cancelled += c->was_cancelled;
    t->infos += c->infos;
    t->residual = c->residual > t->residual ? c->residual : t->residual;
    if (!is_right(c) && t->wrong++ < MOST_MESSAGES)
        print_wrong(c, thread, number);
    pthread_mutex_unlock(&soak.mutex);
}

/* Runs a thread. The arguments of a call depend on seed, thread and number of the call only. */
static void *make_calls(void *arg)
{
    int thread = *(const int *)arg;
    for (int64_t number = 0; !soak.ends; number++) {
        random_seed((soak.seed << 40) + ((uint64_t)thread << 32) + (uint64_t)number);
        struct soak_result c = soak_call();
        count_call(&c, thread, number);
        if (soak.rests) {
            pthread_barrier_wait(&soak.gate);
            pthread_barrier_wait(&soak.gate);
        }
    }
    return NULL;
}

/* -- reports ---------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Makes free() return memory to the system, so that the resident memory is what is in use: the
 * threads share one heap, which malloc_trim() can shrink, and large arrays are mapped. */
static void keep_no_free_memory(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 1 << 17);
}

/* Returns the resident memory in MiB after returning free memory to the system. */
static double resident_memory(void)
{
    long pages = 0;
    malloc_trim(0);
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 0x1p20;
}

/* Returns the memory in MiB that malloc() has given out. */
static double allocated_memory(void)
{
    struct mallinfo2 m = mallinfo2();
    return (double)(m.uordblks + m.hblkhd) / 0x1p20;
}

/* Returns the used memory of the current GPU in MiB; 0 without one. Other processes' is included.
 */
static double device_memory(void)
{
#ifdef STARTILE_HAVE_CUDA
    size_t available = 0, total = 0;
    if (backend != CPU && cudaMemGetInfo(&available, &total) == cudaSuccess)
        return (double)(total - available) / 0x1p20;
#endif
    return 0;
}

static struct tally sum_of_tallies(void)
{
    struct tally sum = {0};
    for (int r = 0; r < SOAK_ROUTINES; r++) {
        const struct tally *t = &soak.tally[r];
        sum.calls += t->calls, sum.cancelled += t->cancelled;
        sum.infos += t->infos, sum.wrong += t->wrong;
    }
    return sum;
}

/* Prints a line. Returns the resident memory. */
static double report(double seconds)
{
    struct tally sum = sum_of_tallies();
    double resident = resident_memory();
    printf("%7.1f %8" PRId64 " %9" PRId64 " %8" PRId64 " %5" PRId64 " %8.1f %9.1f %10.1f\n",
           seconds / 60, sum.calls, sum.cancelled, sum.infos, sum.wrong, resident,
           allocated_memory(), device_memory());
    fflush(stdout);
    return resident;
}

static void report_routines(void)
{
    printf("\n%-20s %8s %9s %8s %5s %9s\n", "routine", "calls", "cancelled", "info > 0", "wrong",
           "residual");
    for (int r = 0; r < SOAK_ROUTINES; r++) {
        const struct tally *t = &soak.tally[r];
        printf("%-20s %8" PRId64 " %9" PRId64 " %8" PRId64 " %5" PRId64 " %9.3g\n",
               soak_routines[r], t->calls, t->cancelled, t->infos, t->wrong, t->residual);
    }
}

/* -- the run ---------------------------------------------------------------------------------- */

/* Reports every minute until `seconds` have passed. Returns the largest growth of the resident
 * memory after the warm-up, as a quotient; NaN if the run ends before. */
static double watch(double seconds)
{
    double begin = now(), warm = 0, growth = NAN;
    printf("%7s %8s %9s %8s %5s %8s %9s %10s\n", "minutes", "calls", "cancelled", "info > 0",
           "wrong", "RSS MiB", "heap MiB", "device MiB");
    for (int minute = 1; !soak.ends; minute++) {
        double next = begin + (60 * minute < seconds ? 60 * minute : seconds);
        while (now() < next)
            usleep(100000);
        soak.rests = true;
        pthread_barrier_wait(&soak.gate);
        soak.rests = false;
        double resident = report(now() - begin);
        if (minute == WARM_UP)
            warm = resident;
        if (minute > WARM_UP)
            growth = fmax(growth, resident / warm);
        soak.ends = now() - begin >= seconds;
        pthread_barrier_wait(&soak.gate);
    }
    return growth;
}

/* Runs all threads. Returns whether every call was right and the memory did not grow. */
static bool run(double seconds)
{
    pthread_t thread[THREADS];
    int index[THREADS];
    pthread_barrier_init(&soak.gate, NULL, THREADS + 1);
    for (int t = 0; t < THREADS; t++) {
        index[t] = t;
        if (pthread_create(&thread[t], NULL, make_calls, &index[t]) != 0)
            abort();
    }
    double growth = watch(seconds);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&soak.gate);
    report_routines();
    if (isnan(growth))
        printf("\nRSS not compared: the run ended in the warm-up of %d minutes\n", WARM_UP);
    else
        printf("\nlargest RSS after %d minutes: %+.2f %%\n", WARM_UP, 100 * (growth - 1));
    return sum_of_tallies().wrong == 0 && !(growth > MOST_GROWTH);
}

/* -- the command line ------------------------------------------------------------------------- */

/* Reads a finite positive number of seconds. Returns whether the text is one. */
static bool read_seconds(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*seconds) && *seconds > 0;
}

/* Reads a decimal number without sign. Returns whether the text is one. */
static bool read_seed(const char *text, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static bool is_backend(const char *text)
{
    return strcmp(text, "cpu") == 0 || strcmp(text, "gpu") == 0 || strcmp(text, "hybrid") == 0;
}

int main(int argc, char **argv)
{
    double seconds = DEFAULT_SECONDS;
    soak.seed = 1;
    if (argc < 2 || argc > 4 || !is_backend(argv[1]) ||
        (argc > 2 && !read_seconds(argv[2], &seconds)) ||
        (argc > 3 && !read_seed(argv[3], &soak.seed))) {
        fprintf(stderr, "usage: %s cpu|gpu|hybrid [SECONDS [SEED]]\n", argv[0]);
        return 2;
    }
    keep_no_free_memory();
    check_start(2, argv);
    return check_finish(!run(seconds));
}
