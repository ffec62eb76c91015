/* A matrix of the library that stands for an array, made in each of the three ways there are. */
#ifndef TESTING_SUBJECT_H
#define TESTING_SUBJECT_H

#include "array.h"

enum way { WRAPPED, CREATED, FROM_HANDLES };
enum { WAYS = 3 };
extern const char *const way_names[WAYS];

struct subject {
    startile_matrix *A;
    struct array home; /* where the elements come from and go back to */
    enum way way;
    /* FROM_HANDLES: one array and handle a tile */
    int64_t tiles;
    struct array *tile;
    starpu_data_handle_t *handle;
};

/* uplo 'L' or 'U': only tiles of that triangle will be touched; a matrix from handles has none for
 * the others. mb and nb may be 0, for the library's choice, but for FROM_HANDLES. */
struct subject subject_new(struct array home, enum way way, char uplo, int64_t mb, int64_t nb);

/* Destroys the matrix and leaves its elements in `home`. */
void subject_home(struct subject *S);

#endif
