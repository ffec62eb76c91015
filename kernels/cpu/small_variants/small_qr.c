/*
 * Householder QR factorization of one small matrix, and least squares with it, in a column-major
 * copy of vectors of rows. The columns are multiplied by two reflectors at a time, which halves the
 * loads and stores.
 *
 * Error bounds: Higham 2002, section 19.3 and theorems 20.3 and 21.4.
 */
#include "small_qr_copy.h"
#include "small_reflector.h"

/* -- one reflector ---------------------------------------------------------------------------- */

/* Returns the sums of squares of column x from row k on. */
static inline struct squares squares_of(const struct copy *t, const struct border *k,
                                        const numbers *alpha, const numbers *x)
{
    const numbers border = only(k->below, x[k->vector]);
    numbers sum = {{{0}}};
    add_square(&sum.part[0], &border);
    for (int i = k->vector + 1; i < t->rows; i++)
        add_square(&sum.part[0], &x[i]);
    struct squares squares = {.x = sum_of_lanes(sum).part[0]};
    squares.all = squares.x;
    add_square(&squares.all, alpha);
    return squares;
}

/* Returns max(|re|, |im|) of the elements x from row k on. *is_zero: whether x is 0 below row k */
static real largest_part(const struct copy *t, int k, numbers *x, bool *is_zero)
{
    real most = 0;
    *is_zero = true;
    for (int i = k; i < t->m; i++)
        for (int c = 0; c < PARTS; c++) {
            const real size = (real)fabs(*element_of(x, i, c));
            *is_zero = *is_zero && (size == 0 || i == k);
            most = size > most ? size : most;
        }
    return most;
}

/* Multiplies the elements x from row k on by a power of two, so that Σ|x|² is in range. Returns the
 * power. *is_identity := whether H = I */
static lanes scale_column(const struct copy *t, int k, numbers *x, condition in_range,
                          condition *is_identity)
{
    bool is_zero;
    const lanes zero = {0}, most = largest_part(t, k, x, &is_zero) - zero;
    const numbers alpha = broadcast(x, k);
    *is_identity = identities(&alpha, is_zero ? zero == zero : zero != zero);
    const lanes scale = scale_of(in_range | *is_identity, most);
    for (int i = k; i < t->m; i++)
        for (int c = 0; c < PARTS; c++)
            *element_of(x, i, c) *= scale[0];
    return scale;
}

/* Computes the reflector of column k. Stores its vector v there and in v, with zeros above, from
 * vector `first` on; stores R's diagonal element. Returns tau. */
static numbers reflect(const struct copy *t, int first, int k, numbers *v)
{
    const struct border border = border_of(k);
    const condition at = border.from & ~border.below;
    numbers *x = column_of(t, k), alpha = broadcast(x, k);
    struct squares sum = squares_of(t, &border, &alpha, x);
    lanes scale = {0};
    condition in_range = is_in_range(&sum), is_identity = scale != scale;
    scale += 1;
    if (!in_range[0] || !(sum.x[0] > 0)) {
        scale = scale_column(t, k, x, in_range, &is_identity);
        alpha = broadcast(x, k);
        sum = squares_of(t, &border, &alpha, x);
    }
    const struct reflector h = reflector_of(&alpha, sum.all, is_identity);
    const numbers diagonal = {{h.beta / scale}};
    for (int i = first; i < border.vector; i++)
        v[i] = (numbers){{{0}}};
    for (int i = border.vector; i < t->rows; i++)
        v[i] = product(&x[i], &h.factor);
    v[border.vector] = only(border.below, v[border.vector]);
    for (int i = border.vector + 1; i < t->rows; i++)
        x[i] = v[i];
    for (int c = 0; c < PARTS; c++) {
        lanes *x_k = &x[border.vector].part[c], *v_k = &v[border.vector].part[c];
        *x_k = choose(border.from, choose(at, diagonal.part[c], *v_k), *x_k);
        *v_k = choose(at, (real)(c == 0) - (lanes){0}, *v_k);
    }
    return h.tau;
}

/* -- columns times reflectors ----------------------------------------------------------------- */

/* Columns that are multiplied at a time by two reflectors */
enum { WIDTH = PARTS == 1 ? 4 : 2 };

/* Matrices I − tau v vᴴ, of which the first is applied first. The vectors v are 0 above vector
 * `first`. overlap: the second vᴴ times the first v */
struct reflectors {
    int first;
    const numbers *v[2];
    numbers tau[2], overlap;
};

/* w := the coefficients of the vectors v in the update of a column x, from the lanes of vᴴ x */
static inline void find_coefficients(const struct reflectors *h, int count, numbers *w)
{
#pragma GCC unroll 8
    for (int r = 0; r < count; r++)
        w[r] = sum_of_lanes(w[r]);
    w[0] = product(&h->tau[0], &w[0]);
    if (count == 2) {
        subtract_product(&w[1], &h->overlap, &w[0]);
        w[1] = product(&h->tau[1], &w[1]);
    }
}

/* Multiplies `width` columns from j on by the first `count` reflectors. */
static inline void apply_to(const struct copy *t, const struct reflectors *h, int count, int j,
                            int width)
{
    const numbers *v[2] = {h->v[0], h->v[1]};
    const int first = h->first, rows = t->rows;
    const ptrdiff_t ld = t->ld;
    numbers *x = column_of(t, j), w[WIDTH][2];
#pragma GCC unroll 8
    for (int q = 0; q < width; q++)
        w[q][0] = w[q][1] = (numbers){{{0}}};
    for (int i = first; i < rows; i++) {
        const numbers v_i[2] = {v[0][i], v[count - 1][i]};
#pragma GCC unroll 8
        for (int q = 0; q < width; q++) {
            const numbers z = x[i + q * ld];
#pragma GCC unroll 8
            for (int r = 0; r < count; r++)
                add_conjugate_product(&w[q][r], &v_i[r], &z);
        }
    }
#pragma GCC unroll 8
    for (int q = 0; q < width; q++)
        find_coefficients(h, count, w[q]);
    for (int i = first; i < rows; i++) {
        const numbers v_i[2] = {v[0][i], v[count - 1][i]};
#pragma GCC unroll 8
        for (int q = 0; q < width; q++) {
            numbers z = x[i + q * ld];
#pragma GCC unroll 8
            for (int r = 0; r < count; r++)
                subtract_product(&z, &v_i[r], &w[q][r]);
            x[i + q * ld] = z;
        }
    }
}

/* Multiplies the columns from j to end − 1 by both reflectors. */
static void apply_both(const struct copy *t, const struct reflectors *h, int j, int end)
{
    for (; j + WIDTH <= end; j += WIDTH)
        apply_to(t, h, 2, j, WIDTH);
    for (; j < end; j++)
        apply_to(t, h, 2, j, 1);
}

/* Multiplies the columns from j to end − 1 by the first reflector. */
static void apply_first(const struct copy *t, const struct reflectors *h, int j, int end)
{
    for (; j < end; j++)
        apply_to(t, h, 1, j, 1);
}

/* Returns xᴴ y from vector `first` on. */
static numbers inner_product(const struct copy *t, int first, const numbers *x, const numbers *y)
{
    numbers sum = {{{0}}};
    for (int i = first; i < t->rows; i++)
        add_conjugate_product(&sum, &x[i], &y[i]);
    return sum_of_lanes(sum);
}

/* -- factorization ---------------------------------------------------------------------------- */

/* Computes reflector r of h, of column k. */
static void next_reflector(const struct copy *t, int k, struct reflectors *h, int r, element *tau)
{
    const numbers tau_k = reflect(t, h->first, k, t->v[r]);
    tau[k] = lane_of(&tau_k, 0);
    h->tau[r] = conjugate(tau_k);
}

/* Factors the matrix, and multiplies its other columns up to end − 1 by Qᴴ. tau has min(m, n)
 * elements. */
static void factor(const struct copy *t, int end, element *tau)
{
    const int order = t->m < t->n ? t->m : t->n;
    struct reflectors h = {.v = {t->v[0], t->v[1]}};
    for (int k = 0; k < order; k += 2) {
        h.first = k / LANES;
        next_reflector(t, k, &h, 0, tau);
        apply_first(t, &h, k + 1, k + 1 < order ? k + 2 : end);
        if (k + 1 == order)
            return;
        next_reflector(t, k + 1, &h, 1, tau);
        h.overlap = inner_product(t, h.first, h.v[1], h.v[0]);
        apply_both(t, &h, k + 2, end);
    }
}

void SMALL(geqrf_small)(struct small_matrix a, real *work)
{
    const struct copy t = copy_in_workspace(work, a.m, a.n);
    read_matrix(&t, 0, a.p, a.m, a.n, 1, a.ld, false);
    factor(&t, a.n, a.tau);
    write_matrix(&t, 0, a.p, a.m, a.n, a.ld);
}

/* -- least squares ---------------------------------------------------------------------------- */

/* Divides element i of a column by r. Returns the quotient in all lanes. */
static inline numbers divide(numbers *x, int i, real r)
{
    for (int c = 0; c < PARTS; c++)
        *element_of(x, i, c) /= r;
    return broadcast(x, i);
}

/* Returns the real diagonal element k of R. */
static inline real diagonal_of(const struct copy *t, int k)
{
    return *element_of(column_of(t, k), k, 0);
}

/* b := R⁻¹ b; the elements below R do not change. */
static void solve_upper(const struct copy *t, numbers *b)
{
    for (int k = t->n - 1; k >= 0; k--) {
        const numbers *r = column_of(t, k), y = divide(b, k, diagonal_of(t, k));
        const struct border border = border_of(k);
        for (int i = 0; i < border.vector; i++)
            subtract_product(&b[i], &r[i], &y); /* b_i := b_i - r_ik b_k */
        const numbers r_k = only(~border.from, r[border.vector]);
        subtract_product(&b[border.vector], &r_k, &y);
    }
}

/* b := R⁻ᴴ b */
static void solve_upper_conjugate(const struct copy *t, numbers *b)
{
    for (int k = 0; k < t->n; k++) {
        const numbers *r = column_of(t, k);
        const struct border border = border_of(k);
        const numbers r_k = only(~border.from, r[border.vector]),
                      b_k = only(~border.from, b[border.vector]);
        numbers sum = {{{0}}};
        for (int i = 0; i < border.vector; i++)
            add_conjugate_product(&sum, &r[i], &b[i]); /* b_k := b_k - Σ conj(r_ik) b_i */
        add_conjugate_product(&sum, &r_k, &b_k);
        sum = sum_of_lanes(sum);
        for (int c = 0; c < PARTS; c++)
            *element_of(b, k, c) -= sum.part[c][0];
        divide(b, k, diagonal_of(t, k));
    }
}

/* Multiplies the columns from j to end − 1 by Q. */
static void apply_q(const struct copy *t, int j, int end, const element *tau)
{
    for (int k = t->n - 1; k >= 0; k--) {
        const struct border border = border_of(k);
        struct reflectors h = {.first = border.vector, .v = {t->v[0]}};
        for (int i = border.vector; i < t->rows; i++)
            t->v[0][i] = column_of(t, k)[i];
        t->v[0][border.vector] = only(border.below, t->v[0][border.vector]);
        *element_of(t->v[0], k, 0) = 1;
        for (int c = 0; c < PARTS; c++)
            h.tau[0].part[c] = ((const real *)&tau[k])[c] - (lanes){0};
        apply_first(t, &h, j, end);
    }
}

void SMALL(gels_small)(char op, struct small_matrix a, real *work)
{
    const struct copy t = copy_in_workspace(work, a.m, a.n);
    const int end = a.n + a.sides;
    element tau[STARTILE_SMALL_QR_COLUMNS];
    read_matrix(&t, 0, a.p, a.m, a.n, a.is_transposed ? a.ld : 1, a.is_transposed ? 1 : a.ld,
                a.is_transposed);
    read_matrix(&t, a.n, a.b, op == 'N' ? a.m : a.n, a.sides, 1, a.ldb, false);
    factor(&t, op == 'N' ? end : a.n, tau);
    *a.info = 0;
    for (int k = a.n - 1; k >= 0; k--)
        if (diagonal_of(&t, k) == 0)
            *a.info = k + 1;
    if (*a.info != 0)
        return;
    for (int j = a.n; j < end; j++)
        (op == 'N' ? solve_upper : solve_upper_conjugate)(&t, column_of(&t, j));
    if (op != 'N')
        apply_q(&t, a.n, end, tau);
    write_matrix(&t, a.n, a.b, a.m, a.sides, a.ldb);
}
