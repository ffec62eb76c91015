/*
 * Tests of the messages around tasks, on a network that only records messages. Each task of a
 * Cholesky factorization is submitted on every process of a grid before the next task. Each message
 * that a process sends for a task must be received by its destination for the same task. A task
 * must find the newest version of all its data on the process that runs it.
 */
#include "../check/tests.h"
#include "data/zero_init.h"
#include "grid/broadcast.h"
#include "grid/exchange.h"
#include "grid/owner.h"
#include "grid/symmetric.h"
#include "grid/upload.h"
#include "library/library.h"
#include "mpi/node_order.h"
#include "request/state.h"
#include "task/operands.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DATA = 32 * 32 + 1, MOST_RANKS = 1024, MOST_MESSAGES = 4096 };

struct message {
    int from, to, data;
};

static struct {
    int owner[MOST_DATA];               /* rank of the owner, or −1 */
    int newest[MOST_DATA];              /* number of times that tasks have written the data */
    int version[MOST_DATA][MOST_RANKS]; /* version of the data that each rank has */
    /* the owner has sent the data to the rank; the rank has received the data */
    bool sent[MOST_DATA][MOST_RANKS], received[MOST_DATA][MOST_RANKS];
    struct message sends[MOST_MESSAGES], receives[MOST_MESSAGES]; /* not delivered yet */
    int send_count, receive_count, total; /* total: number of delivered messages */
    int uploads;                          /* number of copies to GPUs */
} net;

/* data_of() and handle_of() convert between the index of data, d from 0, and its handle, d + 1. */
static int data_of(starpu_data_handle_t handle)
{
    return (int)((uintptr_t)handle - 1);
}

static starpu_data_handle_t handle_of(int data)
{
    return (starpu_data_handle_t)((uintptr_t)data + 1);
}

static startile_grid here = {0}; /* grid of the process that submits */

/* Returns any number: this network does not use tags. */
static int64_t reserve_tags(const startile_grid *g, int64_t count)
{
    (void)g;
    return count;
}

static void register_data(const startile_grid *g, starpu_data_handle_t handle, int64_t tag,
                          int owner)
{
    (void)g, (void)tag;
    net.owner[data_of(handle)] = owner;
}

static int owner(const startile_grid *g, starpu_data_handle_t handle)
{
    (void)g;
    return net.owner[data_of(handle)];
}

/* Records that this process has received the data. Returns whether that was already recorded. */
static bool mark_received(starpu_data_handle_t handle)
{
    bool *received = &net.received[data_of(handle)][here.rank], was_recorded = *received;
    *received = true;
    return was_recorded;
}

/* Records that this process has sent the data to `rank`. Returns whether that was already recorded.
 */
static bool mark_sent(starpu_data_handle_t handle, int rank)
{
    /* only the owner asks: other processes forward data without recording it */
    assert_int_equal(here.rank, net.owner[data_of(handle)]);
    bool *sent = &net.sent[data_of(handle)][rank], was_recorded = *sent;
    *sent = true;
    return was_recorded;
}

/* Forgets that this process has received the data and, in the owner, that it was sent. */
static void outdate_copies(starpu_data_handle_t handle)
{
    int data = data_of(handle);
    net.received[data][here.rank] = false;
    if (here.rank == net.owner[data])
        memset(net.sent[data], 0, sizeof net.sent[data]);
}

/* Record a message of the submitting process, and report it as done at once. */
static void send_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                         int priority, void (*done)(void *), void *arg)
{
    (void)priority;
    assert_in_range(net.send_count, 0, MOST_MESSAGES - 1);
    net.sends[net.send_count++] = (struct message){g->rank, rank, data_of(handle)};
    done(arg);
}

static void receive_message(const startile_grid *g, starpu_data_handle_t handle, int rank,
                            int priority, void (*done)(void *), void *arg)
{
    (void)priority;
    assert_in_range(net.receive_count, 0, MOST_MESSAGES - 1);
    net.receives[net.receive_count++] = (struct message){rank, g->rank, data_of(handle)};
    done(arg);
}

static const struct network counting = {.reserve_tags = reserve_tags,
                                        .register_data = register_data,
                                        .owner = owner,
                                        .mark_received = mark_received,
                                        .mark_sent = mark_sent,
                                        .outdate_copies = outdate_copies,
                                        .send = send_message,
                                        .receive = receive_message};

/* -- the library's functions; tile (i, j) is data i + j mt, pivots k are data k ---------------- */

bool library_unusable_after_fork(void)
{
    return false;
}

/* Is called for received tiles only. */
void upload_tile(context ctx, tile T)
{
    (void)ctx;
    assert_true(net.received[data_of(tile_handle(T))][here.rank]);
    assert_int_not_equal(here.rank, net.owner[data_of(tile_handle(T))]);
    net.uploads++;
}

bool is_per_process(starpu_data_handle_t handle)
{
    (void)handle;
    return false;
}

starpu_data_handle_t tile_handle(tile t)
{
    return handle_of((int)(t.i + t.j * t.A->shape.mt));
}

startile_shape startile_matrix_shape(const startile_matrix *A)
{
    return A->shape;
}

view view_of(const startile_matrix *A, char op)
{
    return (view){A, op, A->shape.mt, A->shape.nt};
}

int64_t column_tiles(column c)
{
    return (c.rows + c.A->shape.mb - 1) / c.A->shape.mb;
}

starpu_data_handle_t pivots_handle(const startile_pivots *P, int64_t k)
{
    (void)P;
    return handle_of((int)k);
}

/* Counts an unfinished task or message of the request. In this test a request has one stage,
 * `first`. */
struct stage *stage_begin_one(context ctx)
{
    ctx.request->unfinished++;
    return &ctx.request->first;
}

/* Counts the end of the task or message. */
void stage_end_one(struct stage *s)
{
    s->request->unfinished--;
}

void stage_add_bytes(struct stage *s, starpu_data_handle_t handle)
{
    (void)s, (void)handle;
}

void starpu_data_invalidate_submit(starpu_data_handle_t handle)
{
    (void)handle;
}

void stage_note_copies(context ctx, starpu_data_handle_t handle)
{
    (void)ctx, (void)handle;
}

void request_use_grid(startile_request *r, startile_grid *grid)
{
    r->grid = grid;
}

/* Delivers the messages since the last call. Requires one receive for each send. A process may
 * forward data that it receives in the same call, so sends are repeated until no version changes.
 */
static void deliver(void)
{
    assert_int_equal(net.send_count, net.receive_count);
    for (int s = 0; s < net.send_count; s++) {
        struct message m = net.sends[s];
        int found = 0;
        for (int r = 0; r < net.receive_count; r++)
            found += memcmp(&net.receives[r], &m, sizeof m) == 0;
        assert_int_equal(found, 1);
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int s = 0; s < net.send_count; s++) {
            struct message m = net.sends[s];
            is_changed = is_changed || net.version[m.data][m.to] != net.version[m.data][m.from];
            net.version[m.data][m.to] = net.version[m.data][m.from];
        }
    }
    net.total += net.send_count;
    net.send_count = net.receive_count = 0;
}

static struct starpu_codelet codelet = {.nbuffers = STARPU_VARIABLE_NBUFFERS};

/* Submits one task, which `rank` runs, on every process. The task reads data[0 … count − 1] and
 * writes data[first_written … count − 1]. Requires that exactly one process runs it, with the
 * newest version of all data. */
static void run_task(startile_request *r, int rank, int count, const int *data, int first_written)
{
    static struct task_args args[MOST_RANKS];
    static struct exchange messages[MOST_RANKS];
    static starpu_data_handle_t handles[MOST_RANKS][4];
    int ranks = here.p * here.q, runners = 0;
    for (int p = 0; p < ranks; p++) {
        struct starpu_task t = {.cl = &codelet, .nbuffers = count, .cl_arg = &args[p]};
        args[p] = (struct task_args){.ctx.request = r, .grid = &here, .rank = rank};
        for (int b = 0; b < count; b++) {
            t.handles[b] = handle_of(data[b]);
            t.modes[b] = b >= first_written ? STARPU_RW : STARPU_R;
        }
        here.rank = p;
        messages[p] = (struct exchange){.written = handles[p]};
        runners += exchange_before(&t, &messages[p]);
    }
    deliver();
    assert_int_equal(runners, 1);
    for (int b = 0; b < count; b++) {
        assert_int_equal(net.version[data[b]][rank], net.newest[data[b]]);
        if (b >= first_written)
            net.version[data[b]][rank] = ++net.newest[data[b]];
    }
    for (int p = 0; p < ranks; p++) {
        here.rank = p;
        exchange_after(&messages[p]);
    }
    deliver();
}

/* Runs Cholesky on nt × nt tiles of a p × q grid and returns the number of messages. Each potrf
 * also writes the info, which has no owner before the first potrf. */
static int run_cholesky(int p, int q, int nt)
{
    startile_request r = {.first.request = &r};
    memset(&net, 0, sizeof net);
    here = (startile_grid){
        .network = &counting, .p = p, .q = q, .group = 1, .block_rows = 1, .block_columns = q};
    int info = nt * nt; /* index of the info, after those of the tiles */
    for (int d = 0; d < nt * nt; d++)
        net.owner[d] = grid_rank(&here, d % nt % p, d / nt % q);
    net.owner[info] = -1;
#define TILE(i, j) ((i) + (j)*nt)
    for (int k = 0; k < nt; k++) {
        run_task(&r, net.owner[TILE(k, k)], 2, (int[]){TILE(k, k), info}, 0);
        for (int i = k + 1; i < nt; i++)
            run_task(&r, net.owner[TILE(i, k)], 2, (int[]){TILE(k, k), TILE(i, k)}, 1);
        for (int j = k + 1; j < nt; j++)
            for (int i = j; i < nt; i++)
                run_task(&r, net.owner[TILE(i, j)], 3, (int[]){TILE(i, k), TILE(j, k), TILE(i, j)},
                         2);
    }
    assert_int_equal(r.unfinished, 0);
    for (int d = 0; d < nt * nt; d++)
        assert_int_equal(net.version[d][net.owner[d]], net.newest[d]);
    return net.total;
}

/* Returns the least number of messages that bring tiles to the tasks of Cholesky: for each tile,
 * one to each process that has a task with the tile and does not own it. */
static int fewest_messages(int p, int q, int nt)
{
    int count = 0;
    for (int k = 0; k < nt; k++)
        for (int i = k; i < nt; i++) {
            bool needs[MOST_RANKS] = {false};
            for (int t = k + 1; t < nt; t++) {
                if (i == k)
                    needs[t % p * q + k % q] = true; /* A(t,k) := A(t,k) L(k,k)^-H */
                else if (t <= i)
                    needs[i % p * q + t % q] = true; /* A(i,t) -= L(i,k) L(t,k)^H */
                if (i > k && t >= i)
                    needs[t % p * q + i % q] = true; /* A(t,i) -= L(t,k) L(i,k)^H */
            }
            needs[i % p * q + k % q] = false;
            for (int r = 0; r < p * q; r++)
                count += needs[r];
        }
    return count;
}

/* Returns the number of messages for the info. It moves from its owner, process 0, to each potrf
 * and back: two messages for each potrf on another process. */
static int messages_of_info(int p, int q, int nt)
{
    int count = 0;
    for (int k = 0; k < nt; k++)
        count += (k % p * q + k % q != 0) * 2;
    return count;
}

/* Tests that Cholesky sends no more messages than it needs. */
static void test_messages(void)
{
    static const struct {
        int p, q, nt;
    } cases[] = {{1, 1, 8}, {1, 2, 9}, {2, 1, 9}, {2, 2, 12}, {3, 2, 13}, {4, 4, 6}, {32, 32, 32}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int p = cases[c].p, q = cases[c].q, nt = cases[c].nt;
        assert_int_equal(run_cholesky(p, q, nt),
                         fewest_messages(p, q, nt) + messages_of_info(p, q, nt));
    }
}

/* Tests a task on a process that owns none of its data: all data are sent there, and the written
 * ones return. */
static void test_foreign_process(void)
{
    startile_request r = {.first.request = &r};
    memset(&net, 0, sizeof net);
    here = (startile_grid){.network = &counting,
                           .p = 1,
                           .q = 3,
                           .group = 1,
                           .processes = 3,
                           .block_rows = 1,
                           .block_columns = 3};
    net.owner[1] = 1;
    run_task(&r, 2, 2, (int[]){0, 1}, 1);
    assert_int_equal(net.total, 3);
    assert_int_equal(net.version[1][1], 1);
    /* process 2 has data 0 already: only data 1 is sent, and returned */
    run_task(&r, 2, 2, (int[]){0, 1}, 1);
    assert_int_equal(net.total, 5);
}

/* Tests that a task without tiles runs on the owner of its first data that has an owner. */
static void test_without_tiles(void)
{
    startile_request r = {.first.request = &r};
    struct task_args args = {.ctx.request = &r, .grid = &here, .rank = -1};
    struct starpu_task t = {.cl = &codelet, .nbuffers = 2, .cl_arg = &args};
    starpu_data_handle_t written[2];
    struct exchange x = {.written = written};
    memset(&net, 0, sizeof net);
    here = (startile_grid){.network = &counting,
                           .p = 1,
                           .q = 3,
                           .group = 1,
                           .processes = 3,
                           .rank = 2,
                           .block_rows = 1,
                           .block_columns = 3};
    net.owner[0] = -1;
    net.owner[1] = 2;
    t.handles[0] = handle_of(0), t.modes[0] = STARPU_W;
    t.handles[1] = handle_of(1), t.modes[1] = STARPU_R;
    assert_true(exchange_before(&t, &x));
    assert_int_equal(net.owner[0], 2);
    exchange_after(&x);
    assert_int_equal(net.send_count + net.receive_count, 0);
}

/* Tests that exchange_with_all() copies data from their owner, process 4, to the 5 others. */
static void test_with_all(void)
{
    startile_request r = {.first.request = &r};
    memset(&net, 0, sizeof net);
    here = (startile_grid){.network = &counting,
                           .p = 2,
                           .q = 3,
                           .group = 1,
                           .processes = 6,
                           .block_rows = 2,
                           .block_columns = 1};
    net.owner[0] = 4;
    net.newest[0] = net.version[0][4] = 1;
    for (here.rank = 0; here.rank < 6; here.rank++)
        exchange_with_all((context){.request = &r}, &here, handle_of(0));
    deliver();
    for (int p = 0; p < 6; p++)
        assert_int_equal(net.version[0][p], 1);
    assert_int_equal(net.total, 5);
}

/* Makes `here` rank `rank` of a grid of 6 processes, p × 6/p or, with p = 0, symmetric of order 4,
 * with those nodes. */
static void become_one_of_six(int rank, int p, const int *node)
{
    here = (startile_grid){
        .network = &counting, .p = p, .group = 1, .processes = 6, .node = node, .rank = rank};
    if (p > 0) {
        here.q = 6 / p;
        order_ranks(&here, 1, here.q);
    } else {
        make_symmetric(&here, 4);
    }
}

/* Returns whether one of the messages goes from `from` to `to`. */
static bool has_direct_message(int from, int to)
{
    for (int s = 0; s < net.send_count; s++)
        if (net.sends[s].from == from && net.sends[s].to == to)
            return true;
    return false;
}

/* Returns the number of messages between nodes. */
static int messages_between_nodes(void)
{
    int count = 0;
    for (int s = 0; s < net.send_count; s++)
        count += node_of(&here, net.sends[s].from) != node_of(&here, net.sends[s].to);
    return count;
}

/* Returns the number of nodes with processes in `needs`, besides the node of `from`. */
static int other_nodes(const bool *needs, int from)
{
    bool has[6] = {false};
    int count = 0;
    for (int rank = 0; rank < 6; rank++)
        has[node_of(&here, rank)] |= needs[rank] && node_of(&here, rank) != node_of(&here, from);
    for (int node = 0; node < 6; node++)
        count += has[node];
    return count;
}

/* Tests that a broadcast of tile (1, 1) of a view reaches exactly the processes with tiles of a
 * block of the view, which begins at tile (2, 3), that these copy it to their GPUs, that the owner
 * of tile (3, 3) gets it directly along a tree, and that the tile goes to each node once. */
static void check_broadcast(int p, const int *node)
{
    startile_request r = {.first.request = &r};
    startile_matrix A = {.shape = {.m = 70, .n = 70, .mb = 10, .nb = 10, .mt = 7, .nt = 7},
                         .grid = &here,
                         .tiles = (starpu_data_handle_t[49]){NULL}};
    static const char ops[] = "NC";
    for (int o = 0; o < 2; o++)
        for (int64_t rows = 0; rows <= 5; rows++)
            for (int64_t columns = 0; columns <= 4; columns++) {
                view V = {&A, ops[o], 7, 7};
                bool needs[6] = {false};
                int expected = 0;
                memset(&net, 0, sizeof net);
                become_one_of_six(0, p, node);
                for (int64_t i = 2; i < 2 + rows; i++)
                    for (int64_t j = 3; j < 3 + columns; j++)
                        needs[tile_rank(at(V, i, j))] = true;
                tile T = at(V, 1, 1);
                int from = net.owner[1 + 1 * 7] = tile_rank(T);
                net.version[1 + 1 * 7][from] = 1;
                needs[from] = false;
                for (int rank = 0; rank < 6; rank++) {
                    become_one_of_six(rank, p, node);
                    send_column_tile(
                        (context){.request = &r}, 0, T,
                        first_to_owner_of(at(V, 3, 3), owners_of(V, 2, 3, rows, columns)));
                    expected += needs[rank];
                }
                assert_int_equal(net.send_count, expected);
                assert_int_equal(net.uploads, expected);
                assert_int_equal(messages_between_nodes(), other_nodes(needs, from));
                if (p == 0 && rows > 1 && columns > 0 && tile_rank(at(V, 3, 3)) != from)
                    assert_true(has_direct_message(from, tile_rank(at(V, 3, 3))));
                deliver();
                for (int rank = 0; rank < 6; rank++)
                    assert_int_equal(net.version[1 + 1 * 7][rank], needs[rank] || rank == from);
            }
}

static void test_broadcast(void)
{
    static const int pairs[] = {0, 0, 2, 2, 4, 4}, round_robin[] = {0, 1, 0, 1, 0, 1};
    for (int p = 0; p <= 2; p++) {
        check_broadcast(p, NULL);
        check_broadcast(p, pairs);
        check_broadcast(p, round_robin);
    }
}

/* Tests order_ranks_by_nodes(): the block of a node, and that grid_rank() returns to the rank. */
static void test_nodes(void)
{
    static const struct {
        int p, q, on_node, rows, columns;
    } cases[] = {{4, 4, 1, 1, 1},  {4, 4, 4, 2, 2},  {4, 4, 8, 2, 4}, {4, 4, 16, 4, 4},
                 {1, 16, 4, 1, 4}, {16, 1, 4, 4, 1}, {8, 2, 4, 4, 1}, {2, 6, 4, 2, 2},
                 {3, 4, 4, 1, 4},  {3, 3, 2, 1, 1},  {6, 2, 4, 2, 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int node[16], processes = cases[c].p * cases[c].q;
        for (int rank = 0; rank < processes; rank++)
            node[rank] = rank - rank % cases[c].on_node;
        for (int rank = 0; rank < processes; rank++) {
            startile_grid g = {.p = cases[c].p,
                               .q = cases[c].q,
                               .processes = processes,
                               .rank = rank,
                               .node = node};
            order_ranks_by_nodes(&g);
            assert_int_equal(g.block_rows, cases[c].rows);
            assert_int_equal(g.block_columns, cases[c].columns);
            assert_in_range(g.row, 0, g.p - 1);
            assert_in_range(g.col, 0, g.q - 1);
            assert_int_equal(grid_rank(&g, g.row, g.col), rank);
        }
    }
}

/* Tests that pivots reach exactly their owner and the processes with tiles of the matrix, in a grid
 * with several process rows. Pivots without an owner get the first process as owner. */
static void test_pivots(void)
{
    startile_request r = {.first.request = &r};
    for (int64_t mt = 1; mt <= 3; mt++)
        for (int is_owned = 0; is_owned < 2; is_owned++) {
            int64_t nt = 4 - mt;
            startile_matrix C = {
                .shape = {.m = 10 * mt, .n = 10 * nt, .mb = 10, .nb = 10, .mt = mt, .nt = nt},
                .grid = &here};
            bool needs[6] = {false};
            memset(&net, 0, sizeof net);
            here = (startile_grid){.network = &counting,
                                   .p = 2,
                                   .q = 3,
                                   .group = 1,
                                   .processes = 6,
                                   .block_rows = 1,
                                   .block_columns = 3};
            int from = is_owned ? 4 : 0;
            net.owner[1] = is_owned ? from : -1;
            net.newest[1] = net.version[1][from] = 1;
            for (int64_t j = 0; j < nt; j++)
                for (int64_t i = 0; i < mt; i++)
                    needs[i % 2 * 3 + j % 3] = true;
            for (here.rank = 0; here.rank < 6; here.rank++)
                send_pivots((context){.request = &r}, 0, NULL, 1, &C);
            deliver();
            assert_int_equal(net.owner[1], from);
            for (int p = 0; p < 6; p++)
                assert_int_equal(net.version[1][p], needs[p] || p == from);
        }
}

/* Tests a broadcast to all of 1,000 processes: each sends at most 10 = ⌈log₂ 1000⌉ messages. */
static void test_tree(void)
{
    startile_request r = {.first.request = &r};
    int sent[MOST_RANKS] = {0};
    memset(&net, 0, sizeof net);
    here = (startile_grid){.network = &counting,
                           .p = 10,
                           .q = 100,
                           .group = 1,
                           .processes = 1000,
                           .block_rows = 1,
                           .block_columns = 100};
    net.owner[0] = 700;
    net.version[0][700] = 1;
    for (here.rank = 0; here.rank < 1000; here.rank++)
        exchange_with_all((context){.request = &r}, &here, handle_of(0));
    assert_int_equal(net.send_count, 999);
    for (int s = 0; s < net.send_count; s++)
        assert_in_range(++sent[net.sends[s].from], 1, 10);
    deliver();
    for (int p = 0; p < 1000; p++)
        assert_int_equal(net.version[0][p], 1);
}

/* Tests owners and local indices of tiles, and grid_extent(), on a 2 × 3 grid. */
static void test_block_cyclic(void)
{
    startile_grid g = {.p = 2, .q = 3, .group = 1, .block_rows = 1, .block_columns = 3};
    startile_matrix A = {.shape = {.m = 70, .n = 100, .mb = 16, .nb = 16, .mt = 5, .nt = 7},
                         .grid = &g};
    assert_int_equal(tile_rank((tile){&A, 3, 4, 'N'}), 1 * 3 + 1);
    assert_int_equal(local_index((tile){&A, 3, 4, 'N'}).i, 1);
    assert_int_equal(local_index((tile){&A, 3, 4, 'N'}).j, 1);
    g.block_rows = 2, g.block_columns = 1;
    assert_int_equal(tile_rank((tile){&A, 3, 4, 'N'}), 1 + 1 * 2);
    /* 70 rows in tiles of 16: tiles 0, 2, 4 (38 rows) and 1, 3 (32 rows) */
    assert_int_equal(grid_extent(70, 16, 0, 2), 38);
    assert_int_equal(grid_extent(70, 16, 1, 2), 32);
    assert_int_equal(grid_extent(10, 16, 1, 2), 0);
    assert_int_equal(grid_extent(64, 16, 1, 2), 32);
}

/* Tests owners and local indices of tiles on a 1 × 3 grid with groups of two block columns, and
 * that own_column() finds exactly the own ones. */
static void test_groups(void)
{
    enum { N = 15 };
    startile_grid g = {.p = 1, .q = 3, .group = 2, .block_rows = 1, .block_columns = 3};
    startile_matrix A = {.shape = {.m = 16, .n = 16 * N, .mb = 16, .nb = 16, .mt = 1, .nt = N},
                         .grid = &g};
    static const int owners[N] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 0, 1},
                     local[N] = {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 5, 4};
    for (g.col = 0; g.col < g.q; g.col++) {
        int64_t columns = 0;
        for (int64_t j = 0; j < N; j++) {
            assert_int_equal(tile_rank((tile){&A, 0, j, 'N'}), owners[j]);
            assert_int_equal(local_index((tile){&A, 0, j, 'N'}).j, local[j]);
            assert_int_equal(own_column((view){&A, 'N', 1, N}, j) == j, owners[j] == g.col);
            assert_int_equal(own_row((view){&A, 'T', N, 1}, j) == j, owners[j] == g.col);
            columns += owners[j] == g.col;
        }
        assert_int_equal(elements_of_process(&A.shape, &g), columns * 16 * 16);
        assert_int_equal(own_column((view){&A, 'N', 1, N}, N), N);
    }
}

/* Tests the owners on symmetric grids of order r with P processes: (i,j) and (j,i) have one owner;
 * a row and a column have r − 1 or r owners; own_tile_in_column() and own_tile_in_row() find
 * exactly the own tiles, in a view and in its transpose; each process has between `least` and
 * `most` percent of the mean number of tiles of a triangle. */
static void test_symmetric_owners(void)
{
    static const struct {
        int order, processes, least, most;
    } grids[] = {{2, 1, 100, 100}, {3, 3, 90, 110},  {4, 6, 90, 110}, {5, 10, 90, 110},
                 {8, 28, 85, 115}, {9, 36, 85, 115}, {2, 2, 90, 110}, {4, 8, 85, 120}};
    enum { N = 120 };
    for (size_t c = 0; c < sizeof grids / sizeof *grids; c++) {
        int r = grids[c].order, P = grids[c].processes, tiles[MOST_RANKS] = {0};
        assert_true(is_symmetric_grid(r, P));
        assert_false(is_symmetric_grid(r + 1, P) || is_symmetric_grid(r, P + r));
        startile_grid g = {.processes = P};
        startile_matrix A = {.shape = {.mt = N, .nt = N}, .grid = &g};
        make_symmetric(&g, r);
        for (int i = 0; i < N; i++) {
            bool is_in_row[MOST_RANKS] = {false};
            int owners = 0;
            for (int j = 0; j < N; j++) {
                int rank = tile_rank((tile){&A, i, j, 'N'});
                assert_in_range(rank, 0, P - 1);
                assert_int_equal(rank, tile_rank((tile){&A, j, i, 'N'}));
                owners += !is_in_row[rank];
                is_in_row[rank] = true;
                tiles[rank] += j <= i;
            }
            assert_int_equal(owners, P > r * (r - 1) / 2 ? r : r - 1);
        }
        for (g.rank = 0; g.rank < P; g.rank++) {
            view V = {&A, 'N', N, N};
            make_symmetric(&g, r);
            assert_in_range(200 * tiles[g.rank] * P / (N * (N + 1)), grids[c].least, grids[c].most);
            for (int j = 0; j < N; j++) {
                int64_t in_column = own_tile_in_column(V, 0, j), in_row = own_tile_in_row(V, j, 0);
                for (int i = 0; i < N; i++) {
                    bool is_own = is_own_tile((tile){&A, i, j, 'N'});
                    assert_int_equal(in_column == i, is_own);
                    assert_int_equal(in_row == i, is_own);
                    if (is_own) {
                        in_column = own_tile_in_column(V, i + 1, j);
                        in_row = own_tile_in_row(V, j, i + 1);
                    }
                }
                assert_int_equal(in_column, N);
                assert_int_equal(in_row, N);
            }
        }
    }
}

/* Tests the local indices of tiles on a symmetric grid of order 4: the process with rows 1 and 3 of
 * the pattern has rows 1, 3, 5, 7, … of tiles. */
static void test_symmetric_indices(void)
{
    startile_grid g = {.processes = 6, .rank = 4};
    startile_matrix A = {.shape = {.mt = 20, .nt = 20}, .grid = &g};
    make_symmetric(&g, 4);
    assert_int_equal(g.row, 1);
    assert_int_equal(g.col, 3);
    tile t = local_index((tile){&A, 7, 9, 'N'});
    assert_int_equal(t.i, 3);
    assert_int_equal(t.j, 4);
}

int main(void)
{
    return run_group("exchange", test_messages, test_foreign_process, test_without_tiles,
                     test_with_all, test_block_cyclic, test_groups, test_nodes,
                     test_symmetric_owners, test_symmetric_indices, test_broadcast, test_tree,
                     test_pivots);
}
