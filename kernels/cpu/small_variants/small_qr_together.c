/*
 * Householder QR factorizations of several small matrices at a time, one per vector lane, and least
 * squares with them. Zero rows and columns extend a smaller matrix; their reflectors are H = I.
 *
 * Error bounds: Higham 2002, section 19.3 and theorems 20.3 and 21.4.
 */
#include "small_reflector.h"

/* The square of MOST_TAU is STARTILE_SMALL_QR_TOGETHER, so that min(m, n) is at most MOST_TAU. */
enum { MOST_TAU = 28 };

/* The m × n matrices of all lanes, column-major; right-hand sides follow */
struct batch {
    numbers x[STARTILE_SMALL_QR_TOGETHER], tau[MOST_TAU];
    int m, n;
};

static inline numbers *column_of(struct batch *t, int j)
{
    return t->x + (ptrdiff_t)j * t->m;
}

/* A matrix in memory: element (i, j) of the lane is a[i down + j right], or its conjugate */
struct source {
    const element *a;
    int m, n;
    ptrdiff_t down, right;
    bool is_conjugated;
};

static struct source matrix_in(struct small_matrix a)
{
    return a.is_transposed ? (struct source){a.p, a.m, a.n, a.ld, 1, true}
                           : (struct source){a.p, a.m, a.n, 1, a.ld, false};
}

/* Copies column k of a lane's matrix to x, with zeros below and beyond the matrix. */
static void gather(const struct batch *t, int lane, struct source a, int k, numbers *x)
{
    const element *z = a.a + k * a.right;
    const int m = k < a.n ? a.m : 0;
    for (int i = 0; i < m; i++)
        for (int c = 0; c < PARTS; c++)
            x[i].part[c][lane] = a.is_conjugated ? conjugate_part(z + i * a.down, c)
                                                 : ((const real *)(z + i * a.down))[c];
    for (int i = m; i < t->m; i++)
        for (int c = 0; c < PARTS; c++)
            x[i].part[c][lane] = 0;
}

/* Copies the matrices to all lanes. */
static void gather_matrices(struct batch *t, int count, const struct small_matrix *a)
{
    const struct small_matrix empty = {.n = 0};
    for (int k = 0; k < t->n; k++)
        for (int l = 0; l < LANES; l++)
            gather(t, l, matrix_in(l < count ? a[l] : empty), k, column_of(t, k));
}

/* Copies m elements in a lane of column j. */
static void scatter(struct batch *t, int lane, int j, element *a, int m)
{
    const numbers *x = column_of(t, j);
    for (int i = 0; i < m; i++)
        for (int c = 0; c < PARTS; c++)
            ((real *)(a + i))[c] = x[i].part[c][lane];
}

/* Returns the sums of squares of column k from row k on. Not inlined: with the same instructions in
 * both calls, the bits do not depend on the lanes that need a second one. */
static __attribute__((noinline)) struct squares squares_of(struct batch *t, int k)
{
    const numbers *x = column_of(t, k);
    struct squares sum = {.x = {0}};
    for (int i = k + 1; i < t->m; i++)
        add_square(&sum.x, &x[i]);
    sum.all = sum.x;
    add_square(&sum.all, &x[k]);
    return sum;
}

/* Multiplies the elements of column k, from row k on, of lanes out of range by a power of two.
 * Returns the factors. */
static lanes scale_column(struct batch *t, int k, condition in_range)
{
    numbers *x = column_of(t, k);
    lanes most = {0};
    for (int i = k; i < t->m; i++)
        most = larger_part(most, &x[i]);
    const lanes scale = scale_of(in_range, most);
    for (int i = k; i < t->m; i++)
        for (int c = 0; c < PARTS; c++)
            x[i].part[c] *= scale;
    return scale;
}

/* Returns the lanes whose column k is zero below row k. */
static condition is_zero_below(struct batch *t, int k)
{
    const numbers *x = column_of(t, k);
    condition zero = (lanes){0} == 0;
    for (int i = k + 1; i < t->m; i++)
        for (int c = 0; c < PARTS; c++)
            zero &= x[i].part[c] == 0;
    return zero;
}

/* Computes the reflectors of column k; stores R's diagonal, v and tau. */
static void reflect(struct batch *t, int k)
{
    numbers *x = column_of(t, k);
    struct squares sum = squares_of(t, k);
    lanes scale = {0};
    condition in_range = is_in_range(&sum), is_identity = scale != scale;
    scale += 1;
    if (!is_true_everywhere(in_range & (sum.x > 0))) {
        is_identity = identities(&x[k], is_zero_below(t, k));
        if (!is_true_everywhere(in_range | is_identity)) {
            scale = scale_column(t, k, in_range | is_identity);
            sum = squares_of(t, k);
        }
    }
    const struct reflector h = reflector_of(&x[k], sum.all, is_identity);
    x[k] = (numbers){{h.beta / scale}};
    for (int i = k + 1; i < t->m; i++)
        x[i] = product(&x[i], &h.factor);
    t->tau[k] = h.tau;
}

/* Columns that apply_to() multiplies at a time */
enum { WIDTH = PARTS == 1 ? 8 : 4 };

/* Multiplies `width` columns from j on by I − tau v vᴴ, with v in column k. */
static inline void apply_to(struct batch *t, int k, const numbers *tau, int j, int width)
{
    const numbers *v = column_of(t, k);
    numbers *x = column_of(t, j), w[WIDTH];
    const int m = t->m; /* a local copy, because the stores below may alias t->m */
#pragma GCC unroll 8
    for (int q = 0; q < width; q++)
        w[q] = x[k + q * m];
    for (int i = k + 1; i < m; i++)
#pragma GCC unroll 8
        for (int q = 0; q < width; q++)
            add_conjugate_product(&w[q], &v[i], &x[i + q * m]);
#pragma GCC unroll 8
    for (int q = 0; q < width; q++) {
        w[q] = product(tau, &w[q]);
        for (int c = 0; c < PARTS; c++)
            x[k + q * m].part[c] -= w[q].part[c];
    }
    for (int i = k + 1; i < m; i++)
#pragma GCC unroll 8
        for (int q = 0; q < width; q++)
            subtract_product(&x[i + q * m], &v[i], &w[q]);
}

/* Multiplies the columns from j to end − 1 by I − tau v vᴴ. */
static void apply(struct batch *t, int k, const numbers *tau, int j, int end)
{
    for (; j + WIDTH <= end; j += WIDTH)
        apply_to(t, k, tau, j, WIDTH);
    for (; j + 2 <= end; j += 2)
        apply_to(t, k, tau, j, 2);
    for (; j < end; j++)
        apply_to(t, k, tau, j, 1);
}

/* Factors the matrices, and multiplies their columns from n to end − 1 by Qᴴ. */
static void factor(struct batch *t, int end)
{
    for (int k = 0; k < t->n && k < t->m; k++) {
        reflect(t, k);
        const numbers tau = conjugate(t->tau[k]);
        apply(t, k, &tau, k + 1, end);
    }
}

void SMALL(geqrf_together)(int max_m, int max_n, int count, const struct small_matrix *a)
{
    struct batch t;
    t.m = max_m;
    t.n = max_n;
    gather_matrices(&t, count, a);
    factor(&t, max_n);
    for (int j = 0; j < max_n; j++)
        for (int l = 0; l < count; l++)
            scatter(&t, l, j, a[l].p + (ptrdiff_t)j * a[l].ld, j < a[l].n ? a[l].m : 0);
    for (int l = 0; l < count; l++)
        for (int k = 0; k < a[l].m && k < a[l].n; k++)
            a[l].tau[k] = lane_of(&t.tau[k], l);
}

/* The orders of the lanes' triangles R, as real numbers */
static lanes orders_of(int count, const struct small_matrix *a)
{
    lanes order = {0};
    for (int l = 0; l < count; l++)
        order[l] = (real)a[l].n;
    return order;
}

/* Divides element k of column b by the diagonal element of R, which is real. Returns the quotient,
 * 0 in lanes of lower order, whose element does not change. */
static inline numbers divide(struct batch *t, int k, lanes order, numbers *b)
{
    const condition is_inside = order > (real)k;
    const lanes zero = {0}, r = choose(is_inside, column_of(t, k)[k].part[0], zero + 1);
    numbers quotient;
    for (int c = 0; c < PARTS; c++) {
        b[k].part[c] /= r;
        quotient.part[c] = choose(is_inside, b[k].part[c], zero);
    }
    return quotient;
}

/* b := R⁻¹ b; the elements below R do not change. */
static void solve_upper(struct batch *t, lanes order, numbers *b)
{
    for (int k = t->n - 1; k >= 0; k--) {
        const numbers *r = column_of(t, k), y = divide(t, k, order, b);
        for (int i = 0; i < k; i++)
            subtract_product(&b[i], &r[i], &y); /* b_i := b_i - r_ik b_k */
    }
}

/* b := R⁻ᴴ b; the elements below R, in lanes of lower order, are set to 0. */
static void solve_upper_conjugate(struct batch *t, lanes order, numbers *b)
{
    for (int k = 0; k < t->n; k++) {
        const numbers *r = column_of(t, k);
        for (int i = 0; i < k; i++) {
            const numbers r_ik = conjugate(r[i]);
            subtract_product(&b[k], &r_ik, &b[i]); /* b_k := b_k - conj(r_ik) b_i */
        }
        b[k] = divide(t, k, order, b);
    }
}

/* Returns the 1-based index of the first zero on the diagonal of a lane's R, or 0. */
static int64_t first_zero(struct batch *t, int lane, int n)
{
    for (int k = 0; k < n; k++)
        if (column_of(t, k)[k].part[0][lane] == 0)
            return k + 1;
    return 0;
}

/* The right-hand sides of a system; for op 'C' only as many rows as Aᴴ has */
static struct source sides_in(struct small_matrix a, char op)
{
    return (struct source){a.b, op == 'N' ? a.m : a.n, a.sides, 1, a.ldb, false};
}

/* Copies the right-hand sides to the lanes, from column n on. Returns the column after the last. */
static int gather_sides(struct batch *t, char op, int count, const struct small_matrix *a)
{
    const struct small_matrix empty = {.n = 0};
    int most_sides = 0;
    for (int l = 0; l < count; l++)
        most_sides = a[l].sides > most_sides ? a[l].sides : most_sides;
    for (int j = 0; j < most_sides; j++)
        for (int l = 0; l < LANES; l++)
            gather(t, l, sides_in(l < count ? a[l] : empty, op), j, column_of(t, t->n + j));
    return t->n + most_sides;
}

void SMALL(gels_together)(char op, int max_m, int max_n, int count, const struct small_matrix *a)
{
    struct batch t;
    t.m = max_m;
    t.n = max_n;
    gather_matrices(&t, count, a);
    const int end = gather_sides(&t, op, count, a);
    const lanes order = orders_of(count, a);
    factor(&t, op == 'N' ? end : max_n);
    for (int j = max_n; j < end; j++)
        if (op == 'N')
            solve_upper(&t, order, column_of(&t, j));
        else
            solve_upper_conjugate(&t, order, column_of(&t, j));
    for (int k = max_n - 1; k >= 0 && op != 'N'; k--)
        apply(&t, k, &t.tau[k], max_n, end);
    for (int l = 0; l < count; l++) {
        *a[l].info = first_zero(&t, l, a[l].n);
        for (int j = 0; j < a[l].sides && *a[l].info == 0; j++)
            scatter(&t, l, max_n + j, a[l].b + (ptrdiff_t)j * a[l].ldb, a[l].m);
    }
}
