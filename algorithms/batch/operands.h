/* Argument checks that the operations on batches share. */
#ifndef STARTILE_BATCH_ALGORITHMS_H
#define STARTILE_BATCH_ALGORITHMS_H

#include "codelets.h"

/* A dimension of matrix i: batch_rows or batch_columns. */
typedef int64_t batch_dimension(const startile_batch *b, int64_t i);

/* Returns how many matrices must be compared to check all sizes of two batches: 1 if all matrices
 * of a batch have one size, else the number of matrices. */
int64_t matrices_to_compare(const startile_batch *a, const startile_batch *b);
/* Returns whether the two dimensions are equal, matrix by matrix. */
bool same_dimension(const startile_batch *a, batch_dimension *of_a, const startile_batch *b,
                    batch_dimension *of_b);
bool has_squares(const startile_batch *A);
bool has_vectors(const startile_batch *X);
/* Return whether b has A's element type and chunks; the second also that b is not A and may be
 * written. */
bool matches_batch(const startile_batch *b, const startile_batch *A);
bool matches_and_is_writable(const startile_batch *b, const startile_batch *A);
/* Returns whether the batch may be written: its matrices do not share one storage. */
bool is_writable(const startile_batch *b);
/* Returns whether info has one integer for each matrix of A and may be written. */
bool is_info_of(const startile_batch *info, const startile_batch *A);
/* Returns whether P has, for each m × n matrix of A, at least min(m, n) integers. */
bool is_ipiv_of(const startile_batch *P, const startile_batch *A);
/* Returns whether B has n rows for each n × n matrix of A and may be written. */
bool is_right_side_of(const startile_batch *B, const startile_batch *A);
/* Returns 'N' or 'C' for a valid letter ('C' also for 'T' of a real type), '\0' for a wrong one. */
char adjoint_of(char trans, startile_dtype dtype);

/* Waits for the request. Returns the call's own failure if there is one, else the 1-based number of
 * the first matrix with info ≠ 0, else 0. */
int64_t finish_with_info(startile_request *r, int result, startile_batch *info);

#endif
