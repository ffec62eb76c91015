/* What the operations on batches share: the checks of their arguments. */
#ifndef STARTILE_BATCH_ALGORITHMS_H
#define STARTILE_BATCH_ALGORITHMS_H

#include "codelets.h"

/* A dimension of each matrix: batch_rows or batch_columns. */
typedef int64_t batch_dimension(const startile_batch *b, int64_t i);

/* Of two batches that go together, the first so many have all the sizes there are. */
int64_t kinds_of(const startile_batch *a, const startile_batch *b);
/* The dimension of the one is that of the other, matrix by matrix. */
bool same_dimension(const startile_batch *a, batch_dimension *of_a, const startile_batch *b,
                    batch_dimension *of_b);
bool has_squares(const startile_batch *A);
bool has_vectors(const startile_batch *X);
/* Matrices of A's type and cut; and such that may be written. */
bool goes_with(const startile_batch *b, const startile_batch *A);
bool is_written_with(const startile_batch *b, const startile_batch *A);
/* May be written. */
bool is_apart(const startile_batch *b);
/* One integer for each matrix of A. */
bool is_info_of(const startile_batch *info, const startile_batch *A);
/* Pivots for each matrix of A, at least as many as it has. */
bool is_ipiv_of(const startile_batch *P, const startile_batch *A);
/* n rows for each n × n matrix of A */
bool is_right_side_of(const startile_batch *B, const startile_batch *A);
/* 'N', 'C' also for a real 'T', or '\0' */
char adjoint_of(char trans, startile_dtype dtype);

/* Waits; then the first failure among info, unless the call failed itself. */
int64_t finish_with_info(startile_request *r, int result, startile_batch *info);

#endif
