/* Objects of the library for tests. A failure to make one fails the test. */
#ifndef TESTING_OBJECTS_H
#define TESTING_OBJECTS_H

#include "array.h"

/* Return what the library's functions startile_matrix_create() and so on make. */
startile_matrix *matrix_created(startile_dtype type, int64_t m, int64_t n, int64_t mb, int64_t nb);
startile_matrix *matrix_wrapped(startile_dtype type, int64_t m, int64_t n, void *a, int64_t ld,
                                int64_t mb, int64_t nb);
/* Uses the array's elements. */
startile_matrix *array_wrapped(struct array A, int64_t mb, int64_t nb);
startile_pivots *pivots_created(const startile_matrix *A);
startile_matrix *reflectors_created(const startile_matrix *A);
startile_request *request_created(void);

#define matrices_destroy(...)                                                                      \
    matrices_destroy_all(sizeof((startile_matrix *[]){__VA_ARGS__}) / sizeof(startile_matrix *),   \
                         (startile_matrix *[]){__VA_ARGS__})
void matrices_destroy_all(size_t count, startile_matrix **A);

#endif
