/*
 * Shared by the tests of matrices in files and of limited memory.
 */
#ifndef DISK_FILES_H
#define DISK_FILES_H

#include "generate.h"

/* Limit of main memory in bytes; a GPU's limit is larger. Matrices of order order() exceed the
 * limit. */
enum { LIMIT_BYTES = 6 << 20 };
int64_t order(void);
int64_t tile_width(void);

/* The test's folder, a file in it that belongs to the caller, and a file system of one MiB. */
enum { FOLDER_LENGTH = 32, PATH_LENGTH = 48 };
extern char folder[FOLDER_LENGTH], file[PATH_LENGTH], small_disk[PATH_LENGTH];
extern bool has_small_disk;

/* Returns true if files are mapped. The operating system then reads them, without a limit, and the
 * library does not count the bytes. */
bool is_mapped(void);

/* Replace check_start() and check_finish(). */
void disk_start(int argc, char **argv);
int disk_finish(int failed);

size_t bytes_of(struct array a); /* size of the elements, without borders */
struct array random_array(startile_dtype type, int64_t n, int64_t nrhs, bool positive);

/* write_file() writes `before` other bytes and then a to the file; read_file() reads a back. */
void write_file(struct array a, size_t before);
void read_file(struct array a, size_t before);
/* Requires the file to have that size and to contain a. */
void check_file_is(struct array a, size_t bytes);
/* Requires the library to be usable. */
void check_usable(void);

#endif
