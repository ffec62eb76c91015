/* Columns of a block of LDLᵀ or LDLᴴ (sytrf.c). */
#include "panel.h"

#include <float.h>
#include <string.h>

/* Least number of elements of L that the team shares in a loop over rows. Two hand-overs between
 * threads take about as long as reading 10,000 elements, and longer if other programs use the
 * cores. */
enum { LEAST_SHARED = 64 << 10 };

typedef void group_work(struct panel *p, struct group g);

struct group_loop {
    struct panel *p;
    group_work *work;
};

static void work_on_group(void *context, int i)
{
    const struct group_loop *loop = context;
    loop->work(loop->p, group_at(loop->p, trailing_rows(loop->p, loop->p->j), i, GROUP));
}

/* Does the work on all rows of the trailing matrix, which reads all columns of L. */
static void for_groups(struct panel *p, group_work *work)
{
    struct group_loop loop = {p, work};
    struct rows r = trailing_rows(p, p->j);
    bool is_shared = (r.end - r.i) * (p->slots + 1) >= LEAST_SHARED;
    run_by_team(is_shared ? p->team : NULL, groups_of(p, r, GROUP), work_on_group, &loop);
}

/* -- the newest pivot ------------------------------------------------------------------------ */

/* A(other,i) := A(i,last)ᵀ for rows of a group */
static void move_to_row(const struct panel *p, int64_t i, int64_t end)
{
    if (i >= end)
        return;
    const element *from = address(p, i, p->pivot.last);
    element *to = address(p, p->pivot.other, i);
    for (int ld = tile_of(p, p->pivot.other, i)->ld; i < end; i++, to += ld)
        *to = transposed(p, *from++);
}

/* A(i,other) := A(i,last) for rows of a group */
static void move_to_column(const struct panel *p, int64_t i, int64_t end)
{
    if (i < end)
        memcpy(address(p, i, p->pivot.other), address(p, i, p->pivot.last),
               (size_t)(end - i) * sizeof(element));
}

/* Moves the elements of column `last` to row and column `other`, in the rows of a group but row
 * p->j. */
static void interchange_group(const struct panel *p, struct group g)
{
    int64_t last = p->pivot.last, other = p->pivot.other;
    if (last == other)
        return;
    if (p->is_upper) {
        move_to_column(p, g.i, least(other, g.end));
        move_to_row(p, greatest(other + 1, g.i), least(last - 1, g.end));
    } else {
        move_to_row(p, greatest(last + 2, g.i), least(other, g.end));
        move_to_column(p, greatest(other + 1, g.i), g.end);
    }
}

/* L(:,first) := W(:,first) / d for the rows of a group */
static void divide_group(const struct panel *p, struct group g)
{
    const struct pivot *v = &p->pivot;
    element *a = address(p, g.i, v->first), *l = in_l(p, g.i, v->slot), *w = in_w(p, g.i, v->slot);
    const element *from = in_w(p, g.i, v->source);
    for (int64_t r = 0; r < g.end - g.i; r++) {
        element x = from[r];
        w[r] = x;
        a[r] = l[r] = x * v->scale * v->factor0;
    }
}

/* L := W D⁻¹ with a D of order 2, for the rows of a group */
static void divide_group_by_two(const struct panel *p, struct group g)
{
    const struct pivot *v = &p->pivot;
    element *a0 = address(p, g.i, v->first), *l0 = in_l(p, g.i, v->slot),
            *a1 = address(p, g.i, v->last), *l1 = in_l(p, g.i, v->slot + 1);
    const element *w0 = in_w(p, g.i, v->slot), *w1 = in_w(p, g.i, v->slot + 1);
    for (int64_t r = 0; r < g.end - g.i; r++) {
        element x0 = w0[r] * v->scale, x1 = w1[r] * v->scale;
        a0[r] = l0[r] = v->factor0 * (v->d11 * x0 - x1);
        a1[r] = l1[r] = v->factor1 * (v->d00 * x1 - x0);
    }
}

/* Completes the columns of the newest pivot in the rows of a group. */
static void complete_group(struct panel *p, struct group g)
{
    if (!p->pivot.exists)
        return;
    interchange_group(p, g);
    if (p->pivot.order == 1)
        divide_group(p, g);
    else
        divide_group_by_two(p, g);
}

/* -- one column ------------------------------------------------------------------------------ */

/* Copies A(i:end, column) to w; all these rows are in one tile row. */
static void read_column(const struct panel *p, int64_t i, int64_t end, element *w)
{
    int64_t c = p->column;
    for (; i < end && is_stored(p, i, c) != is_stored(p, end - 1, c); i++)
        *w++ = is_stored(p, i, c) ? *address(p, i, c) : transposed(p, *address(p, c, i));
    if (i < end && is_stored(p, i, c))
        memcpy(w, address(p, i, c), (size_t)(end - i) * sizeof *w);
    else if (i < end) {
        const element *from = address(p, c, i);
        for (int ld = tile_of(p, c, i)->ld; i < end; i++, from += ld)
            *w++ = transposed(p, *from);
    }
}

/* W(:,slot) := A(:,column) − L W(column,:)ᵀ in the rows of a group; finds the largest element
 * outside of row `column`. */
static void update_column(struct panel *p, struct group g, int slot)
{
    element *w = in_w(p, g.i, slot);
    int rows = (int)(g.end - g.i);
    read_column(p, g.i, g.end, w);
    if (p->slots > 0)
        BLAS(gemv)
    (CblasColMajor, CblasNoTrans, rows, p->slots, SCALAR(-1), in_l(p, g.i, 0), p->ldw, p->row, 1,
     SCALAR(1), w, 1);
    struct largest best = {0, -1};
    for (int r = 0; r < rows; r++)
        if (g.i + r != p->column && (best.row < 0 || ABS1(w[r]) > best.value))
            best = (struct largest){ABS1(w[r]), g.i + r};
        else if (g.i + r == p->column)
            w[r] = diagonal(p, w[r]);
    p->best[g.number] = best;
}

static void first_column_group(struct panel *p, struct group g)
{
    complete_group(p, g);
    update_column(p, g, p->slots);
}

static void second_column_group(struct panel *p, struct group g)
{
    update_column(p, g, p->slots + 1);
}

/* Updates column c of the trailing matrix. Returns its largest element outside of row c. */
static struct largest update_and_search(struct panel *p, int64_t c, group_work *work)
{
    struct largest best = {0, -1};
    p->column = c;
    for (int s = 0; s < p->slots; s++)
        p->row[s] = transposed(p, *in_w(p, c, s));
    if (p->pivot.exists && p->pivot.order == 1)
        p->row[p->pivot.slot] = transposed(p, *in_w(p, c, p->pivot.source));
    for_groups(p, work);
    for (int g = 0; g < groups_of(p, trailing_rows(p, p->j), GROUP); g++)
        if (p->best[g].row >= 0 && (best.row < 0 || p->best[g].value > best.value))
            best = p->best[g];
    return best;
}

/* Chooses the pivot of column p->j, by Bunch and Kaufman's partial pivoting. */
static struct pivot choose(struct panel *p)
{
    const double alpha = (1 + sqrt(17.0)) / 8;
    int64_t j = p->j, next = p->is_upper ? j - 1 : j + 1;
    int slot = p->slots;
    struct pivot one = {true, 1, j, j, j, slot, slot, 1, 0, 0, 0, 0};
    struct largest in_column = update_and_search(p, j, first_column_group);
    double of_diagonal = ABS1(*in_w(p, j, slot));
    p->pivot.exists = false;
    if (of_diagonal >= alpha * in_column.value || in_column.row < 0)
        return one;
    int64_t r = in_column.row;
    struct largest in_row = update_and_search(p, r, second_column_group);
    if (of_diagonal >= alpha * in_column.value * (in_column.value / in_row.value))
        return one;
    one.other = r;
    one.source = slot + 1;
    if (ABS1(*in_w(p, r, slot + 1)) >= alpha * in_row.value)
        return one;
    return (struct pivot){true, 2, j, next, r, slot, slot, 1, 0, 0, 0, 0};
}

static void swap(element *a, element *b)
{
    element x = *a;
    *a = *b;
    *b = x;
}

/* Interchanges what belongs to rows `last` and `other`, besides the elements of
 * interchange_group(). next: the next column, whose elements all groups read. */
static void interchange_rows(struct panel *p, const struct pivot *v, int64_t next)
{
    int64_t last = v->last, other = v->other;
    if (last == other)
        return;
    *address(p, other, other) = diagonal(p, *address(p, last, last));
    if (next != other)
        *address(p, other, next) = transposed(p, *address(p, next, last));
    BLAS(swap)(v->slot, in_l(p, last, 0), p->ldw, in_l(p, other, 0), p->ldw);
    BLAS(swap)(v->slot, in_w(p, last, 0), p->ldw, in_w(p, other, 0), p->ldw);
    swap(in_w(p, last, v->source), in_w(p, other, v->source));
    if (v->order == 2)
        swap(in_w(p, last, v->slot + 1), in_w(p, other, v->slot + 1));
}

/* Returns a power of two whose product with d is no subnormal number. */
static real scale_of(element d)
{
    const double smallest = sizeof(real) == sizeof(double) ? DBL_MIN : (double)FLT_MIN;
    return ABS1(d) < smallest ? 0x1p60F : 1;
}

/* Stores D, of order 1 or 2, and sets the factors of L's elements. */
static void store_one(struct panel *p, struct pivot *v)
{
    element d = diagonal(p, *in_w(p, v->first, v->source));
    *address(p, v->first, v->first) = d;
    v->scale = scale_of(d);
    v->factor0 = d != 0 ? 1 / (v->scale * d) : 0;
    p->ipiv[v->first] = v->other + 1;
    if (d == 0 && p->info == 0)
        p->info = v->first + 1;
}

static void store_two(struct panel *p, struct pivot *v)
{
    element d00 = *in_w(p, v->first, v->slot), d10 = *in_w(p, v->last, v->slot),
            d11 = *in_w(p, v->last, v->slot + 1), d01 = transposed(p, d10);
    *address(p, v->first, v->first) = diagonal(p, d00);
    *address(p, v->last, v->first) = d10;
    *address(p, v->last, v->last) = diagonal(p, d11);
    v->scale = scale_of(d10);
    v->d11 = d11 / d10;
    v->d00 = d00 / d01;
    element t = 1 / (diagonal(p, v->d11 * v->d00) - 1);
    v->factor0 = t / (v->scale * d01);
    v->factor1 = t / (v->scale * d10);
    p->ipiv[v->first] = p->ipiv[v->last] = -(v->other + 1);
}

/* Computes the next pivot and the rows of L that belong to it. The other rows follow in the next
 * loop over rows. */
static void factor_column(struct panel *p)
{
    struct pivot v = choose(p);
    int64_t next = p->is_upper ? v.last - 1 : v.last + 1;
    if (v.last != v.other)
        interchange_rows(p, &v, next);
    if (v.order == 1)
        store_one(p, &v);
    else
        store_two(p, &v);
    p->pivot = v;
    p->slots += v.order;
    p->j = next;
}

void NAME(sytrf_columns)(struct panel *p)
{
    p->slots = 0;
    while (p->slots < INNER && is_in_panel(p))
        factor_column(p);
    for_groups(p, complete_group);
    p->pivot.exists = false;
}
