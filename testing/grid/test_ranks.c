/*
 * Tests of the messages of all processes of a grid. One process without MPI plays each of them in
 * turn: the library submits that process' part of a routine on a network that records the messages.
 * The messages that one process sends to another must equal those that the other receives: as many,
 * with the same tags and sizes, in the same order. The requests are cancelled first, so that tasks
 * do nothing and need no data.
 */
#include "grid/symmetric.h"
#include "mpi/node_order.h"
#include "startile_trace.h"
#include "triangles.h"

#include <setjmp.h>
#include <starpu.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_MESSAGES = 1 << 20 };

struct message {
    int from, to;
    int64_t tag;
    size_t bytes;
    int position; /* index in the list */
};

struct messages {
    int count;
    struct message *list;
};

static struct messages sends, receives;

enum { MOST_RANKS = 1024 };

/* The network's record of one data handle. */
struct record {
    int64_t tag;
    int owner;
    bool is_received;
    bool *is_sent; /* one element for each rank */
    struct record *next;
};

/* State of the played process. */
static struct {
    startile_grid grid;    /* grid of the process that is played */
    startile_grid one_row; /* its processes in one row */
    int node[MOST_RANKS];  /* least rank on the node of each rank */
    int every; /* only processes in every `every`-th row and column of the grid are played */
    int64_t next_tag;
    struct record *records;
} here;

/* Returns whether the process is in one of every `every` rows and columns of the grid. */
static bool is_played(int rank)
{
    return here.every == 1 ||
           (rank / here.grid.q % here.every == 0 && rank % here.grid.q % here.every == 0);
}

/* -- the network --------------------------------------------------------------------------------
 */

/* These functions replace those of struct network (grid.h), for the process that is played. */

static int least(const startile_grid *g, int64_t *element, int count)
{
    (void)g, (void)element, (void)count; /* all processes have the same elements */
    return 0;
}

/* Replaces network->combine(): keeps this process' data, because the messages do not depend on the
 * pivots. */
static int combine(const startile_grid *g, int first, int count, void *data, void *received,
                   size_t bytes, startile_join *join)
{
    (void)g, (void)first, (void)count, (void)data, (void)received, (void)bytes, (void)join;
    return 0;
}

static int64_t reserve_tags(const startile_grid *g, int64_t count)
{
    (void)g;
    here.next_tag += count;
    return here.next_tag - count;
}

static void register_data(const startile_grid *g, starpu_data_handle_t handle, int64_t tag,
                          int owner)
{
    struct record *r = calloc(1, sizeof *r);
    assert_non_null(r);
    *r = (struct record){tag, owner, false, calloc((size_t)g->processes, 1), here.records};
    assert_non_null(r->is_sent);
    here.records = r;
    starpu_data_set_sched_data(handle, r);
}

/* Returns the network's record of the data; NULL: not registered. */
static struct record *record_of(starpu_data_handle_t handle)
{
    return starpu_data_get_sched_data(handle);
}

static int owner(const startile_grid *g, starpu_data_handle_t handle)
{
    (void)g;
    return record_of(handle) != NULL ? record_of(handle)->owner : -1;
}

static int64_t tag(const startile_grid *g, starpu_data_handle_t handle)
{
    (void)g;
    return record_of(handle) != NULL ? record_of(handle)->tag : -1;
}

/* Sets the flag and returns whether it was set before. */
static bool test_and_set(bool *flag)
{
    bool before = *flag;
    *flag = true;
    return before;
}

static bool mark_received(starpu_data_handle_t handle)
{
    return test_and_set(&record_of(handle)->is_received);
}

static bool mark_sent(starpu_data_handle_t handle, int rank)
{
    return test_and_set(&record_of(handle)->is_sent[rank]);
}

static void outdate_copies(starpu_data_handle_t handle)
{
    record_of(handle)->is_received = false;
    memset(record_of(handle)->is_sent, 0, (size_t)here.grid.processes);
}

static void drop_copy(const startile_grid *g, starpu_data_handle_t handle)
{
    (void)g;
    outdate_copies(handle);
}

/* Records a message between two ranks that are both played; omits others. */
static void record(struct messages *m, int from, int to, starpu_data_handle_t handle)
{
    if (!is_played(from) || !is_played(to))
        return;
    assert_in_range(m->count, 0, MOST_MESSAGES - 1);
    m->list[m->count] =
        (struct message){from, to, record_of(handle)->tag, starpu_data_get_size(handle), m->count};
    m->count++;
}

/* Record a message of the played process, and report it as done at once. */
static void send_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                         int priority, void (*done)(void *), void *arg)
{
    (void)priority;
    record(&sends, g->rank, rank, handle);
    done(arg);
}

static void receive_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                            int priority, void (*done)(void *), void *arg)
{
    (void)priority;
    record(&receives, rank, g->rank, handle);
    done(arg);
}

static const struct network recording = {.least = least,
                                         .combine = combine,
                                         .reserve_tags = reserve_tags,
                                         .register_data = register_data,
                                         .owner = owner,
                                         .tag = tag,
                                         .mark_received = mark_received,
                                         .mark_sent = mark_sent,
                                         .outdate_copies = outdate_copies,
                                         .send = send_message,
                                         .receive = receive_message,
                                         .drop_copy = drop_copy};

/* -- a process ----------------------------------------------------------------------------------
 */

/* Operands of a routine. T: the triangles of A's reflectors, or a second matrix; second_P: of T. */
struct operands {
    startile_matrix *A, *B, *T;
    startile_pivots *P, *second_P;
    startile_permutation *permutation;
    startile_tree *tree;
    startile_request *r;
};

/* Define functions that submit a routine. ROUTINE_TWO: the second one if the first returns 0. */
#define ROUTINE(name, call)                                                                        \
    static int name(struct operands *x)                                                            \
    {                                                                                              \
        return call;                                                                               \
    }
#define ROUTINE_TWO(name, first, second)                                                           \
    static int name(struct operands *x)                                                            \
    {                                                                                              \
        int failed = first;                                                                        \
        return failed != 0 ? failed : second;                                                      \
    }
ROUTINE(potrf, startile_potrf_async('L', x->A, x->r))
ROUTINE(potrf_upper, startile_potrf_async('U', x->A, x->r))
ROUTINE(potrs, startile_potrs_async('L', x->A, x->B, x->r))
ROUTINE(gemm, startile_gemm_async('N', 'C', 1, x->A, x->A, 1, x->T, x->r))
ROUTINE(herk, startile_herk_async('L', 'N', 1, x->A, 1, x->T, x->r))
ROUTINE(hemm, startile_hemm_async('L', 'L', 1, x->A, x->B, 1, x->T, x->r))
ROUTINE(trsm, startile_trsm_async('R', 'L', 'C', 'N', 1, x->A, x->T, x->r))
ROUTINE(trmm, startile_trmm_async('L', 'U', 'N', 'N', 1, x->A, x->B, x->r))
ROUTINE(getrf, startile_getrf_async(x->A, x->P, x->r))
ROUTINE_TWO(potrf_then_getrf, potrf(x), getrf(x))
ROUTINE(getrf_tntpiv, startile_getrf_tntpiv_async(x->A, x->P, x->r))
ROUTINE(getrf_nopiv, startile_getrf_nopiv_async(x->A, x->r))
ROUTINE(getrs, startile_getrs_async('N', x->A, x->P, x->B, x->r))
ROUTINE(potri, startile_potri_async('L', x->A, x->r))
ROUTINE(hegst_solves, startile_hegst_async(1, 'L', x->T, x->A, x->r))
ROUTINE(hegst_products, startile_hegst_async(3, 'U', x->T, x->A, x->r))
ROUTINE(potrf_update, startile_potrf_update_async('L', x->A, x->B, x->r))
ROUTINE(potrf_downdate, startile_potrf_downdate_async('U', x->A, x->B, x->r))

static int gesv(struct operands *x)
{
    enum { REFINEMENTS = 1 };
    return startile_gesv_async(x->A, x->P, x->B, REFINEMENTS, x->r);
}

ROUTINE(getri, startile_getri_async(x->A, x->P, x->r))
ROUTINE(gels, startile_gels_async('N', x->A, x->B, x->r))
ROUTINE(geqrf, startile_geqrf_async(x->A, reflectors_of(x->T), x->r))
ROUTINE(geqp3_random,
        startile_geqp3_random_async(x->A, x->permutation, reflectors_of(x->T), 1, x->r))
ROUTINE(ungqr, startile_ungqr_async(x->A, reflectors_of(x->T), x->r))
ROUTINE(unmqr, startile_unmqr_async('L', 'C', x->A, reflectors_of(x->T), x->B, x->r))
ROUTINE(geqrf_tree, startile_geqrf_tree_async(x->A, x->tree, x->r))
ROUTINE(sysv_aa, startile_sysv_aa_async('L', x->A, x->P, x->T, x->second_P, x->B, x->r))
ROUTINE(sysv_aa_upper, startile_sysv_aa_async('U', x->A, x->P, x->T, x->second_P, x->B, x->r))
ROUTINE(lacpy, startile_lacpy_async('G', x->A, x->T, x->r))
ROUTINE(lacpy_triangle, startile_lacpy_async('L', x->T, x->A, x->r))

/* Returns the order of a symmetric grid of that number of processes. */
static int order_for(int processes)
{
    int order = 2;
    while (!is_symmetric_grid(order, processes))
        order++;
    return order;
}

/* Makes this process rank `rank` of a p × q grid with groups of `group` block columns or, with q =
 * 0, of a symmetric grid of p processes. Nodes have `group` processes. All ranks begin with the
 * same, arbitrary tag. */
static void become(int rank, int p, int q, int group)
{
    starpu_data_handle_t turn = here.grid.turn;
    for (int r = 0; r < MOST_RANKS; r++)
        here.node[r] = r - r % group;
    here.grid = (startile_grid){.network = &recording,
                                .p = p,
                                .q = q,
                                .group = group,
                                .processes = q > 0 ? p * q : p,
                                .node = here.node,
                                .rank = rank,
                                .root = &here.grid,
                                .one_row = &here.one_row,
                                .turn = turn};
    here.one_row = here.grid;
    here.one_row.p = 1, here.one_row.q = here.grid.processes;
    here.one_row.group = 1;
    order_ranks(&here.one_row, 1, here.one_row.q);
    if (q > 0)
        order_ranks_by_nodes(&here.grid);
    else
        make_symmetric(&here.grid, order_for(p));
    here.next_tag = 1000;
}

/* Frees the records of all data. */
static void forget_records(void)
{
    for (struct record *r = here.records, *next; r != NULL; r = next) {
        next = r->next;
        free(r->is_sent);
        free(r);
    }
    here.records = NULL;
}

/* Submits the routine to a cancelled request, and returns the number of its tasks in this process.
 */
static int64_t submit(int (*routine)(struct operands *), struct operands *x)
{
    startile_profile *profile;
    assert_int_equal(startile_request_create(&x->r), 0);
    startile_request_cancel(x->r);
    assert_int_equal(startile_profile_start(), 0);
    assert_int_equal(routine(x), 0);
    startile_request_wait(x->r);
    assert_int_equal(startile_profile_stop(&profile), 0);
    int64_t tasks = profile->count;
    startile_profile_destroy(profile);
    startile_request_destroy(x->r);
    return tasks;
}

enum { NB = 2 };
/* Submits the routine on nt × nt tiles, or on nt block columns, as the current rank. Returns the
 * number of its tasks. */
static int64_t play(int (*routine)(struct operands *), int64_t nt)
{
    struct operands x = {NULL};
    int64_t n = nt * NB - 1; /* the last tiles are smaller */
    int64_t mb = routine == geqp3_random ? n : NB;
    bool by_aasen = routine == sysv_aa || routine == sysv_aa_upper;
    assert_int_equal(startile_matrix_create_distributed(&x.A, STARTILE_D, n, n, mb, NB, &here.grid),
                     0);
    assert_int_equal(startile_matrix_create_distributed(&x.B, STARTILE_D, n, by_aasen ? 3 * NB : NB,
                                                        NB, NB, &here.grid),
                     0);
    if (routine == getrf || routine == potrf_then_getrf || routine == getrf_tntpiv ||
        routine == getrs || routine == gesv || routine == getri || by_aasen)
        assert_int_equal(startile_pivots_create(&x.P, x.A), 0);
    if (routine == geqrf || routine == ungqr || routine == unmqr || routine == geqp3_random)
        assert_int_equal(new_triangles(&x.T, x.A), 0);
    if (routine == geqp3_random)
        assert_int_equal(startile_permutation_create(&x.permutation, x.A), 0);
    if (routine == gemm || routine == herk || routine == trsm || routine == hegst_solves ||
        routine == hegst_products || by_aasen)
        assert_int_equal(
            startile_matrix_create_distributed(&x.T, STARTILE_D, n, n, NB, NB, &here.grid), 0);
    if (by_aasen)
        assert_int_equal(startile_pivots_create(&x.second_P, x.T), 0);
    if (routine == hemm)
        assert_int_equal(
            startile_matrix_create_distributed(&x.T, STARTILE_D, n, NB, NB, NB, &here.grid), 0);
    if (routine == lacpy || routine == lacpy_triangle)
        assert_int_equal(
            startile_matrix_create_distributed(&x.T, STARTILE_D, n, n, 3 * NB, NB + 1, &here.grid),
            0);
    if (routine == geqrf_tree)
        assert_int_equal(startile_tree_create(&x.tree, x.A, STARTILE_TREE_GREEDY), 0);
    int64_t tasks = submit(routine, &x);
    startile_tree_destroy(x.tree);
    startile_pivots_destroy(x.P);
    startile_pivots_destroy(x.second_P);
    startile_permutation_destroy(x.permutation);
    startile_matrix_destroy(x.T);
    startile_matrix_destroy(x.B);
    startile_matrix_destroy(x.A);
    forget_records();
    return tasks;
}

/* -- comparison ---------------------------------------------------------------------------------
 */

/* Compares messages for qsort(): by sender, then by receiver, then by submission. */
static int by_pair(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Sorts the messages by sender and receiver; those of one pair stay in the order of submission. */
static void sort(struct messages *m)
{
    qsort(m->list, (size_t)m->count, sizeof *m->list, by_pair);
}

/* Requires message i of the sorted sends to equal message i of the sorted receives, for all i.
 * Names the test case in a failure. */
static void compare_messages(const char *name)
{
    sort(&sends);
    sort(&receives);
    for (int m = 0; m < sends.count && m < receives.count; m++) {
        struct message s = sends.list[m], r = receives.list[m];
        if (s.from != r.from || s.to != r.to || s.tag != r.tag || s.bytes != r.bytes)
            fail_msg("%s: sent from %d to %d: tag %lld, %zu bytes; received from %d by %d: tag "
                     "%lld, %zu bytes",
                     name, s.from, s.to, (long long)s.tag, s.bytes, r.from, r.to, (long long)r.tag,
                     r.bytes);
        assert_int_not_equal(s.from, s.to);
    }
    assert_int_equal(sends.count, receives.count);
}

/* -- tests --------------------------------------------------------------------------------------
 */

/* Returns the number of tasks of Cholesky: each tile of the triangle is updated by all earlier
 * block columns, then factored or solved. */
static int64_t tasks_of_potrf(int64_t nt)
{
    int64_t tasks = 0;
    for (int64_t j = 0; j < nt; j++)
        tasks += (nt - j) * (j + 1);
    return tasks;
}

/* Plays the processes in every `every`-th row and column of the grid, or all of a symmetric grid
 * with q = 0; messages from or to other
 * processes are not recorded. Requires all played processes to reserve the same number of tags.
 * Returns the number of tasks of all played processes. */
static int64_t play_all(int (*routine)(struct operands *), int p, int q, int group, int every,
                        int64_t nt)
{
    int64_t tasks = 0, tags = -1;
    sends.count = receives.count = 0;
    here.every = every;
    for (int rank = 0; rank < (q > 0 ? p * q : p); rank++) {
        become(rank, p, q, group);
        if (!is_played(rank))
            continue;
        tasks += play(routine, nt);
        if (tags < 0)
            tags = here.next_tag;
        assert_int_equal(here.next_tag, tags);
    }
    return tasks;
}

/* Compares the messages of each routine. Requires Cholesky to have each task on exactly one
 * process. */
static void test_messages(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int (*routine)(struct operands *);
        int p, q, every; /* arguments of play_all(); q = 0: p processes of a symmetric grid */
        int64_t nt;
    } cases[] = {
        {"potrf", potrf, 32, 32, 1, 40},
        {"potrf, upper", potrf_upper, 12, 10, 1, 40},
        {"potrs", potrs, 12, 10, 1, 40},
        {"gemm", gemm, 12, 10, 1, 34},
        {"lacpy to larger tiles", lacpy, 6, 5, 1, 23},
        {"lacpy to smaller tiles", lacpy_triangle, 6, 5, 1, 23},
        {"getrs", getrs, 12, 10, 1, 34},
        {"potri", potri, 32, 32, 8, 34},
        {"potri", potri, 6, 5, 1, 13},
        {"hegst 1", hegst_solves, 6, 5, 1, 13},
        {"hegst 3", hegst_products, 6, 5, 1, 13},
        {"potrf_update", potrf_update, 32, 32, 8, 34},
        {"potrf_update", potrf_update, 6, 5, 1, 13},
        {"potrf_downdate", potrf_downdate, 32, 32, 8, 34},
        {"potrf_downdate", potrf_downdate, 6, 5, 1, 13},
        {"gesv", gesv, 32, 32, 8, 34},
        {"gesv", gesv, 6, 5, 1, 13},
        {"getri", getri, 32, 32, 8, 34},
        {"getri", getri, 6, 5, 1, 13},
        {"gels", gels, 32, 32, 8, 34},
        {"gels", gels, 6, 5, 1, 13},
        {"getrf_nopiv", getrf_nopiv, 12, 10, 1, 34},
        {"getrf", getrf, 32, 32, 8, 34},
        {"getrf", getrf, 6, 5, 1, 13},
        {"getrf after potrf", potrf_then_getrf, 6, 5, 1, 13},
        {"getrf_tntpiv", getrf_tntpiv, 32, 32, 8, 34},
        {"getrf_tntpiv", getrf_tntpiv, 6, 5, 1, 13},
        {"geqrf", geqrf, 32, 32, 8, 34},
        {"geqrf", geqrf, 6, 5, 1, 13},
        {"herk", herk, 6, 5, 1, 13},
        {"hemm", hemm, 6, 5, 1, 13},
        {"trsm", trsm, 6, 5, 1, 13},
        {"trmm", trmm, 6, 5, 1, 13},
        {"geqp3_random", geqp3_random, 1, 64, 1, 100},
        {"geqp3_random", geqp3_random, 1, 6, 1, 13},
        {"ungqr", ungqr, 6, 5, 1, 13},
        {"ungqr", ungqr, 1, 6, 1, 13},
        {"unmqr", unmqr, 6, 5, 1, 13},
        {"unmqr", unmqr, 1, 6, 1, 13},
        {"geqrf_tree", geqrf_tree, 32, 32, 8, 34},
        {"geqrf_tree", geqrf_tree, 6, 5, 1, 13},
        {"sysv_aa", sysv_aa, 6, 5, 1, 13},
        {"sysv_aa", sysv_aa, 1, 6, 1, 13},
        {"sysv_aa", sysv_aa, 4, 1, 1, 9},
        {"sysv_aa, upper", sysv_aa_upper, 2, 3, 1, 9},
        {"potrf, symmetric", potrf, 28, 0, 1, 40},
        {"potrf, symmetric", potrf, 32, 0, 1, 40},
        {"potrf, symmetric", potrf, 10, 0, 1, 13},
        {"potrf, symmetric", potrf, 3, 0, 1, 7},
        {"potrf, symmetric", potrf, 2, 0, 1, 7},
        {"potrf, symmetric, few tiles", potrf_upper, 36, 0, 1, 5},
        {"potrf, upper, symmetric", potrf_upper, 28, 0, 1, 40},
        {"potrs, symmetric", potrs, 28, 0, 1, 20},
        {"potri, symmetric", potri, 10, 0, 1, 13},
        {"hegst, type 1, symmetric", hegst_solves, 10, 0, 1, 13},
        {"hegst, type 3, symmetric", hegst_products, 8, 0, 1, 13},
        {"gemm, symmetric", gemm, 10, 0, 1, 13},
        {"herk, symmetric", herk, 8, 0, 1, 13},
        {"hemm, symmetric", hemm, 10, 0, 1, 13},
        {"trsm, symmetric", trsm, 10, 0, 1, 13},
        {"trmm, symmetric", trmm, 8, 0, 1, 13},
        {"lacpy to larger tiles, symmetric", lacpy, 10, 0, 1, 23},
        {"lacpy to smaller tiles, symmetric", lacpy_triangle, 8, 0, 1, 23},
        {"potrf_update, symmetric", potrf_update, 10, 0, 1, 13},
        {"potrf_downdate, symmetric", potrf_downdate, 8, 0, 1, 13},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool is_small = cases[c].q > 0 && cases[c].nt <= 13;
        for (int group = 1; group <= (is_small ? 3 : 1); group += 2) {
            int64_t tasks = play_all(cases[c].routine, cases[c].p, cases[c].q, group,
                                     cases[c].every, cases[c].nt);
            compare_messages(cases[c].name);
            assert_true(sends.count > 0);
            if (cases[c].routine == potrf || cases[c].routine == potrf_upper)
                assert_int_equal(tasks, tasks_of_potrf(cases[c].nt));
        }
    }
}

/* Starts the library, and allocates the lists of messages. */
static int start(void **state)
{
    (void)state;
    static char nothing; /* memory of the grid's `turn`, which has no value */
    startile_options options;
    startile_options_default(&options, sizeof options);
    options.ncpu = 1;
    options.ncuda = 0;
    if (startile_init(&options) != 0)
        return -1;
    sends.list = malloc(MOST_MESSAGES * sizeof *sends.list);
    receives.list = malloc(MOST_MESSAGES * sizeof *receives.list);
    starpu_variable_data_register(&here.grid.turn, STARPU_MAIN_RAM, (uintptr_t)&nothing,
                                  sizeof nothing);
    return sends.list != NULL && receives.list != NULL ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    starpu_data_unregister(here.grid.turn);
    free(sends.list);
    free(receives.list);
    startile_finalize();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, start, stop);
}
