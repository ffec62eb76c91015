/*
 * The interface between algorithms and StarPU: matrices as views of tiles, and one insert function
 * per operation, which submits one task on those tiles and returns. This header does not include
 * StarPU, so an algorithm cannot call it.
 *
 * A view may be transposed without cost: a tile stores its op, and the insert functions rewrite the
 * operation so that it updates the tile as it is stored. The upper case of an algorithm is
 * therefore its lower case on the view of the conjugate transpose.
 *
 * uplo always names the triangle as stored.
 */
#ifndef STARTILE_CODELETS_H
#define STARTILE_CODELETS_H

#include "startile.h"
#include "startile_batch.h"

#include <stdbool.h>

typedef struct {
    const startile_matrix *A; /* NULL: no tile */
    int64_t i, j;             /* index as stored */
    char op;                  /* 'N', 'T' or 'C': how the view shows the tile */
} tile;

typedef struct {
    const startile_matrix *A;
    char op;
    int64_t mt, nt; /* rows and columns of tiles in the view */
} view;

enum { NO_STEP = -1 };
/* Context of a task: request, stage, step, gate. It is passed by value: a function that changes its
 * copy changes only the tasks that it submits. */
typedef struct {
    startile_request *request;
    struct stage *stage;            /* stage of the step, from begin_step(), or NULL */
    const struct temporary *before; /* newest temporary before begin_step() */
    int64_t step;      /* iteration of the algorithm's outer loop, from 0, for traces; or NO_STEP */
    int factorization; /* number of earlier calls of after_factorization() in the request */
    bool is_factoring; /* set by begin_factorization(); tasks on a grid do not read the info */
    bool is_repeated;  /* another process does the same work and reports the info */
    enum gate { NO_GATE, OPENS_GATE, WAITS_FOR_GATE } gate;
} context;

/* Rows row, row + 1, … of block column j, in one or more tiles. The part of a column that one
 * process row of a grid owns has every tile_step-th tile; `rows` then counts the rows in these
 * tiles only. */
typedef struct {
    const startile_matrix *A;
    int64_t j, row, rows;
    int64_t tile_step; /* 1: adjacent tiles */
} column;

/* Tiles i, i + 1, … of column j of a view. */
typedef struct {
    view A;
    int64_t i, j, count;
} tile_range;

/* The inverse of a triangular diagonal block of a matrix, or for a panel of LU the inverses of the
 * diagonal blocks of L11 (kernel getrf), in a temporary. */
typedef struct inverse inverse;

/* Rows of a panel that take part in a tournament. */
typedef struct candidates candidates;

/* The interchanges of a panel in one process row of a grid: the panel's part of a startile_pivots,
 * or a copy of it. */
typedef struct row_pivots row_pivots;

/* Panel k of n pivots on a grid, in tiles of mb rows. Its rows, from `row` on, belong to `count`
 * process rows: first, first + 1, …, cyclically. The diagonal block belongs to the first. */
typedef struct {
    int64_t k, row, n, mb;
    int first, count;
} grid_panel;

/* -- views ---------------------------------------------------------------------------------- */

view view_of(const startile_matrix *A, char op);

/* Returns the letter of op(inner(X)), where 'N' is X, 'T' is X^T and 'C' is X^H. 'T' and 'C' must
 * not be mixed: a conjugate without a transposition has no letter. */
char compose(char op, char inner);

static inline tile at(view V, int64_t i, int64_t j)
{
    return V.op == 'N' ? (tile){V.A, i, j, 'N'} : (tile){V.A, j, i, V.op};
}

static inline tile tile_op(char op, tile t)
{
    t.op = compose(op, t.op);
    return t;
}

static inline column rows_of(const startile_matrix *A, int64_t j, int64_t row, int64_t rows)
{
    return (column){A, j, row, rows, 1};
}

/* Returns rows `row` to the bottom of block column j. */
static inline column below(const startile_matrix *A, int64_t j, int64_t row)
{
    return rows_of(A, j, row, startile_matrix_shape(A).m - row);
}

/* Returns the rows of c that process row r of the grid owns; c has adjacent tiles (tile_step 1).
 * Without a grid process row 0 owns all rows. */
column rows_of_process(column c, int r);
/* Returns the part of c that begins at its row `first`, counted from 0 at c.row, and has `rows`
 * rows. Rows of tiles that c skips (tile_step > 1) do not count. */
column rows_within(column c, int64_t first, int64_t rows);
/* Return the number of process rows (columns) of A's grid; 1 without a grid. */
int process_rows(const startile_matrix *A);
int process_columns(const startile_matrix *A);
/* Returns the process row that owns row `row` of A. */
int process_row_of(const startile_matrix *A, int64_t row);

/* Returns the tiles i, i + 1, … of column j that one task updates: several if all tasks run on GPUs
 * and V is not on a grid, else one. */
tile_range tiles_from(view V, int64_t i, int64_t j);

/* Returns the first range of for_own_ranges() from row i on; its count is 0 after the last one. */
tile_range own_range(view V, int64_t i, int64_t j, int64_t alone);

/* Return the first row (column) of tiles of V from i (j) on in which this process owns tiles, or
 * one beyond the last. Without a grid: i (j). */
int64_t own_row(view V, int64_t i);
int64_t own_column(view V, int64_t j);
/* Returns the first block column of A from j on whose tasks this process submits, or one beyond the
 * last. In a grid with one process row each block column has one owner, which submits them. In
 * other grids a block column has several owners, and all processes submit all tasks. */
int64_t next_task_column(const startile_matrix *A, int64_t j);

/* Returns whether this process owns the tile; without a grid it owns all. */
bool is_own_tile(tile t);

/* Loops that leave out the tasks of other processes. They belong between begin_step() and
 * end_step(), after the sends of the data that their tasks read. Without a grid they leave out
 * nothing. `first` and `last` are the first index and the one beyond the last. */

/* Tile columns j (rows i) of the view V in which this process owns tiles. */
#define for_own_columns(j, V, first, last)                                                         \
    for (int64_t j = own_column(V, first); j < (last); j = own_column(V, j + 1))
#define for_own_rows(i, V, first, last)                                                            \
    for (int64_t i = own_row(V, first); i < (last); i = own_row(V, i + 1))
/* Tiles (i,j) of tile column j (row i) that this process owns. */
#define for_own_tiles_in_column(i, V, j, first, last)                                              \
    for (int64_t i = own_column(V, j) == (j) ? own_row(V, first) : (last); i < (last);             \
         i = own_row(V, i + 1))
#define for_own_tiles_in_row(j, V, i, first, last)                                                 \
    for (int64_t j = own_row(V, i) == (i) ? own_column(V, first) : (last); j < (last);             \
         j = own_column(V, j + 1))
/* Ranges r of tiles of tile column j that this process owns, from row `first` on, each for one
 * task; the tiles in rows up to `alone` are ranges of their own. */
#define for_own_ranges(r, V, j, first, alone)                                                      \
    for (tile_range r = own_range(V, first, j, alone); r.count > 0;                                \
         r = own_range(V, r.i + r.count, j, alone))
/* Block columns j of A whose tasks this process submits. */
#define for_task_columns(j, A, first, last)                                                        \
    for (int64_t j = next_task_column(A, first); j < (last); j = next_task_column(A, j + 1))

/* Tiles (i … i + rows − 1, j … j + columns − 1) of a view. */
typedef struct {
    view V;
    int64_t i, j, rows, columns;
} tile_block;

/* Processes that receive data: the owners of the tiles of two blocks, of which one may be empty. */
typedef struct {
    tile_block block[2];
} receivers;
receivers owners_of(view V, int64_t i, int64_t j, int64_t rows, int64_t columns);
receivers owners_of_both(tile_block a, tile_block b);
/* Owners of C's block columns first … last − 1 in a grid with one process row; nobody in others,
 * where all processes submit the tasks. */
receivers owners_of_columns(const startile_matrix *C, int64_t first, int64_t last);
/* `count` processes of T's process column: T's owner and those in the next process rows,
 * cyclically. A column of T's matrix has a multiple of process_rows() tiles. */
receivers owners_down(tile T, int64_t count);

/* Send the newest version of a tile, or of rows of a block column, to processes whose tasks read
 * it. Without a grid they do nothing. All processes call them, once for each version. */
void send_tile(context ctx, int64_t priority, tile T, receivers to);
void send_column(context ctx, int64_t priority, column c, receivers to);
/* Sends panel k of P to all processes that own tiles of C. */
void send_pivots(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                 const startile_matrix *C);

/* -- temporaries ----------------------------------------------------------------------------- */

/* Entry of a request's list of temporary data; the first member of the structure with the data. */
typedef struct temporary temporary;
struct temporary {
    temporary *next;
    struct stage *stage;           /* of the step that made it, or NULL */
    void (*release)(temporary *t); /* frees the data after the tasks submitted so far */
};

/* Makes the request the owner of t. A wait for the request, or its destruction, releases t. */
void own_temporary(context ctx, temporary *t, void (*release)(temporary *t));
/* newest_temporary() returns the request's newest temporary, or NULL. release_temporaries()
 * releases all temporaries that are newer than `oldest`; with NULL it releases all. */
temporary *newest_temporary(context ctx);
void release_temporaries(context ctx, const temporary *oldest);

/* temporary_matrix() creates a temporary matrix of A's type, on A's grid, temporary_of_type() one
 * of another type, without a grid, temporary_on_grid() one of another type, on A's grid. On an
 * error they fail the request and return NULL. */
startile_matrix *temporary_matrix(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                  int64_t mb, int64_t nb);
startile_matrix *temporary_of_type(context ctx, startile_dtype dtype, startile_shape shape);
startile_matrix *temporary_on_grid(context ctx, const startile_matrix *A, startile_dtype dtype,
                                   startile_shape shape);
/* Makes the request the owner of a matrix that startile_matrix_create() made. */
void own_matrix(context ctx, startile_matrix *A);

/* -- the library ---------------------------------------------------------------------------- */

/* Calls startile_init(). *has_started := whether this call started StarPU; if so, takes a second
 * reference. */
int library_enter(const startile_options *options, bool *has_started);

/* Returns whether this process is a child of fork() whose parent uses StarPU. StarPU's threads are
 * not in the child, which must not wait for them. */
bool library_unusable_after_fork(void);

/* Notes that the calling thread runs the program's exit handlers: other threads do not start or
 * stop StarPU from now on. */
void library_note_exit(void);
/* Returns whether the program ends and the calling thread does not run its exit handlers. */
bool library_ends(void);

/* Returns whether the address is in the memory of a GPU, which the host cannot access. */
bool is_gpu_memory(const void *p);
/* Page-locks the array of a wrapped matrix until the matrix is destroyed, if there are GPUs and the
 * array is pageable, contiguous and not small; NULL is allowed. Only for an array that a blocking
 * call overwrites, which no other thread may use at that time: CUDA refuses copies that begin in a
 * page-locked range and end outside. (host_memory.c) */
void page_lock(startile_matrix *A);
/* *nb := the tile width in the environment variable STARTILE_NB, or 0 if it is unset. Returns 0 or
 * STARTILE_ERROR_ENVIRONMENT. */
int environment_tile_width(int64_t *nb);

/* Returns the number of workers that run the library's tasks. */
int64_t task_workers(void);
/* Returns whether GPUs take part. */
bool runtime_has_cuda(void);

/* -- requests ------------------------------------------------------------------------------- */

/* request_start() and request_finish() enclose the asynchronous calls of a blocking call.
 * request_start() returns NULL without memory, or if the library is not started. request_finish()
 * waits, frees the request and returns `result` if it is not 0, else the request's result. If r is
 * NULL, it returns the reason as a startile_error. */
startile_request *request_start(void);
int64_t request_finish(startile_request *r, int result);
/* Returns the context for the tasks that an algorithm submits next in the request: no step, no
 * gate. */
context context_of(startile_request *r);
/* Return a context whose tasks open the request's gate, or wait for it. Tasks that open the gate
 * run one after the other. Tasks that wait start after all tasks that open the gate and were
 * submitted before. The gate delays the first tasks of a block until the previous block is nearly
 * finished, and delays tasks until factors are checked. */
context opens_gate(context ctx);
context waits_for_gate(context ctx);
/* begin_factorization() returns ctx for the tasks of a new factorization and gives the request a
 * new info: insert_trsm() with after_info waits for the diagonal tiles of this factorization only.
 * after_factorization() returns ctx for the tasks after an LU factorization. They do nothing if the
 * factorization met a zero pivot. From then on context_of() returns contexts with the same
 * effect. */
context begin_factorization(context ctx);
context after_factorization(context ctx);
/* Stores the first failure in the request; code 0 is ignored. */
void request_fail(startile_request *r, int64_t code);
/* Stores info > 0, the first zero pivot of a factorization that continues after it; ignores info
 * 0. */
void request_note_zero_pivot(startile_request *r, int64_t info, int factorization);

/* -- operations that decide at run time what to submit (decision.c, hold.c) -------------------- */

/* n real numbers, initially 0, that tasks write and a decision reads. A temporary of the request;
 * values_begin() fails the request and returns NULL without memory. */
typedef struct values values;
values *values_begin(context ctx, int64_t n);
/* As values_begin(), for tasks on the matrices of A's grid: each process has its own numbers, which
 * its tasks write, until values_join(). */
values *values_on_grid(context ctx, const startile_matrix *A, int64_t n);
/* Waits for the tasks submitted so far that write v, and gives all processes of the grid the
 * largest of their numbers, which are >= 0 or NaN, or the sums. All get the same bits. Collective;
 * without a grid, and for v NULL, it does nothing. */
enum join_by { JOIN_BY_LARGEST, JOIN_BY_SUM };
void values_join(context ctx, values *v, enum join_by how);
/* Returns the numbers in main memory, where a decision or values_join() has copied them. */
const double *values_read(const values *v);

typedef void decision(void *arg);
/* Calls decide(arg) when the tasks submitted so far that write the `count` values have ended and
 * the values are in main memory. decide() runs in a thread of StarPU. It may submit tasks, but must
 * not wait. Context's request counts the decision as unfinished until decide() returns. Values on a
 * grid are joined: decide(arg) is called at once, on all processes. */
void insert_decision(context ctx, int count, values *const *v, decision *decide, void *arg);

/* Returns a request for a part of the operation of ctx: it has the priority of ctx.request and
 * fails or is cancelled with it, but its failure does not fail ctx.request. Its products in single
 * precision are computed as `products` says. A temporary of ctx.request; NULL without memory. */
startile_request *request_within(context ctx, startile_products products);
/* Changes the products of the tasks that r submits from now on. */
void request_use_products(startile_request *r, startile_products products);
/* Returns the first failure or, if there is none, the first zero pivot, or 0. */
int64_t request_outcome(startile_request *r);
/* Returns request_outcome(r). On a grid makes it the same on all processes first; collective. */
int64_t request_agree(startile_request *r);
/* Makes r a request of the matrix' grid, if it has one. */
void request_join_grid(startile_request *r, const startile_matrix *A);

/* Tiles that an operation uses until it has ended, although it submits some of its tasks late. */
typedef struct hold hold;
/* Returns a hold without tiles, a temporary of ctx.request; NULL and failure without memory. */
hold *hold_begin(context ctx);
/* Add the tiles of a matrix, or the pivots. uplo 'L', 'U': of that triangle of A, which has
 * square tiles; 'G': all. has_values: the tiles have values */
void hold_matrix(hold *h, char uplo, const startile_matrix *A, bool has_values);
void hold_pivots(hold *h, const startile_pivots *P);
/* From now on the tasks that others submit on these tiles wait for hold_end(), and ctx.request is
 * unfinished. Returns false and fails the request without memory. */
bool hold_submit(hold *h);
/* Lets the tasks that r submits from now on use the tiles before hold_end(), in the order in which
 * all such requests submit them. */
void request_use_hold(startile_request *r, hold *h);
/* Ends the hold after the tasks submitted so far: calls ended(arg), then starts the tasks that
 * wait. Call it once after hold_submit(). */
void hold_end(hold *h, decision *ended, void *arg);

/* -- detection of corruption (verify.c) ------------------------------------------------------- */

/* Returns the level of the option `verify` for the operations that r gets from now on: 0, 1 or
 * 2. */
int request_verify(const startile_request *r);
/* Fails the request with STARTILE_ERROR_CORRUPTION, unless it has failed, and stores the first
 * report. */
void request_note_corruption(startile_request *r, const startile_corruption *found);
/* Attempts at an operation of which r is one (algorithms/verify_again.c), or NULL. */
struct attempts;
struct attempts *request_attempts(const startile_request *r);
void request_set_attempts(startile_request *r, struct attempts *a);
/* Forgets an info > 0, before the next attempt. */
void request_forget_info(startile_request *r);

/* -- progress (progress.c) ------------------------------------------------------------------- */

/* Announces the tasks of a factorization of A that will be submitted: `share` times the operations
 * of an LU factorization, less those of the first `finished_columns` block columns.
 * announcement_ends() tells that all are submitted. */
void announce_factorization(const startile_matrix *A, double share, int64_t finished_columns);
void announcement_ends(void);

/* -- journals of factorizations in files (journal/journal.c) ----------------------------------- */

/* A factorization of a matrix with a journal, in block columns of the view. */
typedef struct {
    const char *routine;
    startile_matrix *A;
    view V;
    bool is_triangular; /* block column k of V begins at tile row k */
    char uplo;          /* 0 for a routine without triangle */
    int64_t panels;     /* block columns with interchanges or a triangle: 0 … panels − 1 */
    startile_pivots *P; /* or NULL */
    const startile_matrix *T; /* triangles of the block reflectors, or NULL */
    int64_t group;            /* block columns that a new journal lets be factored together */
} journaled;

/* Returns whether A has a journal, or startile_matrix_journal() has failed: factorizations fail
 * then. */
bool has_journal(const startile_matrix *A);
/* Waits for the tasks on A. Creates the journal, or continues the factorization in it: checks the
 * journal and A's file, restores the block columns that were in work, the finished panels' parts of
 * P or T, and the info. On failure returns false, fails the request, and has changed nothing. */
bool journaled_begin(context ctx, const journaled *f);
/* Returns the number of block columns that are factored together. */
int64_t journaled_group(const journaled *f);
/* Returns the number of block columns that are finished: factored or, with `again`, interchanged
 * after that. */
int64_t journaled_finished(const journaled *f, bool again);
/* Copies block columns first … last − 1 to the journal, before their tasks are submitted. At most
 * 2·journaled_group() block columns may be saved and not yet finished. Waits for the disk. Returns
 * false and fails the request on failure. */
bool journaled_save(context ctx, const journaled *f, int64_t first, int64_t last, bool again);
/* Waits for the tasks on each of these block columns, then for the disk, and records that it is
 * finished. Returns false if the request has failed. */
bool journaled_finish(context ctx, const journaled *f, int64_t first, int64_t last, bool again);

/* -- calls on distributed matrices (call.c) -------------------------------------------------- */

/* An argument of a public function. `hash` is equal on all processes if they pass the same
 * argument. */
typedef struct {
    bool is_operand;          /* a matrix, pivots or a tree, not NULL */
    startile_matrix *written; /* a matrix that the call writes, or NULL */
    startile_grid *grid;      /* grid of the operand, or NULL */
    uint64_t hash;
} argument;

typedef struct {
    const char *routine;
    const argument *list;
    int count;
} call;

argument letter_argument(char letter);
argument integer_argument(uint64_t i);
argument number_argument(startile_complex z);
argument matrix_argument(const startile_matrix *A);
argument written_argument(startile_matrix *A);
argument pivots_argument(const startile_pivots *P);
/* Returns the argument for a pointer to a result. Processes may pass different pointers. */
argument result_argument(const void *p);

/* Returns whether an operand is distributed, or all operands are NULL and the process has matrices
 * on grids of one group of processes only. */
bool is_distributed(const call *c);
/* Returns the same status of a distributed call on all processes of its grid: the least `status` (0
 * or −i) of any process; if all are 0, STARTILE_ERROR_MISMATCH where routines or arguments differ,
 * else 0. Returns `status` for other calls. Collective. */
int agree_on_call(const call *c, int status);
/* Makes all processes submit the tasks of a distributed call, or none, and drops copies of written
 * matrices, which the program may have made: tasks in own loops outdate them. `checked` is the
 * result of the routine without a request: −(c->count + 1) if the arguments are right. Returns 0 or
 * the error on all processes. Collective. */
int begin_call(const call *c, int checked, startile_request *request);

/* -- memory --------------------------------------------------------------------------------- */

/* Returns the option `reproducible`: nothing that affects results may depend on the number of
 * workers or GPUs, the scheduler, memory or time. */
bool runtime_is_reproducible(void);

/* Returns whether each memory holds the data of two tasks for each of its workers, where a task
 * works on rows × columns elements of A, or holds all of A. On a grid, returns whether this is true
 * on all processes. Fails the request otherwise. */
bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns);

/* For an A on a disk, returns whether main memory holds a copy of `columns` columns of A and the
 * data of the tasks; returns true for any other A. On a grid, returns whether this is true on all
 * processes. Fails the request otherwise. */
bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns);

/* Returns the number of block columns of `rows` rows in the block that begins at block column
 * `first`: all that follow if they fit the smallest memory that A's tiles are copied to, and on a
 * grid; else as many as fit a share of this memory, at least 1. has_whole_panels: tasks work on
 * whole panels, so with several GPUs the share is smaller. */
int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels);

/* Hints that no task submitted soon uses the tile, so StarPU may evict it first. */
void hint_idle(tile A);

/* Frees the tile of a temporary in all processes, after the tasks submitted so far. The tile has no
 * value then. Without a grid, or without a tile, it does nothing. */
void discard(context ctx, tile T);

/* -- steps (stage.c) ------------------------------------------------------------------------- */

/* begin_step() returns ctx for iteration k of an algorithm's outer loop; A is the largest operand
 * on a grid. end_step(), with that context, frees the temporaries made since, and all copies of
 * tiles that the step's sends and tasks have brought to other processes, after the tasks
 * submitted so far. In between, loops may leave out the tasks of other processes: no process has a
 * copy of a tile from an earlier step, and all have the request's info, which the tasks read.
 *
 * begin_step() waits for earlier steps of the request: until the unfinished ones and a further one,
 * as large as the largest so far, need at most the memory of a quarter of this process' part of A
 * and one block column, or until no step is unfinished. With another block column for messages that
 * arrive early, a process needs 1.25 times its part of A and two block columns, if no step alone
 * needs more. Without a grid it does not wait.
 *
 * begin_paced_step() also waits until all processes of the grid have come to it. A process that
 * only sends has nothing to wait for in begin_step(), and StarPU-MPI 1.4 allocates memory in the
 * others for messages that arrive before their receive was submitted. Factorizations call
 * begin_step(), because each process waits for results of the others. Collective. */
context begin_step(context ctx, const startile_matrix *A, int64_t k);
context begin_paced_step(context ctx, const startile_matrix *A, int64_t k);
void end_step(context ctx);

/* -- argument checks ------------------------------------------------------------------------ */

/* Returns c as a capital: LAPACK accepts its letters in either case. */
char capital(char c);
bool is_one_of(char c, const char *letters);
/* Returns whether n elements cut into tiles of nb1 and of nb2 give the same tiles. */
bool same_tiles(int64_t n, int64_t nb1, int64_t nb2);
/* Returns whether both have the same type of elements and lie on the same processes. */
bool may_copy(const startile_matrix *A, const startile_matrix *B);
/* Returns whether A is square and has square tiles. */
bool has_square_tiles(const startile_matrix *A);
bool is_complex(const startile_matrix *A);
/* Returns whether each diagonal block of nb rows is in one tile row of A, and A has at most
 * MOST_TILES tiles in a column. */
enum { MOST_TILES = 1024 };
bool has_whole_blocks(const startile_matrix *A, int64_t nb);
/* gels uses a reduction tree on CPUs when m >= TALL * n (perf_models/NOTES.md, "CPU cores"). */
enum { TALL = 2 };
/* pivots_first_row() returns the number of rows above panel k, pivots_panels() the number of
 * panels. */
int64_t pivots_first_row(const startile_pivots *P, int64_t k);
int64_t pivots_panels(const startile_pivots *P);
/* Returns whether P has the grid, the number of rows, the number of pivots and the panels of A. */
bool pivots_fit(const startile_pivots *P, const startile_matrix *A);

/* Returns whether T can hold the triangles of reflectors in the first columns of A, as many columns
 * as T has. */
bool reflectors_fit(const startile_matrix *T, const startile_matrix *A);
/* Copies tau to the diagonals of T. Blocking; returns 0 or a startile_error. */
int reflectors_set_tau(startile_matrix *T, const void *tau);

/* -- priorities ----------------------------------------------------------------------------- */

enum { CRITICAL = 1 << 19 };
/* Returns the priority of a task on the critical path, above those of the request's tasks that are
 * not critical. A GPU with at least three workers reserves one for critical tasks. */
static inline int64_t critical(int64_t priority)
{
    return priority + CRITICAL;
}

/* -- operations ----------------------------------------------------------------------------- */

/* C := alpha A B + beta C; with A.A NULL: C := beta C */
void insert_gemm(context ctx, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C);

/* C := alpha A A^H + beta C (op 'C', real scalars) or alpha A A^T + beta C (op 'T') on the triangle
 * uplo; with A.A NULL: C := beta C */
void insert_herk(context ctx, int64_t priority, char op, char uplo, startile_complex alpha, tile A,
                 startile_complex beta, tile C);

/* B := alpha T^-1 B (side 'L') or alpha B T^-1 (side 'R'). after_info: the task waits for the
 * request's last Cholesky factorization and does nothing if that failed. */
void insert_trsm(context ctx, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info);

/* B := alpha W B (side 'L') or alpha B W (side 'R') for a triangular W whose other triangle is
 * zero */
void insert_trmm(context ctx, int64_t priority, char side, char uplo, startile_complex alpha,
                 tile W, tile B);

/* T := T^-1 for a triangular T without zero on its diagonal */
void insert_trtri(context ctx, int64_t priority, char uplo, char diag, tile T);

/* B := B T^-1. On a GPU the task multiplies by W if W is not NULL and is accurate; otherwise it
 * solves. */
void insert_trsm_inverse(context ctx, int64_t priority, char uplo, tile T, inverse *W,
                         tile_range B);

/* C := C - A B^H for each tile of the range: tile B is the tile of A's block column in the row that
 * equals C's column. If C begins on the diagonal, its first tile is updated in the triangle uplo
 * only, and B is A's first tile. */
void insert_herk_gemm(context ctx, int64_t priority, char uplo, tile_range A, tile B, tile_range C);

/* A := its Cholesky factor; on failure the request's info is the order of the failing minor.
 * Returns the factor's inverse if want_inverse is set, there are GPUs and A is not on a grid; else,
 * and without memory, NULL. */
inverse *insert_potrf(context ctx, int64_t priority, char uplo, tile A, bool want_inverse);

/* A := its factors L and U with partial pivoting, panel k of P := its interchanges; a zero pivot is
 * stored in the request. Returns the inverses of L11's diagonal blocks if want_inverse is set,
 * there are GPUs and A is not on a grid; else, and without memory, NULL. */
inverse *insert_getrf(context ctx, int64_t priority, column A, startile_pivots *P, int64_t k,
                      bool want_inverse);

/* Factors the diagonal block of n columns at the top of A without pivoting. *WL and *WU := the
 * inverses of its factors, or NULL without GPUs or memory; on a grid *WL is NULL. WU is a temporary
 * of the request; the caller releases WL. */
void insert_getrf_nopiv(context ctx, int64_t priority, column A, int64_t n, inverse **WL,
                        inverse **WU);

/* B := B U^-1 for the upper triangle U of the diagonal block T of n columns. On a GPU the task
 * multiplies by W if W is not NULL and is accurate; otherwise it solves. */
void insert_trsm_column(context ctx, int64_t priority, column T, int64_t n, inverse *W, column B);

/* B := P B for the panels first … last − 1 of P, or the inverse interchanges from the last panel to
 * the first. If `after` is not NULL, the task waits for the tile *after. */
void insert_laswp(context ctx, int64_t priority, const startile_pivots *P, int64_t first,
                  int64_t last, bool inverse, column B, const tile *after);

/* A := A P for panel k of P, in tile row i of A. */
void insert_lapmt(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                  startile_matrix *A, int64_t i);

/*
 * One step of a substitution with the columns T of a triangle, on the same rows of B. The
 * triangular block T_k has n columns; it is at the top of T for uplo 'L' and at the bottom for 'U'.
 * T_rest are the other rows of T; B_k and B_rest are the corresponding rows of B.
 *   trans 'N':       B_k := T_k^-1 B_k,  B_rest := B_rest - T_rest B_k
 *   trans 'T', 'C':  B_k := op(T_k)^-1 (B_k - op(T_rest) B_rest)
 */
typedef struct {
    char uplo, trans, diag;
    int64_t n;
    column T;
    inverse *W;        /* inverse of T_k or of its diagonal blocks, or NULL */
    const tile *after; /* tile that the task waits for, or NULL */
} substitution;
void insert_substitution(context ctx, int64_t priority, const substitution *s, column B);

/* B := P B for panel k of P, then the substitution: one step of LU with pivoting in one task,
 * because StarPU's overhead of a task is about as long as a small product. */
void insert_update(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                   const substitution *s, column B);

/* C := C - A B for all rows of the block columns; B has as many rows as A has columns. */
void insert_gemm_column(context ctx, int64_t priority, column A, column B, column C);

/* C := A^H B for columns A and B of the same rows; C has as many rows as A has columns. */
void insert_column_product(context ctx, int64_t priority, column A, column B, tile C);

/* B := alpha A + beta B; both tiles have op 'N' */
void insert_geadd(context ctx, int64_t priority, startile_complex alpha, tile A,
                  startile_complex beta, tile B);

/* Panel A := R and V of its QR factorization; T := the triangle of its block reflector. */
void insert_geqrf(context ctx, int64_t priority, column A, tile T);

/* T := the triangle of the block reflector of the first k reflectors in V, where T's diagonal holds
 * tau and T has k columns */
void insert_larft(context ctx, column V, tile T);

/* C := op(Q) C (trans 'N', 'C') for the block reflector Q = I - V T V^H. C and V have the same
 * rows; V's columns beyond those of T are not read. */
void insert_larfb(context ctx, int64_t priority, char trans, column V, tile T, column C);

/* [R; B] := R and V of its QR factorization, for an upper triangular R on top of B, which is full
 * (uplo 'G') or upper trapezoidal ('U'); T := the triangle of the block reflector. */
void insert_tpqrt(context ctx, int64_t priority, char uplo, column R, column B, tile T);

/* [A; B] := op(Q) [A; B] for the Q of V and T from insert_tpqrt() */
void insert_tpmqrt(context ctx, int64_t priority, char uplo, char trans, column V, tile T, column A,
                   column B);

/* Householder reconstruction for Q, the top of a matrix with orthonormal columns: factors Q - S =
 * V1 U without pivoting, where S is diagonal with elements 1 or -1. Q := V1 with zeros above its
 * unit diagonal, tile U := U, T := the triangle -U S V1^-H of the block reflector, R := S R. Q is
 * in one tile. */
void insert_reconstruct(context ctx, int64_t priority, column Q, tile U, tile T, tile R);

/* B := A^H; A's rows are B's columns and A's columns B's rows. Their tiles need not match. */
void insert_transpose(context ctx, column A, column B);

/* B := A for the rows of A and the columns that both have; uplo 'U' copies the upper triangle and
 * needs A and B in one tile each. */
void insert_copy(context ctx, int64_t priority, char uplo, column A, column B);

/* The largest |a_ij| that tasks have found; initially 0. It is a temporary of the request. */
typedef struct magnitude magnitude;
magnitude *magnitude_begin(context ctx);
/* x := max(x, |a_ij|) */
void insert_largest(context ctx, column A, magnitude *x);
/* A := f(up) / f(down) A. Let s be the smallest normal number divided by the machine epsilon. f(x)
 * is the power of two that scales an x < s to about 1 and an x > 1/s to about 1/s; f(x) = 1 for
 * other x and for NULL; f(∞) = 0. A := 0 if up is 0. (LAPACK xLASCL, as in xGELS) */
void insert_lascl(context ctx, const magnitude *up, const magnitude *down, column A);

/* Returns the n rows of A that partial pivoting would choose: one leaf of a tournament. */
candidates *insert_select(context ctx, int64_t priority, column A, int64_t n);
/* winners := the n best rows of winners and losers. The losers of insert_match_rows() are the rows
 * of B, which is in one tile and has fewer than n rows. */
void insert_match(context ctx, int64_t priority, candidates *winners, candidates *losers);
void insert_match_rows(context ctx, int64_t priority, candidates *winners, column B);
/* panel k of P := the interchanges that bring the winners to the top */
void insert_order(context ctx, int64_t priority, candidates *winners, startile_pivots *P,
                  int64_t k);
/* Returns the number of rows of a leaf for panels of n columns. */
int64_t leaf_rows(int64_t n);

/* -- LU on a grid with several process rows: tasks on the rows of one process row ------------- */

/* Returns the panel's interchanges in process row r: those in P for the panel's first process row,
 * else a temporary of the request. All processes call it; returns NULL unless is_needed. */
row_pivots *pivots_in_row(context ctx, const startile_matrix *A, startile_pivots *P,
                          const grid_panel *p, int r, bool is_needed);
/* Sends the interchanges to all processes of the process row that have block columns. */
void send_row_pivots(context ctx, int64_t priority, const row_pivots *P, const startile_matrix *A);
/* token := 0. The task waits for the tasks on A and for earlier tasks of insert_getrf_part() of its
 * process. */
void insert_ready(context ctx, int64_t priority, column A, tile token);
/* A := the rows of the panel's factors in one process row, with partial pivoting; P := the
 * interchanges; L := the factors of the diagonal block. The tasks of all process rows of the panel
 * compute these together (kernel getrf_part). The task waits for the p->count tokens of
 * insert_ready(), one from each of these process rows. Runs on CPU workers. */
void insert_getrf_part(context ctx, int64_t priority, const grid_panel *p, column A, row_pivots *P,
                       tile L, const tile *tokens);
/* P := the interchanges that bring the winners to the top of the panel */
void insert_order_part(context ctx, int64_t priority, const grid_panel *p, candidates *winners,
                       row_pivots *P);
/* W := rows of A that move to the top rows of the panel, from below them. If A begins with the top
 * rows, D := the top rows; otherwise D is not used. */
void insert_pack(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                 tile W, tile D);
/* W := W with the rows of other_w that come from `count` process rows: p->first + first and those
 * that follow, cyclically. W and other_w are results of insert_pack(). */
void insert_merge(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P,
                  int first, int count, tile other_w, tile W);
/* Rows of A below the panel's top rows := the rows of D that move there, where D are the former top
 * rows. If A begins with the top rows, U := the new top rows, from D and W, and W has the rows of
 * all process rows; otherwise W and U are not used. */
void insert_place(context ctx, int64_t priority, const grid_panel *p, const row_pivots *P, column A,
                  tile D, tile W, tile U);

/* The interchanges of panels first … last − 1 of P, or with `inverse` the inverse ones. */
typedef struct {
    const startile_pivots *P;
    int64_t first, last;
    bool inverse;
} row_moves;
/* The interchanges of several panels as one permutation; a temporary of the request. Each process
 * has its own. */
typedef struct joined_moves joined_moves;
/* Joins the interchanges of A's rows to one permutation. A process without tiles of A submits no
 * task; send_pivots() has sent the panels to the others. Returns NULL and fails the request if
 * there is no memory. Runs on CPU workers. */
joined_moves *insert_join_moves(context ctx, int64_t priority, const row_moves *moves,
                                const startile_matrix *A);
/* to[r] := rows of A that move to process row r, for all r, A's own process row included. to[r].A
 * is NULL where no row can move. */
void insert_gather_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                        const tile *to);
/* Rows of A := the rows in from[r], which insert_gather_rows() of process row r has written. */
void insert_scatter_rows(context ctx, int64_t priority, const joined_moves *moves, column A,
                         const tile *from);

/* Fails the request if the diagonal of U's block column k has a zero: info := the 1-based index in
 * U of the first one. Does not fail it if `largest` is not NULL and has the value 0. */
void insert_first_zero(context ctx, const startile_matrix *U, int64_t k, const magnitude *largest);

/* B := f(r_i) g(c_j) A + B, or without + B unless `add`, in the other precision of A's type. r and
 * c are indexed by the rows and columns of the matrices; NULL: factor 1. f(x) is the power of two
 * that scales x to [1, 2), g = f or, if `divide`, g = 1/f. (kernel lag2) */
void insert_lag2(context ctx, int64_t priority, column A, const values *r, const values *c,
                 bool divide, bool add, column B);
/* Columns 0 … n − 1 of B := columns first … first + n − 1 of A, in the other precision */
void insert_lag2_columns(context ctx, column A, int64_t first, int64_t n, column B);
/* A := f(r_i) a_ij (kernel lascl2) */
void insert_lascl2(context ctx, const values *r, column A);
/* dots_j += A(:,j)^H B(:,j), a complex number as two values, also for real types. `dots` has two
 * values for each column of the matrices. */
void insert_column_dots(context ctx, column A, column B, const values *dots);
/* B(:,j) := B(:,j) + sign num_j / den_j A(:,j) with results of insert_column_dots(); unchanged
 * where den_j = 0. num and den NULL: B := B + sign A */
void insert_column_axpys(context ctx, int sign, const values *num, const values *den, column A,
                         column B);
/* v_j := max(v_j, max_i f(r_i) |a_ij|) for the columns j of A; r NULL: without f(r_i) */
void insert_column_maxima(context ctx, column A, const values *r, const values *v);
/* sums_i += Σ_j |a_ij| for the rows i of A ('I'), or sums_j += Σ_i |a_ij| for its columns ('1') */
void insert_abs_sums(context ctx, char norm, column A, const values *sums);
/* sums_i += Σ_j |a_ij| for a Hermitian diagonal tile of which the triangle uplo is stored */
void insert_hermitian_sums(context ctx, char uplo, tile A, const values *sums);
/* v_i := sqrt(|re a_ii|) for a diagonal tile */
void insert_diagonal_roots(context ctx, tile A, const values *v);
/* Returns whether one task works on the whole matrix A, or its first rows, and a block column of V:
 * one GPU runs all tasks, A fits its memory, V has few columns, and if V has another precision than
 * A, the GPU has the shared memory for that. */
bool takes_whole(const startile_matrix *A, const startile_matrix *V);
/* Operand of a triangular solve */
typedef struct {
    char uplo, trans, diag;
} triangular_factor;
/* V_j := P V_j, and then V_j := op(T)^-1 V_j for `steps` (1 or 2) triangles of T one after the
 * other, for block column j of V. V has T's type, or the same in double precision. P NULL: without
 * interchanges */
void insert_whole_solve(context ctx, const startile_pivots *P, int steps,
                        const triangular_factor *step, const startile_matrix *T,
                        const startile_matrix *V, int64_t j);
/* R_j := B_j - A X_j for block columns j of R, B, X. uplo 'L', 'U': A is Hermitian, and that
 * triangle is stored; else uplo is 'G'. */
void insert_whole_residual(context ctx, char uplo, const startile_matrix *A,
                           const startile_matrix *X, const startile_matrix *B,
                           const startile_matrix *R, int64_t j);
/* sums_i := Σ_j |a_ij| for a matrix as in insert_whole_residual() */
void insert_whole_abs_sums(context ctx, char uplo, const startile_matrix *A, const values *sums);
/*
 * A is a block column of the triangle uplo of a Hermitian matrix: the diagonal block D of n columns
 * and the rows E, below it for 'L' and above it for 'U'. B and C have the same rows.
 *   C_D := C_D - D B_D - E^H B_E
 *   C_E := C_E - E B_D
 */
void insert_hemm_column(context ctx, int64_t priority, char uplo, column A, int64_t n, column B,
                        column C);
/* W := W + |A| |B|, where W has real numbers in double precision. insert_abs_gemm_column() works on
 * block columns as insert_gemm_column() does, insert_abs_gemm() on tiles. uplo 'L', 'U': A is a
 * Hermitian tile of which that triangle is stored; else uplo is 'G'. */
void insert_abs_gemm_column(context ctx, column A, column B, column W);
void insert_abs_gemm(context ctx, char uplo, tile A, tile B, tile W);
/* v_j := max(v_j, max_i |r_ij| / (|b_ij| + w_ij)), where 0/0 = 0 */
void insert_ratio_maxima(context ctx, column R, column B, column W, const values *v);

/* W := (|R| + rounding (W + |B|)) / largest_j for the columns j (kernel error_weights) */
void insert_error_weights(context ctx, double rounding, tile R, tile B, const values *largest,
                          tile W);
/* v_i := w_ij v_i for column j of W, a matrix of real numbers in double precision */
void insert_weight_rows(context ctx, const startile_matrix *W, int64_t j, tile v);

/* The estimator of a 1-norm (LAPACK xLACN2) on the vector v, which is one tile. Each function
 * submits one step; the kernel lacn2 defines the steps and the scale s of the matrix. */
typedef struct norm_estimate norm_estimate;
norm_estimate *estimate_begin(context ctx, double s, tile v);
/* best := v; a later step that raises the estimate sets best to its v. Both are vectors in one
 * tile.
 */
void insert_keep(context ctx, norm_estimate *e, const startile_matrix *v,
                 const startile_matrix *best);
void insert_sign(context ctx, norm_estimate *e, tile v);
void insert_unit(context ctx, norm_estimate *e, tile v);
void insert_alternating(context ctx, norm_estimate *e, tile v);
/* *norm := the estimate of ‖s M‖ when the tasks have run, unless the request has failed. Frees e.
 */
void insert_estimate_end(context ctx, norm_estimate *e, tile v, double *norm);
/* *rcond := s / (anorm * estimate) when the tasks have run; 0 if anorm or the estimate is 0, if the
 * estimate is not finite, or if the request has failed. Frees e. */
void insert_rcond(context ctx, norm_estimate *e, tile v, double anorm, double *rcond);

/* -- checksums: sums of columns with two weights, and sums of squares (kernels weights, checksum)
 */

/* Returns the number of columns of a checksum of A, a matrix in double precision. */
int64_t checksum_columns(const startile_matrix *A);
/* E := weights. If `after` is not NULL, the task waits for the tile *after. */
void insert_weights(context ctx, int64_t priority, tile E, const tile *after);
/* Checksum W := the columns of E */
void insert_spread_weights(context ctx, int64_t priority, tile E, tile W);
/* S := S + A^H W for checksums W and S, whose rows correspond to A's rows and to its first n
 * columns. uplo 'L': the first `order` rows of A are a lower triangle; 'U': the last `order` rows
 * are an upper trapezoid; 'G': A is general. diag is that of the kernel. */
void insert_column_checksum(context ctx, int64_t priority, char uplo, char diag, int64_t order,
                            column A, int64_t n, column W, column S);
/* S := S + alpha A^H W. uplo 'L': the first tile of the range is a lower triangle; 'U': the last
 * one is an upper triangle. If `after` is not NULL, the task waits for the tile *after. */
void insert_checksum(context ctx, int64_t priority, char uplo, char diag, startile_complex alpha,
                     tile_range A, column W, column S, const tile *after);
/* Y(i) := Y(i+1) + A(i)^H W(i) from the last tile A(i) of the range to the first: Y(i) is the
 * checksum of the view's tiles i … mt − 1. Y is the one of the first tile, the others are right of
 * it; the last tile of the view needs Y(mt−1) = 0 before. uplo is that of the first tile. */
void insert_suffix_checksums(context ctx, int64_t priority, char uplo, tile_range A, column W,
                             tile Y);
/* S := S + A^H W, where the first tile of the range is Hermitian and the view shows its lower
 * triangle. */
void insert_hermitian_checksum(context ctx, int64_t priority, tile_range A, column W, column S);
/* found := before + the first row in which C and D differ, see the kernel compare_checksums. dtype
 * is the type of the matrix that has the checksums. */
void insert_compare_checksums(context ctx, startile_dtype dtype, double bound, int64_t before,
                              column C, column D, const values *found);

/* Returns the inverse of the triangle T, a diagonal block of n rows; a temporary of the request.
 * NULL without GPUs or memory. Solves multiply by it whatever its condition is, so their error
 * grows with cond(T): for solutions that are refined. */
inverse *insert_inverse(context ctx, int64_t priority, char uplo, char diag, column T, int64_t n);

/* Frees W after the tasks submitted so far; NULL is allowed. */
void release_inverse(inverse *W);

/* If there are GPUs and A's matrix is in main memory, copies the tile back there when its tasks
 * have ended. Call it when no later task writes the tile. */
void return_to_host(context ctx, tile A);

/* Sets the elements of A in the triangle uplo ('G': all) to offdiag, and those on the diagonal of
 * the matrix to diag. */
void insert_laset(context ctx, char uplo, startile_complex offdiag, startile_complex diag, tile A);

/* A := diag times the first columns of the identity, in the upper triangle ('U'; its rows are in
 * one tile) or everywhere ('G'). The diagonal begins at the top of the column. */
void insert_laset_column(context ctx, int64_t priority, char uplo, startile_complex diag, column A);

/* B := A in the triangle uplo or in all of the tile ('G'); both tiles have op 'N' */
void insert_lacpy(context ctx, char uplo, tile A, tile B);

/* B := A with the sign changed in the rows in which the diagonal of D is negative, in the triangle
 * uplo or in all of the tile ('G'). The tiles have op 'N'; D may be A, A may be B. (kernel
 * signed_rows) */
void insert_signed_rows(context ctx, char uplo, tile D, tile A, tile B);

/* B := the tile of a Hermitian (`hermitian`) or symmetric matrix of which A has the triangle uplo;
 * both tiles have op 'N' (kernel mirror) */
void insert_mirror(context ctx, int64_t priority, char uplo, bool hermitian, tile A, tile B);

/* B := A in the elements of the matrix that both tiles have, in its triangle uplo or everywhere
 * ('G'). With 'G' the tasks that copy to B must write all of it; the first of them must write B's
 * first element, and it does not keep B's other elements. */
void insert_lacpy_overlap(context ctx, char uplo, tile A, tile B);

/* Sets the imaginary parts of A's diagonal to 0; does nothing for real types. A is a tile of a
 * temporary. */
void insert_real_diagonal(context ctx, tile A);

/* A := random elements, with `bump` added on the diagonal of the matrix; kind 'G' (general), 'S'
 * (symmetric) or 'H' (Hermitian) */
void insert_random(context ctx, char kind, uint64_t seed, double bump, tile A);

/* Partial norms: one accumulator per block column ('1', 'M', 'F') or block row ('I'). */
typedef struct norm_parts norm_parts;
norm_parts *norm_begin(context ctx, char norm, const startile_matrix *A);
/* Adds the norm of the tile to accumulator p; weight 2 counts its elements twice in 'F'. */
void insert_lange(context ctx, char norm, double weight, tile A, norm_parts *parts, int64_t p);
/* Adds the norm of a diagonal tile stored by its triangle. */
void insert_lansy(context ctx, char norm, char uplo, bool hermitian, tile A, norm_parts *parts,
                  int64_t p);
/* *value := the norm from all accumulators when the tasks have run, unless the request has failed;
 * frees the parts */
void insert_norm_end(context ctx, norm_parts *parts, double *value);

/* The product of a factor's diagonal, in one part for each diagonal block. Functions accept NULL,
 * which determinant_begin() returns without memory. */
typedef struct determinant determinant;
determinant *determinant_begin(context ctx, const startile_matrix *A);
/* part k of d := the product of the elements of A's diagonal block k, with the sign changed for
 * each interchange of panel k of P, which may be NULL */
void insert_diagonal_product(context ctx, const startile_matrix *A, const startile_pivots *P,
                             int64_t k, determinant *d);
/* *sign, *logabsdet := sign and logarithm of the product of all parts when the tasks have run,
 * unless the request has failed; sign NULL: *logabsdet := the logarithm of the product's square.
 * Frees d. */
void insert_determinant_end(context ctx, determinant *d, startile_complex *sign, double *logabsdet);

/* -- batches -------------------------------------------------------------------------------- */

int64_t batch_chunks(const startile_batch *b);
int64_t batch_matrices(const startile_batch *b);
/* Returns whether chunk q of a and chunk q of b hold the same matrices in the same order, for all
 * q. */
bool same_partition(const startile_batch *a, const startile_batch *b);
/* batch_rows() and batch_columns() return the size of matrix i in the order of the partition. All
 * sizes are equal unless batch_varies(). */
bool batch_varies(const startile_batch *b);
int64_t batch_rows(const startile_batch *b, int64_t i);
int64_t batch_columns(const startile_batch *b, int64_t i);
bool batch_has_elements(const startile_batch *b, startile_dtype dtype);
bool batch_has_integers(const startile_batch *b);
startile_dtype batch_dtype(const startile_batch *b);
/* Returns whether each matrix is one number, and the numbers of a chunk are contiguous or one
 * number stands for all. */
bool batch_has_numbers(const startile_batch *b);
/* Returns whether one matrix stands for all. */
bool batch_is_shared(const startile_batch *b);
/* Returns the 1-based index, in the caller's order, of the first matrix whose info is not 0; 0 if
 * there is none, or if the blocking call's request has the index as its info; or a startile_error.
 * Waits for the tasks that write info. */
int64_t batch_first_failure(startile_batch *info);

/* Submit a task on chunk q of every operand. info := LAPACK's info of each matrix. A matrix
 * with factor_info ≠ 0 is skipped; factor_info may be NULL. P NULL: without pivoting. The kernels'
 * batch.h defines the results. */
void insert_potrf_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *info, int64_t q);
void insert_potrs_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *B, const startile_batch *factor_info, int64_t q);
void insert_getrf_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_getrs_batch(startile_request *r, char trans, const startile_batch *A,
                        const startile_batch *P, const startile_batch *B,
                        const startile_batch *factor_info, int64_t q);
void insert_getri_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_det_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                      const startile_batch *sign, const startile_batch *logabsdet, int64_t q);
void insert_geqrf_batch(startile_request *r, const startile_batch *A, const startile_batch *tau,
                        int64_t q);
void insert_ormqr_batch(startile_request *r, char side, char trans, const startile_batch *A,
                        const startile_batch *tau, const startile_batch *C, int64_t q);
void insert_gels_batch(startile_request *r, char trans, const startile_batch *A,
                       const startile_batch *B, const startile_batch *info, int64_t q);
void insert_gemm_batch(startile_request *r, char transa, char transb, startile_complex alpha,
                       const startile_batch *A, const startile_batch *B, startile_complex beta,
                       const startile_batch *C, int64_t q);
void insert_trsm_batch(startile_request *r, char side, char uplo, char trans, char diag,
                       startile_complex alpha, const startile_batch *A, const startile_batch *B,
                       int64_t q);
void insert_nrm2_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_asum_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_iamax_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                        int64_t q);
void insert_dot_batch(startile_request *r, bool conjugate, const startile_batch *X,
                      const startile_batch *Y, const startile_batch *result, int64_t q);
void insert_scal_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       int64_t q);
void insert_axpy_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       const startile_batch *Y, int64_t q);

#endif
