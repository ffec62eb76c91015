/* Broadcasts to the processes whose tasks read a tile, so that loops may leave out the tasks of
 * other processes. */
#include "grid/broadcast.h"

#include "grid/exchange.h"
#include "grid/owner.h"
#include "grid/upload.h"
#include "request/state.h"
#include "task/operands.h"

#include <string.h>

/* The processes that have or get the data, the owner first. All processes make the same list. */
struct members {
    int *rank;
    int count;
};

/* Returns the index of the process in the list, or −1. */
static int index_in(struct members m, int rank)
{
    for (int i = 0; i < m.count; i++)
        if (m.rank[i] == rank)
            return i;
    return -1;
}

/* Returns the index of this process in the list, or −1 if it is not a member. Marks earlier copies
 * as out of date, because a process does not see tasks that its loops leave out. The owner marks
 * the data as sent to all other members. */
static int begin_broadcast(const startile_grid *g, starpu_data_handle_t handle, struct members m)
{
    int at = index_in(m, g->rank);
    g->network->outdate_copies(handle);
    if (at == 0)
        for (int i = 1; i < m.count; i++)
            g->network->mark_sent(handle, m.rank[i]);
    return at;
}

/* Submits the receive unless this process has a copy. */
static void receive_once(context ctx, const startile_grid *g, starpu_data_handle_t handle, int from,
                         int priority)
{
    if (!g->network->mark_received(handle))
        exchange_receive(ctx, g, handle, from, priority);
}

/* Exchanges `rank` with the member at index `at`, unless `rank` is the first member or none. */
static void move_to(struct members m, int rank, int at)
{
    int from = index_in(m, rank);
    if (from < 1)
        return;
    m.rank[from] = m.rank[at];
    m.rank[at] = rank;
}

/* Exchanges `urgent` with the process to which send_in_tree() lets the first member send first,
 * unless `urgent` is the first member or none. */
static void put_first_in_tree(struct members m, int urgent)
{
    int first = 1;
    while (2 * first < m.count)
        first *= 2;
    move_to(m, urgent, first);
}

/* Sends data from the first member to the others along a binomial tree: member i > 0 receives from
 * member i & (i − 1). Each member sends at most ⌈log2(count)⌉ messages. Does nothing in a process
 * that is not a member. */
static void send_in_tree(context ctx, const startile_grid *g, starpu_data_handle_t handle,
                         struct members m, int priority)
{
    int at = index_in(m, g->rank);
    if (at < 0)
        return;
    if (at > 0)
        receive_once(ctx, g, handle, m.rank[at & (at - 1)], priority);
    /* sends to members at + 2^k, for 2^k below the lowest bit of `at`; the first (at = 0) for all
     * 2^k below the number of members */
    int step = at & -at;
    if (at == 0)
        for (step = 1; step < m.count;)
            step *= 2;
    while ((step /= 2) > 0)
        if (at + step < m.count)
            exchange_send(ctx, g, handle, m.rank[at + step], priority);
}

/* Appends the members on the node to the list, in the order of m, from index `from` of m on. */
static void append_node(const startile_grid *g, struct members m, int from, int node,
                        struct members *list)
{
    for (int i = from; i < m.count; i++)
        if (node_of(g, m.rank[i]) == node)
            list->rank[list->count++] = m.rank[i];
}

/* Appends to empty lists the members on this process' node, and the first member on each node, in
 * the order of m. */
static void split_by_nodes(const startile_grid *g, struct members m, struct members *on_node,
                           struct members *firsts)
{
    bool has_first[g->processes]; /* index: node */
    memset(has_first, false, sizeof has_first);
    for (int i = 0; i < m.count; i++) {
        int node = node_of(g, m.rank[i]);
        if (!has_first[node])
            firsts->rank[firsts->count++] = m.rank[i];
        has_first[node] = true;
    }
    append_node(g, m, 0, node_of(g, g->rank), on_node);
}

/* Sends data from the first member to the others: along a tree to one process of each node, then
 * along a tree in each node, so that each node receives it once. `urgent`: member that gets the
 * data early, or −1 */
static void send_along_trees(context ctx, const startile_grid *g, starpu_data_handle_t handle,
                             struct members m, int urgent, int priority)
{
    if (begin_broadcast(g, handle, m) < 0)
        return;
    int on_node_rank[m.count], first_rank[m.count];
    struct members on_node = {on_node_rank, 0}, firsts = {first_rank, 0};
    move_to(m, urgent, 1); /* the first one on its node, unless the sender is on that node */
    split_by_nodes(g, m, &on_node, &firsts);
    put_first_in_tree(firsts, urgent);
    put_first_in_tree(on_node, urgent);
    send_in_tree(ctx, g, handle, firsts, priority);
    send_in_tree(ctx, g, handle, on_node, priority);
}

/* Appends to empty lists the members in the order of m, but those of a node after one another.
 * `rest` gets the first member and those on its node that follow members on other nodes in m,
 * `ring` the first member and all others. */
static void split_ring(const startile_grid *g, struct members m, struct members *ring,
                       struct members *rest)
{
    bool is_listed[g->processes]; /* index: node */
    int own = node_of(g, m.rank[0]), i = 0;
    memset(is_listed, false, sizeof is_listed);
    for (; i < m.count && node_of(g, m.rank[i]) == own; i++)
        ring->rank[ring->count++] = m.rank[i];
    rest->rank[rest->count++] = m.rank[0];
    append_node(g, m, i, own, rest);
    is_listed[own] = true;
    for (; i < m.count; i++) {
        int node = node_of(g, m.rank[i]);
        if (!is_listed[node])
            append_node(g, m, i, node, ring);
        is_listed[node] = true;
    }
}

/* Sends data from each member to the next. Does nothing in a process that is not a member. */
static void send_in_ring(context ctx, const startile_grid *g, starpu_data_handle_t handle,
                         struct members m, int priority)
{
    int at = index_in(m, g->rank);
    if (at > 0)
        receive_once(ctx, g, handle, m.rank[at - 1], priority);
    if (at >= 0 && at + 1 < m.count)
        exchange_send(ctx, g, handle, m.rank[at + 1], priority);
}

/* Sends data from each member to the next (HPL's ring). Each member sends the data at most once. So
 * the owner's link serves only the first member, which has the next panel. The owner also begins a
 * second ring on its own node, so that each node receives the data once. */
static void send_along_rings(context ctx, const startile_grid *g, starpu_data_handle_t handle,
                             struct members m, int priority)
{
    if (begin_broadcast(g, handle, m) < 0)
        return;
    int ring_rank[m.count], rest_rank[m.count];
    struct members ring = {ring_rank, 0}, rest = {rest_rank, 0};
    split_ring(g, m, &ring, &rest);
    send_in_ring(ctx, g, handle, ring, priority);
    send_in_ring(ctx, g, handle, rest, priority);
}

void exchange_with_all(context ctx, const startile_grid *g, starpu_data_handle_t handle)
{
    int owner = handle != NULL ? g->network->owner(g, handle) : -1, member[g->processes];
    for (int i = 0; i < g->processes; i++)
        member[i] = (owner + i) % g->processes;
    if (owner >= 0)
        send_along_trees(ctx, g, handle, (struct members){member, g->processes}, -1, 0);
}

/* Lists the owner, then the wanted processes by rank, cyclically from the owner's rank and rotated
 * by `rotation`. For different owners and rotations, different processes forward the data. Returns
 * the number of members. */
static int list_members(const startile_grid *g, int owner, const bool *is_wanted, int64_t rotation,
                        int *member)
{
    int wanted[g->processes], count = 0;
    for (int d = 1; d < g->processes; d++) {
        int rank = (owner + d) % g->processes;
        if (is_wanted[rank])
            wanted[count++] = rank;
    }
    member[0] = owner;
    for (int i = 0; i < count; i++)
        member[1 + i] = wanted[(i + rotation) % count];
    return count + 1;
}

/* Returns whether all wanted processes are in the owner's row of the grid. A symmetric grid has no
 * rows. */
static bool is_along_row(const startile_grid *g, int owner, const bool *is_wanted)
{
    int wanted = 0, in_owners_row = 0;
    if (g->order > 0)
        return false;
    for (int i = 0; i < g->p; i++) {
        int wanted_in_row = 0;
        bool is_owners = false;
        for (int j = 0; j < g->q; j++) {
            wanted_in_row += is_wanted[grid_rank(g, i, j)];
            is_owners = is_owners || grid_rank(g, i, j) == owner;
        }
        wanted += wanted_in_row;
        in_owners_row += is_owners ? wanted_in_row : 0;
    }
    return wanted == in_owners_row;
}

/* Sends data along rings if all wanted processes are in the owner's row of the grid, as for
 * panels, else along trees. `urgent`: process that gets the data early in the trees, or −1 */
static void send_to_wanted(context ctx, const startile_grid *g, starpu_data_handle_t handle,
                           const bool *is_wanted, int urgent, int64_t rotation, int priority)
{
    int owner = handle != NULL ? g->network->owner(g, handle) : -1, member[g->processes];
    if (owner < 0)
        return;
    bool along_row = is_along_row(g, owner, is_wanted);
    int count = list_members(g, owner, is_wanted, along_row ? 0 : rotation, member);
    struct members m = {member, count};
    if (along_row) {
        send_along_rings(ctx, g, handle, m, priority);
        return;
    }
    send_along_trees(ctx, g, handle, m, urgent, priority);
}

/* Returns the `rotation` of a tile for list_members(). It grows by one to the owner's next tile in
 * a row or column. */
static int64_t rotation_of(tile t)
{
    return t.i / t.A->grid->p + t.j / column_period(t.A);
}

/* -- tiles that many tasks read ---------------------------------------------------------------- */

/* Returns whether this process owns tiles of the block. */
static bool has_tiles_of(tile_block b)
{
    int64_t end = b.i + b.rows;
    if (own_row(b.V, b.i) >= end)
        return false;
    for_own_columns(j, b.V, b.j, b.j + b.columns)
        if (own_tile_in_column(b.V, b.i, j) < end)
            return true;
    return false;
}

/* Marks the processes that own tiles of the block. */
static void mark_owners(tile_block b, bool *is_wanted)
{
    const startile_grid *g = b.V.A->grid;
    /* the owners repeat after `rows` tile rows and `columns` tile columns; on a symmetric grid only
       the diagonal does not repeat, but the owners of a whole row or column of the pattern do */
    int64_t period = column_period(b.V.A);
    int64_t rows = b.V.op == 'N' ? g->p : period, columns = b.V.op == 'N' ? period : g->p;
    for (int64_t j = b.j; j < b.j + b.columns && j < b.j + columns; j++)
        for (int64_t i = b.i; i < b.i + b.rows && i < b.i + rows; i++)
            is_wanted[tile_rank(at(b.V, i, j))] = true;
}

receivers owners_of(view V, int64_t i, int64_t j, int64_t rows, int64_t columns)
{
    return (receivers){.block = {{V, i, j, rows, columns}, {V, 0, 0, 0, 0}}};
}

receivers owners_of_both(tile_block a, tile_block b)
{
    return (receivers){.block = {a, b}};
}

receivers first_to_owner_of(tile T, receivers to)
{
    to.urgent = T;
    return to;
}

receivers owners_down(tile T, int64_t count)
{
    int64_t rows = process_rows(T.A), first = T.i - T.i % rows, end = T.i + count;
    int64_t wrapped = end > first + rows ? end - first - rows : 0;
    tile_block below = {view_of(T.A, 'N'), T.i, T.j, count - wrapped, 1};
    tile_block above = {view_of(T.A, 'N'), first, T.j, wrapped, 1};
    return owners_of_both(below, above);
}

static bool is_empty(tile_block b)
{
    return b.rows == 0 || b.columns == 0;
}

/* Submits the messages of send_tile(). Returns whether this process receives the tile. */
static bool broadcast_tile(context ctx, int64_t priority, tile T, receivers to)
{
    startile_grid *g = T.A->grid;
    if (g == NULL || (is_empty(to.block[0]) && is_empty(to.block[1])))
        return false;
    request_use_grid(ctx.request, g);
    if (!is_own_tile(T) && !has_tiles_of(to.block[0]) && !has_tiles_of(to.block[1])) {
        if (has_handle(T)) /* a copy from an earlier broadcast is out of date */
            g->network->outdate_copies(tile_handle(T));
        return false;
    }
    bool is_wanted[g->processes];
    memset(is_wanted, false, sizeof is_wanted);
    mark_owners(to.block[0], is_wanted);
    mark_owners(to.block[1], is_wanted);
    starpu_data_handle_t handle = tile_handle(T);
    if (handle == NULL || !has_owner(g, handle)) /* a missing tile of the caller's */
        return false;
    stage_note_copies(ctx, handle);
    int urgent = to.urgent.A != NULL ? tile_rank(to.urgent) : -1;
    send_to_wanted(ctx, g, handle, is_wanted, urgent, rotation_of(T), (int)priority);
    return is_wanted[g->rank] && !is_own_tile(T);
}

void send_tile(context ctx, int64_t priority, tile T, receivers to)
{
    broadcast_tile(ctx, priority, T, to);
}

void discard_tile(context ctx, tile T)
{
    if (T.A == NULL || T.A->grid == NULL || !has_handle(T) || !is_own_tile(T))
        return;
    stage_add_bytes(ctx.stage, tile_handle(T));
    starpu_data_invalidate_submit(tile_handle(T));
}

void hand_over_tile(context ctx, int64_t priority, tile T, receivers to)
{
    send_tile(ctx, priority, T, to);
    discard_tile(ctx, T);
}

/* -- block columns ----------------------------------------------------------------------------- */

/* Returns whether each block column has one owner. */
static bool has_whole_columns(const startile_matrix *A)
{
    return A->grid != NULL && A->grid->p == 1;
}

int64_t next_task_column(const startile_matrix *A, int64_t j)
{
    return has_whole_columns(A) ? own_column(view_of(A, 'N'), j) : j;
}

receivers owners_of_columns(const startile_matrix *C, int64_t first, int64_t last)
{
    return owners_of(view_of(C, 'N'), 0, first, has_whole_columns(C), last - first);
}

void send_column_tile(context ctx, int64_t priority, tile T, receivers to)
{
    if (broadcast_tile(ctx, priority, T, to))
        upload_tile(ctx, T);
}

void send_column(context ctx, int64_t priority, column c, receivers to)
{
    int64_t top = c.row / startile_matrix_shape(c.A).mb, tiles = column_tiles(c);
    for (int64_t i = top; i < top + tiles; i++)
        send_column_tile(ctx, priority, at(view_of(c.A, 'N'), i, c.j), to);
}

void send_pivots(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                 const startile_matrix *C)
{
    startile_grid *g = C->grid;
    if (g == NULL)
        return;
    bool is_wanted[g->processes];
    memset(is_wanted, false, sizeof is_wanted);
    mark_owners((tile_block){view_of(C, 'N'), 0, 0, C->shape.mt, C->shape.nt}, is_wanted);
    request_use_grid(ctx.request, g);
    starpu_data_handle_t panel = pivots_handle(P, k);
    if (!has_owner(g,
                   panel)) /* pivots from startile_pivots_from_lapack(): all processes have them */
        g->network->register_data(g, panel, g->network->reserve_tags(g, 1), grid_rank(g, 0, 0));
    send_to_wanted(ctx, g, panel, is_wanted, -1, 0, (int)priority);
}

void send_pivots_to_all(context ctx, const startile_pivots *P, int64_t k, const startile_matrix *C)
{
    if (C->grid == NULL)
        return;
    request_use_grid(ctx.request, C->grid);
    exchange_with_all(ctx, C->grid, pivots_handle(P, k));
}
