/* Update of the trailing triangle of LDLᵀ or LDLᴴ (sytrf.c) by a block of columns. */
#include "panel.h"

/* Order of the triangles on a piece's diagonal, and of a piece: LARGE_PIECE from LARGE_ORDER on,
 * which takes 0.8 of the time at order 4000 and 0.86 at 8000, with two threads; below, many threads
 * need more pieces */
enum { TRIANGLE = 32, PIECE = 256, LARGE_PIECE = 512, LARGE_ORDER = 2048 };

static int piece_of(struct rows r)
{
    return r.end - r.i < LARGE_ORDER ? PIECE : LARGE_PIECE;
}

/* A(i:end,c:column_end) −= L(i:end,:) W(c:column_end,:)ᵀ within a tile */
static void update_rectangle(const struct panel *p, int64_t i, int64_t end, int64_t c,
                             int64_t column_end, element beta, element *a, int lda)
{
    if (i < end)
        NAME(gemm)
    (NULL, 'N', p->is_hermitian ? conjugate_transpose() : 'T', (int)(end - i),
     (int)(column_end - c), p->slots, (startile_scalar){-1, 0}, in_l(p, i, 0), p->ldw,
     in_w(p, c, 0), p->ldw, (startile_scalar){(double)creal(beta), 0}, a, lda);
}

/* The triangle of rows and columns i … end − 1 −= that of L Wᵀ */
static void update_triangle(const struct panel *p, int64_t i, int64_t end)
{
    element product[TRIANGLE * TRIANGLE];
    int n = (int)(end - i), lda = tile_of(p, i, i)->ld;
    element *a = address(p, i, i);
    update_rectangle(p, i, end, i, end, 0, product, TRIANGLE);
    for (int c = 0; c < n; c++) {
        int first = p->is_upper ? 0 : c, last = p->is_upper ? c : n - 1;
        for (int r = first; r <= last; r++)
            a[r + (ptrdiff_t)c * lda] += product[r + c * TRIANGLE];
        a[c + (ptrdiff_t)c * lda] = diagonal(p, a[c + (ptrdiff_t)c * lda]);
    }
}

static void update_diagonal_piece(const struct panel *p, int64_t i, int64_t end)
{
    for (int64_t c = i; c < end; c += TRIANGLE) {
        int64_t column_end = least(c + TRIANGLE, end);
        int64_t first = p->is_upper ? i : column_end, last = p->is_upper ? c : end;
        update_triangle(p, c, column_end);
        if (first < last)
            update_rectangle(p, first, last, c, column_end, 1, address(p, first, c),
                             tile_of(p, first, c)->ld);
    }
}

static void update_piece(void *context, int number)
{
    const struct panel *p = context;
    struct rows all = trailing_rows(p, p->j);
    int row = 0, size = piece_of(all);
    for (; number > row; row++)
        number -= row + 1;
    struct group r = group_at(p, all, p->is_upper ? number : row, size),
                 c = group_at(p, all, p->is_upper ? row : number, size);
    if (row == number)
        update_diagonal_piece(p, r.i, r.end);
    else
        update_rectangle(p, r.i, r.end, c.i, c.end, 1, address(p, r.i, c.i),
                         tile_of(p, r.i, c.i)->ld);
}

void NAME(sytrf_trailing)(struct panel *p)
{
    struct rows all = trailing_rows(p, p->j);
    int pieces = groups_of(p, all, piece_of(all));
    run_by_team(p->team, pieces * (pieces + 1) / 2, update_piece, p);
}
