/*
 * LAPACK storage with poisoned borders: the padding below each column, a column before the first
 * one and a column behind the last one hold NaNs of one bit pattern. A routine that reads them gets
 * NaN; a routine that writes them changes the bits. array_poison() fills a part of the matrix with
 * the same NaN.
 */
#ifndef TESTING_ARRAY_H
#define TESTING_ARRAY_H

#include "startile.h"

#include <stdbool.h>

static inline int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns true for types s and c. */
static inline bool is_single(startile_dtype dtype)
{
    return dtype == STARTILE_S || dtype == STARTILE_C;
}

/* Returns true if (i, j) is in the triangle uplo, diagonal included, or if uplo is 'G'. */
static inline bool is_in_triangle(char uplo, int64_t i, int64_t j)
{
    return uplo == 'G' || (uplo == 'L' ? i >= j : i <= j);
}

/* A matrix in column-major storage. Functions take it by value and share its elements. */
struct array {
    startile_dtype dtype;
    int64_t m, n, ld;
    void *a;      /* element (0, 0) */
    void *memory; /* start of the allocation */
};

/* Returns an array of poison with ld = max(1, m) + pad. The caller frees it with array_free(). */
struct array array_new(startile_dtype dtype, int64_t m, int64_t n, int64_t pad);
/* Returns a copy, borders included. A is not from array_part(). */
struct array array_copy(struct array A);
void array_free(struct array A);
#define arrays_free(...)                                                                           \
    array_free_all(sizeof((struct array[]){__VA_ARGS__}) / sizeof(struct array),                   \
                   (struct array[]){__VA_ARGS__})
void array_free_all(size_t count, const struct array *A);
/* Returns the size of the allocation, borders included. A is not from array_part(). */
size_t array_bytes(struct array A);
size_t element_size(startile_dtype dtype);

startile_complex get(struct array A, int64_t i, int64_t j);
/* Stores the value rounded to A's type; for real types the imaginary part is dropped. */
void set(struct array A, int64_t i, int64_t j, startile_complex value);

void array_fill(struct array A, startile_complex value);
/* Copies the elements of `from` to `to`, which have the same type and shape. */
void array_assign(struct array from, struct array to);
struct array array_new_identity(startile_dtype dtype, int64_t m, int64_t n);
/* Returns a copy of A's first m rows. */
struct array array_new_rows(struct array A, int64_t m);
/* Returns A, Aᵀ or Aᴴ for trans 'N', 'T' or 'C'. */
struct array array_new_op(char trans, struct array A);

/* Returns the m × n submatrix of B that begins at (i, j), in B's storage. It has no borders of its
 * own. */
struct array array_part(struct array B, int64_t i, int64_t j, int64_t m, int64_t n);

/* Overwrites a part of A with poison. The part is strictly below ('L') or above ('U') the diagonal,
 * or all of A ('G'). */
void array_poison(struct array A, char part);
/* Returns true if all elements of this part are poison. */
bool is_poisoned(struct array A, char part);
/* Returns true if all borders are poison. A is not from array_part(). */
bool has_borders_intact(struct array A);
/* Returns true if all bits are equal, borders included. */
bool is_same(struct array A, struct array B);
/* Returns true if an element of the part, or of the diagonal, is NaN. */
bool has_nan(struct array A, char part);
/* Returns true if no element is NaN or infinite. */
bool is_finite(struct array A);
/* Returns max_i |x_i − y_i| / max_i |x_i| of column j, with |re| + |im| for |z|. */
double error_of_column(struct array X, struct array Y, int64_t j);

/* Starts a new sequence of pseudo-random numbers, which are equal on every machine. Each thread has
 * a sequence of its own. */
void random_seed(uint64_t seed);
/* Returns a number in [−1, 1). */
double random_real(void);
/* Returns an integer from 0 to n − 1, n ≤ 2³². */
int64_t random_below(int64_t n);
/* Returns a random element: both parts in [−1, 1); for a real type the imaginary part is 0. */
startile_complex random_element(startile_dtype dtype);
void array_random(struct array A);
struct array array_new_random(startile_dtype dtype, int64_t m, int64_t n, int64_t pad);

#endif
