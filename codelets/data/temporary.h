/* Data that lives as long as a step or a request. */
#ifndef STARTILE_TEMPORARY_H
#define STARTILE_TEMPORARY_H

#include "request/context.h"
#include "startile.h"

/* Entry of a request's list of temporary data; the first member of the structure with the data. */
typedef struct temporary temporary;
struct temporary {
    temporary *next;
    struct stage *stage;           /* of the step that made it, or NULL */
    void (*release)(temporary *t); /* frees the data after the tasks submitted so far */
};

/* Makes the request the owner of t. A wait for the request, or its destruction, releases t. */
void own_temporary(context ctx, temporary *t, void (*release)(temporary *t));
/* newest_temporary() returns the request's newest temporary, or NULL. release_temporaries()
 * releases all temporaries that are newer than `oldest`; with NULL it releases all. */
temporary *newest_temporary(context ctx);
void release_temporaries(context ctx, const temporary *oldest);

/* Create a temporary matrix: temporary_matrix() of A's type on A's grid, temporary_in_one_row() on
 * the processes of A's grid in one row, so that block columns belong to them in turn,
 * temporary_of_type() of any type without a grid, temporary_on_grid() of any type on A's grid. On
 * an error they fail the request and return NULL. */
startile_matrix *temporary_matrix(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                  int64_t mb, int64_t nb);
startile_matrix *temporary_in_one_row(context ctx, const startile_matrix *A, int64_t m, int64_t n,
                                      int64_t mb, int64_t nb);
startile_matrix *temporary_of_type(context ctx, startile_dtype dtype, startile_shape shape);
startile_matrix *temporary_on_grid(context ctx, const startile_matrix *A, startile_dtype dtype,
                                   startile_shape shape);
/* Makes the request the owner of a matrix that startile_matrix_create() made. */
void own_matrix(context ctx, startile_matrix *A);

#endif
