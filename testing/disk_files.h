/*
 * Matrices in files, and little memory: what their tests share.
 */
#ifndef DISK_FILES_H
#define DISK_FILES_H

#include "generate.h"

/* Of main memory; of a GPU there is more. Matrices of that order are larger. */
enum { LIMIT_BYTES = 6 << 20 };
int64_t order(void);
int64_t tile_width(void);

/* Of this test: a folder for files, the caller's file in it, and a file system of a mebibyte. */
enum { FOLDER_LENGTH = 32, PATH_LENGTH = 48 };
extern char folder[FOLDER_LENGTH], file[PATH_LENGTH], small_disk[PATH_LENGTH];
extern bool has_small_disk;

/* Whether the library lets the system bring what tasks need, and cannot limit nor count it. */
bool is_mapped(void);

/* What main() calls instead of check_start() and check_finish(). */
void disk_start(int argc, char **argv);
int disk_finish(int failed);

size_t bytes_of(struct array a); /* without borders */
struct array random_array(startile_dtype type, int64_t n, int64_t nrhs, bool positive);

/* The caller's file, of so many other bytes and then a. */
void write_file(struct array a, size_t before);
void read_file(struct array a, size_t before);
/* It is so long, and what a is. */
void check_file_is(struct array a, size_t bytes);
/* The library works on. */
void check_usable(void);

#endif
