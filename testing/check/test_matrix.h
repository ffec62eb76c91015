/* Matrices of the library, made from arrays in one of three ways. */
#ifndef TESTING_TEST_MATRIX_H
#define TESTING_TEST_MATRIX_H

#include "array.h"

/* How the library's matrix is made: it uses the array in place, has tiles of its own, or uses
 * handles that the test has registered. */
enum way { WRAPPED, CREATED, FROM_HANDLES };
enum { WAYS = 3 };
extern const char *const way_names[WAYS];

struct test_matrix {
    startile_matrix *A;
    struct array array; /* source and destination of the elements */
    enum way way;
    /* FROM_HANDLES: one array and one handle for each tile */
    int64_t tiles;
    struct array *tile;
    starpu_data_handle_t *handle;
};

/* Returns a matrix with the elements of `array`. uplo 'L' or 'U': only tiles of that triangle are
 * used; a matrix from handles has no others. mb and nb may be 0 for the library's choice, except
 * with FROM_HANDLES. */
struct test_matrix test_matrix_new(struct array array, enum way way, char uplo, int64_t mb,
                                   int64_t nb);

/* Copies the elements back to `array` and destroys the matrix. Requires intact borders. The caller
 * frees the array. */
void test_matrix_finish(struct test_matrix *S);
#define test_matrices_finish(...)                                                                  \
    test_matrices_finish_all(sizeof((struct test_matrix *[]){__VA_ARGS__}) / sizeof(void *),       \
                             (struct test_matrix *[]){__VA_ARGS__})
void test_matrices_finish_all(size_t count, struct test_matrix **S);

#endif
