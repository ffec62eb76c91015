/* Creates files for tests in a folder of their own. */
#define _GNU_SOURCE /* unshare() */
#include "disk_files.h"

#include "check.h"
#include "objects.h"
#include "startile_testing.h"

#include <sched.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

char folder[FOLDER_LENGTH] = "/tmp/startile-test-XXXXXX", file[PATH_LENGTH],
     small_disk[PATH_LENGTH];
bool has_small_disk;

bool is_mapped(void)
{
    return backend != CPU || check_options().map_files;
}

/* Limits StarPU's memory; values are in MiB. StarPU allocates GPU memory in chunks of 32 MiB. */
static void limit_memory(void)
{
    const char *limit = backend == CPU ? "STARPU_LIMIT_CPU_MEM" : "STARPU_LIMIT_CUDA_MEM";
    /* at most two CPU workers, unless STARPU_NCPU is set, because each worker needs memory for its
     * tasks */
    require(setenv(limit, backend == CPU ? "6" : "64", 1) == 0 &&
            (backend == GPU || setenv("STARPU_NCPU", "2", 0) == 0));
}

int64_t tile_width(void)
{
    int64_t nb = dtype == STARTILE_S ? 48 : dtype == STARTILE_Z ? 24 : 34; /* 9 KB */
    return backend == CPU ? nb : 96;
}

int64_t order(void)
{
    /* a matrix of about 12 MB, twice LIMIT_BYTES; for GPUs 2.8² times as large, 1.4 times 64 MiB */
    int64_t n = dtype == STARTILE_S ? 1700 : dtype == STARTILE_Z ? 900 : 1250;
    return backend == CPU ? n : 28 * n / 10;
}

size_t bytes_of(struct array a)
{
    return (size_t)a.ld * (size_t)a.n * element_size(a.dtype);
}

struct array random_array(startile_dtype type, int64_t n, int64_t nrhs, bool positive)
{
    struct array a = array_new(type, n, nrhs, 0);
    startile_matrix *A = matrix_wrapped(type, n, nrhs, a.a, a.ld, 128, 128);
    require_info(startile_random(positive ? 'H' : 'G', 3, positive ? (double)n : 0, A), 0);
    startile_matrix_destroy(A);
    return a;
}

void write_file(struct array a, size_t before)
{
    FILE *f = fopen(file, "wb");
    require(f != NULL);
    for (size_t i = 0; i < before; i++)
        require(fputc('x', f) != EOF);
    require(fwrite(a.a, bytes_of(a), 1, f) == 1 && fclose(f) == 0);
}

void read_file(struct array a, size_t before)
{
    FILE *f = fopen(file, "rb");
    require(f != NULL);
    for (size_t i = 0; i < before; i++)
        require(fgetc(f) == 'x');
    require(fread(a.a, bytes_of(a), 1, f) == 1 && fgetc(f) == EOF && fclose(f) == 0);
}

void check_file_is(struct array a, size_t bytes)
{
    struct stat status;
    require(stat(file, &status) == 0 && status.st_size == (off_t)bytes);
    char *elements = malloc(bytes);
    FILE *f = fopen(file, "rb");
    require(elements != NULL && f != NULL && fread(elements, bytes, 1, f) == 1 && fclose(f) == 0);
    require(memcmp(elements, a.a, bytes) == 0);
    free(elements);
}

void check_usable(void)
{
    struct array A = generate(&well_conditioned, dtype, 100, 0), T = array_copy(A);
    startile_matrix *M = matrix_wrapped(dtype, 100, 100, T.a, T.ld, 32, 32);
    require_info(startile_potrf('L', M), 0);
    startile_matrix_destroy(M);
    check_factor('L', A, T, 100);
    arrays_free(A, T);
}

/* Mounts a file system of 1 MiB for this process only. Must run before the process has other
 * threads. Returns false if the system does not allow it. */
static bool mount_small_disk(void)
{
    return mkdir(small_disk, 0700) == 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", small_disk, "tmpfs", 0, "size=1m") == 0;
}

void disk_start(int argc, char **argv)
{
    limit_memory();
    require(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/matrix", folder);
    snprintf(small_disk, sizeof small_disk, "%s/small", folder);
    has_small_disk = mount_small_disk();
    check_start(argc, argv);
}

int disk_finish(int failed)
{
    unlink(file);
    if (has_small_disk)
        umount(small_disk);
    rmdir(small_disk);
    rmdir(folder);
    return check_finish(failed);
}
