/* Tests of unusable files, full disks and too little memory: calls return an error and leave other
 * data unchanged. */
#include "check.h"
#include "disk_files.h"
#include "objects.h"
#include "startile_disk.h"
#include "startile_testing.h"
#include "triangles.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NRHS = 70 };

static void test_unusable_files(void)
{
    startile_matrix *A;
    struct array a = random_array(dtype, 10, 10, false), now = array_copy(a);
    int64_t size = (int64_t)element_size(dtype);
    write_file(a, 0);
    const char *const wrong[][2] = {{"/nowhere/at/all", "/nowhere/at/all: No such file"},
                                    {folder, "Is a directory"},
                                    {"/dev/null", "not a regular file"},
                                    {"", "No such file"}};
    for (int i = 0; i < 4; i++)
        require_message(startile_matrix_wrap_file(&A, dtype, 10, 10, wrong[i][0], 0, 10, 4, 4),
                        STARTILE_ERROR_DISK, wrong[i][1]);
    require_message(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, "/nowhere/at/all"),
                    STARTILE_ERROR_DISK, "/nowhere/at/all: No such file");
    require_message(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, file),
                    STARTILE_ERROR_DISK, "Not a directory");
    /* the file is one element short */
    require_message(startile_matrix_wrap_file(&A, dtype, 10, 10, file, size, 10, 4, 4),
                    STARTILE_ERROR_DISK, "bytes, and the matrix ends at byte");
    require_info(startile_matrix_wrap_file(&A, dtype, 10, 9, file, 10 * size, 10, 4, 4), 0);
    startile_matrix_destroy(A);
    read_file(now, 0);
    require(is_same(a, now));
    check_usable();
    arrays_free(a, now);
}

/* Tests files without permission to read or write. Root, who may access all files, calls the
 * library as user NOBODY. */
static void test_forbidden_files(void)
{
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
        require_message(startile_matrix_wrap_file(&A, dtype, 10, 10, file, 0, 10, 4, 4),
                        STARTILE_ERROR_DISK, "Permission denied");
        if (user == 0)
            require_info(startile_matrix_create_on_disk(&A, dtype, 10, 10, 4, 4, folder),
                         STARTILE_ERROR_DISK);
    }
    require(seteuid(user) == 0 && chmod(file, 0600) == 0 && chmod(folder, 0700) == 0);
    check_file_is(a, bytes_of(a));
    check_usable();
    array_free(a);
}

/* Tests sizes beyond any disk, and beyond the process' limit for files. */
static void test_full(void)
{
    startile_matrix *A;
    struct rlimit before, small = {1 << 20, 0}; /* 1 MiB */
    int64_t huge = (int64_t)1 << 24;
    require_info(
        startile_matrix_create_on_disk(&A, dtype, huge, huge, huge / 64, huge / 64, folder),
        STARTILE_ERROR_DISK);
    require(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    require(setrlimit(RLIMIT_FSIZE, &small) == 0);
    require_message(startile_matrix_create_on_disk(&A, dtype, 1000, 1000, 100, 100, folder),
                    STARTILE_ERROR_DISK, "File too large");
    require_info(startile_matrix_create_on_disk(&A, dtype, 100, 100, 50, 50, folder), 0);
    startile_matrix_destroy(A);
    require(setrlimit(RLIMIT_FSIZE, &before) == 0);
    check_usable();
}

/* Tests a file that another process truncates while the library uses it. */
static void test_truncated_file(void)
{
    startile_matrix *A;
    int64_t n = 300;
    if (is_mapped()) {
        print_message("not run: reading behind the end of a mapped file is a bus error\n");
        skip();
    }
    struct array a = random_array(dtype, n, n, true), b = random_array(dtype, n, 5, false);
    struct array before = array_copy(b);
    write_file(a, 0);
    require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, 64, 64), 0);
    startile_matrix *B = matrix_wrapped(dtype, n, 5, b.a, b.ld, 64, 64);
    require(truncate(file, (off_t)(bytes_of(a) / 2)) == 0);
    require_message(startile_posv('L', A, B), STARTILE_ERROR_DISK, "the file ends too early");
    require_message(startile_potrf('L', A), STARTILE_ERROR_DISK, file);
    require_message(startile_matrix_gather(A), STARTILE_ERROR_DISK, file);
    matrices_destroy(A, B);
    require(is_same(b, before));
    check_file_is(a, bytes_of(a) / 2);
    check_usable();
    arrays_free(a, b, before);
}

/* Tests matrices larger than a file system of one MiB, which is mounted for this process only: a
 * new one, and one wrapped in a sparse file, whose size exceeds its allocated blocks. */
static void test_full_disk(void)
{
    startile_matrix *A;
    char sparse_file[PATH_LENGTH + 8];
    if (!has_small_disk) {
        print_message("not run: only root can mount a file system\n");
        skip();
    }
    require_message(startile_matrix_create_on_disk(&A, dtype, 1000, 1000, 100, 100, small_disk),
                    STARTILE_ERROR_DISK, "No space left");
    snprintf(sparse_file, sizeof sparse_file, "%s/holes", small_disk);
    FILE *f = fopen(sparse_file, "wb");
    require(f != NULL && fputc('x', f) == 'x' && fclose(f) == 0);
    require(truncate(sparse_file, (off_t)(1000 * 1000 * element_size(dtype))) == 0);
    require_message(
        startile_matrix_wrap_file(&A, dtype, 1000, 1000, sparse_file, 0, 1000, 100, 100),
        STARTILE_ERROR_DISK, "No space left");
    f = fopen(sparse_file, "rb");
    require(f != NULL && fgetc(f) == 'x' && fgetc(f) == 0 && fclose(f) == 0);
    require(unlink(sparse_file) == 0);
    /* a refused matrix leaves no blocks allocated */
    require_info(startile_matrix_create_on_disk(&A, dtype, 200, 200, 50, 50, small_disk), 0);
    require_info(startile_random('H', 1, 200, A), 0);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    check_usable();
}

/* Tests a disk that fills up: writes behind the file's first quarter fail. Results do not fit the
 * memory and must be written. */
static void test_fills_up(void)
{
    startile_matrix *A;
    struct rlimit before, small;
    int64_t n = order();
    if (is_mapped()) {
        print_message("not run: mapped files have no such limit\n");
        skip();
    }
    struct array a = random_array(dtype, n, n, false), now = array_copy(a);
    struct array b = random_array(dtype, n, NRHS, false), b_now = array_copy(b);
    write_file(a, 0);
    require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, n, tile_width()), 0);
    startile_matrix *B = matrix_wrapped(dtype, n, NRHS, b.a, b.ld, n, tile_width());
    startile_pivots *P = pivots_created(A);
    require(getrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    small.rlim_cur = bytes_of(a) / 4;
    small.rlim_max = before.rlim_max;
    require(setrlimit(RLIMIT_FSIZE, &small) == 0);
    require_message(startile_gesv(A, P, B, 0), STARTILE_ERROR_DISK, "File too large");
    require_message(startile_matrix_gather(A), STARTILE_ERROR_DISK, "File too large");
    matrices_destroy(A, B);
    startile_pivots_destroy(P);
    require(setrlimit(RLIMIT_FSIZE, &before) == 0 && signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
    read_file(now, 0);
    require(memcmp((char *)now.a + small.rlim_cur, (char *)a.a + small.rlim_cur,
                   bytes_of(a) - small.rlim_cur) == 0);
    require(is_same(b, b_now));
    check_usable();
    arrays_free(a, now, b, b_now);
}

/* Defines call_NAME(). */
#define CALL(name, call)                                                                           \
    static int64_t call_##name(startile_matrix *A, startile_pivots *P, startile_matrix *T,         \
                               startile_matrix *B)                                                 \
    {                                                                                              \
        (void)A, (void)P, (void)T, (void)B;                                                        \
        return call;                                                                               \
    }
CALL(potrf, startile_potrf('L', A))
CALL(potrs, startile_potrs('U', A, B))
CALL(posv, startile_posv('L', A, B))
CALL(getrf, startile_getrf(A, P))
CALL(getrf_nopiv, startile_getrf_nopiv(A))
CALL(getrf_tntpiv, startile_getrf_tntpiv(A, P))
CALL(getrs, startile_getrs('T', A, P, B))
CALL(gesv, startile_gesv(A, P, B, 1))
CALL(geqrf, startile_geqrf(A, reflectors_of(T)))
CALL(unmqr, startile_unmqr('L', 'C', A, reflectors_of(T), B))

typedef int64_t routine_call(startile_matrix *A, startile_pivots *P, startile_matrix *T,
                             startile_matrix *B);

static const struct {
    const char *name;
    routine_call *call;
    bool tall; /* tiles of full height */
} refused[] = {
    {"potrf", call_potrf, false},
    {"potrs", call_potrs, false},
    {"posv", call_posv, false},
    {"getrf", call_getrf, true},
    {"getrf_nopiv", call_getrf_nopiv, true},
    {"getrf_tntpiv", call_getrf_tntpiv, true},
    {"getrs", call_getrs, true},
    {"gesv", call_gesv, true},
    {"geqrf", call_geqrf, true},
    {"unmqr", call_unmqr, true},
};
enum { REFUSED = sizeof refused / sizeof refused[0] };

/* Tests tiles so large that the memory cannot hold those of one task: all routines of `refused`
 * return an error and change no operand. */
static void test_little_memory(void)
{
    if (is_mapped() && backend == CPU) {
        print_message("not run: mapped files need no memory for tasks\n");
        skip();
    }
    int64_t n = backend == CPU ? 1600 : 4800;
    for (int routine = 0; routine < REFUSED; routine++) {
        startile_matrix *A, *T;
        int64_t nb = n / 2, mb = refused[routine].tall ? n : nb;
        struct array a = random_array(dtype, n, n, true), now = array_copy(a);
        struct array b = random_array(dtype, n, 5, false), before = array_copy(b);
        in_case("%s", refused[routine].name);
        write_file(a, 0);
        require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, n, mb, nb), 0);
        startile_matrix *B = matrix_wrapped(dtype, n, 5, b.a, b.ld, mb, nb);
        startile_pivots *P = pivots_created(A);
        require_info(startile_matrix_create_on_disk(&T, dtype, nb, n, nb, nb, folder), 0);
        require_info(refused[routine].call(A, P, T, B), STARTILE_ERROR_MEMORY);
        int64_t read, written;
        require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
        require(is_mapped() || (read == 0 && written == 0));
        matrices_destroy(A, B, T);
        startile_pivots_destroy(P);
        read_file(now, 0);
        require(is_same(a, now) && is_same(b, before));
        arrays_free(a, now, b, before);
    }
    /* of matrices in a file the tiles of one task must fit; a created matrix must fit completely,
     * in main memory or GPUs */
    startile_matrix *A, *B;
    require_info(startile_matrix_create_on_disk(&A, dtype, n, n, n, n, folder), 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, n, n, n, n, folder), 0);
    double norm;
    require_info(startile_random('G', 1, 0, A), STARTILE_ERROR_MEMORY);
    require_info(startile_lacpy('G', A, B), STARTILE_ERROR_MEMORY);
    require_info(startile_lange('F', A, &norm), STARTILE_ERROR_MEMORY);
    require_info(startile_trsm('L', 'L', 'N', 'N', 1, A, B), STARTILE_ERROR_MEMORY);
    matrices_destroy(A, B);
    require_info(startile_matrix_create(&A, STARTILE_D, 1000, 1000, 100, 100),
                 backend == CPU ? STARTILE_ERROR_MEMORY : 0);
    if (backend != CPU)
        startile_matrix_destroy(A);
    check_usable();
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    disk_start(argc, argv);
    return disk_finish(run_group("disk_faults", test_unusable_files, test_forbidden_files,
                                 test_full, test_full_disk, test_fills_up, test_truncated_file,
                                 test_little_memory));
}
