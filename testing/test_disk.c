/*
 * Matrices on a disk with little main memory: results are those of the same matrix in memory, bit
 * by bit, and what fails says so and leaves the rest as it was.
 */
#define _GNU_SOURCE /* unshare() */
#include "check.h"
#include "generate.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* In MiB, as StarPU has it; the matrices are larger. */
#define LIMIT "6"
enum { LIMIT_BYTES = 6 << 20 };

static char folder[] = "/tmp/startile-test-XXXXXX";
static char file[sizeof folder + 8], small_disk[sizeof folder + 8];
static bool has_small_disk;

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

static void by_lu_without_pivots(startile_matrix *A, startile_matrix *B)
{
    require_info(startile_getrf_nopiv(A), 0);
    require_info(startile_getrs('N', A, NULL, B), 0);
}

static void by_tournament(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    require_info(startile_getrf_tntpiv(A, P), 0);
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
                {"getrf_nopiv", by_lu_without_pivots, true, true},
                {"getrf_tntpiv", by_tournament, true, false},
                {"geqrf", by_qr, true, false}};
enum { ROUTINES = sizeof routines / sizeof routines[0], NB = 24, NRHS = 70 };

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
 * least what did not fit. */
static void check_moved(const startile_matrix *A, struct array a)
{
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

/* Parts of main memory, each of which may need all. */
static double memories(void)
{
    double count = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        count += starpu_node_get_kind(node) == STARPU_CPU_RAM;
    return count;
}

/* Of a factor that does not fit a solve brings what does not fit twice, whatever the number of
 * right-hand sides; of a triangle in square tiles half as much. Of several workers one that the
 * system stops falls behind, and needs again what the others have done with: so the least of some
 * counts, and may be twice as much. */
static void check_read_twice(int routine, bool tall)
{
    enum { TRIES = 3, COLUMNS = 4 };
    startile_matrix *A, *B;
    startile_pivots *P;
    int64_t n = tall ? order() : order() * 3 / 2, mb = tall ? n : NB, before, after, written,
            least = INT64_MAX;
    struct array b = random_array(dtype, n, COLUMNS * NB, false);
    require_info(startile_matrix_create_on_disk(&A, dtype, n, n, mb, NB, folder), 0);
    require_info(startile_random('H', 3, (double)n, A), 0);
    require_info(startile_matrix_wrap(&B, dtype, n, b.n, b.a, b.ld, mb, NB), 0);
    require_info(startile_pivots_create(&P, A), 0);
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
    double times = memories() * (startile_cpu_workers() == 1 ? 1 : 2);
    require_below((double)least, times * (tall ? 2 * bytes : bytes));
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_pivots_destroy(P);
    array_free(b);
}

static void test_solves_read_twice(void **state)
{
    (void)state;
    const char *const names[] = {"potrs", "getrs N", "getrs T"};
    for (int r = 0; r < 3; r++) {
        in_case("%s", names[r]);
        check_read_twice(r, r > 0);
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

/* The file is so long, and as it was. */
static void check_file_is(struct array a, size_t bytes)
{
    struct stat now;
    require(stat(file, &now) == 0 && now.st_size == (off_t)bytes);
    char *elements = malloc(bytes);
    FILE *f = fopen(file, "rb");
    require(elements != NULL && f != NULL && fread(elements, bytes, 1, f) == 1 && fclose(f) == 0);
    require(memcmp(elements, a.a, bytes) == 0);
    free(elements);
}

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
    check_usable();
    array_free(a);
    array_free(now);
}

/* Root may read and write everything. */
static void test_forbidden_files(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    const mode_t modes[] = {0, S_IRUSR | S_IRGRP | S_IROTH, S_IWUSR | S_IWGRP | S_IWOTH};
    uid_t user = geteuid();
    struct array a = random_array(dtype, 10, 10, false);
    write_file(a, 0);
    require(chmod(folder, 0755) == 0);
    require(user != 0 || seteuid(NOBODY) == 0);
    for (int i = 0; i < 3; i++) {
        startile_matrix *A;
        in_case("mode %o", (unsigned)modes[i]);
        require(seteuid(user) == 0 && chmod(file, modes[i]) == 0);
        require(user != 0 || seteuid(NOBODY) == 0);
        require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 4, 4),
                     STARTILE_ERROR_DISK);
        if (user == 0)
            require_info(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, folder),
                         STARTILE_ERROR_DISK);
    }
    require(seteuid(user) == 0 && chmod(file, 0600) == 0 && chmod(folder, 0700) == 0);
    check_file_is(a, bytes_of(a));
    check_usable();
    array_free(a);
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
    check_file_is(a, bytes_of(a) / 2);
    check_usable();
    array_free(a);
    array_free(b);
    array_free(before);
}

/* A file system of a mebibyte, for this process alone: what has holes in it looks larger than it
 * is.
 */
static void test_full_disk(void **state)
{
    (void)state;
    startile_matrix *A;
    char held[sizeof folder + 16];
    if (!has_small_disk) {
        print_message("not run: only root can mount a file system\n");
        skip();
    }
    require_info(startile_matrix_create_on_disk(&A, dtype, 1000, 1000, 100, 100, small_disk),
                 STARTILE_ERROR_DISK);
    snprintf(held, sizeof held, "%s/holes", small_disk);
    FILE *f = fopen(held, "wb");
    require(f != NULL && fputc('x', f) == 'x' && fclose(f) == 0);
    require(truncate(held, (off_t)(1000 * 1000 * element_size(dtype))) == 0);
    require_info(startile_matrix_wrap_file(&A, dtype, 1000, 1000, held, 0, 1000, 100, 100),
                 STARTILE_ERROR_DISK);
    f = fopen(held, "rb");
    require(f != NULL && fgetc(f) == 'x' && fgetc(f) == 0 && fclose(f) == 0);
    require(unlink(held) == 0);
    /* nothing of what was refused is left there */
    require_info(startile_matrix_create_on_disk(&A, dtype, 200, 200, 50, 50, small_disk), 0);
    require_info(startile_random('H', 1, 200, A), 0);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    check_usable();
}

/* Nothing can be written behind the file's first quarter, as on a file system that has not got the
 * room that it promised. More than the memory holds has to be. */
static void test_fills_up(void **state)
{
    (void)state;
    startile_matrix *A, *B;
    startile_pivots *P;
    struct rlimit before, small;
    int64_t n = order();
    struct array a = random_array(dtype, n, n, false), now = array_copy(a);
    struct array b = random_array(dtype, n, NRHS, false), b_now = array_copy(b);
    write_file(a, 0);
    require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, n, NB), 0);
    require_info(startile_matrix_wrap(&B, dtype, n, NRHS, b.a, b.ld, n, NB), 0);
    require_info(startile_pivots_create(&P, A), 0);
    require(getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    small.rlim_cur = bytes_of(a) / 4;
    small.rlim_max = before.rlim_max;
    require(setrlimit(RLIMIT_FSIZE, &small) == 0);
    require_info(startile_gesv(A, P, B, 0), STARTILE_ERROR_DISK);
    require_info(startile_matrix_gather(A), STARTILE_ERROR_DISK);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_pivots_destroy(P);
    require(setrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    read_file(now, 0);
    require(memcmp((char *)now.a + small.rlim_cur, (char *)a.a + small.rlim_cur,
                   bytes_of(a) - small.rlim_cur) == 0);
    require(is_same(b, b_now));
    check_usable();
    array_free(a);
    array_free(now);
    array_free(b);
    array_free(b_now);
}

static int64_t little_potrf(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_potrf('L', A);
}

static int64_t little_potrs(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_potrs('U', A, B);
}

static int64_t little_posv(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                           startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_posv('L', A, B);
}

static int64_t little_getrf(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_getrf(A, P);
}

static int64_t little_getrf_nopiv(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                                  startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_getrf_nopiv(A);
}

static int64_t little_getrf_tntpiv(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                                   startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_getrf_tntpiv(A, P);
}

static int64_t little_getrs(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_getrs('T', A, P, B);
}

static int64_t little_gesv(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                           startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_gesv(A, P, B, 1);
}

static int64_t little_geqrf(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_geqrf(A, T);
}

static int64_t little_unmqr(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B)
{
    (void)A, (void)P, (void)T, (void)B;
    return startile_unmqr('L', 'C', A, T, B);
}

typedef int64_t little_call(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                            startile_matrix *B);

static const struct {
    const char *name;
    little_call *call;
    bool tall;
} refused[] = {
    {"potrf", little_potrf, false},
    {"potrs", little_potrs, false},
    {"posv", little_posv, false},
    {"getrf", little_getrf, true},
    {"getrf_nopiv", little_getrf_nopiv, true},
    {"getrf_tntpiv", little_getrf_tntpiv, true},
    {"getrs", little_getrs, true},
    {"gesv", little_gesv, true},
    {"geqrf", little_geqrf, true},
    {"unmqr", little_unmqr, true},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

/* Tiles of which the memory holds less than tasks need at a time. */
static void test_little_memory(void **state)
{
    (void)state;
    for (int way = 0; way < REFUSED; way++) {
        startile_matrix *A, *B, *T;
        startile_pivots *P;
        int64_t n = 1600, nb = 800, mb = refused[way].tall ? n : nb;
        struct array a = random_array(dtype, n, n, true), now = array_copy(a);
        struct array b = random_array(dtype, n, 5, false), before = array_copy(b);
        in_case("%s", refused[way].name);
        write_file(a, 0);
        require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, mb, nb), 0);
        require_info(startile_matrix_wrap(&B, dtype, n, 5, b.a, b.ld, mb, nb), 0);
        require_info(startile_pivots_create(&P, A), 0);
        require_info(startile_matrix_create_on_disk(&T, dtype, nb, n, nb, nb, folder), 0);
        require_info(refused[way].call(A, P, T, B), STARTILE_ERROR_MEMORY);
        int64_t read, written;
        require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
        require(read == 0 && written == 0);
        startile_matrix_destroy(A);
        startile_matrix_destroy(B);
        startile_matrix_destroy(T);
        startile_pivots_destroy(P);
        read_file(now, 0);
        require(is_same(a, now) && is_same(b, before));
        array_free(a);
        array_free(now);
        array_free(b);
        array_free(before);
    }
    /* what has no place on a disk has to fit, and so has a tile for any task on it */
    startile_matrix *A, *B;
    require_info(startile_matrix_create_on_disk(&A, dtype, 1600, 1600, 1600, 1600, folder), 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, 1600, 1600, 1600, 1600, folder), 0);
    double norm;
    require_info(startile_random('G', 1, 0, A), STARTILE_ERROR_MEMORY);
    require_info(startile_lacpy('G', A, B), STARTILE_ERROR_MEMORY);
    require_info(startile_lange('F', A, &norm), STARTILE_ERROR_MEMORY);
    require_info(startile_trsm('L', 'L', 'N', 'N', 1, A, B), STARTILE_ERROR_MEMORY);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    require_info(startile_matrix_create(&A, STARTILE_D, 1000, 1000, 100, 100),
                 backend == CPU ? STARTILE_ERROR_MEMORY : 0);
    if (backend != CPU)
        startile_matrix_destroy(A);
    check_usable();
}

/* Before there are other threads. It goes with the process. */
static bool mount_small_disk(void)
{
    return mkdir(small_disk, 0700) == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", small_disk, "tmpfs", 0, "size=1m") == 0;
}

/* Neither kind of file, and the caller's stays as it is. */
static void test_no_gpus(void **state)
{
    (void)state;
    startile_matrix *A;
    struct array a = array_new(dtype, 10, 10, 0), b = array_copy(a);
    write_file(a, 0);
    require_info(startile_matrix_create_on_disk(&A, dtype, 10, 10, 10, 10, folder),
                 STARTILE_ERROR_NO_WORKER);
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 10, 10),
                 STARTILE_ERROR_NO_WORKER);
    read_file(b, 0);
    require(is_same(a, b));
    array_free(a);
    array_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest with_gpus[] = {cmocka_unit_test(test_no_gpus)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_result),      cmocka_unit_test(test_solves_read_twice),
        cmocka_unit_test(test_new_file_is_zero), cmocka_unit_test(test_empty),
        cmocka_unit_test(test_arguments),        cmocka_unit_test(test_unusable_files),
        cmocka_unit_test(test_forbidden_files),  cmocka_unit_test(test_full),
        cmocka_unit_test(test_full_disk),        cmocka_unit_test(test_fills_up),
        cmocka_unit_test(test_lost_elements),    cmocka_unit_test(test_little_memory),
    };
    check_arguments(argc, argv);
    /* room is needed for each worker's tasks */
    require(setenv("STARPU_LIMIT_CPU_MEM", LIMIT, 1) == 0 && setenv("STARPU_NCPU", "2", 0) == 0 &&
            mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/matrix", folder);
    snprintf(small_disk, sizeof small_disk, "%s/small", folder);
    has_small_disk = mount_small_disk();
    check_start(argc, argv);
    int failed = backend == CPU ? cmocka_run_group_tests_name("disk", tests, NULL, NULL)
                                : cmocka_run_group_tests_name("disk", with_gpus, NULL, NULL);
    unlink(file);
    if (has_small_disk)
        umount(small_disk);
    rmdir(small_disk);
    rmdir(folder);
    return check_finish(failed);
}
