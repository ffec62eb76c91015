/* Copies of a submatrix from the user's blocks to square tiles, and back. The tiles are distributed
 * block-cyclically too; the first tile is on the first process of the context. */
#include "scalapack.h"

#include "scalar.h"

#include <stdlib.h>
#include <string.h>

/* Average number of bytes that a process sends or receives at a time, whichever is more. exchange()
 * cuts the columns accordingly. */
static const int64_t chunk_bytes = 32 << 20;

/* The two sides of a copy: the user's array, and the tiles */
enum { USER, TILES, SIDES };

/* One dimension of the submatrix on both sides. n: number of its indices, 0 … n − 1; before: index
 * in the user's array of index 0; x: distribution on each side */
struct dimension {
    int64_t n, before;
    struct axis x[SIDES];
};

/* The arrays of an operand on both sides. a, ld: this process' parts; size: bytes of an element; p
 * × q: processes of the context */
struct exchange {
    struct dimension rows, columns;
    char *a[SIDES];
    int64_t ld[SIDES];
    size_t size;
    int p, q;
};

/* A range of n rows on this process, from local row `local` on */
struct range {
    int64_t local, n;
};

/* Returns the index on one side of index i of the submatrix. */
static int64_t index_on_side(const struct dimension *d, int side, int64_t i)
{
    return side == USER ? d->before + i : i;
}

/* Returns whether this process owns index i on side `here`, and process row (column) `other_owner`
 * owns it on the other side. */
static bool moves_between(const struct dimension *d, int64_t i, int here, int other_owner)
{
    return owner(d->x[here], index_on_side(d, here, i)) == d->x[here].mine &&
           owner(d->x[1 - here], index_on_side(d, 1 - here, i)) == other_owner;
}

/* Returns the length of the run at i: the number of indices from i on, and before `end`, that are
 * in the same block as i on both sides. */
static int64_t run_length(const struct dimension *d, int64_t i, int64_t end)
{
    int64_t n = end - i;
    for (int side = 0; side < SIDES; side++) {
        int64_t until_block_end = d->x[side].nb - index_on_side(d, side, i) % d->x[side].nb;
        n = until_block_end < n ? until_block_end : n;
    }
    return n;
}

/* Stores the ranges of rows that this process owns on side `here` and process row `other_owner`
 * owns on the other side. Returns the number of ranges. */
static int64_t find_rows(const struct dimension *d, int here, int other_owner, struct range *ranges)
{
    int64_t count = 0;
    for (int64_t i = 0, n; i < d->n; i += n) {
        n = run_length(d, i, d->n);
        if (moves_between(d, i, here, other_owner))
            ranges[count++] =
                (struct range){local_extent(d->x[here], index_on_side(d, here, i)), n};
    }
    return count;
}

/* Copies the rows in `ranges` of one column to the buffer, or from it. Returns the place in the
 * buffer after them. */
static char *copy_column(char *column, const struct range *ranges, int64_t count, size_t size,
                         char *buffer, bool to_buffer)
{
    for (int64_t r = 0; r < count; r++) {
        char *a = column + ranges[r].local * (int64_t)size;
        size_t bytes = (size_t)ranges[r].n * size;
        memcpy(to_buffer ? buffer : a, to_buffer ? a : buffer, bytes);
        buffer += bytes;
    }
    return buffer;
}

/* Copies to the buffer, or from it, those elements of columns [first, end) that this process owns
 * on side `here` and process `rank` owns on the other side. Returns the place in the buffer after
 * them. */
static char *copy_part(const struct exchange *e, int here, int rank, int64_t first, int64_t end,
                       struct range *ranges, char *buffer, bool to_buffer)
{
    const struct dimension *d = &e->columns;
    int64_t count = find_rows(&e->rows, here, rank / e->q, ranges);
    for (int64_t j = first, n; j < end; j += n) {
        n = run_length(d, j, end);
        if (!moves_between(d, j, here, rank % e->q))
            continue;
        int64_t local = local_extent(d->x[here], index_on_side(d, here, j));
        for (int64_t k = local; k < local + n; k++)
            buffer = copy_column(e->a[here] + k * e->ld[here] * (int64_t)e->size, ranges, count,
                                 e->size, buffer, to_buffer);
    }
    return buffer;
}

/* Returns how many of the indices [first, end) this process owns on side `here` and process row
 * (column) `other_owner` owns on the other side. */
static int64_t count_common(const struct dimension *d, int here, int other_owner, int64_t first,
                            int64_t end)
{
    int64_t sum = 0;
    for (int64_t i = first, n; i < end; i += n) {
        n = run_length(d, i, end);
        sum += moves_between(d, i, here, other_owner) ? n : 0;
    }
    return sum;
}

/* For each rank: n, the number of elements that are sent to it or received from it, and start, the
 * index in the buffer at which they begin. total: sum of all n */
struct counts {
    int *n, *start;
    int64_t total;
};

/* Counts the elements of columns [first, end) that this process sends to, or receives from, each
 * rank. */
static void count_parts(const struct exchange *e, int here, int64_t first, int64_t end,
                        struct counts *c)
{
    c->total = 0;
    for (int r = 0; r < e->p * e->q; r++) {
        c->start[r] = (int)c->total;
        c->n[r] = (int)(count_common(&e->rows, here, r / e->q, 0, e->rows.n) *
                        count_common(&e->columns, here, r % e->q, first, end));
        c->total += c->n[r];
    }
}

/* Workspace of an exchange. buffer[0]: elements to send; buffer[1]: elements received */
struct space {
    struct range *ranges;
    int *counts;
    char *buffer[SIDES];
};

/* Copies columns [first, end) from side `from` to the other side. Collective. */
static void exchange_columns(const struct exchange *e, int from, int64_t first, int64_t end,
                             struct space *s, MPI_Datatype element, MPI_Comm communicator)
{
    int ranks = e->p * e->q, to = 1 - from;
    struct counts sent = {s->counts, s->counts + ranks, 0};
    struct counts received = {s->counts + 2 * ranks, s->counts + 3 * ranks, 0};
    count_parts(e, from, first, end, &sent);
    count_parts(e, to, first, end, &received);
    for (int r = 0; r < ranks; r++)
        copy_part(e, from, r, first, end, s->ranges, s->buffer[0] + (size_t)sent.start[r] * e->size,
                  true);
    MPI_Alltoallv(s->buffer[0], sent.n, sent.start, element, s->buffer[1], received.n,
                  received.start, element, communicator);
    for (int r = 0; r < ranks; r++)
        copy_part(e, to, r, first, end, s->ranges,
                  s->buffer[1] + (size_t)received.start[r] * e->size, false);
}

/* Returns an upper bound, in bytes, of the elements of any `width` consecutive columns that this
 * process owns on a side. */
static size_t buffer_bytes(const struct exchange *e, int side, int64_t width)
{
    int64_t block = e->columns.x[side].nb, processes = e->columns.x[side].processes;
    int64_t columns = (width / (block * processes) + 2) * block;
    int64_t rows = e->rows.x[side].nb * (e->rows.n / (e->rows.x[side].nb * e->p) + 2);
    return (size_t)(smaller(rows, e->rows.n) * smaller(columns, width)) * e->size;
}

/* Allocates the workspace. Returns false if memory does not suffice; the caller frees it also then.
 * runs: upper bound of the number of ranges of rows, one at each block boundary of both sides */
static bool new_space(const struct exchange *e, int from, int64_t width, struct space *s)
{
    int64_t runs = e->rows.n / e->rows.x[USER].nb + e->rows.n / e->rows.x[TILES].nb + 3;
    *s = (struct space){
        malloc((size_t)runs * sizeof *s->ranges),
        malloc((size_t)(4 * e->p * e->q) * sizeof *s->counts),
        {malloc(buffer_bytes(e, from, width)), malloc(buffer_bytes(e, 1 - from, width))}};
    return s->ranges != NULL && s->counts != NULL && s->buffer[0] != NULL && s->buffer[1] != NULL;
}

static void free_space(struct space *s)
{
    free(s->ranges);
    free(s->counts);
    free(s->buffer[0]);
    free(s->buffer[1]);
}

/* Returns how many process rows (columns) have tiles. */
static int64_t parts_with_tiles(const struct dimension *d)
{
    struct axis x = d->x[TILES];
    return smaller((d->n + x.nb - 1) / x.nb, x.processes);
}

static int64_t processes_with_tiles(const struct exchange *e)
{
    return parts_with_tiles(&e->rows) * parts_with_tiles(&e->columns);
}

/* Copies the submatrix from side `from` to the other side. Returns 0 or a status, the same on all
 * processes. Collective. */
static int exchange(const struct exchange *e, int from, const struct context *c)
{
    struct space s;
    MPI_Datatype element;
    int64_t column_bytes = e->rows.n * (int64_t)e->size;
    int64_t width = larger(1, chunk_bytes * processes_with_tiles(e) / column_bytes);
    width = width < e->columns.n ? width : e->columns.n;
    bool is_allocated = agree(c, new_space(e, from, width, &s), 0);
    if (is_allocated) {
        MPI_Type_contiguous((int)e->size, MPI_BYTE, &element);
        MPI_Type_commit(&element);
        for (int64_t j = 0; j < e->columns.n; j += width)
            exchange_columns(e, from, j, j + width < e->columns.n ? j + width : e->columns.n, &s,
                             element, c->communicator);
        MPI_Type_free(&element);
    }
    free_space(&s);
    return is_allocated ? 0 : STARTILE_ERROR_MEMORY;
}

/* Returns the exchange between the user's array and nb × nb tiles. A->tiles may still be NULL. */
static struct exchange exchange_of(const struct operand *A, startile_dtype dtype,
                                   const struct context *c, int64_t nb)
{
    struct axis rows = {nb, 0, c->p, c->row}, columns = {nb, 0, c->q, c->col};
    return (struct exchange){.rows = {A->m, *A->ia - 1, {rows_of(A->desc, c), rows}},
                             .columns = {A->n, *A->ja - 1, {columns_of(A->desc, c), columns}},
                             .a = {A->array, A->tiles},
                             .ld = {A->desc[LLD_], larger(1, local_extent(rows, A->m))},
                             .size = dtype_size(dtype),
                             .p = c->p,
                             .q = c->q};
}

/* Allocates A->tiles and copies the submatrix to them. Returns 0 or a status, the same on all
 * processes. Collective. */
static int copy_elements(struct operand *A, struct exchange *e, const struct context *c)
{
    int64_t columns = larger(1, local_extent(e->columns.x[TILES], A->n));
    A->tiles = e->a[TILES] = malloc((size_t)(e->ld[TILES] * columns) * e->size);
    return agree(c, A->tiles != NULL, 0) ? exchange(e, USER, c) : STARTILE_ERROR_MEMORY;
}

int copy_to_tiles(struct operand *A, startile_dtype dtype, const struct context *c, int64_t nb,
                  startile_grid *grid)
{
    struct exchange e = exchange_of(A, dtype, c, nb);
    int status = copy_elements(A, &e, c);
    return status != 0 ? status
                       : startile_matrix_wrap_local(&A->matrix, dtype, A->m, A->n, A->tiles,
                                                    e.ld[TILES], nb, nb, grid);
}

int copy_to_first_process(struct operand *A, startile_dtype dtype, const struct context *c,
                          int64_t nb)
{
    struct exchange e = exchange_of(A, dtype, c, nb);
    int status = copy_elements(A, &e, c);
    bool is_first = c->row == 0 && c->col == 0;
    if (status == 0 && is_first)
        startile_matrix_wrap_for(&A->matrix, "geqp3", dtype, A->m, A->n, A->tiles, e.ld[TILES]);
    return agree(c, status == 0 && (A->matrix != NULL || !is_first), 0) ? 0 : STARTILE_ERROR_MEMORY;
}

int copy_from_tiles(const struct operand *A, startile_dtype dtype, const struct context *c,
                    int64_t nb)
{
    struct exchange e = exchange_of(A, dtype, c, nb);
    return exchange(&e, TILES, c);
}
