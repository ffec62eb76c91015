/*
 * startile-simulate-cluster: `startile bench --simulate` for the nodes of a cluster. SimGrid's
 * smpirun loads this program once for each simulated process of the grid. All simulated processes
 * run in one process of the operating system, and SimGrid computes their time.
 */
#define _GNU_SOURCE
#include "bench/bench.h"
#include "command.h"
#include "data/handle.h"
#include "grid/symmetric.h"
#include "messages.h"
#include "models/simulation.h"
#include "mpi/mpi_grid.h"
#include "mpi/node_order.h"
#include "platform.h"
#include "trace.h"

#include <errno.h>
#include <fxt/fut.h>
#include <math.h>
#include <simgrid/barrier.h>
#include <simgrid/host.h>
#include <starpu.h> /* renames main(): StarPU's own main() starts MPI, then calls it */
#include <starpu_fxt.h>
#include <starpu_mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* -- output ------------------------------------------------------------------------------------ */

/* Replace functions of the C library (linker option --wrap), so that only process 0 prints: all
 * simulated processes share one standard output. */
int __wrap_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap_puts(const char *text);
int __wrap_putchar(int c);
int __wrap_putc(int c, FILE *file);

int __wrap_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = is_silent ? 0 : vprintf(format, arguments);
    va_end(arguments);
    return length;
}

int __wrap_puts(const char *text)
{
    return __wrap_printf("%s\n", text);
}

int __wrap_putchar(int c)
{
    return __wrap_printf("%c", c);
}

int __wrap_putc(int c, FILE *file)
{
    return is_silent ? c : fputc(c, file);
}

/* Silences StarPU when the program is loaded, because StarPU-MPI prints the thread level of MPI
 * before it reads STARPU_SILENT (StarPU quirk 41). */
extern int _starpu_silent;
__attribute__((constructor)) static void silence_starpu(void)
{
    _starpu_silent = 1;
}

/* -- state of all processes -------------------------------------------------------------------- */

enum { MOST_VALUES = 64, ADDRESS_BITS = 64 };

/* State shared by all simulated processes: the data of host PLATFORM_SHARED_HOST. Needs no lock,
 * because SimGrid runs one process at a time. */
struct shared_state {
    sg_bar_t barrier;
    int arrived;
    long double values[MOST_VALUES]; /* long double represents 64-bit integers exactly */
    struct inbox *inboxes;
    starpu_pthread_mutex_t time_mutex; /* StarPU's, of all processes */
    starpu_pthread_cond_t time_advances;
    void *tiles[ADDRESS_BITS]; /* element k: addresses of tiles of 2^k bytes; NULL: none yet */
};

static struct shared_state *shared(void)
{
    static struct shared_state *state; /* of this process */
    sg_host_t host = state ? NULL : sg_host_by_name(PLATFORM_SHARED_HOST);
    if (!state)
        state = sg_host_get_data(host);
    if (!state) {
        int processes = starpu_mpi_world_size();
        state = calloc(1, sizeof *state);
        state->barrier = sg_barrier_init((unsigned)processes);
        state->inboxes = inboxes_create(processes);
        sg_host_set_data(host, state);
    }
    return state;
}

struct inbox *inboxes(void)
{
    return shared()->inboxes;
}

/* -- time -------------------------------------------------------------------------------------- */

extern starpu_pthread_mutex_t _starpu_simgrid_time_advance_mutex;
extern starpu_pthread_cond_t _starpu_simgrid_time_advance_cond;
void __real__starpu_simgrid_cpp_init(void);
void __wrap__starpu_simgrid_cpp_init(void);

/* Replaces StarPU's function (linker option --wrap), which lets SimGrid signal a condition of each
 * process whenever the time advances (StarPU quirk 66). All processes use that of the first one. */
void __wrap__starpu_simgrid_cpp_init(void)
{
    struct shared_state *state = shared();
    if (!state->time_advances) {
        __real__starpu_simgrid_cpp_init();
        state->time_mutex = _starpu_simgrid_time_advance_mutex;
        state->time_advances = _starpu_simgrid_time_advance_cond;
    }
    _starpu_simgrid_time_advance_mutex = state->time_mutex;
    _starpu_simgrid_time_advance_cond = state->time_advances;
}

/* -- tiles in main memory ---------------------------------------------------------------------- */

void *__real_smpi_shared_malloc(size_t bytes, const char *file, int line);
void *__wrap_smpi_shared_malloc(size_t bytes, const char *file, int line);
void __real_smpi_shared_free(void *data);
void __wrap_smpi_shared_free(void *data);
void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);

/* Replaces SimGrid's function (linker option --wrap), which fills the page tables of a block for
 * each size and each process. Returns addresses that all tiles of about this size share, and that
 * have no memory because nobody reads or writes them. */
void *__wrap_smpi_shared_malloc(size_t bytes, const char *file, int line)
{
    void **tiles = shared()->tiles;
    int k = 0;
    if (bytes <= LARGEST_COPIED)
        return __real_smpi_shared_malloc(bytes, file, line);
    while ((size_t)1 << k < bytes)
        k++;
    if (!tiles[k]) {
        void *reserved = mmap(NULL, (size_t)1 << k, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        tiles[k] = reserved == MAP_FAILED ? NULL : reserved;
    }
    return tiles[k];
}

/* Frees data other than tiles, whose addresses stay reserved. StarPU-MPI calls it for all its
 * data. */
void __wrap_smpi_shared_free(void *data)
{
    void **tiles = shared()->tiles;
    for (int k = 0; data && k < ADDRESS_BITS; k++)
        if (tiles[k] == data)
            return;
    __real_smpi_shared_free(data);
}

/* Replaces the function of the C library: StarPU copies a tile that has arrived early to another
 * one, which has the same address here. */
void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    return to == from ? to : __real_memcpy(to, from, bytes);
}

/* -- agreement --------------------------------------------------------------------------------- */

static long double sum_of_two(long double a, long double b)
{
    return a + b;
}

/* Combines the values of all processes, like MPI_Allreduce(), in no simulated time. Does not use
 * MPI, because StarPU-MPI with SimGrid allows collective calls only in its progress thread. count:
 * at most MOST_VALUES */
static void allreduce(long double *values, int64_t count,
                      long double (*operation)(long double, long double))
{
    struct shared_state *state = shared();
    bool is_first = state->arrived++ == 0;
    for (int64_t i = 0; i < count; i++)
        state->values[i] = is_first ? values[i] : operation(state->values[i], values[i]);
    sg_barrier_wait(state->barrier);
    memcpy(values, state->values, (size_t)count * sizeof *values);
    state->arrived = 0;
    /* no process may begin the next call before all have copied the values */
    sg_barrier_wait(state->barrier);
}

/* -- the grid ---------------------------------------------------------------------------------- */

static struct mpi_grid the_grid, one_row; /* one_row: of the same processes */

/* Replaces each element by its least value on all processes. Is the function network->least. */
static int least(const startile_grid *g, int64_t *element, int count)
{
    long double values[MOST_VALUES];
    (void)g;
    for (int i = 0; i < count; i++)
        values[i] = -(long double)element[i];
    allreduce(values, count, fmaxl);
    for (int i = 0; i < count; i++)
        element[i] = -(int64_t)values[i];
    return 0;
}

/* Is never called, because the tasks of a simulation run no kernels; mpi_grid.h declares it. */
int combine(const startile_grid *g, int first, int count, void *data, void *received, size_t bytes,
            startile_join *join)
{
    (void)g, (void)first, (void)count, (void)data, (void)received, (void)bytes, (void)join;
    return STARTILE_ERROR_MPI;
}

/* Returns the first one of `count` new message tags, the same on all processes. */
int64_t reserve_tags(const startile_grid *g, int64_t count)
{
    (void)g;
    int64_t tag = the_grid.tag;
    the_grid.tag += count;
    return tag;
}

void mpi_grid_free(startile_grid *g)
{
    (void)g;
}

/* Returns startile_grid's `node`. The processes of a node have consecutive ranks. */
static const int *nodes_of(const struct ranks *r)
{
    int *node = calloc((size_t)r->count, sizeof *node);
    for (int rank = 0; node && rank < r->count; rank++)
        node[rank] = rank - rank % r->on_host;
    return node;
}

/* The following functions are those that struct ranks (bench.h) points to. */
static int64_t open_grid(struct ranks *r, int64_t status)
{
    static struct network network;
    network = mpi_network;
    network.least = least;
    the_grid.tiles = MPI_COMM_WORLD;
    startile_grid *g = r->grid = &the_grid.grid;
    *g = (startile_grid){.network = &network,
                         .p = r->p,
                         .q = r->q,
                         .group = r->group,
                         .processes = r->count,
                         .rank = r->rank,
                         .node = nodes_of(r),
                         .root = g,
                         .one_row = &one_row.grid};
    one_row = the_grid;
    one_row.grid.p = 1;
    one_row.grid.q = r->count;
    one_row.grid.group = 1;
    order_ranks(&one_row.grid, 1, r->count);
    if (r->order > 0)
        make_symmetric(g, r->order);
    else
        order_ranks_by_nodes(g);
    register_order(&g->turn);
    return -(int64_t)r->maximum((double)-status);
}

static void close_grid(struct ranks *r)
{
    release_handle(r->grid->turn);
    r->grid = NULL;
}

static double maximum(double value)
{
    long double largest = value;
    allreduce(&largest, 1, fmaxl);
    return (double)largest;
}

static void sum(double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        long double total = values[i];
        allreduce(&total, 1, sum_of_two);
        values[i] = (double)total;
    }
}

static double bytes_sent(const struct ranks *r)
{
    return (double)startile_grid_bytes_sent(r->grid);
}

/* Is struct ranks' function `peer`: a simulation computes nothing to compare with. */
static bool no_peer(const struct bench_settings *s, const struct problem *p,
                    struct reference *reference, char *reason, size_t size)
{
    (void)s, (void)p, (void)reason, (void)size;
    *reference = (struct reference){.seconds = {NAN, NAN, NAN}, .gemm_gflop_s = NAN};
    return true;
}

/* -- the trace --------------------------------------------------------------------------------- */

/* Prepares the folder and the environment of the trace, if one is wanted. Each process has a buffer
 * of 16 MiB: StarPU touches all of it. Returns false on all processes after a report on failure. */
static bool prepare_trace(struct ranks *r, const char *folder)
{
    bool good = !folder || r->rank > 0 || prepare_trace_folder(folder);
    if (folder) {
        setenv("STARPU_FXT_SUFFIX", "prof_file", 1);
        setenv("STARPU_GENERATE_TRACE", "0", 1); /* a warning otherwise (StarPU quirk 62) */
        setenv("STARPU_TRACE_BUFFER_SIZE", "16", 0);
    }
    return r->maximum(!good) == 0;
}

/* Stores the names of FxT's files, one for each process. Returns false after a report if one is
 * missing, for which StarPU would end the program. */
static bool find_events(struct starpu_fxt_options *o, const char *folder, int processes)
{
    for (int i = 0; i < processes; i++) {
        if (asprintf(&o->filenames[i], "%s/prof_file_%d", folder, i) < 0 ||
            access(o->filenames[i], R_OK) != 0) {
            report("--trace %s: no events of process %d: %s", folder, i, strerror(errno));
            return false;
        }
        o->ninputfiles++;
    }
    return true;
}

/* Writes the trace of all processes from FxT's files, which StarPU does for one process only
 * (StarPU quirk 62). Returns false after a report on failure. */
static bool join_events(const char *folder, int processes)
{
    struct starpu_fxt_options o;
    starpu_fxt_options_init(&o);
    o.use_task_color = 1;
    o.dir = (char *)folder;
    bool good = find_events(&o, folder, processes);
    if (good)
        starpu_fxt_generate_trace(&o);
    return good && trace_list_files(folder, stdout);
}

/* Writes the events of each process, then the trace. Returns false on process 0 after a report on
 * failure. */
static bool end_trace(struct ranks *r, const char *folder)
{
    fut_endup(""); /* StarPU has set the name of the file */
    r->maximum(0); /* waits for all processes */
    return r->rank > 0 || join_events(folder, r->count);
}

/* -- the program ------------------------------------------------------------------------------- */

/* Starts the library, runs the benchmark and returns whether it succeeded. Does not stop the
 * library: main() ends all simulated processes by _exit(). */
static bool simulate(struct bench_arguments *a, int argc, char **argv)
{
    const char *folder = getenv("STARPU_PERF_MODEL_DIR");
    struct ranks *r = a->settings.ranks;
    struct bench_settings s = settings_for(a, a->settings.where);
    struct link l;
    if (!prepare_trace(r, a->trace_folder)) {
        if (r->rank == 0 && folder)
            platform_remove(folder);
        return false;
    }
    if (network_read(a->network, &l))
        startile_simulation_set_network(
            (struct startile_simulated_network){l.bandwidth, l.latency});
    s.library.trace = a->trace_folder;
    int64_t status = startile_init(&s.library);
    if (!status) {
        /* Tiles in main memory share a block, which SimGrid does not copy. */
        starpu_malloc_on_node_set_default_flags(
            STARPU_MAIN_RAM, STARPU_MALLOC_PINNED | STARPU_MALLOC_COUNT |
                                 STARPU_MALLOC_SIMULATION_FOLDED | STARPU_MALLOC_SIMULATION_UNIQUE);
        starpu_mpi_init_comm(NULL, NULL, 0, MPI_COMM_WORLD);
    }
    if (r->maximum(status < 0) > 0) {
        report("%s: %s", a->settings.simulate, startile_strerror(status));
        return false;
    }
    if (r->rank == 0 && folder)
        platform_remove(folder);
    if (a->trace_folder && r->rank == 0)
        describe_simulated_trace(a, argc, argv);
    bool good = bench(a);
    return (!a->trace_folder || end_trace(r, a->trace_folder)) && good;
}

/* Is an exported symbol, because StarPU finds it by name. */
__attribute__((visibility("default"))) int main(int argc, char **argv)
{
    struct bench_arguments a;
    struct ranks r = {.open = open_grid,
                      .close = close_grid,
                      .maximum = maximum,
                      .sum = sum,
                      .sent = bytes_sent,
                      .peer = no_peer,
                      .rank = starpu_mpi_world_rank(),
                      .count = starpu_mpi_world_size()};
    is_silent = r.rank > 0;
    bench_parse(argc, argv, &r, &a);
    r.on_host = r.count / a.nodes;
    a.settings.library.ncuda = 1; /* each process has one GPU, or none if the machine has none */
    bool good = simulate(&a, argc, argv);
    fflush(NULL);
    r.maximum(0);    /* waits for all processes */
    if (r.rank == 0) /* _exit() ends all simulated processes */
        _exit(good ? EXIT_SUCCESS : EXIT_FAILED);
    starpu_sleep(1e9);
    return 0;
}
