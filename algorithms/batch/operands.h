/* Argument checks that the operations on batches share. */
#ifndef STARTILE_BATCH_ALGORITHMS_H
#define STARTILE_BATCH_ALGORITHMS_H

#include "startile.h"
#include "startile_batch.h"

#include <stdbool.h>

/* A dimension of matrix i: batch_rows, batch_columns or smaller_dimension. */
typedef int64_t batch_dimension(const startile_batch *b, int64_t i);

/* Returns min(m, n) of matrix i. */
int64_t smaller_dimension(const startile_batch *A, int64_t i);

/* Returns max(m, n) of matrix i. */
int64_t larger_dimension(const startile_batch *A, int64_t i);

/* Returns the number of matrices to compare in a check of the sizes of two batches: 1 if each batch
 * has one size, else the number of matrices. */
int64_t matrices_to_compare(const startile_batch *a, const startile_batch *b);
/* Returns whether the two dimensions are equal, matrix by matrix. */
bool same_dimension(const startile_batch *a, batch_dimension *of_a, const startile_batch *b,
                    batch_dimension *of_b);
/* Returns whether the batch exists and its elements are of a matrix type, not integers. */
bool has_matrices(const startile_batch *A);
/* Returns whether all matrices are square. */
bool has_squares(const startile_batch *A);
/* Returns whether each matrix has one column. */
bool has_one_column_each(const startile_batch *b);
/* Returns whether the batch has matrices, each of one row. */
bool has_vectors(const startile_batch *X);
/* Returns whether b has A's element type and chunks. */
bool matches_batch(const startile_batch *b, const startile_batch *A);
/* Returns whether b has A's element type and chunks, is not A, and may be written. */
bool matches_and_is_writable(const startile_batch *b, const startile_batch *A);
/* Returns whether the batch may be written: its matrices do not share one storage. */
bool is_writable(const startile_batch *b);
/* Returns whether info has one integer for each matrix of A and may be written. */
bool is_info_of(const startile_batch *info, const startile_batch *A);
/* Returns the real type of the precision of dtype. */
startile_dtype real_of(startile_dtype dtype);
/* Returns whether b has one number of type dtype for each matrix of X and may be written. */
bool is_result(const startile_batch *b, const startile_batch *X, startile_dtype dtype);
/* Returns whether P has, for each m × n matrix of A, at least min(m, n) integers. */
bool is_ipiv_of(const startile_batch *P, const startile_batch *A);
/* Returns whether B has n rows for each n × n matrix of A and may be written. */
bool are_right_hand_sides(const startile_batch *B, const startile_batch *A);
/* Returns 'N' or 'C' for a valid letter ('C' also for 'T' of a real type), '\0' for a wrong one. */
char conjugating_letter(char trans, startile_dtype dtype);
/* Returns 0; −at without a request; STARTILE_ERROR_STARPU in a child of fork() that cannot use it.
 */
int check_request(const startile_request *request, int at);

#endif
