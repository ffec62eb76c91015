/* Grids of MPI processes; starts and stops StarPU-MPI. */
#include "mpi/mpi_grid.h"

#include "grid/symmetric.h"
#include "library/start.h"
#include "library/thread_state.h"
#include "mpi/node_order.h"

#include <ctype.h>
#include <starpu_mpi.h>
#include <stdlib.h>
#include <string.h>

/* The communicators that all grids of the same processes share. They are stored in `root`, the 1 ×
 * 1 grid on the first of these processes. Grids share them because StarPU-MPI, until it stops,
 * keeps a receive posted on each communicator that it has seen (StarPU quirk 38). */
struct group {
    struct group *next;
    struct mpi_grid root, one_row;
    int *node; /* `node` of all grids */
};

static struct {
    pthread_mutex_t mutex;
    int grids;
    bool own_starpu_mpi; /* StarPU-MPI was started here */
    bool has_started;    /* StarPU-MPI was started here, and may have been stopped since */
    struct group *groups;
    starpu_data_handle_t turn; /* `turn` of all grids, while there are any */
} lib = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Returns the first of 2^BITS tags that are free on all processes. Data needs a tag that is unique
 * on each process and the same on all. Processes of this group may also be members of different
 * other groups, so they may have different free tags. Collective. */
static int64_t allocate_tags(MPI_Comm communicator)
{
    enum { BITS = 36 }; /* StarPU-MPI 1.4 has 2⁴⁷ tags in all */
    int64_t skipped = starpu_mpi_tags_allocate((int64_t)1 << BITS); /* programs use small tags */
    for (;;) {
        int64_t first = starpu_mpi_tags_allocate((int64_t)1 << BITS), bounds[] = {-first, first};
        MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT64_T, MPI_MAX, communicator);
        if (-bounds[0] == bounds[1]) {
            starpu_mpi_tags_free(skipped);
            return first;
        }
        if (first == bounds[1])
            starpu_mpi_tags_free(first); /* the processes may agree on these tags next */
    }
}

int64_t reserve_tags(const startile_grid *g, int64_t count)
{
    struct mpi_grid *root = (struct mpi_grid *)g->root;
    pthread_mutex_lock(&lib.mutex);
    int64_t tag = root->tag;
    root->tag += count;
    pthread_mutex_unlock(&lib.mutex);
    return tag;
}

/* -- StarPU-MPI ------------------------------------------------------------------------------ */

/* Returns whether the program has started StarPU-MPI. StarPU-MPI has no query for this, but its
 * progress thread has a core once it runs (StarPU quirk 40). */
static bool is_started_by_program(void)
{
    return !lib.has_started && starpu_mpi_get_thread_cpuid() >= 0;
}

static bool is_started(void)
{
    return lib.own_starpu_mpi || is_started_by_program();
}

/* Returns whether StarPU-MPI runs, or the process can have two more threads for its start: one that
 * calls it, and the progress thread. StarPU-MPI ends the program if it cannot create the latter
 * (StarPU quirk 55). */
static bool can_start(void)
{
    pthread_mutex_lock(&lib.mutex);
    bool can = is_started() || threads_are_allowed(2);
    pthread_mutex_unlock(&lib.mutex);
    return can;
}

static int init_starpu_mpi(void *unused)
{
    (void)unused;
    return starpu_mpi_init_comm(NULL, NULL, 0, MPI_COMM_WORLD);
}

/* Starts StarPU-MPI on MPI_COMM_WORLD, because StarPU-MPI sizes its arrays by the communicator that
 * it is started with. Restores the error handler, which StarPU-MPI replaces (StarPU quirk 39). If
 * the user has not set STARPU_MPI_NOBIND, does not bind the progress thread to a core: all cores
 * have workers, and with patch 05 the thread sleeps between polls (StarPU quirk 35). */
static int start_starpu_mpi(void)
{
    MPI_Errhandler handler;
    bool is_env_set = getenv("STARPU_MPI_NOBIND") != NULL;
    if (!is_env_set)
        setenv("STARPU_MPI_NOBIND", "1", 0);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    int failed;
    bool runs = run_in_default_thread(init_starpu_mpi, NULL, &failed);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    if (!is_env_set)
        unsetenv("STARPU_MPI_NOBIND");
    if (!runs || failed != 0)
        return STARTILE_ERROR_MPI;
    starpu_mpi_comm_register(MPI_COMM_SELF);
    lib.own_starpu_mpi = lib.has_started = true;
    return 0;
}

/* Stops StarPU-MPI if this library started it. Does not wait for other processes: all messages of
 * this library have arrived. */
static void stop_starpu_mpi(void)
{
    if (!lib.own_starpu_mpi)
        return;
    starpu_mpi_shutdown_comm(MPI_COMM_SELF);
    lib.own_starpu_mpi = false;
    for (struct group *g = lib.groups, *next; g != NULL; g = next) {
        next = g->next;
        MPI_Comm_free(&g->root.tiles);
        MPI_Comm_free(&g->root.agree);
        free(g->node);
        free(g);
    }
    lib.groups = NULL;
}

/* Registers lib.turn, which is data without a value: tasks that write it run in order. */
static void register_turn(void)
{
    static char nothing;
    starpu_variable_data_register(&lib.turn, STARPU_MAIN_RAM, (uintptr_t)&nothing, sizeof nothing);
    starpu_data_set_sequential_consistency_flag(lib.turn, 1);
}

/* Counts a grid. Starts StarPU-MPI if it does not run. Returns 0 or a startile_error. */
static int count_grid(void)
{
    pthread_mutex_lock(&lib.mutex);
    int failed = is_started() ? 0 : start_starpu_mpi();
    if (failed == 0 && lib.grids++ == 0)
        register_turn();
    pthread_mutex_unlock(&lib.mutex);
    return failed;
}

/* Undoes count_grid(). The last grid stops StarPU-MPI if this library started it. */
static void uncount_grid(void)
{
    pthread_mutex_lock(&lib.mutex);
    if (--lib.grids == 0) {
        starpu_data_unregister(lib.turn);
        stop_starpu_mpi();
    }
    pthread_mutex_unlock(&lib.mutex);
}

/* -- grids ----------------------------------------------------------------------------------- */

/* True in a child of fork() of a process that runs MPI: MPI's messages are for the parent. */
static bool is_child_of_mpi_process;

static bool is_mpi_running(void)
{
    int is_initialized = 0, is_finalized = 0;
    if (is_child_of_mpi_process)
        return false;
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    return is_initialized && !is_finalized;
}

/* Runs in each child of fork(). */
static void note_fork(void)
{
    is_child_of_mpi_process = is_child_of_mpi_process || is_mpi_running();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, note_fork);
}

/* Returns whether MPI, which runs, supports MPI_THREAD_MULTIPLE. */
static bool supports_threads(void)
{
    int level = 0;
    MPI_Query_thread(&level);
    return level >= MPI_THREAD_MULTIPLE;
}

/* Arguments of a new grid */
struct grid_shape {
    int p, q;   /* process rows and columns */
    int group;  /* adjacent block columns with the same owners */
    char ranks; /* 'R', 'C', 'N', or 'S' for a symmetric grid of order p; '\0': a wrong one */
};

/* Sets the shape of g, and this process' place in it. */
static void set_shape(startile_grid *g, struct grid_shape s)
{
    if (s.ranks == 'S') {
        make_symmetric(g, s.p);
        return;
    }
    g->p = s.p;
    g->q = s.q;
    g->group = s.group;
    if (s.ranks == 'N')
        order_ranks_by_nodes(g);
    else if (s.ranks == 'R')
        order_ranks(g, 1, s.q);
    else
        order_ranks(g, s.p, 1);
}

/* Returns startile_grid's `node` of the communicator's processes, or NULL without memory.
 * Collective. */
static int *find_nodes(MPI_Comm communicator)
{
    int processes, node;
    MPI_Comm on_node;
    MPI_Comm_size(communicator, &processes);
    MPI_Comm_rank(communicator, &node);
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, node, MPI_INFO_NULL, &on_node);
    MPI_Bcast(&node, 1, MPI_INT, 0, on_node); /* its first process has the least rank */
    MPI_Comm_free(&on_node);
    int *nodes = malloc((size_t)processes * sizeof *nodes);
    int has_memory = nodes != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &has_memory, 1, MPI_INT, MPI_MIN, communicator);
    if (has_memory) {
        MPI_Allgather(&node, 1, MPI_INT, nodes, 1, MPI_INT, communicator);
    } else {
        free(nodes);
        nodes = NULL;
    }
    return nodes;
}

/* Returns the group with the communicator's processes in the same order; makes it at the first
 * call. Returns NULL without memory. Collective. */
static struct group *group_of(MPI_Comm communicator)
{
    int result;
    for (struct group *g = lib.groups; g != NULL; g = g->next)
        if (MPI_Comm_compare(communicator, g->root.agree, &result) == MPI_SUCCESS &&
            result == MPI_CONGRUENT) {
            starpu_mpi_comm_register(g->root.tiles); /* the program may have restarted StarPU-MPI */
            return g;
        }
    struct group *new_group = calloc(1, sizeof *new_group);
    if (new_group == NULL)
        return NULL;
    MPI_Comm_dup(communicator, &new_group->root.tiles);
    MPI_Comm_dup(communicator, &new_group->root.agree);
    MPI_Comm_set_errhandler(new_group->root.agree, MPI_ERRORS_RETURN);
    starpu_mpi_comm_register(new_group->root.tiles);
    new_group->root.tag = allocate_tags(new_group->root.agree);
    new_group->node = find_nodes(new_group->root.agree);
    startile_grid *root = &new_group->root.grid;
    *root = (startile_grid){.network = &mpi_network,
                            .p = 1,
                            .q = 1,
                            .group = 1,
                            .block_rows = 1,
                            .block_columns = 1,
                            .node = new_group->node,
                            .root = root};
    MPI_Comm_size(communicator, &root->processes);
    MPI_Comm_rank(communicator, &root->rank);
    root->row = root->col = root->rank == 0 ? 0 : 1;
    root->one_row = &new_group->one_row.grid;
    new_group->one_row = new_group->root;
    set_shape(root->one_row, (struct grid_shape){1, root->processes, 1, 'R'});
    new_group->next = lib.groups;
    lib.groups = new_group;
    return new_group;
}

/* Returns whether the communicator is valid and not an intercommunicator. Open MPI 4.1 would read
 * the memory of a freed communicator, so the table of Fortran handles, which no longer has it, is
 * asked first. Other MPI libraries report an error, which would end the program without
 * MPI_ERRORS_RETURN. */
static bool is_group(MPI_Comm communicator)
{
    if (MPI_Comm_f2c(MPI_Comm_c2f(communicator)) != communicator)
        return false;
    MPI_Errhandler handler;
    int is_inter = 0;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int failed = MPI_Comm_test_inter(communicator, &is_inter);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    return failed == MPI_SUCCESS && !is_inter;
}

/* Validates the arguments of the functions that create grids, except the communicator; returns 0 or
 * −i. */
static int check(const void *grid, struct grid_shape s, int processes)
{
    if (grid == NULL)
        return -1;
    if (s.ranks == 'S')
        return is_symmetric_grid(s.p, processes) ? 0 : -3;
    if (s.p < 1)
        return -3;
    if (s.q < 1 || (int64_t)s.p * s.q != processes)
        return -4;
    return s.ranks == '\0' ? -5 : s.group < 1 ? -6 : 0;
}

/* Returns the least status of all processes if it is not 0; else STARTILE_ERROR_MISMATCH if the
 * processes differ in p, in the order of the ranks or in `group`, or 0. Returns STARTILE_ERROR_MPI
 * if MPI fails.
 */
static int agree(MPI_Comm communicator, int status, struct grid_shape s)
{
    int least[] = {status, s.p, -s.p, s.ranks, -s.ranks, s.group, -s.group};
    if (MPI_Allreduce(MPI_IN_PLACE, least, 7, MPI_INT, MPI_MIN, communicator) != MPI_SUCCESS)
        return STARTILE_ERROR_MPI;
    bool is_same = least[1] == -least[2] && least[3] == -least[4] && least[5] == -least[6];
    return least[0] != 0 ? least[0] : is_same ? 0 : STARTILE_ERROR_MISMATCH;
}

/* Creates a grid of the communicator's processes; returns what startile_grid_create() returns. */
static int64_t create(startile_grid **grid, MPI_Comm communicator, struct grid_shape shape)
{
    int processes;
    if (communicator == MPI_COMM_NULL)
        return -2;
    if (!is_mpi_running())
        return STARTILE_ERROR_MPI;
    if (!is_group(communicator))
        return -2;
    start_gpu_messages();
    MPI_Comm_size(communicator, &processes);
    int status = check(grid, shape, processes);
    struct mpi_grid *new_grid = calloc(1, sizeof *new_grid);
    if (status == 0 && new_grid == NULL)
        status = STARTILE_ERROR_MEMORY;
    if (status == 0 && !starpu_is_initialized())
        status = STARTILE_ERROR_STARPU;
    if (status == 0 && !supports_threads())
        status = STARTILE_ERROR_MPI; /* agree() is called on all processes, and others may have the
                                        level */
    if (status == 0 && !can_start())
        status = STARTILE_ERROR_MEMORY;
    status = agree(communicator, status, shape);
    int count_status = status == 0 ? count_grid() : status;
    if (status == 0)
        status = agree(communicator, count_status, shape);
    struct group *group = status == 0 ? group_of(communicator) : NULL;
    if (group == NULL) {
        if (count_status == 0)
            uncount_grid();
        free(new_grid);
        return status != 0 ? status : STARTILE_ERROR_MEMORY;
    }
    *new_grid = group->root; /* copies the group's communicators and processes */
    set_shape(&new_grid->grid, shape);
    new_grid->grid.users = 0;
    new_grid->grid.turn = lib.turn;
    *grid = &new_grid->grid;
    return 0;
}

int64_t startile_grid_create_grouped(startile_grid **grid, MPI_Comm communicator, int p, int q,
                                     char order, int columns)
{
    char ranks = (char)toupper((unsigned char)order);
    bool is_order = memchr("RCN", ranks, 3) != NULL;
    return create(grid, communicator, (struct grid_shape){p, q, columns, is_order ? ranks : '\0'});
}

int64_t startile_grid_create(startile_grid **grid, MPI_Comm communicator, int p, int q, char order)
{
    return startile_grid_create_grouped(grid, communicator, p, q, order, 1);
}

int64_t startile_grid_create_symmetric(startile_grid **grid, MPI_Comm communicator, int order)
{
    return create(grid, communicator, (struct grid_shape){order, order, 1, 'S'});
}

void mpi_grid_free(startile_grid *g)
{
    free(g);
    uncount_grid();
}
