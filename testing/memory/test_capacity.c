/*
 * Tests of the least memory that startile.h documents. With that much memory, a factorization or
 * solve of a matrix on disk, or in main memory for GPUs, works. With slightly less it returns an
 * error at once, and the matrix is unchanged.
 */
#include "check.h"
#include "disk_files.h"
#include "objects.h"
#include "startile_disk.h"
#include "startile_mixed.h"
#include "startile_testing.h"
#include "triangles.h"

#include <complex.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { NRHS = 3 };

/* Returns the order of matrices that exceed the memory (disk_files.h): of 16 MB on CPUs. */
static int64_t large_order(void)
{
    int64_t n = dtype == STARTILE_S ? 2000 : dtype == STARTILE_Z ? 1000 : 1400;
    return backend == CPU ? n : 5000;
}

/* Return the least memory that startile.h documents: in tiles, or in block columns for LU and QR.
 */
static int64_t tiles_of_potrf(int64_t workers)
{
    return (backend == CPU ? 6 : 18) * workers;
}

static int64_t tiles_of_potrs(int64_t workers)
{
    return 6 * workers;
}

static int64_t columns_of_lu(int64_t workers)
{
    return 4 * workers;
}

static int64_t columns_of_geqp3_random(int64_t workers)
{
    return 4 * workers + (backend == CPU ? 3 : 0);
}

static int64_t potrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    return startile_potrf('L', A);
}

/* Solves with the matrix as it is, because the test needs no factor. */
static int64_t potrs(startile_matrix *A, startile_matrix *B)
{
    return startile_potrs('L', A, B);
}

static int64_t getrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_pivots *P = pivots_created(A);
    int64_t info = startile_getrf(A, P);
    startile_pivots_destroy(P);
    return info;
}

static int64_t getrf_nopiv(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    return startile_getrf_nopiv(A);
}

static int64_t getrf_tntpiv(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_pivots *P = pivots_created(A);
    int64_t info = startile_getrf_tntpiv(A, P);
    startile_pivots_destroy(P);
    return info;
}

static int64_t gesv(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P = pivots_created(A);
    int64_t info = startile_gesv(A, P, B, 0);
    startile_pivots_destroy(P);
    return info;
}

static int64_t getrs(startile_matrix *A, startile_matrix *B)
{
    return startile_getrs('T', A, NULL, B);
}

static int64_t geqrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_matrix *T = reflectors_created(A);
    int64_t info = startile_geqrf(A, reflectors_of(T));
    startile_matrix_destroy(T);
    return info;
}

static int64_t geqp3_random(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_matrix *T = reflectors_created(A);
    startile_permutation *P = NULL;
    require_info(startile_permutation_create(&P, A), 0);
    int64_t info = startile_geqp3_random(A, P, reflectors_of(T), 1);
    startile_permutation_destroy(P);
    startile_matrix_destroy(T);
    return info;
}

static int64_t gels(startile_matrix *A, startile_matrix *B)
{
    return startile_gels('N', A, B);
}

/* The solvers in mixed precision have an X of their own, which is copied to B. uplo 'G': gesv_mixed
 */
static int64_t solve_mixed(char uplo, startile_matrix *A, startile_matrix *B)
{
    startile_shape s = startile_matrix_shape(B);
    startile_matrix *X = matrix_created(dtype, s.m, s.n, s.mb, s.nb);
    startile_pivots *P = pivots_created(A);
    int64_t info = uplo == 'G' ? startile_gesv_mixed(A, P, B, X, NULL, NULL)
                               : startile_posv_mixed(uplo, A, B, X, NULL, NULL);
    if (info == 0)
        require_info(startile_lacpy('G', X, B), 0);
    startile_pivots_destroy(P);
    startile_matrix_destroy(X);
    return info;
}

static int64_t gesv_mixed(startile_matrix *A, startile_matrix *B)
{
    return solve_mixed('G', A, B);
}

static int64_t posv_mixed(startile_matrix *A, startile_matrix *B)
{
    return solve_mixed('L', A, B);
}

static const struct {
    const char *name;
    int64_t (*call)(startile_matrix *A, startile_matrix *B);
    int64_t (*least)(int64_t workers); /* least memory, in tiles or block columns */
} routines[] = {
    {"potrf", potrf, tiles_of_potrf},
    {"potrs", potrs, tiles_of_potrs},
    {"getrf", getrf, columns_of_lu},
    {"getrf_nopiv", getrf_nopiv, columns_of_lu},
    {"getrf_tntpiv", getrf_tntpiv, columns_of_lu},
    {"getrs", getrs, columns_of_lu},
    {"gesv", gesv, columns_of_lu},
    {"geqrf", geqrf, columns_of_lu},
    {"geqp3_random", geqp3_random, columns_of_geqp3_random},
    {"gels", gels, columns_of_lu},
    {"gesv_mixed", gesv_mixed, columns_of_lu},
    {"posv_mixed", posv_mixed, tiles_of_potrf},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* Returns whether the routine is tested with matrices larger than the memory. The solvers in mixed
 * precision have a copy of A in single precision in main memory: test_copies() has matrices on
 * disk. */
static bool is_tested(int routine)
{
    bool is_mixed = routines[routine].call == gesv_mixed || routines[routine].call == posv_mixed;
    return !is_mixed || (backend != CPU && !is_single(dtype));
}

/* Returns the tile height mb that the routine needs: all rows for LU and QR, else nb. */
static int64_t tile_height(int routine, int64_t nb)
{
    bool has_columns = routines[routine].least == columns_of_lu ||
                       routines[routine].least == columns_of_geqp3_random;
    return has_columns ? large_order() : nb;
}

/* Returns true if `tiles` tiles of m × n elements fit in `capacity` bytes. StarPU allocates tiles
 * of up to 4 MiB on a GPU in units of 16 KiB within chunks of 32 MiB; larger tiles do not fit the
 * limit here. */
static bool fits(int64_t tiles, int64_t m, int64_t n, int64_t capacity)
{
    int64_t bytes = m * n * (int64_t)element_size(dtype), grain = 16 << 10, chunk = 32 << 20;
    if (backend == CPU)
        return tiles * bytes <= capacity;
    int64_t in_chunk = bytes > 4 << 20 ? 0 : chunk / ((bytes + grain - 1) / grain * grain);
    return tiles <= capacity / chunk * in_chunk;
}

/* Returns the largest tile width for which the least memory of the routine fits: in a GPU or, for
 * the CPU backend, in main memory, which all data on disk passes through. */
static int64_t widest_tile(int routine)
{
    enum starpu_node_kind kind = backend == CPU ? STARPU_CPU_RAM : STARPU_CUDA_RAM;
    int64_t workers = startile_cpu_workers(), nb = 1, gpus = 0, capacity = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind) {
            gpus += backend != CPU;
            capacity = (int64_t)starpu_memory_get_total(node);
        }
    if (gpus > 0)
        workers = startile_cuda_workers() / gpus;
    while (fits(routines[routine].least(workers), tile_height(routine, nb + 1), nb + 1, capacity))
        nb++;
    return nb;
}

/* A matrix larger than the memory, and its elements. */
struct large {
    startile_matrix *A;
    struct array a; /* elements in main memory, if GPUs run the tasks */
};

/* Returns a random matrix, positive definite for kind 'H'. With GPUs its elements are written
 * through small tiles first, because tiles of mb × nb may not fit. */
static struct large large_new(char kind, int64_t n, int64_t mb, int64_t nb)
{
    struct large l = {0};
    enum { SMALL = 100 };
    if (backend == CPU) {
        require_info(startile_matrix_create_on_disk(&l.A, dtype, large_order(), n, mb, nb, folder),
                     0);
    } else {
        l.a = array_new(dtype, large_order(), n, 0);
        l.A = matrix_wrapped(dtype, large_order(), n, l.a.a, l.a.ld, SMALL, SMALL);
    }
    require_info(startile_random(kind, 1, kind == 'H' ? large_order() : 0, l.A), 0);
    require_info(startile_matrix_gather(l.A), 0);
    if (backend != CPU) {
        startile_matrix_destroy(l.A);
        l.A = matrix_wrapped(dtype, large_order(), n, l.a.a, l.a.ld, mb, nb);
    }
    return l;
}

static void large_free(struct large l)
{
    startile_matrix_destroy(l.A);
    if (backend != CPU)
        array_free(l.a);
}

/* Returns a number that changes when the matrix is read from disk or, if GPUs run the tasks, when
 * it is written. */
static double signature_of(struct large l)
{
    int64_t read, written;
    double sum = 0;
    require_info(startile_matrix_gather(l.A), 0);
    if (backend == CPU) {
        require_info(startile_matrix_disk_bytes(l.A, &read, &written), 0);
        return (double)read;
    }
    for (int64_t j = 0; j < l.a.n; j += 7)
        for (int64_t i = 0; i < l.a.m; i++)
            sum += cabs(get(l.a, i, j));
    return sum;
}

/* Requires the routine to succeed if the memory is enough, else to return STARTILE_ERROR_MEMORY
 * before it reads (matrices on disk) or writes (GPUs) an operand. */
static void check_capacity(int routine, int64_t nb, bool is_enough)
{
    int64_t mb = tile_height(routine, nb);
    in_case("%s, nb %d, %s", routines[routine].name, (int)nb, is_enough ? "enough" : "too little");
    struct large A = large_new('H', large_order(), mb, nb), B = large_new('G', NRHS, mb, nb);
    double before = signature_of(A) + signature_of(B);
    require_info(routines[routine].call(A.A, B.A), is_enough ? 0 : STARTILE_ERROR_MEMORY);
    require((signature_of(A) + signature_of(B) != before) == is_enough);
    large_free(A);
    large_free(B);
}

static void test_least_memory(void)
{
    for (int r = 0; r < ROUTINES; r++) {
        if (!is_tested(r))
            continue;
        int64_t nb = widest_tile(r);
        check_capacity(r, nb, true);
        check_capacity(r, nb + 1, false);
    }
}

/* Tests two created matrices, each three quarters of the main memory: the second fits only after
 * the first is destroyed. */
static void test_created(void)
{
    in_case("two created");
    startile_matrix *second;
    int64_t columns = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CPU_RAM)
            columns +=
                (int64_t)starpu_memory_get_total(node) * 3 / 4 / (int64_t)element_size(dtype) / 100;
    startile_matrix *first = matrix_created(dtype, 100, columns, 100, 10);
    require_info(startile_matrix_create(&second, dtype, 100, columns, 100, 10),
                 STARTILE_ERROR_MEMORY);
    startile_matrix_destroy(first);
    second = matrix_created(dtype, 100, columns, 100, 10);
    startile_matrix_destroy(second);
}

/* Tests routines that need copies of operands that do not fit: of A and B for gesv with refinement,
 * of A for getri, gelqf and ungqr. They must fail before they read A. */
static void test_copies(void)
{
    in_case("gesv with refinement, getri, gelqf, ungqr");
    enum { COLUMNS = 10 };
    startile_matrix *A, *B;
    int64_t read, written, read_after;
    require_info(startile_matrix_create_on_disk(&A, dtype, large_order(), large_order(),
                                                large_order(), COLUMNS, folder),
                 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, large_order(), NRHS, large_order(),
                                                COLUMNS, folder),
                 0);
    startile_pivots *P = pivots_created(A);
    startile_matrix *T = reflectors_created(A);
    require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
    require_info(startile_gesv(A, P, B, 1), STARTILE_ERROR_MEMORY);
    require_info(startile_getri(A, P), STARTILE_ERROR_MEMORY);
    require_info(startile_gelqf(A, reflectors_of(T)), STARTILE_ERROR_MEMORY);
    require_info(startile_ungqr(A, reflectors_of(T)), STARTILE_ERROR_MEMORY);
    require_info(startile_matrix_disk_bytes(A, &read_after, &written), 0);
    require(read_after == read);
    startile_pivots_destroy(P);
    matrices_destroy(T, A, B);
}

/* Tests that the solvers in mixed precision fail before they read A, a matrix on disk whose copy in
 * single precision exceeds the main memory. The data of tasks fit. */
static void test_mixed_copy(void)
{
    for (int is_cholesky = 0; is_cholesky < 2 && !is_single(dtype); is_cholesky++) {
        int64_t n = large_order(), nb = is_cholesky ? 100 : 10, mb = is_cholesky ? nb : n;
        int64_t read, written, read_after;
        in_case(is_cholesky ? "posv_mixed" : "gesv_mixed");
        startile_matrix *A, *B;
        require_info(startile_matrix_create_on_disk(&A, dtype, n, n, mb, nb, folder), 0);
        require_info(startile_matrix_create_on_disk(&B, dtype, n, NRHS, mb, nb, folder), 0);
        require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
        require_info(solve_mixed(is_cholesky ? 'L' : 'G', A, B), STARTILE_ERROR_MEMORY);
        require_info(startile_matrix_disk_bytes(A, &read_after, &written), 0);
        require(read_after == read);
        matrices_destroy(A, B);
    }
}

/* Tests the tile shapes that the library recommends for matrices larger than the memory: tiles fit,
 * are not much narrower than the widest, and the routine succeeds with them. */
static void test_shapes(void)
{
    for (int r = 0; r < ROUTINES; r++) {
        if (!is_tested(r))
            continue;
        int64_t mb, nb;
        in_case("%s", routines[r].name);
        require_info(
            startile_tile_shape(routines[r].name, dtype, large_order(), large_order(), &mb, &nb),
            0);
        require(nb <= widest_tile(r) && nb >= widest_tile(r) / 6);
        struct large A = large_new('H', large_order(), mb, nb), B = large_new('G', NRHS, mb, nb);
        require_info(routines[r].call(A.A, B.A), 0);
        large_free(A);
        large_free(B);
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    disk_start(argc, argv);
    return disk_finish(backend == CPU ? run_group("capacity", test_least_memory, test_shapes,
                                                  test_created, test_copies, test_mixed_copy)
                                      : run_group("capacity", test_least_memory, test_shapes));
}
