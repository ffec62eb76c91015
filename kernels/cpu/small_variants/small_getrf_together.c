/*
 * LU factorization with partial pivoting of several small matrices at a time, one per vector lane.
 * Only the interchanges differ between the lanes. An identity block extends a smaller matrix to the
 * largest order; its pivots are on the diagonal.
 *
 * Backward error: |ΔA| ≤ γ_n |L| |U| (Higham 2002, theorem 9.3).
 */
#include "small.h"

enum { ORDER = STARTILE_SMALL_LU_TOGETHER };

/* The matrices of all lanes, column-major with leading dimension max_order */
typedef numbers square[ORDER * ORDER];

/* Copies one matrix to a lane and extends it by the identity. */
static void gather(int max_order, int lane, struct small_matrix a, numbers *t)
{
    for (int j = 0; j < max_order; j++)
        for (int i = 0; i < max_order; i++)
            for (int c = 0; c < PARTS; c++) {
                bool is_inside = i < a.n && j < a.n;
                t[i + j * max_order].part[c][lane] =
                    is_inside ? ((const real *)(a.p + i + (ptrdiff_t)j * a.ld))[c]
                              : (real)(i == j && c == 0);
            }
}

/* Copies the factors in a lane to the lane's matrix. */
static void scatter(int max_order, int lane, struct small_matrix a, const numbers *t)
{
    for (int j = 0; j < a.n; j++)
        for (int i = 0; i < a.n; i++)
            for (int c = 0; c < PARTS; c++)
                ((real *)(a.p + i + (ptrdiff_t)j * a.ld))[c] = t[i + j * max_order].part[c][lane];
}

/* Returns the row of the pivot of column k in each lane, as a real number. */
static lanes find_pivots(int max_order, int k, const numbers *t)
{
    lanes best = magnitudes(&t[k + k * max_order]), row = {0};
    row += (real)k;
    for (int i = k + 1; i < max_order; i++) {
        lanes x = magnitudes(&t[i + k * max_order]), here = {0};
        here += (real)i;
        row = choose(x > best, here, row);
        best = choose(x > best, x, best);
    }
    return row;
}

static void interchange(int max_order, int lane, int k, int p, numbers *t)
{
    for (int j = 0; j < max_order; j++)
        for (int c = 0; c < PARTS; c++) {
            real *x = &((real *)&t[k + j * max_order].part[c])[lane],
                 *y = &((real *)&t[p + j * max_order].part[c])[lane], z = *x;
            *x = *y;
            *y = z;
        }
}

/* Divides the elements below the pivots by the pivots. A zero pivot has zeros below it. */
static void scale(int max_order, int k, numbers *t)
{
    numbers inverse = t[k + k * max_order];
    lanes boost = {0};
    for (int l = 0; l < LANES; l++) {
        element pivot = lane_of(&inverse, l);
        boost[l] = boost_of_pivot(pivot);
        set_lane(&inverse, l, inverse_of_pivot(pivot * boost[l]));
    }
    for (int i = k + 1; i < max_order; i++) {
        numbers *x = &t[i + k * max_order];
        for (int c = 0; c < PARTS; c++)
            x->part[c] *= boost;
        *x = product(x, &inverse);
    }
}

void SMALL(getrf_together)(int max_order, int count, const struct small_matrix *a)
{
    square t;
    const struct small_matrix empty = {.n = 0};
    for (int l = 0; l < LANES; l++)
        gather(max_order, l, l < count ? a[l] : empty, t);
    for (int l = 0; l < count; l++)
        *a[l].info = 0;
    for (int k = 0; k < max_order; k++) {
        lanes row = find_pivots(max_order, k, t);
        for (int l = 0; l < count; l++) {
            if (k >= a[l].n)
                continue;
            int p = (int)row[l];
            a[l].pivots[k] = p + 1;
            if (p != k)
                interchange(max_order, l, k, p, t);
            if (lane_of(&t[k + k * max_order], l) == 0 && *a[l].info == 0)
                *a[l].info = k + 1;
        }
        scale(max_order, k, t);
        for (int j = k + 1; j < max_order; j++)
            for (int i = k + 1; i < max_order; i++)
                subtract_product(&t[i + j * max_order], &t[i + k * max_order],
                                 &t[k + j * max_order]);
    }
    for (int l = 0; l < count; l++)
        scatter(max_order, l, a[l], t);
}
