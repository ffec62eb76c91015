/*
 * Tests of products, single and in groups, against sums in long double: shapes at the edges of the
 * kernels' blocks, pointers and leading dimensions that prevent wide accesses, BLAS's rules about
 * unread operands.
 */
#include "check.h"
#include "device.h"
#include "kernel_tests.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double complex number;

static const int edges[] = {1, 7, 63, 64, 65, 127, 128, 129, 16, 33, 200};
enum { EDGES = 11 };

/* alpha and beta; the first REAL_SCALARS pairs are real */
static const startile_complex scalars[][2] = {
    {1, 1}, {-1, 1}, {1, 0}, {0.5, -0.3}, {0.5 - I, 0.2 + I}, {I, 0}};
enum { REAL_SCALARS = 4, SCALARS = 6 };

/* alpha and beta for which no product is computed */
static const startile_complex without_product[][2] = {{0, 0}, {0, 2}, {0, 1}};

/* Returns `size` on a GPU; on the CPU an eighth of it, rounded up, because many blocks are not
 * tested there. */
static int gpu_size(int size)
{
    return backend == CPU ? (size + 7) / 8 : size;
}

static startile_scalar scalar(startile_complex z)
{
    return (startile_scalar){creal(z), cimag(z)};
}

/* Returns the number of pairs in `scalars` that the type can use: the first ones. */
static int usable_scalars(void)
{
    return dtype >= STARTILE_C ? SCALARS : REAL_SCALARS;
}

/* -- matrices ------------------------------------------------------------------------------- */

/* A matrix that begins in row `shift` of an array. `shift` determines its alignment. */
struct matrix {
    struct array all;
    int shift;
    char *p; /* address for the kernels */
};

/* Returns a random m × n matrix that begins in row layout % 2 of its array. ld has layout / 2 % 4
 * rows of padding. */
static struct matrix matrix_new(int m, int n, int layout)
{
    struct matrix M = {array_new(dtype, m + layout % 2, n, layout / 2 % 4), layout % 2, NULL};
    array_random(M.all);
    return M;
}

/* Returns element (i, j) of the matrix. */
static startile_complex at(struct matrix M, int i, int j)
{
    return get(M.all, i + M.shift, j);
}

/* Copies the matrix to the device, at the first call only. Returns its address for the kernels. */
static char *put(struct matrix *M)
{
    if (M->p == NULL)
        M->p = (char *)device_put(M->all) + (size_t)M->shift * element_size(dtype);
    return M->p;
}

/* Copies the matrix back and frees the device's copy, if there is one. */
static void fetch(struct matrix *M)
{
    if (M->p != NULL)
        device_fetch(M->all, M->p - (size_t)M->shift * element_size(dtype));
    M->p = NULL;
}

/* Returns whether the bits of element (i, j) are equal in both arrays. */
static bool is_same_element(struct array A, struct array B, int64_t i, int64_t j)
{
    size_t offset = (size_t)(i + j * A.ld) * element_size(dtype);
    return memcmp((char *)A.a + offset, (char *)B.a + offset, element_size(dtype)) == 0;
}

/* Returns op(A), m × n, stored by rows. The caller frees it. */
static number *op_of(char trans, struct matrix A, int m, int n)
{
    number *x = malloc(sizeof *x * (size_t)(m * n + 1));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            startile_complex a = trans == 'N' ? at(A, i, j) : at(A, j, i);
            x[i * n + j] = trans == 'C' ? conj(a) : a;
        }
    return x;
}

/* Operands of one product. */
struct product {
    char transa, transb, uplo; /* uplo: the part of C that is written */
    int m, n, k;
    startile_complex alpha, beta;
    struct matrix A, B, C;
    bool real_diagonal; /* C is Hermitian */
};

/* Checks C; `old` is C before the call. Elements above C and outside its triangle uplo must keep
 * their bits. In large products, every third, 7th or 29th row of a column is checked. */
static void check_product(struct product *p, struct array old)
{
    number *a = op_of(p->transa, p->A, p->m, p->k), *b = op_of(p->transb, p->B, p->k, p->n);
    struct matrix before = {old, p->C.shift, NULL};
    const int64_t elements = (int64_t)p->m * p->n;
    const int step = elements > 500000 ? 29 : elements > 200000 ? 7 : elements > 20000 ? 3 : 1;
    for (int j = 0; j < p->n; j++) {
        for (int i = -p->C.shift; i < 0; i++)
            require(is_same_element(p->C.all, old, i + p->C.shift, j));
        for (int i = j % step; i < p->m; i += step) {
            if (!is_in_triangle(p->uplo, i, j)) {
                require(is_same_element(p->C.all, old, i + p->C.shift, j));
                continue;
            }
            number sum = 0;
            long double size = 0; /* sum of the terms' magnitudes */
            for (int l = 0; l < p->k && p->alpha != 0; l++) {
                number x = a[i * p->k + l], y = b[l * p->n + j];
                sum += x * y;
                size +=
                    (fabsl(creall(x)) + fabsl(cimagl(x))) * (fabsl(creall(y)) + fabsl(cimagl(y)));
            }
            number expected = (number)p->alpha * sum;
            size *= cabs(p->alpha);
            if (p->beta != 0) {
                expected += (number)p->beta * (number)at(before, i, j);
                size += 2 * cabs(p->beta) * cabs(at(before, i, j));
            }
            startile_complex found = at(p->C, i, j);
            if (p->real_diagonal && i == j) {
                require(cimag(found) == 0);
                expected = creall(expected);
            }
            require_below((double)cabsl((number)found - expected),
                          (double)(size * (p->k + 4)) * unit_roundoff(dtype) + 1e-300);
        }
    }
    free(a);
    free(b);
}

/* Returns a random C with poison where it must not be read: outside the triangle uplo, and
 * everywhere if beta is 0. The diagonal of a Hermitian C is real. */
static struct matrix target(int m, int n, startile_complex beta, char uplo, bool hermitian,
                            int layout)
{
    struct matrix C = matrix_new(m, n, layout);
    if (beta == 0)
        array_poison(C.all, 'G');
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            struct array element = array_part(C.all, i + C.shift, j, 1, 1);
            if (!is_in_triangle(uplo, i, j))
                array_poison(element, 'G');
            else if (hermitian && i == j && beta != 0)
                set(element, 0, 0, creal(get(element, 0, 0)));
        }
    return C;
}

/* Returns a product with alpha = s[0], beta = s[1] and random operands, which are poison where they
 * must not be read. `layout` selects their alignments and leading dimensions. */
static struct product product_new(char transa, char transb, char uplo, bool hermitian, int m, int n,
                                  int k, const startile_complex *s, int layout)
{
    struct product p = {transa,       transb,       uplo,         m,        n, k, s[0], s[1],
                        {.shift = 0}, {.shift = 0}, {.shift = 0}, hermitian};
    p.A = transa == 'N' ? matrix_new(m, k, layout) : matrix_new(k, m, layout);
    p.B = transb == 'N' ? matrix_new(k, n, layout / 2) : matrix_new(n, k, layout / 2);
    if (s[0] == 0) {
        array_poison(p.A.all, 'G');
        array_poison(p.B.all, 'G');
    }
    p.C = target(m, n, s[1], uplo, hermitian, layout / 3);
    return p;
}

static void product_free(struct product *p)
{
    arrays_free(p->A.all, p->B.all, p->C.all);
}

/* -- one product ---------------------------------------------------------------------------------
 */

/* Checks one product and frees it. kernel: 'g'emm, 'h'erk, 's'yrk, 'o': a group of one product.
 * herk and syrk do not use p.B; the check then takes A for it. */
static void check_one(char kernel, struct product p)
{
    static int cases;
    if (is_left_to_other_types(cases++)) {
        product_free(&p);
        return;
    }
    in_case("%c: %c%c %c, %d × %d × %d, alpha %g%+gi, beta %g%+gi, shifts %d %d %d, ld %d %d %d",
            kernel, p.transa, p.transb, p.uplo, p.m, p.n, p.k, creal(p.alpha), cimag(p.alpha),
            creal(p.beta), cimag(p.beta), p.A.shift, p.B.shift, p.C.shift, (int)p.A.all.ld,
            (int)p.B.all.ld, (int)p.C.all.ld);
    struct array old = array_copy(p.C.all);
    startile_scalar alpha = scalar(p.alpha), beta = scalar(p.beta);
    int lda = (int)p.A.all.ld, ldb = (int)p.B.all.ld, ldc = (int)p.C.all.ld;
    void *a = put(&p.A), *b = put(&p.B), *c = put(&p.C);
    startile_product one = {a, b, c, lda, ldb, ldc, p.m, p.n};
    int error = kernel == 'g' ? kernels->gemm(exec, p.transa, p.transb, p.m, p.n, p.k, alpha, a,
                                              lda, b, ldb, beta, c, ldc)
                : kernel == 'o'
                    ? kernels->gemm_group(exec, p.transa, p.transb, p.k, alpha, 1, &one, beta, 'G')
                : kernel == 'h'
                    ? kernels->herk(exec, p.uplo, p.transa, p.n, p.k, alpha, a, lda, beta, c, ldc)
                    : kernels->syrk(exec, p.uplo, p.transa, p.n, p.k, alpha, a, lda, beta, c, ldc);
    require_info(error, 0);
    fetch(&p.A);
    fetch(&p.B);
    fetch(&p.C);
    if (kernel == 'h' || kernel == 's') {
        array_free(p.B.all);
        p.B.all = array_copy(p.A.all);
        p.B.shift = p.A.shift;
    }
    check_product(&p, old);
    product_free(&p);
    array_free(old);
}

/* Tests gemm and groups of one product. Shapes, scalars and layout change with each case, so that a
 * few cases combine many of them. */
static void test_gemm(void)
{
    random_seed(80);
    int case_index = 0;
    for (const char *a = "NTC"; *a != '\0'; a++)
        for (const char *b = "NTC"; *b != '\0'; b++)
            for (int i = 0; i < 2 * EDGES; i++, case_index++)
                check_one(i < EDGES ? 'g' : 'o',
                          product_new(*a, *b, 'G', false, edges[i % EDGES],
                                      edges[(3 * i + case_index / EDGES) % EDGES],
                                      edges[(5 * i + case_index / EDGES + 2) % EDGES],
                                      scalars[case_index % usable_scalars()], case_index % 24));
    for (int s = 0; s < usable_scalars(); s++)
        check_one('g', product_new('N', 'C', 'G', false, 65, 66, 0, scalars[s], s));
    for (int s = 0; s < 3; s++)
        check_one(s % 2 ? 'o' : 'g',
                  product_new('C', 'N', 'G', false, 65, 66, 67, without_product[s], s));
    check_one('g', product_new('N', 'N', 'G', false, 0, 5, 5, scalars[0], 0));
    check_one('g', product_new('N', 'N', 'G', false, 5, 0, 5, scalars[0], 0));
}

/* Tests products with so many blocks that the kernels for double use their larger blocks, 128 × 128
 * and 128 × 64, on a GPU with 132 multiprocessors. The last blocks lack one row and column, or have
 * only one. */
static void test_blocks(void)
{
    random_seed(86);
    static const int sizes[][3] = {
        {1535, 1407, 33}, {1409, 1281, 17}, {1535, 703, 65}, {1409, 641, 1}};
    int case_index = 0;
    for (const char *a = "NTC"; *a != '\0'; a++)
        for (const char *b = "NTC"; *b != '\0'; b++)
            for (int i = 0; i < 4; i++, case_index++)
                check_one('g', product_new(*a, *b, 'G', false, gpu_size(sizes[i][0]),
                                           gpu_size(sizes[i][1]), sizes[i][2],
                                           scalars[case_index % REAL_SCALARS], case_index % 24));
}

/* Tests products that the library's kernels leave to cuBLAS because they are small. */
static void test_small(void)
{
    random_seed(87);
    device_use_cublas_for_small(true);
    for (int s = 0; s < usable_scalars(); s++) {
        const startile_complex real[2] = {creal(scalars[s][0]), creal(scalars[s][1])};
        const char *uplo = s % 2 ? "U" : "L";
        check_one('g', product_new('N', 'C', 'G', false, 65, 33, 20, scalars[s], s));
        check_one('o', product_new('C', 'N', 'G', false, 20, 65, 33, scalars[s], s));
        check_one('h', product_new('N', 'C', *uplo, true, 65, 65, 20, real, s));
        check_one('h', product_new('C', 'N', *uplo, true, 33, 33, 20, real, s));
        check_one('s', product_new('T', 'N', *uplo, false, 65, 65, 20, scalars[s], s));
    }
    device_use_cublas_for_small(false);
}

/* Tests products with more blocks than a GPU has multiprocessors, and one of one block with a long
 * sum. */
static void test_large(void)
{
    random_seed(81);
    const int m = gpu_size(1500), n = gpu_size(1300), order = gpu_size(1700);
    check_one('g', product_new('N', 'C', 'G', false, m, n, 19, scalars[1], 0));
    check_one('g', product_new('T', 'N', 'G', false, m, n, 19, scalars[1], 0));
    check_one('h', product_new('N', 'C', 'L', true, order, order, 17, scalars[1], 0));
    check_one('h', product_new('C', 'N', 'U', true, order, order, 17, scalars[1], 0));
    check_one('g', product_new('C', 'N', 'G', false, 40, 30, 3000, scalars[1], 0));
}

/* Tests herk and syrk. */
static void test_updates(void)
{
    random_seed(82);
    int case_index = 0;
    for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
        for (int transposed = 0; transposed < 2; transposed++)
            for (int i = 0; i < EDGES; i++, case_index++) {
                int n = edges[i], k = edges[(i * i + 3 * case_index) % EDGES],
                    layout = case_index % 24;
                check_one('h',
                          product_new(transposed ? 'C' : 'N', transposed ? 'N' : 'C', *uplo, true,
                                      n, n, k, scalars[case_index % REAL_SCALARS], layout));
                check_one('s',
                          product_new(transposed ? 'T' : 'N', transposed ? 'N' : 'T', *uplo, false,
                                      n, n, k, scalars[case_index % usable_scalars()], layout));
            }
    for (int s = 0; s < 3; s++) {
        check_one('h', product_new('N', 'C', 'L', true, 65, 65, 67, without_product[s], s));
        check_one('s', product_new('T', 'N', 'U', false, 65, 65, 67, without_product[s], s));
    }
}

/* -- groups --------------------------------------------------------------------------------------
 */

enum { MOST = STARTILE_MOST_PRODUCTS };

/* Checks a group of `count` products. Their m and n are elements of `edges` modulo `size_limit`.
 * One product in five has no columns. With uplo 'L' or 'U' the first one is a rank-k update of that
 * triangle. */
static void check_group(char transa, char transb, char uplo, int k, const startile_complex *s,
                        int count, int size_limit, int layout)
{
    static int cases;
    if (is_left_to_other_types(cases++))
        return;
    in_case("group of %d: %c%c %c, k %d, alpha %g%+gi, beta %g%+gi, layout %d", count, transa,
            transb, uplo, k, creal(s[0]), cimag(s[0]), creal(s[1]), cimag(s[1]), layout);
    struct product *p = calloc((size_t)count, sizeof *p);
    struct array *old = calloc((size_t)count, sizeof *old);
    startile_product *q = calloc((size_t)count, sizeof *q);
    for (int i = 0; i < count; i++) {
        int m = edges[(3 * i + layout) % EDGES] % size_limit,
            n = edges[(2 * i + layout) % EDGES] % size_limit;
        bool is_update = i == 0 && uplo != 'G';
        p[i] = product_new(transa, transb, is_update ? uplo : 'G', is_update, is_update ? n : m,
                           i % 5 == 4 ? 0 : n, k, s, count > 100 ? 0 : layout);
        if (is_update) {
            array_free(p[i].B.all);
            p[i].B.all = array_copy(p[i].A.all);
            p[i].B.shift = p[i].A.shift;
        }
        old[i] = array_copy(p[i].C.all);
        q[i] = (startile_product){
            put(&p[i].A),       put(&p[i].B),       put(&p[i].C), (int)p[i].A.all.ld,
            (int)p[i].B.all.ld, (int)p[i].C.all.ld, p[i].m,       p[i].n};
    }
    require_info(
        kernels->gemm_group(exec, transa, transb, k, scalar(s[0]), count, q, scalar(s[1]), uplo),
        0);
    for (int i = 0; i < count; i++) {
        fetch(&p[i].A);
        fetch(&p[i].B);
        fetch(&p[i].C);
        check_product(&p[i], old[i]);
        product_free(&p[i]);
        array_free(old[i]);
    }
    free(p);
    free(old);
    free(q);
}

/* Tests groups. Size limit 1000 leaves the elements of `edges` as they are. */
static void test_groups(void)
{
    random_seed(83);
    int case_index = 0;
    for (const char *uplo = "GLU"; *uplo != '\0'; uplo++)
        for (int transposed = 0; transposed < 2; transposed++)
            for (int i = 0; i < 4; i++, case_index++) {
                static const int counts[] = {1, 3, 9, 40};
                check_group(transposed ? 'C' : 'N', transposed ? 'N' : 'C', *uplo,
                            edges[(case_index + i * i) % EDGES], scalars[case_index % REAL_SCALARS],
                            counts[i], i == 3 ? 70 : 1000, case_index % 24);
            }
    for (const char *a = "NTC"; *a != '\0'; a++)
        for (const char *b = "NTC"; *b != '\0'; b++, case_index++)
            check_group(*a, *b, 'G', 33, scalars[case_index % usable_scalars()], 4, 1000,
                        case_index % 24);
    for (int s = 0; s < 3; s++)
        check_group('N', 'C', s % 2 ? 'L' : 'G', 33, without_product[s], 4, 1000, 0);
    check_group('N', 'C', 'L', 0, scalars[3], 3, 1000, 0);
    check_group('N', 'C', 'L', 9, scalars[1], MOST, 20, 0);
    require_info(kernels->gemm_group(exec, 'N', 'C', 5, scalar(1), 0, NULL, scalar(1), 'G'), 0);
}

/* -- triangles -----------------------------------------------------------------------------------
 */

/* Checks B := alpha op(W) B (side 'L') or alpha B op(W) (side 'R'), for `count` ≤ 8 pieces of B
 * with m[q] columns or rows. Calls trmm for one piece, trmm_group for several. */
static void check_trmm(char side, char uplo, char trans, int k, startile_complex alpha, int count,
                       const int *m, int layout)
{
    static int cases;
    if (is_left_to_other_types(cases++))
        return;
    in_case("trmm %c%c%c, k %d, %d pieces, the first of %d, alpha %g%+gi, layout %d", side, uplo,
            trans, k, count, m[0], creal(alpha), cimag(alpha), layout);
    bool left = side == 'L';
    struct matrix W = matrix_new(k, k, layout);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            if (!is_in_triangle(uplo, i, j))
                set(W.all, i + W.shift, j, 0);
    struct matrix B[8];
    struct array old[8];
    startile_piece piece[8];
    for (int q = 0; q < count; q++) {
        B[q] = left ? matrix_new(k, m[q], layout / 2) : matrix_new(m[q], k, layout / 2);
        old[q] = array_copy(B[q].all);
        piece[q] = (startile_piece){put(&B[q]), (int)B[q].all.ld, m[q]};
    }
    int ldw = (int)W.all.ld;
    void *w = put(&W);
    require_info(
        count > 1
            ? kernels->trmm_group(exec, side, uplo, trans, k, scalar(alpha), w, ldw, count, piece)
            : kernels->trmm(exec, side, uplo, trans, left ? k : m[0], left ? m[0] : k,
                            scalar(alpha), w, ldw, piece[0].p, piece[0].ld),
        0);
    fetch(&W);
    for (int q = 0; q < count; q++) {
        fetch(&B[q]);
        struct matrix before = {old[q], B[q].shift, NULL};
        struct product p = {left ? trans : 'N',
                            left ? 'N' : trans,
                            'G',
                            left ? k : m[q],
                            left ? m[q] : k,
                            k,
                            alpha,
                            0,
                            left ? W : before,
                            left ? before : W,
                            B[q],
                            false};
        check_product(&p, old[q]);
        arrays_free(B[q].all, old[q]);
    }
    array_free(W.all);
}

static void test_trmm(void)
{
    random_seed(84);
    int case_index = 0;
    for (const char *side = "LR"; *side != '\0'; side++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (const char *trans = "NTC"; *trans != '\0'; trans++)
                for (int i = 0; i < EDGES; i++, case_index++) {
                    const int m[] = {edges[(3 * case_index + i) % EDGES], edges[case_index % EDGES],
                                     0, edges[(5 * case_index) % EDGES]};
                    check_trmm(*side, *uplo, *trans, edges[i],
                               scalars[case_index % usable_scalars()][0], i % 2 ? 4 : 1, m,
                               case_index % 24);
                }
    check_trmm('L', 'U', 'C', 65, 0, 4, (const int[]){65, 7, 0, 128}, 0);
    check_trmm('R', 'L', 'N', 65, 0, 1, (const int[]){65}, 0);
}

/* Tests pieces with enough columns or rows for the kernel that multiplies in place. */
static void test_trmm_large(void)
{
    random_seed(85);
    static const int orders[] = {139, 127, 128, 129, 63, 64, 65, 1};
    int case_index = 0;
    for (const char *side = "LR"; *side != '\0'; side++)
        for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
            for (const char *trans = "NC"; *trans != '\0'; trans++, case_index++) {
                const int m[] = {gpu_size(5500), 37, gpu_size(260)};
                const int count = *trans == 'N' ? 3 : 1, layout = *uplo == 'L' ? 0 : 3;
                check_trmm(*side, *uplo, *trans, orders[case_index], -0.5, count, m, layout);
                check_trmm(*side, *uplo, *trans, orders[(case_index + 3) % 8], -0.5, count, m,
                           layout);
            }
}

int test_kernel_gemm(void)
{
    return run_group("kernel gemm", test_gemm, test_blocks, test_small, test_large, test_updates,
                     test_groups, test_trmm, test_trmm_large);
}
