/*
 * LAPACK storage whose borders are poisoned: the padding below each column, a column before and a
 * column behind hold a NaN of one particular bit pattern. A routine that reads them spoils its
 * result; one that writes them is found by their bits. So is the triangle that a routine must leave
 * alone, once array_poison() has been there.
 */
#ifndef TESTING_ARRAY_H
#define TESTING_ARRAY_H

#include "startile.h"

#include <stdbool.h>

/* Passed by value, as a pointer would be. */
struct array {
    startile_dtype dtype;
    int64_t m, n, ld;
    void *a;      /* element (0, 0) */
    void *memory; /* all of it */
};

/* Elements are poison; ld = max(1, m) + pad. */
struct array array_new(startile_dtype dtype, int64_t m, int64_t n, int64_t pad);
struct array array_copy(struct array A);
void array_free(struct array A);
size_t array_bytes(struct array A);
size_t element_size(startile_dtype dtype);

startile_complex get(struct array A, int64_t i, int64_t j);
/* Rounds to A's type; the imaginary part is dropped for the real ones. */
void set(struct array A, int64_t i, int64_t j, startile_complex value);

/* Elements of B at and after (i, j), with the same storage. Its borders are not guarded. */
struct array array_part(struct array B, int64_t i, int64_t j, int64_t m, int64_t n);

/* part: 'L' or 'U': strictly below or above the diagonal; 'G': everything */
void array_poison(struct array A, char part);
bool is_poisoned(struct array A, char part);
bool has_borders_intact(struct array A);
/* all bits, borders included */
bool is_same(struct array A, struct array B);
bool has_nan(struct array A, char part);
/* no element is NaN or infinite */
bool is_finite(struct array A);

/* Pseudo-random numbers that are the same everywhere; the sequence begins anew with each seed. */
void random_seed(uint64_t seed);
/* in [−1, 1) */
double random_real(void);
/* both parts in [−1, 1) for a complex type, else real */
startile_complex random_element(startile_dtype dtype);
void array_random(struct array A);

#endif
