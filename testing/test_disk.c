/*
 * Matrices on a disk with little main memory: results are those of the same matrix in memory, bit
 * by bit, and what fails says so and leaves the rest as it was.
 */
#include "check.h"
#include "generate.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* In MiB, as StarPU has it; the matrices are larger. */
#define LIMIT "6"
enum { LIMIT_BYTES = 6 << 20 };

static char folder[] = "/tmp/startile-test-XXXXXX";
static char file[sizeof folder + 8];

static int64_t order(void)
{
    return dtype == STARTILE_S ? 1700 : dtype == STARTILE_Z ? 900 : 1250;
}

/* without borders */
static size_t bytes_of(struct array a)
{
    return (size_t)a.ld * (size_t)a.n * element_size(a.dtype);
}

static struct array random_array(startile_dtype type, int64_t n, int64_t nrhs, bool positive)
{
    startile_matrix *A;
    struct array a = array_new(type, n, nrhs, 0);
    require_info(startile_matrix_wrap(&A, type, n, nrhs, a.a, a.ld, 0, 0), 0);
    require_info(startile_random(positive ? 'H' : 'G', 3, positive ? (double)n : 0, A), 0);
    startile_matrix_destroy(A);
    return a;
}

/* -- in memory and on the disk --------------------------------------------------------------------
 */

typedef void solver(startile_matrix *A, startile_matrix *B);

static void by_cholesky(startile_matrix *A, startile_matrix *B)
{
    require_info(startile_potrf('L', A), 0);
    require_info(startile_potrs('L', A, B), 0);
}

static void by_lu(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    require_info(startile_getrf(A, P), 0);
    require_info(startile_getrs('N', A, P, B), 0);
    startile_pivots_destroy(P);
}

static void by_qr(startile_matrix *A, startile_matrix *B)
{
    startile_matrix *T;
    require_info(startile_reflectors_create(&T, A), 0);
    require_info(startile_geqrf(A, T), 0);
    require_info(startile_unmqr('L', 'C', A, T, B), 0);
    startile_matrix_destroy(T);
}

static const struct {
    const char *name;
    solver *solve;
    bool tall, positive;
} routines[] = {{"potrf", by_cholesky, false, true},
                {"getrf", by_lu, true, false},
                {"geqrf", by_qr, true, false}};
enum { ROUTINES = sizeof routines / sizeof routines[0], NB = 40, NRHS = 70 };

static void solve_in_memory(int routine, struct array a, struct array b, int64_t mb)
{
    startile_matrix *A, *B;
    require_info(startile_matrix_wrap(&A, dtype, a.m, a.n, a.a, a.ld, mb, NB), 0);
    require_info(startile_matrix_wrap(&B, dtype, b.m, b.n, b.a, b.ld, mb, NB), 0);
    routines[routine].solve(A, B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

/* No more than the limit, and less than the matrix, was in memory; so what was read again is at
 * least what did not fit. Not where a GPU has room for it. */
static void check_moved(const startile_matrix *A, struct array a)
{
    if (backend != CPU)
        return;
    int64_t read, written, bytes = (int64_t)bytes_of(a);
    require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
    require(read >= bytes / 2 - LIMIT_BYTES && written >= bytes / 2 - LIMIT_BYTES);
    printf("  %.1f MiB matrix, %.1f MiB of memory: %.1f MiB read, %.1f MiB written\n",
           0x1p-20 * (double)bytes, 0x1p-20 * LIMIT_BYTES, 0x1p-20 * (double)read,
           0x1p-20 * (double)written);
}

static void solve_in_library_file(int routine, struct array a, struct array b, int64_t mb)
{
    startile_matrix *A, *B;
    require_info(startile_matrix_create_on_disk(&A, dtype, a.m, a.n, mb, NB, folder), 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, b.m, b.n, mb, NB, folder), 0);
    require_info(startile_from_lapack(A, a.a, a.ld), 0);
    require_info(startile_from_lapack(B, b.a, b.ld), 0);
    routines[routine].solve(A, B);
    require_info(startile_to_lapack(A, a.a, a.ld), 0);
    require_info(startile_to_lapack(B, b.a, b.ld), 0);
    check_moved(A, a);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

static void write_file(struct array a, size_t before)
{
    FILE *f = fopen(file, "wb");
    require(f != NULL);
    for (size_t i = 0; i < before; i++)
        require(fputc('x', f) != EOF);
    require(fwrite(a.a, bytes_of(a), 1, f) == 1 && fclose(f) == 0);
}

static void read_file(struct array a, size_t before)
{
    FILE *f = fopen(file, "rb");
    require(f != NULL);
    for (size_t i = 0; i < before; i++)
        require(fgetc(f) == 'x');
    require(fread(a.a, bytes_of(a), 1, f) == 1 && fgetc(f) == EOF && fclose(f) == 0);
}

static void solve_in_callers_file(int routine, struct array a, struct array b, int64_t mb)
{
    enum { HEADER = 13 };
    startile_matrix *A, *B;
    write_file(a, HEADER);
    require_info(startile_matrix_wrap_file(&A, dtype, a.m, a.n, file, HEADER, a.ld, mb, NB), 0);
    require_info(startile_matrix_wrap(&B, dtype, b.m, b.n, b.a, b.ld, mb, NB), 0);
    routines[routine].solve(A, B);
    require_info(startile_matrix_gather(A), 0);
    read_file(a, HEADER);
    check_moved(A, a);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    struct array again = array_copy(a);
    read_file(again, HEADER);
    require(is_same(a, again));
    array_free(again);
}

static void test_same_result(void **state)
{
    (void)state;
    typedef void way(int, struct array, struct array, int64_t);
    way *const ways[] = {solve_in_library_file, solve_in_callers_file};
    for (int r = 0; r < ROUTINES; r++) {
        int64_t n = order(), mb = routines[r].tall ? n : NB;
        struct array A = random_array(dtype, n, n, routines[r].positive), F = array_copy(A);
        struct array B = random_array(dtype, n, NRHS, false), X = array_copy(B);
        solve_in_memory(r, F, X, mb);
        for (int w = 0; w < 2; w++) {
            in_case("%s, n %d, %s file", routines[r].name, (int)n, w ? "caller's" : "library's");
            struct array a = array_copy(A), b = array_copy(B);
            ways[w](r, a, b, mb);
            require(is_same(a, F) && is_same(b, X));
            array_free(a);
            array_free(b);
        }
        array_free(A);
        array_free(B);
        array_free(F);
        array_free(X);
    }
}

/* -- what is in a file
 * ------------------------------------------------------------------------------ */

static void test_new_file_is_zero(void **state)
{
    (void)state;
    startile_matrix *A;
    int64_t n = 150;
    struct array a = array_new(dtype, n, n, 0);
    require_info(startile_matrix_create_on_disk(&A, dtype, n, n, 40, 60, folder), 0);
    require_info(startile_to_lapack(A, a.a, a.ld), 0);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            require(get(a, i, j) == 0);
    startile_matrix_destroy(A);
    array_free(a);
}

static void test_empty(void **state)
{
    (void)state;
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

/* -- faults
 * ---------------------------------------------------------------------------------------- */

/* The library works on. */
static void check_usable(void)
{
    struct array A = generate(&well_conditioned, dtype, 100, 0), T = array_copy(A);
    startile_matrix *M;
    require_info(startile_matrix_wrap(&M, dtype, 100, 100, T.a, T.ld, 32, 32), 0);
    require_info(startile_potrf('L', M), 0);
    startile_matrix_destroy(M);
    check_factor('L', A, T, 100);
    array_free(A);
    array_free(T);
}

static void test_arguments(void **state)
{
    (void)state;
    startile_matrix *A;
    int64_t bytes;
    struct array a = random_array(dtype, 10, 10, false);
    write_file(a, 0);
    require_info(startile_matrix_create_on_disk(NULL, dtype, 1, 1, 1, 1, folder), -1);
    require_info(startile_matrix_create_on_disk(&A, (startile_dtype)9, 1, 1, 1, 1, folder), -2);
    require_info(startile_matrix_create_on_disk(&A, dtype, -1, 1, 1, 1, folder), -3);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, -1, 1, 1, folder), -4);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, -1, 1, folder), -5);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, 1, 0, folder), -6);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1, 1, 1, 1, NULL), -7);
    require_info(startile_matrix_wrap_file(NULL, dtype, 10, 10, file, 0, 10, 4, 4), -1);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, NULL, 0, 10, 4, 4), -5);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, -1, 10, 4, 4), -6);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 9, 4, 4), -7);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, -4, 4), -8);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 4, 0), -9);
    require_info(startile_matrix_wrap(&A, dtype, 10, 10, a.a, 10, 4, 4), 0);
    require_info(startile_matrix_disk_bytes(A, &bytes, &bytes), -1);
    startile_matrix_destroy(A);
    array_free(a);
}

static void test_unusable_files(void **state)
{
    (void)state;
    startile_matrix *A;
    struct array a = random_array(dtype, 10, 10, false), now = array_copy(a);
    int64_t size = (int64_t)element_size(dtype);
    write_file(a, 0);
    const char *const wrong[] = {"/nowhere/at/all", folder, "/dev/null", ""};
    for (int i = 0; i < 4; i++)
        require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, wrong[i], 0, 10, 4, 4),
                     STARTILE_ERROR_DISK);
    require_info(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, "/nowhere/at/all"),
                 STARTILE_ERROR_DISK);
    require_info(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, file),
                 STARTILE_ERROR_DISK);
    /* one element short */
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 1, 10, 4, 4),
                 STARTILE_ERROR_DISK);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 9, file, 10 * size, 10, 4, 4), 0);
    startile_matrix_destroy(A);
    read_file(now, 0);
    require(is_same(a, now));
    if (getuid() != 0) {
        require(chmod(file, 0) == 0);
        require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 4, 4),
                     STARTILE_ERROR_DISK);
    }
    check_usable();
    array_free(a);
    array_free(now);
}

/* More than any disk has, and more than a file may have. */
static void test_full(void **state)
{
    (void)state;
    startile_matrix *A;
    struct rlimit before, small = {1 << 20, 0};
    int64_t huge = (int64_t)1 << 24;
    require_info(
        startile_matrix_create_on_disk(&A, dtype, huge, huge, huge / 64, huge / 64, folder),
        STARTILE_ERROR_DISK);
    require(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    require(setrlimit(RLIMIT_FSIZE, &small) == 0);
    require_info(startile_matrix_create_on_disk(&A, dtype, 1000, 1000, 100, 100, folder),
                 STARTILE_ERROR_DISK);
    require_info(startile_matrix_create_on_disk(&A, dtype, 100, 100, 50, 50, folder), 0);
    startile_matrix_destroy(A);
    require(setrlimit(RLIMIT_FSIZE, &before) == 0);
    check_usable();
}

/* Somebody takes the file's end away while the library has it. */
static void test_lost_elements(void **state)
{
    (void)state;
    startile_matrix *A, *B;
    int64_t n = 300;
    struct array a = random_array(dtype, n, n, true), b = random_array(dtype, n, 5, false);
    struct array before = array_copy(b);
    write_file(a, 0);
    require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, 64, 64), 0);
    require_info(startile_matrix_wrap(&B, dtype, n, 5, b.a, b.ld, 64, 64), 0);
    require(truncate(file, (off_t)(bytes_of(a) / 2)) == 0);
    require_info(startile_posv('L', A, B), STARTILE_ERROR_DISK);
    require_info(startile_potrf('L', A), STARTILE_ERROR_DISK);
    require_info(startile_matrix_gather(A), STARTILE_ERROR_DISK);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    require(is_same(b, before));
    check_usable();
    array_free(a);
    array_free(b);
    array_free(before);
}

/* Tiles of which the memory holds less than tasks need at a time. */
static void test_little_memory(void **state)
{
    (void)state;
    for (int r = 0; r < ROUTINES; r++) {
        startile_matrix *A, *B;
        startile_pivots *P;
        int64_t n = 1600, nb = 800, mb = routines[r].tall ? n : nb;
        struct array a = random_array(dtype, n, n, routines[r].positive), now = array_copy(a);
        in_case("%s", routines[r].name);
        write_file(a, 0);
        require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, mb, nb), 0);
        require_info(startile_pivots_create(&P, A), 0);
        require_info(startile_matrix_create_on_disk(&B, dtype, nb, n, nb, nb, folder), 0);
        require_info(r == 0   ? startile_potrf('L', A)
                     : r == 1 ? startile_getrf(A, P)
                              : startile_geqrf(A, B),
                     STARTILE_ERROR_MEMORY);
        int64_t read, written;
        require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
        require(read == 0 && written == 0);
        startile_matrix_destroy(A);
        startile_matrix_destroy(B);
        startile_pivots_destroy(P);
        read_file(now, 0);
        require(is_same(a, now));
        array_free(a);
        array_free(now);
    }
    /* what has no place on a disk has to fit */
    startile_matrix *A;
    require_info(startile_matrix_create(&A, STARTILE_D, 1000, 1000, 100, 100),
                 backend == CPU ? STARTILE_ERROR_MEMORY : 0);
    if (backend != CPU)
        startile_matrix_destroy(A);
    check_usable();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_result),    cmocka_unit_test(test_new_file_is_zero),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_unusable_files), cmocka_unit_test(test_full),
        cmocka_unit_test(test_lost_elements),  cmocka_unit_test(test_little_memory),
    };
    check_arguments(argc, argv);
    /* room is needed for each worker's tasks */
    require(setenv("STARPU_LIMIT_CPU_MEM", LIMIT, 1) == 0 && setenv("STARPU_NCPU", "2", 0) == 0 &&
            mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/matrix", folder);
    check_start(argc, argv);
    int failed = cmocka_run_group_tests_name("disk", tests, NULL, NULL);
    unlink(file);
    rmdir(folder);
    return check_finish(failed);
}
