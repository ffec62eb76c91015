/*
 * Tests of matrices on disk with little main memory: results equal those in memory, bit by bit if
 * the same kernels ran. If GPUs run tasks, files are mapped, and the GPUs have little memory
 * instead.
 */
#include "check.h"
#include "disk_files.h"
#include "objects.h"
#include "startile_disk.h"
#include "startile_testing.h"
#include "triangles.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

/* -- in memory and on the disk --------------------------------------------------------------------
 */

/* Factors A and overwrites B with the solution, or with Qᴴ B. */
typedef void solver(startile_matrix *A, startile_matrix *B);

static void by_cholesky(startile_matrix *A, startile_matrix *B)
{
    require_info(startile_potrf('L', A), 0);
    require_info(startile_potrs('L', A, B), 0);
}

static void by_lu(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P = pivots_created(A);
    require_info(startile_getrf(A, P), 0);
    require_info(startile_getrs('N', A, P, B), 0);
    startile_pivots_destroy(P);
}

static void by_lu_without_pivots(startile_matrix *A, startile_matrix *B)
{
    require_info(startile_getrf_nopiv(A), 0);
    require_info(startile_getrs('N', A, NULL, B), 0);
}

static void by_tournament(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P = pivots_created(A);
    require_info(startile_getrf_tntpiv(A, P), 0);
    require_info(startile_getrs('N', A, P, B), 0);
    startile_pivots_destroy(P);
}

static void by_qr(startile_matrix *A, startile_matrix *B)
{
    startile_matrix *T = reflectors_created(A);
    require_info(startile_geqrf(A, reflectors_of(T)), 0);
    require_info(startile_unmqr('L', 'C', A, reflectors_of(T), B), 0);
    startile_matrix_destroy(T);
}

static void by_pivoted_qr(startile_matrix *A, startile_matrix *B)
{
    startile_matrix *T = reflectors_created(A);
    startile_permutation *P = NULL;
    require_info(startile_permutation_create(&P, A), 0);
    require_info(startile_geqp3_random(A, P, reflectors_of(T), 1), 0);
    require_info(startile_unmqr('L', 'C', A, reflectors_of(T), B), 0);
    startile_permutation_destroy(P);
    startile_matrix_destroy(T);
}

static const struct {
    const char *name;
    solver *solve;
    bool tall, positive; /* tiles of full height; a positive definite matrix */
    bool has_sketch;     /* it needs three block columns more in main memory */
} routines[] = {{"potrf", by_cholesky, false, true, false},
                {"getrf", by_lu, true, false, false},
                {"getrf_nopiv", by_lu_without_pivots, true, true, false},
                {"getrf_tntpiv", by_tournament, true, false, false},
                {"geqrf", by_qr, true, false, false},
                {"geqp3_random", by_pivoted_qr, true, false, true}};
enum { ROUTINES = sizeof routines / sizeof routines[0], NRHS = 70 };

static int64_t width_of(int routine)
{
    return routines[routine].has_sketch ? tile_width() / 2 : tile_width();
}

/* Overwrites the arrays with the routine's results, computed in wrapped matrices. */
static void solve_in_memory(int routine, struct array a, struct array b, int64_t mb)
{
    startile_matrix *A = array_wrapped(a, mb, width_of(routine)),
                    *B = array_wrapped(b, mb, width_of(routine));
    routines[routine].solve(A, B);
    matrices_destroy(A, B);
}

/* Requires that at least half of the matrix, less the memory limit, was read, and as much written.
 * With mapped files, requires that the GPU's memory is smaller than the matrix. */
static void check_moved(const startile_matrix *A, struct array a)
{
    int64_t read, written, bytes = (int64_t)bytes_of(a);
    require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
    if (is_mapped()) {
        for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
            if (starpu_node_get_kind(node) == STARPU_CUDA_RAM)
                require(starpu_memory_get_total(node) < bytes);
        return;
    }
    require(read >= bytes / 2 - LIMIT_BYTES && written >= bytes / 2 - LIMIT_BYTES);
    printf("  %.1f MiB matrix, %.1f MiB of memory: %.1f MiB read, %.1f MiB written\n",
           0x1p-20 * (double)bytes, 0x1p-20 * LIMIT_BYTES, 0x1p-20 * (double)read,
           0x1p-20 * (double)written);
}

/* Overwrites the arrays with the routine's results, computed in files that the library creates. */
static void solve_in_library_file(int routine, struct array a, struct array b, int64_t mb)
{
    startile_matrix *A, *B;
    require_info(startile_matrix_create_on_disk(&A, dtype, a.m, a.n, mb, width_of(routine), folder),
                 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, b.m, b.n, mb, width_of(routine), folder),
                 0);
    require_info(startile_matrix_from_lapack(A, a.a, a.ld), 0);
    require_info(startile_matrix_from_lapack(B, b.a, b.ld), 0);
    routines[routine].solve(A, B);
    require_info(startile_matrix_to_lapack(A, a.a, a.ld), 0);
    require_info(startile_matrix_to_lapack(B, b.a, b.ld), 0);
    check_moved(A, a);
    matrices_destroy(A, B);
}

/* Overwrites the arrays with the routine's results. A is computed in a file of the caller, behind a
 * header. The file must have the result after startile_matrix_gather() and keep it. */
static void solve_in_callers_file(int routine, struct array a, struct array b, int64_t mb)
{
    startile_matrix *A;
    size_t header = is_mapped() ? 24 : 13; /* mapped elements must be aligned */
    write_file(a, header);
    require_info(startile_matrix_wrap_file(&A, dtype, a.m, a.n, file, (int64_t)header, a.ld, mb,
                                           width_of(routine)),
                 0);
    startile_matrix *B = array_wrapped(b, mb, width_of(routine));
    routines[routine].solve(A, B);
    require_info(startile_matrix_gather(A), 0);
    read_file(a, header);
    check_moved(A, a);
    matrices_destroy(A, B);
    struct array again = array_copy(a);
    read_file(again, header);
    require(is_same(a, again));
    array_free(again);
}

/* Returns whether a and b agree: bit by bit if the same kernels ran. With HYBRID, compares
 * solutions up to rounding and accepts all factors, because pivots may differ. */
static bool is_acceptable(struct array a, struct array b, bool is_solution)
{
    if (backend != HYBRID)
        return is_same(a, b);
    double difference = 0, size = 0;
    for (int64_t j = 0; is_solution && j < a.n; j++)
        for (int64_t i = 0; i < a.m; i++) {
            double d = cabs(get(a, i, j) - get(b, i, j));
            if (!(d <= DBL_MAX))
                return false;
            difference = fmax(difference, d);
            size = fmax(size, cabs(get(b, i, j)));
        }
    return difference <= sqrt(unit_roundoff(a.dtype)) * size;
}

/* Tests that results in both kinds of files agree with those in memory. */
static void test_same_result(void)
{
    typedef void solve_in_file(int, struct array, struct array, int64_t);
    solve_in_file *const solves[] = {solve_in_library_file, solve_in_callers_file};
    for (int r = 0; r < ROUTINES; r++) {
        int64_t n = order(), mb = routines[r].tall ? n : tile_width();
        struct array A = random_array(dtype, n, n, routines[r].positive), F = array_copy(A);
        struct array B = random_array(dtype, n, NRHS, false), X = array_copy(B);
        solve_in_memory(r, F, X, mb);
        for (int file_kind = 0; file_kind < 2; file_kind++) {
            in_case("%s, n %d, %s file", routines[r].name, (int)n,
                    file_kind ? "caller's" : "library's");
            struct array a = array_copy(A), b = array_copy(B);
            solves[file_kind](r, a, b, mb);
            require(is_acceptable(a, F, false) && is_acceptable(b, X, true));
            arrays_free(a, b);
        }
        arrays_free(A, B, F, X);
    }
}

/* Returns the number of main memory nodes, each of which may need a copy of all data. */
static double main_memory_nodes(void)
{
    double count = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        count += starpu_node_get_kind(node) == STARPU_CPU_RAM;
    return count;
}

/* Requires that a solve with several block columns of right-hand sides reads a factor that does not
 * fit the memory at most twice; a triangle in square tiles is half of the matrix. Each node of main
 * memory may need a copy, which multiplies the bound. With several workers the bound is doubled,
 * because a delayed worker may read tiles again that others have evicted. The least of several runs
 * counts. routine 0: potrs, 1: getrs 'N', 2: getrs 'T'.
 */
static void check_read_twice(int routine, bool tall)
{
    enum { TRIES = 3, COLUMNS = 4 };
    startile_matrix *A;
    int64_t n = tall ? order() : order() * 3 / 2, mb = tall ? n : tile_width(), before, after,
            written, least = INT64_MAX;
    struct array b = random_array(dtype, n, COLUMNS * tile_width(), false);
    require_info(startile_matrix_create_on_disk(&A, dtype, n, n, mb, tile_width(), folder), 0);
    require_info(startile_random('H', 3, (double)n, A), 0);
    startile_matrix *B = matrix_wrapped(dtype, n, b.n, b.a, b.ld, mb, tile_width());
    startile_pivots *P = pivots_created(A);
    require_info(routine == 0 ? startile_potrf('L', A) : startile_getrf(A, P), 0);
    require_info(startile_matrix_gather(A), 0);
    for (int t = 0; t < TRIES; t++) {
        require_info(startile_matrix_disk_bytes(A, &before, &written), 0);
        require_info(routine == 0 ? startile_potrs('L', A, B)
                                  : startile_getrs("NT"[routine - 1], A, P, B),
                     0);
        require_info(startile_matrix_disk_bytes(A, &after, &written), 0);
        least = after - before < least ? after - before : least;
    }
    double bytes = (double)(n * n) * (double)element_size(dtype);
    printf("  %.2f of the matrix read, %d right-hand sides\n", (double)least / bytes, (int)b.n);
    double factor = main_memory_nodes() * (startile_cpu_workers() == 1 ? 1 : 2);
    require_below((double)least, factor * (tall ? 2 * bytes : bytes));
    matrices_destroy(A, B);
    startile_pivots_destroy(P);
    array_free(b);
}

static void test_solves_read_twice(void)
{
    const char *const names[] = {"potrs", "getrs N", "getrs T"};
    if (is_mapped()) {
        print_message("not run: the system reads mapped files, also from its cache\n");
        skip();
    }
    for (int r = 0; r < 3; r++) {
        in_case("%s", names[r]);
        check_read_twice(r, r > 0);
    }
}

/* -- content of files ------------------------------------------------------------------------ */

static void test_new_file_is_zero(void)
{
    startile_matrix *A;
    int64_t n = 150;
    struct array a = array_new(dtype, n, n, 0);
    require_info(startile_matrix_create_on_disk(&A, dtype, n, n, 40, 60, folder), 0);
    require_info(startile_matrix_to_lapack(A, a.a, a.ld), 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            require(get(a, i, j) == 0);
    startile_matrix_destroy(A);
    array_free(a);
}

static void test_empty(void)
{
    startile_matrix *A;
    struct array a = random_array(dtype, 3, 1, false);
    write_file(a, 0);
    require_info(startile_matrix_create_on_disk(&A, dtype, 0, 5, 4, 4, folder), 0);
    require_info(startile_matrix_gather(A), 0);
    startile_matrix_destroy(A);
    require_info(startile_matrix_wrap_file(&A, dtype, 0, 0, file, 0, 1, 4, 4), 0);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    array_free(a);
}

static void test_arguments(void)
{
    startile_matrix *A;
    int64_t bytes;
    struct array a = random_array(dtype, 10, 10, false);
    write_file(a, 0);
    require_info(startile_matrix_create_on_disk(NULL, dtype, 1, 1, 1, 1, folder), -1);
    require_info(startile_matrix_create_on_disk(&A, (startile_dtype)9, 1, 1, 1, 1, folder), -2);
    require_info(startile_matrix_create_on_disk(&A, dtype, -1, 1, 1, 1, folder), -3);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, -1, 1, 1, folder), -4);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, 0, 1, folder), -5);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, 1, 0, folder), -6);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, 1, 1, NULL), -7);
    require_info(startile_matrix_wrap_file(NULL, dtype, 10, 10, file, 0, 10, 4, 4), -1);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, NULL, 0, 10, 4, 4), -5);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, -1, 10, 4, 4), -6);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 9, 4, 4), -7);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 0, 4), -8);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 4, 0), -9);
    if (is_mapped()) /* elements of a mapped file must be aligned to their size */
        require_info(startile_matrix_wrap_file(&A, dtype, 10, 9, file, 2, 10, 4, 4), -6);
    A = matrix_wrapped(dtype, 10, 10, a.a, 10, 4, 4);
    require_info(startile_matrix_disk_bytes(A, &bytes, &bytes), -1);
    startile_matrix_destroy(A);
    array_free(a);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    disk_start(argc, argv);
    return disk_finish(run_group("disk", test_same_result, test_solves_read_twice,
                                 test_new_file_is_zero, test_empty, test_arguments));
}
