/* Column interchanges of QR with column pivoting on a grid with one process row. The members are
 * the processes that own block columns from the panel on, numbered from the panel's owner on,
 * cyclically. Columns move between the panel and the block columns right of it only
 * (insert_lapmt_in_groups()): the panel's owner sends the panel to the other members, and they
 * return the chosen columns. The number of columns that a member returns is not known when the
 * tasks are submitted, so each has a block column for them, zero elsewhere. A sum along a binary
 * tree, which turns −0 into 0, brings them to the panel's owner. */
#include "algorithms.h"
#include "geqp3_random.h"
#include "grid/broadcast.h"
#include "grid/owner.h"

/* Submits arrived(0) += the other members' tiles `arrived`. The tile of member d is
 * (0, (k + d) mod process columns). */
static void add_arrived(context ctx, int64_t priority, const startile_matrix *arrived, int64_t k,
                        int64_t members)
{
    view V = view_of(arrived, 'N');
    for (int64_t step = 1; step < members; step *= 2)
        for (int64_t d = 0; d + step < members; d += 2 * step) {
            tile to = at(V, 0, (k + d) % V.nt), from = at(V, 0, (k + d + step) % V.nt);
            if (is_own_tile(to) || is_own_tile(from)) /* arrived(d) += arrived(d + step) */
                insert_geadd(ctx, priority, 1, from, 1, to);
        }
}

void send_old_panel(context ctx, int64_t priority, const startile_matrix *A, int64_t k)
{
    send_column(ctx, priority, rows_from(A, k, 0),
                owners_of_columns(A, k + 1, startile_matrix_shape(A).nt));
}

void interchange_columns_on_grid(context ctx, int64_t priority, const startile_pivots *P, int64_t k,
                                 startile_matrix *A)
{
    startile_shape a = startile_matrix_shape(A);
    int64_t q = column_period(A), members = a.nt - k < q ? a.nt - k : q;
    startile_matrix *arrived = temporary_matrix(ctx, A, a.m, q * a.nb, a.m, a.nb);
    if (arrived == NULL)
        return;
    view V = view_of(arrived, 'N');
    /* arrived(j mod q) := the columns of A(:,j), A(:,j+q), … that move to the panel, and these
     * block columns := the panel's columns that move there */
    for_task_columns(j, A, k, k + members)
        insert_exchange_columns(ctx, priority, P, k, A, j, q, at(V, 0, j % q));
    add_arrived(ctx, priority, arrived, k, members);
    /* A(:,k) and the owner's other block columns := their columns of A P_k^T */
    for_task_columns(j, A, k, k + 1)
        insert_lapmt_with_arrived(ctx, priority, P, k, A, q, at(V, 0, j % q));
}
