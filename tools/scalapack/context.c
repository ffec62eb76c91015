/* BLACS contexts, and startile's grids on their processes */
#include "scalapack.h"

#include <stdlib.h>

/* A grid of startile whose first process is the one in row `row` and column `col` of the context */
struct grid {
    struct grid *next;
    startile_grid *grid;
    int row, col;
};

static struct {
    struct context *contexts;
    bool is_started, is_unusable; /* startile has been started; startile must not be used */
} lib;

/* -- the end ----------------------------------------------------------------------------------- */

static void free_context(struct context *c)
{
    for (struct grid *g = c->grids, *next; g != NULL; g = next) {
        next = g->next;
        startile_grid_destroy(g->grid);
        free(g);
    }
    MPI_Comm_free(&c->communicator);
    free(c);
}

/* Frees all grids and stops startile. MPI_Finalize() calls this function first, when MPI can still
 * be used. */
static int stop_startile(MPI_Comm communicator, int key, void *value, void *state)
{
    (void)communicator, (void)key, (void)value, (void)state;
    for (struct context *c = lib.contexts, *next; c != NULL; c = next) {
        next = c->next;
        free_context(c);
    }
    lib.contexts = NULL;
    if (lib.is_started)
        startile_finalize();
    lib.is_started = false;
    lib.is_unusable = true;
    return MPI_SUCCESS;
}

/* Attaches an attribute to MPI_COMM_SELF, so that MPI_Finalize() calls stop_startile(). */
static void register_stop_startile(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, stop_startile, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* -- contexts ---------------------------------------------------------------------------------- */

typedef void gridinfo_function(const integer *context, integer *p, integer *q, integer *row,
                               integer *col);
typedef void get_function(const integer *context, const integer *what, integer *value);
typedef integer handle_function(const integer *system_context);

/* Returns the communicator on which a BLACS context was created. */
static MPI_Comm communicator_of(integer blacs_context)
{
    const integer what = 10; /* requests the system context of a BLACS context */
    integer system_context;
    ((get_function *)machine_symbol("blacs_get"))(&blacs_context, &what, &system_context);
    return MPI_Comm_f2c(((handle_function *)machine_symbol("blacs2sys_handle"))(&system_context));
}

/* Returns whether c has the p and q of `shape`, and the processes of the communicator in the same
 * order (MPI_CONGRUENT). */
static bool has_same_processes(const struct context *c, const struct context *shape,
                               MPI_Comm communicator)
{
    int result = MPI_UNEQUAL;
    if (c->p == shape->p && c->q == shape->q)
        MPI_Comm_compare(c->communicator, communicator, &result);
    return result == MPI_CONGRUENT;
}

struct context *find_context(integer blacs_context)
{
    struct context shape = {.next = lib.contexts}; /* p, q, row and col of the BLACS context */
    gridinfo_function *gridinfo = (gridinfo_function *)machine_symbol("blacs_gridinfo");
    if (gridinfo == NULL || !has_thread_level())
        return NULL;
    gridinfo(&blacs_context, &shape.p, &shape.q, &shape.row, &shape.col);
    if (shape.p < 1 || shape.row < 0 || shape.row >= shape.p)
        return NULL;
    MPI_Comm communicator = communicator_of(blacs_context);
    for (struct context *c = lib.contexts; c != NULL; c = c->next)
        if (has_same_processes(c, &shape, communicator))
            return c;
    struct context *made = malloc(sizeof *made);
    shape.communicator = communicator;
    if (!agree(&shape, made != NULL, 0)) {
        free(made);
        return NULL;
    }
    *made = shape;
    MPI_Comm_dup(communicator, &made->communicator);
    if (lib.contexts == NULL)
        register_stop_startile();
    return lib.contexts = made;
}

bool agree(const struct context *c, bool mine, int64_t fingerprint)
{
    int64_t least[] = {mine, fingerprint, -fingerprint};
    MPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, c->communicator);
    return least[0] != 0 && least[1] == -least[2];
}

bool has_row_major_ranks(const struct context *c)
{
    int rank;
    MPI_Comm_rank(c->communicator, &rank);
    return rank == c->row * c->q + c->col;
}

/* -- grids ------------------------------------------------------------------------------------- */

/* Starts startile once, with workers that sleep between calls. */
static void start_startile(void)
{
    startile_options options;
    startile_options_default(&options, sizeof options);
    options.pause_when_idle = 1;
    lib.is_started =
        lib.is_started || (has_address_space_for_startile() && startile_init(&options) == 0);
}

/* Creates the grid whose first process is the one in that row and column of the context. Returns
 * NULL on failure. Collective. */
static startile_grid *new_grid(const struct context *c, int row, int col)
{
    MPI_Comm rotated;
    startile_grid *grid = NULL;
    /* row-major rank of this process, counted from the grid's first process */
    int rank = (c->row - row + c->p) % c->p * c->q + (c->col - col + c->q) % c->q;
    MPI_Comm_split(c->communicator, 0, rank, &rotated);
    if (startile_grid_create(&grid, rotated, c->p, c->q, 'R') != 0)
        grid = NULL;
    MPI_Comm_free(&rotated);
    return grid;
}

startile_grid *find_grid(struct context *c, int row, int col)
{
    for (struct grid *g = c->grids; g != NULL; g = g->next)
        if (g->row == row && g->col == col)
            return g->grid;
    struct grid *made = malloc(sizeof *made);
    if (!agree(c, made != NULL && !lib.is_unusable, 0)) {
        free(made);
        return NULL;
    }
    start_startile();
    *made = (struct grid){c->grids, new_grid(c, row, col), row, col};
    if (made->grid == NULL) {
        lib.is_unusable = true;
        free(made);
        return NULL;
    }
    c->grids = made;
    return made->grid;
}

bool is_startile_started(void)
{
    return lib.is_started;
}

bool startile_is_on_gpus(void)
{
    return lib.is_started && startile_cuda_workers() > 0;
}
