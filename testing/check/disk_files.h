/*
 * Shared by the tests of matrices in files and of limited memory.
 */
#ifndef DISK_FILES_H
#define DISK_FILES_H

#include "generate.h"

/* Limit of main memory in bytes for backend CPU; the limit of GPU memory for the other backends is
 * larger. Matrices of order order() exceed the backend's limit. */
enum { LIMIT_BYTES = 6 << 20 };
int64_t order(void);
int64_t tile_width(void); /* tile width of the tests: many tiles fit the limit */

/* Paths of the test's folder, of a file in it for the caller's use, and of a file system of 1 MiB,
 * which exists if has_small_disk. */
enum { FOLDER_LENGTH = 32, PATH_LENGTH = 48 };
extern char folder[FOLDER_LENGTH], file[PATH_LENGTH], small_disk[PATH_LENGTH];
extern bool has_small_disk;

/* Returns true if files are mapped, which they always are if tasks run on GPUs. The operating
 * system then reads them, without a limit, and the library does not count the bytes. */
bool is_mapped(void);

/* Replace check_start() and check_finish(). */
void disk_start(int argc, char **argv);
int disk_finish(int failed);

size_t bytes_of(struct array a); /* size in bytes of all columns with their padding */
/* Returns a random n × nrhs array; positive: a Hermitian one (nrhs = n) with n added to its
 * diagonal, which makes it positive definite. */
struct array random_array(startile_dtype type, int64_t n, int64_t nrhs, bool positive);

/* write_file() makes the file: `before` bytes 'x', then the array. read_file() requires these
 * bytes, and reads the array back. */
void write_file(struct array a, size_t before);
void read_file(struct array a, size_t before);
/* Requires the file to consist of the array's first `bytes` bytes. */
void check_file_is(struct array a, size_t bytes);
/* Requires a small Cholesky factorization to succeed, as it does while the library is usable. */
void check_usable(void);

#endif
