/*
 * Residuals of dense operations: the parser of formulas, and products with a few vectors.
 */
#include "residual.h"

#include "scalar.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = RESIDUAL_PROBES, FACTORS = 8, SLICES = 64 };

double worse(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* -- formulas ------------------------------------------------------------------------------- */

/* One factor of a term. function: the letter of l(A), u(A), …; 'G': A itself; 'I', 'E', 'J': no
 * array. before: true for the array before the operation (A0). trans: 'N' or 'C' */
struct factor {
    char function;
    const struct residual_array *array;
    bool before;
    char trans;
};

/* A product of factors with a sign, ±1 */
struct term {
    double sign;
    int count;
    struct factor factor[FACTORS];
};

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " ");
}

static const struct residual_array *array_named(const struct residual_problem *p, char name)
{
    for (int i = 0; i < p->count; i++)
        if (p->array[i].name == name)
            return &p->array[i];
    abort(); /* an error of this program: its formula names an array that the problem lacks */
}

/* Parses a factor such as A, A0', l(A) or I (residual.h), and advances *at behind it. */
static struct factor parse_factor(const struct residual_problem *p, const char **at)
{
    struct factor f = {.function = 'G', .trans = 'N'};
    bool call = islower((unsigned char)**at);
    if (call) {
        f.function = **at;
        *at += 2; /* the function's letter and "(" */
    }
    if (strchr("IEJ", **at)) {
        f.function = *(*at)++;
        return f;
    }
    f.array = array_named(p, *(*at)++);
    f.before = **at == '0';
    *at += f.before + call; /* "0" and ")" */
    if (**at == '\'') {
        f.trans = 'C';
        ++*at;
    }
    return f;
}

static struct term parse_term(const struct residual_problem *p, const char **at, double sign)
{
    struct term t = {.sign = sign};
    for (skip_blanks(at); isalpha((unsigned char)**at) && t.count < FACTORS; skip_blanks(at))
        t.factor[t.count++] = parse_factor(p, at);
    return t;
}

/* -- products ------------------------------------------------------------------------------- */

/* The operation y += op(part) x, where `part` is the whole array ('G') or its lower ('L') or upper
 * ('U') trapezoid. x and y are PROBES vectors each, stored row by row. */
struct product {
    const struct residual_problem *problem;
    const void *a;
    int64_t m, n, ld, slices;
    char part, trans;
    bool without_diagonal, real_diagonal, before;
    struct residual_tile tile; /* tile that is being multiplied */
    const double _Complex *x;
    double _Complex *y;
};

/* y += a x for PROBES elements. Does not use C's complex product, whose treatment of infinities is
 * slow. */
static void add_product(double _Complex *y, double _Complex a, const double _Complex *x)
{
    double re = creal(a), im = cimag(a), *of_y = (double *)y;
    const double *of_x = (const double *)x;
    for (int c = 0; c < PROBES; c++) {
        of_y[2 * c] += re * of_x[2 * c] - im * of_x[2 * c + 1];
        of_y[2 * c + 1] += re * of_x[2 * c + 1] + im * of_x[2 * c];
    }
}

/* Returns element (i, j) of the array: from the access function element() if the problem has one
 * and the array is that before the operation (A0), otherwise from the tile. */
static double _Complex element_of(const struct product *p, int64_t i, int64_t j)
{
    const struct residual_problem *q = p->problem;
    const struct residual_tile *t = &p->tile;
    return q->access && p->before
               ? q->access->element(q->dtype, p->a, i, j)
               : element_get(q->dtype, t->a, (size_t)(i - t->row + (j - t->column) * t->ld));
}

/* Adds to y the products of the elements in rows first … last − 1 of column j. */
static void add_column(const struct product *p, int64_t j, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++) {
        double _Complex a = element_of(p, i, j);
        if (i == j && p->real_diagonal)
            a = creal(a);
        if (p->trans == 'N')
            add_product(p->y + i * PROBES, a, p->x + j * PROBES);
        else
            add_product(p->y + j * PROBES, p->trans == 'C' ? conj(a) : a, p->x + i * PROBES);
    }
}

/* Adds to one slice of y the products of the tile, so that no two threads write the same elements.
 * Called by team_run(); for a small tile called once, with all of y as one slice. */
static void add_slice(void *argument, int thread, int64_t slice)
{
    const struct product *p = argument;
    const struct residual_tile *t = &p->tile;
    bool plain = p->trans == 'N'; /* true: slices of the tile's rows; false: of its columns */
    int64_t extent = plain ? t->m : t->n, start = plain ? t->row : t->column;
    int64_t begin = start + extent * slice / p->slices,
            end = start + extent * (slice + 1) / p->slices;
    int64_t top = plain ? begin : t->row, bottom = smaller(p->m, plain ? end : t->row + t->m);
    int64_t right = smaller(p->n, plain ? t->column + t->n : end);
    (void)thread;
    for (int64_t j = plain ? t->column : begin; j < right; j++) {
        int64_t first = p->part == 'L' ? j + p->without_diagonal : 0;
        int64_t last = p->part == 'U' ? j + !p->without_diagonal : p->m;
        add_column(p, j, first > top ? first : top, smaller(last, bottom));
    }
}

/* Adds to y the products of one tile, on several threads if the tile is large enough that these
 * save time. Has the type residual_tile_function. */
static void add_tile(const struct residual_tile *t, void *argument)
{
    struct product *p = argument;
    bool large = p->problem->team && t->m * t->n > 100000;
    p->tile = *t;
    p->slices = large ? SLICES : 1;
    if (large)
        team_run(p->problem->team, SLICES, add_slice, p);
    else
        add_slice(p, 0, 0);
}

/* Adds to y the products of the whole array. If several processes share the work, each multiplies
 * its part, and y is summed over the processes. On failure y[0] := NaN. */
static void multiply(struct product *p)
{
    const struct residual_access *access = p->problem->access;
    int64_t process = access ? access->part : 0, processes = access ? access->parts : 1;
    int64_t first = p->n * process / processes, last = p->n * (process + 1) / processes;
    int64_t rows = p->trans == 'N' ? p->m : p->n;
    const struct residual_tile whole = {p->a, p->ld, 0, first, p->m, last - first};
    if (process > 0) /* only process 0 keeps the initial y, so that the sum contains it once */
        memset(p->y, 0, (size_t)(rows * PROBES) * sizeof *p->y);
    if (!access || p->before)
        add_tile(&whole, p);
    else if (access->for_tiles(p->a, add_tile, p))
        p->y[0] = NAN;
    if (processes > 1)
        access->sum((double *)p->y, 2 * rows * PROBES);
}

/* -- factors -------------------------------------------------------------------------------- */

/* PROBES vectors of `rows` elements, stored row by row */
struct block {
    int64_t rows;
    double _Complex *x;
};

/* Returns the row in which unit vector c ≥ 1 has its 1. */
static int64_t probe_row(int64_t rows, int c)
{
    return (c - 1) * (rows - 1) / (PROBES - 2);
}

/* Sets the block to zeros, with `rows` rows. */
static void clear_block(struct block *b, int64_t rows)
{
    b->rows = rows;
    memset(b->x, 0, (size_t)(rows * PROBES) * sizeof *b->x);
}

/* x := P x for trans 'N', else x := Pᵀ x. Skips pivots that are no row, so that wrong results of a
 * routine do no harm. */
static void interchange(const struct factor *f, const int64_t *ipiv, struct block *b)
{
    int64_t k = f->array->m;
    for (int64_t step = 0; step < k; step++) {
        int64_t i = f->trans == 'N' ? step : k - 1 - step, pivot = ipiv[i] - 1;
        for (int c = 0; c < PROBES && pivot >= 0 && pivot < b->rows; c++) {
            double _Complex held = b->x[i * PROBES + c];
            b->x[i * PROBES + c] = b->x[pivot * PROBES + c];
            b->x[pivot * PROBES + c] = held;
        }
    }
}

/* x := H_1 … H_k x for trans 'N', else x := H_kᴴ … H_1ᴴ x, where H_j = I − tau_j v_j v_jᴴ */
static void reflect(const struct residual_problem *p, const struct factor *f, const void *a,
                    const void *tau, double _Complex *x)
{
    int64_t m = f->array->m, k = smaller(m, f->array->n);
    for (int64_t step = 0; step < k; step++) {
        int64_t j = f->trans == 'N' ? k - 1 - step : step;
        double _Complex t = element_get(p->dtype, tau, (size_t)j), w[PROBES] = {0};
        for (int64_t i = j; i < m; i++) {
            double _Complex v =
                i == j ? 1 : element_get(p->dtype, a, (size_t)(i + j * f->array->ld));
            add_product(w, conj(v), x + i * PROBES);
        }
        for (int64_t i = j; i < m; i++) {
            double _Complex v =
                i == j ? 1 : element_get(p->dtype, a, (size_t)(i + j * f->array->ld));
            add_product(x + i * PROBES, -v * (f->trans == 'N' ? t : conj(t)), w);
        }
    }
}

/* Clears the elements that belong below the diagonal of the product: in the column of each unit
 * vector the rows below the row of its 1. */
static void clear_below(struct block *b)
{
    for (int c = 1; c < PROBES; c++)
        for (int64_t i = probe_row(b->rows, c) + 1; i < b->rows; i++)
            b->x[i * PROBES + c] = 0;
}

static int64_t smaller_dimension(const struct residual_array *a)
{
    return smaller(a->m, a->n);
}

/* Returns the product with a factor: the dimensions and the part of the factor's array, without x
 * and y. */
static struct product product_with(const struct residual_problem *p, const struct factor *f)
{
    const struct residual_array *a = f->array;
    int64_t least = smaller_dimension(a);
    struct product product = {.problem = p,
                              .before = f->before,
                              .a = f->before ? a->before : a->after,
                              .m = a->m,
                              .n = a->n,
                              .ld = a->ld,
                              .part = 'G',
                              .trans = f->trans};
    switch (f->function) {
    case 'l':
        product.part = 'L';
        product.n = least;
        product.without_diagonal = true;
        break;
    case 'n':
        product.part = 'L';
        product.n = least;
        break;
    case 'u':
        product.part = 'U';
        product.m = least;
        break;
    case 'c':
        /* the stored triangle is L for uplo 'L', and L^H for uplo 'U' */
        product.trans = (p->uplo == 'L') == (f->trans == 'N') ? 'N' : 'C';
        product.part = p->uplo;
        break;
    case 'h':
        product.trans = 'N';
        product.real_diagonal = true;
        product.part = p->uplo;
        break;
    case 't':
    case 'y':
        product.part = p->uplo;
        break;
    case 'x':
        product.m = smaller_dimension(&p->array[0]);
        break;
    }
    return product;
}

/* Returns the order of Q, whose reflectors are in the array. */
static int64_t order_of_q(const struct residual_problem *p, const struct residual_array *a)
{
    return p->q_of_rows ? a->n : a->m;
}

/* b := op(Q) b. On failure sets an element to NaN. */
static void apply_q(const struct residual_problem *p, const struct factor *f, struct block *b)
{
    const struct residual_array *a = f->array, *tau = a + 1;
    if (!p->access)
        reflect(p, f, f->before ? a->before : a->after, f->before ? tau->before : tau->after, b->x);
    else if (p->access->apply_q(a->after, f->trans, b->rows, b->x))
        b->x[0] = NAN;
}

/* b := f b for a factor without an array: 'I', 'E' or 'J' */
static void apply_identity(const struct residual_problem *p, char function, struct block *b)
{
    if (function == 'J')
        clear_below(b);
    for (int64_t i = smaller_dimension(&p->array[0]); function == 'E' && i < b->rows; i++)
        memset(b->x + i * PROBES, 0, PROBES * sizeof *b->x);
}

/* b := f b for one factor. `spare` is workspace. */
static void apply(const struct residual_problem *p, const struct factor *f, struct block *b,
                  struct block *spare)
{
    if (!f->array) {
        apply_identity(p, f->function, b);
        return;
    }
    struct product product = product_with(p, f);
    /* extends b by zeros to the order of Q */
    for (; f->function == 'q' && b->rows < order_of_q(p, f->array); b->rows++)
        memset(b->x + b->rows * PROBES, 0, PROBES * sizeof *b->x);
    if (f->function == 'p') {
        interchange(f, product.a, b);
        return;
    }
    if (f->function == 'q') {
        apply_q(p, f, b);
        return;
    }
    if (f->function == 's') {
        if (p->access->solve(f->array->after, b->rows, b->x))
            b->x[0] = NAN;
        return;
    }
    int64_t rows = product.trans == 'N' ? product.m : product.n;
    clear_block(spare, rows);
    /* y := x for the unit diagonal of l(A), else y := 0 */
    for (int64_t i = 0; f->function == 'l' && i < smaller(rows, b->rows) * PROBES; i++)
        spare->x[i] = b->x[i];
    product.x = b->x;
    product.y = spare->x;
    multiply(&product);
    if (f->function == 'h' || f->function == 'y') {
        product.trans = f->function == 'h' ? 'C' : 'T';
        product.without_diagonal = true;
        multiply(&product);
    }
    /* the result is in `spare` */
    struct block held = *b;
    *b = *spare;
    *spare = held;
}

/* -- sums ----------------------------------------------------------------------------------- */

/* Returns the number of columns of op(factor). 'I', 'E' and 'J' have as many as the first array has
 * rows. */
static int64_t columns_of(const struct residual_problem *p, const struct factor *f)
{
    if (!f->array)
        return p->array[0].m;
    struct product product = product_with(p, f);
    if (f->function == 'q')
        return order_of_q(p, f->array);
    return product.trans == 'N' ? product.n : product.m;
}

/* b := V with n rows. Column 0 has random elements ±1/n, the others are unit vectors. */
static void fill_probes(struct block *b, int64_t n)
{
    /* |: xorshift needs a seed that is not 0 */
    uint64_t bits = 0x9e3779b97f4a7c15 * (uint64_t)n | 1;
    clear_block(b, n);
    for (int64_t i = 0; i < n; i++) {
        bits ^= bits << 13; /* George Marsaglia's xorshift64 */
        bits ^= bits >> 7;
        bits ^= bits << 17;
        b->x[i * PROBES] = (bits >> 63 ? 1 : -1) / (double)n;
    }
    if (n)
        for (int c = 1; c < PROBES; c++)
            b->x[probe_row(n, c) * PROBES + c] = 1;
}

/* b := term V, where V has `columns` rows */
static void evaluate(const struct residual_problem *p, const struct term *t, int64_t columns,
                     struct block *b, struct block *spare)
{
    fill_probes(b, columns);
    for (int i = t->count - 1; i >= 0; i--)
        apply(p, &t->factor[i], b, spare);
    for (int64_t i = 0; i < b->rows * PROBES; i++)
        b->x[i] *= t->sign;
}

/* Returns the largest 1-norm of a column; NaN if an element is NaN. */
static double norm_of(const struct block *b)
{
    double largest = 0;
    for (int c = 0; c < PROBES; c++) {
        double sum = 0;
        for (int64_t i = 0; i < b->rows; i++)
            sum += cabs(b->x[i * PROBES + c]);
        largest = worse(sum, largest);
    }
    return largest;
}

/* The sum of terms of one formula, times V. value: the current term; total: the sum */
struct sum {
    struct block value, spare, total;
    double *sizes; /* for each element, the sum of the magnitudes of its terms */
};

/* Parses and evaluates the terms up to the end of the formula or '/', ';' or '|'. */
static void add_terms(const struct residual_problem *p, const char **at, struct sum *s)
{
    double sign = 1;
    int64_t columns = -1;
    for (skip_blanks(at); **at && !strchr("/;|", **at); skip_blanks(at)) {
        if (strchr("+-", **at))
            sign = *(*at)++ == '-' ? -1 : 1;
        struct term t = parse_term(p, at, sign);
        bool first = columns < 0;
        columns = first ? columns_of(p, &t.factor[t.count - 1]) : columns;
        evaluate(p, &t, columns, &s->value, &s->spare);
        if (first)
            clear_block(&s->total, s->value.rows);
        for (int64_t i = 0; i < s->value.rows * PROBES; i++) {
            s->sizes[i] = cabs(s->value.x[i]) + (first ? 0 : s->sizes[i]);
            s->total.x[i] += s->value.x[i];
        }
    }
}

/* Parses the norms behind '/'. Returns the norm of the sum divided by them, the larger dimension of
 * the first array, and the unit roundoff. */
static double divide_by_norms(const struct residual_problem *p, const char **at, struct sum *s)
{
    const struct residual_array *a = &p->array[0];
    double norm = norm_of(&s->total), divisor = 0, norm_product = 1;
    do {
        ++*at;
        struct term t = parse_term(p, at, 1);
        evaluate(p, &t, columns_of(p, &t.factor[t.count - 1]), &s->value, &s->spare);
        norm_product *= norm_of(&s->value);
        if (**at != ',') {
            divisor += norm_product;
            norm_product = 1;
        }
    } while (**at == ',' || **at == '+');
    divisor *= (double)(a->m > a->n ? a->m : a->n) * dtype_unit_roundoff(p->dtype);
    return norm == 0 ? 0 : norm / divisor;
}

/* Divides the magnitude of each element of the sum by the sum of the magnitudes of its terms and by
 * the unit roundoff. Returns the largest quotient. */
static double divide_by_terms(const struct residual_problem *p, const struct sum *s)
{
    double largest = 0;
    for (int64_t i = 0; i < s->total.rows * PROBES; i++) {
        double difference = cabs(s->total.x[i]);
        largest =
            worse(difference == 0 ? 0 : difference / (s->sizes[i] * dtype_unit_roundoff(p->dtype)),
                  largest);
    }
    return largest;
}

/* Parses formulas separated by '|'. Returns the smallest of their residuals; NaN if one is NaN. */
static double smallest_of(const struct residual_problem *p, const char **at, struct sum *s)
{
    double least = INFINITY;
    for (;; ++*at) {
        add_terms(p, at, s);
        double quotient = **at == '/' ? divide_by_norms(p, at, s) : divide_by_terms(p, s);
        least = quotient < least || isnan(quotient) ? quotient : least;
        if (**at != '|')
            return least;
    }
}

double residual(const struct residual_problem *p, const char *formula)
{
    int64_t longest = 1;
    for (int i = 0; i < p->count; i++) {
        const struct residual_array *a = &p->array[i];
        longest = a->m > longest ? a->m : longest;
        longest = a->n > longest ? a->n : longest;
    }
    size_t elements = (size_t)longest * PROBES;
    struct sum s = {.value.x = malloc(elements * sizeof *s.value.x),
                    .spare.x = malloc(elements * sizeof *s.spare.x),
                    .total.x = malloc(elements * sizeof *s.total.x),
                    .sizes = malloc(elements * sizeof *s.sizes)};
    double largest = s.value.x && s.spare.x && s.total.x && s.sizes ? 0 : NAN;
    while (!isnan(largest)) {
        largest = worse(smallest_of(p, &formula, &s), largest);
        if (*formula++ != ';')
            break;
    }
    free(s.value.x);
    free(s.spare.x);
    free(s.total.x);
    free(s.sizes);
    return largest;
}

/* -- vectors -------------------------------------------------------------------------------- */

/* Returns |re| + |im| of element i, the size by which BLAS compares elements. */
static double blas_magnitude(startile_dtype dtype, const void *x, int64_t i)
{
    double _Complex value = element_get(dtype, x, (size_t)i);
    return fabs(creal(value)) + fabs(cimag(value));
}

/* Computes in long double, which has the range for squares of doubles. */
double residual_sum(enum residual_sum which, startile_dtype dtype, int64_t n, const void *x,
                    const void *y, double _Complex result)
{
    long double _Complex sum = 0;
    long double magnitudes = 0;
    for (int64_t i = 0; i < n; i++) {
        long double _Complex of_x = element_get(dtype, x, (size_t)i);
        long double _Complex term = which == SUM_DOTC
                                        ? conjl(of_x) * element_get(dtype, y, (size_t)i)
                                    : which == SUM_NRM2 ? conjl(of_x) * of_x
                                                        : blas_magnitude(dtype, x, i);
        sum += term;
        magnitudes += cabsl(term);
    }
    if (which == SUM_NRM2)
        sum = magnitudes = sqrtl(magnitudes);
    long double difference = cabsl(sum - result);
    return difference == 0 ? 0
                           : (double)(difference / (magnitudes * n * dtype_unit_roundoff(dtype)));
}

/* Accepts for complex types also an element that is smaller by a few roundoffs, because |re| + |im|
 * is rounded and two elements may then be equal. */
double residual_iamax(startile_dtype dtype, int64_t n, const void *x, int64_t index)
{
    double largest = 0, tie = dtype_is_complex(dtype) ? 4 * dtype_unit_roundoff(dtype) : 0;
    if (index < 1 || index > n)
        return INFINITY;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, blas_magnitude(dtype, x, i));
    return blas_magnitude(dtype, x, index - 1) >= largest * (1 - tie) ? 0 : INFINITY;
}
