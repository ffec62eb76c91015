/* What the tests of the DAGs share: the case, small matrices, dependences and priorities. */
#ifndef TESTING_DAG_H
#define TESTING_DAG_H

#include "recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

extern char case_text[200];

#define in_case(...) snprintf(case_text, sizeof case_text, __VA_ARGS__)
#define require(condition) require_at((condition), #condition, __FILE__, __LINE__)
void require_at(bool condition, const char *text, const char *file, int line);

/* 16-element tiles; the last tile of a row or column is smaller. */
enum { NB = 16, DAG_TILES = 16 };
int64_t elements(int64_t tiles);
startile_matrix *square(startile_dtype dtype, int64_t tiles);

/* The same for block columns: square tiles, tiles twice as tall, tiles as tall as the matrix. */
enum { SHAPES = 3 };
startile_matrix *shaped(int shape, int64_t rows, int64_t columns);
bool is_column(column c, const startile_matrix *A, int64_t j, int64_t row, int64_t rows);
/* Rows of the diagonal block of panel k. */
int64_t block_rows(const startile_matrix *A, int64_t k);

bool is_task(const struct record *r);

/* b, submitted after a, has to wait for it */
bool depends(const struct record *b, const struct record *a);

/* Tasks on the longest chain */
int longest_chain(void);

/* `workers` tasks at a time, those of highest priority first: a factorization of a diagonal tile or
 * a panel that is ready is never left behind, and in the end all tasks have been run. */
void check_priorities(int workers);

/* Reads the records one by one. */
struct reader {
    int at;
};
/* The next one is of that kind; where home is another matter. */
const struct record *next_of(struct reader *in, enum kind kind);
/* Every tile of A, in any order. */
void read_tiles(struct reader *in, enum kind kind, const startile_matrix *A);

/* All of A's tiles go home once, when no later task writes them. */
void check_homes(const startile_matrix *A);

#endif
