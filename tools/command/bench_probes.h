/*
 * How the checks of factorizations in `startile bench` look at a residual matrix R without forming
 * it: they multiply it with some columns V of 1-norm 1. So ‖R V‖₁ ≤ ‖R‖₁, with equality for the
 * columns of R that V picks. One column of V is random: it sees all that is grossly wrong anywhere.
 *
 * Columns are PROBES of them in main memory, as many rows as a function says.
 */
#ifndef BENCH_PROBES_H
#define BENCH_PROBES_H

#include "bench.h"

enum { PROBES = 32 };

/* Zeros; NULL: no memory. */
void *probe_columns(const struct problem *p, int64_t rows);
/* Random signs by n, and unit vectors: all of them up to n = PROBES − 1, else spread evenly. */
void *probes_make(const struct problem *p, int64_t n);
/* The row of the one in column c ≥ 1 of them. */
int64_t probe_row(int64_t n, int64_t c);
/* The first rows of x, as many as y has; zeros below where x has less. */
void probes_copy(const struct problem *p, const void *x, int64_t x_rows, void *y, int64_t y_rows);
/* ‖X − Y‖₁ */
double probes_distance(const struct problem *p, const void *x, const void *y, int64_t rows);

/* Y := A X, or Aᴴ X for trans 'C' */
int64_t probes_multiply(char trans, const startile_matrix *A, void *x, void *y);
/* Y := A X for the operand i, which is made for this call; *norm := ‖A‖₁ */
int64_t probes_multiply_operand(const struct problem *p, int i, void *x, void *y, double *norm);
/* Y := T X for the triangle uplo of A, in square tiles; with ones on the diagonal for diag 'U' */
int64_t probes_multiply_triangle(char uplo, char diag, const startile_matrix *A, void *x, void *y);

/* The leading m × n part of a matrix in square tiles, which alone laset and lacpy cut into
 * triangles. */
struct square_copy {
    void *storage;
    size_t bytes;
    startile_matrix *matrix;
};
int64_t square_copy_open(startile_matrix *A, int64_t m, int64_t n, struct square_copy *copy);
void square_copy_close(struct square_copy *copy);

#endif
