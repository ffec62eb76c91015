/* Tests of the CUDA kernels on Bunch–Kaufman factors against those of the CPU, which test_sytrs
 * tests against LAPACK. */
#include "check.h"
#include "device.h"
#include "generate.h"
#include "kernel_tests.h"
#include "symmetric.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_TILES = 200 };

/* Tiles of factors, and copies for the kernels of the device */
struct tiles {
    int count;
    struct array array[MOST_TILES];
    startile_piece on_cpu[MOST_TILES], on_device[MOST_TILES];
};

static const startile_symmetric_kernels *on_device(void)
{
#ifdef STARTILE_HAVE_CUDA
    if (exec != NULL)
        return startile_cuda_symmetric_kernels[dtype];
#endif
    return startile_cpu_symmetric_kernels[dtype];
}

static void add_tile(struct tiles *t, int64_t m, int64_t n)
{
    struct array A = array_new_random(dtype, m, n, t->count % 3);
    t->array[t->count] = A;
    t->on_device[t->count] = (startile_piece){device_put(A), (int)A.ld, (int)m};
    t->on_cpu[t->count] = (startile_piece){A.a, (int)A.ld, (int)m};
    t->count++;
}

/* Copies the arrays, which the device has too, for the CPU. */
static void copy_for_cpu(struct tiles *t, struct array *copy)
{
    for (int i = 0; i < t->count; i++) {
        copy[i] = array_copy(t->array[i]);
        t->on_cpu[i].p = copy[i].a;
    }
}

static void tiles_fetch(struct tiles *t)
{
    for (int i = 0; i < t->count; i++)
        device_fetch(t->array[i], t->on_device[i].p);
}

static void tiles_free(struct tiles *t)
{
    for (int i = 0; i < t->count; i++)
        array_free(t->array[i]);
}

/* Returns pivots of a factorization of order n; about `pairs` of 10 are of order 2. */
static struct array random_pivots(char uplo, int64_t n, int pairs)
{
    struct array P = integers_new(n);
    for (int64_t j = 0; j < n;) {
        bool is_pair = j + 1 < n && random_below(10) < pairs;
        int64_t row = is_pair ? j + 1 : j, other = row + random_below(n - row);
        other = uplo == 'L' ? other : n - 1 - other;
        for (; j <= row; j++)
            integers(P)[uplo == 'L' ? j : n - 1 - j] = is_pair ? -(other + 1) : other + 1;
    }
    return P;
}

static int64_t tile_rows(int64_t n, int nb, int64_t i)
{
    return i * nb + nb < n ? nb : n - i * nb;
}

/* -- D ----------------------------------------------------------------------------------------- */

/* Sets the diagonal element of row `row` of the factors to 0, on the device too. */
static void clear_diagonal(struct tiles *t, int nb, int64_t row)
{
    struct array A = t->array[2 * (row / nb)];
    device_fetch(A, t->on_device[2 * (row / nb)].p);
    set(A, row % nb, row % nb, 0);
    t->on_device[2 * (row / nb)].p = device_put(A);
}

/* Checks diagonal and solve. zeros: number of zeros on the diagonal */
static void check_diagonal(char uplo, int hermitian, int64_t n, int nb, int pairs, int zeros)
{
    struct tiles t = {0};
    for (int64_t i = 0; i * nb < n; i++) {
        int64_t rows = tile_rows(n, nb, i);
        if (i > 0 && uplo == 'L')
            add_tile(&t, rows, nb);
        else if (i > 0)
            add_tile(&t, nb, rows);
        add_tile(&t, rows, rows);
    }
    for (int z = 0; z < zeros; z++)
        clear_diagonal(&t, nb, random_below(n));
    struct array P = random_pivots(uplo, n, pairs), D = array_new_random(dtype, n, 2, 3),
                 E = array_copy(D), B = array_new_random(dtype, n, 3, 1), C = array_copy(B);
    void *ipiv = device_put(P), *d = device_put(D);
    startile_tile_status *status = device_status(), expected;
    require_info(on_device()->diagonal(exec, uplo, hermitian, t.on_device, nb, (int)n, ipiv, d,
                                       (int)D.ld, status),
                 0);
    int64_t heights[MOST_PARTS];
    int cuts = tile_column_cut(n > 40 ? 2 : 0, n, n / 2 + 1, heights);
    struct tile_column S = tile_column_put(B, cuts, heights);
    require_info(on_device()->solve(exec, hermitian, d, (int)D.ld, S.pieces, S.piece, 3), 0);
    device_fetch(D, d);
    device_fetch(P, ipiv);
    tile_column_fetch(&S);
    tiles_fetch(&t);
    startile_cpu_symmetric_kernels[dtype]->diagonal(NULL, uplo, hermitian, t.on_cpu, nb, (int)n,
                                                    integers(P), E.a, (int)E.ld, &expected);
    startile_piece whole = {C.a, (int)C.ld, (int)n};
    startile_cpu_symmetric_kernels[dtype]->solve(NULL, hermitian, E.a, (int)E.ld, 1, &whole, 3);
    require(is_same(D, E));
    require(status->info == expected.info && (zeros == 0) == (expected.info == 0));
    for (int64_t j = 0; zeros == 0 && j < 3; j++)
        for (int64_t i = 0; i < n; i++) /* a pivot may be as small as 1e-4 */
            require(cabs(get(B, i, j) - get(C, i, j)) <=
                    (is_single(dtype) ? 1e-3 : 1e-11) * (1 + cabs(get(C, i, j))));
    tiles_free(&t);
    arrays_free(P, D, E, B, C);
}

static void test_diagonal(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {2, 2}, {7, 3}, {64, 16}, {300, 7}, {1025, 256}};
    random_seed(31);
    for (int s = 0; s < 6; s++)
        for (int u = 0; u < 4; u++)
            for (int pairs = 0; pairs <= 10; pairs += 5) {
                in_case("D, n %d, nb %d, %c, hermitian %d, pairs %d", (int)sizes[s][0],
                        (int)sizes[s][1], "LU"[u % 2], u / 2, pairs);
                check_diagonal("LU"[u % 2], u / 2, sizes[s][0], (int)sizes[s][1], pairs, 0);
            }
    for (int u = 0; u < 4; u++) {
        in_case("D with zeros, %c, hermitian %d", "LU"[u % 2], u / 2);
        check_diagonal("LU"[u % 2], u / 2, 200, 64, 0, 3);
    }
}

/* -- the triangle ------------------------------------------------------------------------------ */

static void check_column(char uplo, int64_t n, int nb, int k, const int64_t *on_host, void *ipiv)
{
    struct tiles a = {0}, t = {0};
    struct array copy[MOST_TILES];
    int64_t tiles = (n + nb - 1) / nb, first = uplo == 'L' ? k : 0,
            end = uplo == 'L' ? tiles : k + 1;
    for (int64_t i = first; i < end; i++) {
        add_tile(&a, tile_rows(n, nb, i), tile_rows(n, nb, k));
        add_tile(&t, tile_rows(n, nb, i), tile_rows(n, nb, k));
    }
    copy_for_cpu(&t, copy);
    require_info(on_device()->column(exec, uplo, a.on_device, nb, k, (int)n, ipiv, t.on_device), 0);
    require_info(startile_cpu_symmetric_kernels[dtype]->column(NULL, uplo, a.on_cpu, nb, k, (int)n,
                                                               on_host, t.on_cpu),
                 0);
    tiles_fetch(&a);
    tiles_fetch(&t);
    for (int i = 0; i < t.count; i++) {
        require(is_same(t.array[i], copy[i]));
        array_free(copy[i]);
    }
    tiles_free(&a);
    tiles_free(&t);
}

static void test_columns(void)
{
    static const int64_t sizes[][2] = {{1, 1},   {2, 2},    {9, 4},      {33, 33},    {64, 32},
                                       {95, 31}, {200, 97}, {1300, 650}, {2600, 2600}};
    random_seed(32);
    for (int s = 0; s < 9; s++)
        for (int u = 0; u < 2; u++)
            for (int pairs = 0; pairs <= 10; pairs += 5) {
                int64_t n = sizes[s][0], nb = sizes[s][1];
                struct array P = random_pivots("LU"[u], n, pairs);
                void *ipiv = device_put(P);
                for (int64_t k = 0; k * nb < n; k++) {
                    in_case("column %d, n %d, nb %d, %c, pairs %d", (int)k, (int)n, (int)nb,
                            "LU"[u], pairs);
                    check_column("LU"[u], n, (int)nb, (int)k, integers(P), ipiv);
                }
                device_fetch(P, ipiv);
                array_free(P);
            }
}

int test_kernel_ldl(void)
{
    return run_group("kernels on Bunch–Kaufman factors", test_diagonal, test_columns);
}
