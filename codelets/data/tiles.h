/* Matrices, and the handles of their tiles. */
#ifndef STARTILE_TILES_H
#define STARTILE_TILES_H

#include "data/temporary.h"
#include "data/view.h"
#include "request/request.h"

#include <starpu.h>

enum matrix_kind { MATRIX_OWNED, MATRIX_WRAPPED, MATRIX_CALLERS, MATRIX_ON_DISK };

struct startile_matrix {
    temporary owned; /* used if a request owns the matrix */
    startile_shape shape;
    startile_grid *grid; /* the processes that own the tiles, or NULL: this process owns all */
    int64_t first_tag;   /* first tag of the tiles' messages on a grid */
    enum matrix_kind kind;
    int home_node;               /* memory node of a wrapped matrix' elements */
    bool is_view;                /* tiles and store are another matrix' */
    void *page_locked;           /* array that page_lock() locked, or NULL */
    bool on_cores;               /* see keep_on_cores() */
    bool registers_on_use;       /* tiles of a temporary are registered when they are used */
    starpu_data_handle_t *tiles; /* mt × nt handles, column-major; NULL: not used here yet */
    void *local; /* one array that the library allocated for the tiles of this process, or NULL */
    struct store *store;  /* the file of MATRIX_ON_DISK, else NULL */
    bool is_callers_file; /* the store is the caller's file, with this leading dimension */
    int64_t lda;
    struct journal *journal; /* of a matrix in the caller's file, or NULL */
    int journal_refusal;     /* why startile_matrix_journal() has failed, or 0 */
    char *refusal_text;      /* its message, or NULL */
};

starpu_data_handle_t tile_handle(tile t);

/* Returns the tile's handle, or NULL if `mode` reads a tile of the caller that has no value. */
starpu_data_handle_t tile_handle_for(tile t, enum starpu_data_access_mode mode);
/* Returns whether the home node of all tiles is main memory. */
bool is_in_main_memory(const startile_matrix *A);
/* Returns whether the home node of all tiles is this GPU's memory node. */
bool is_in_gpu_memory(const startile_matrix *A, unsigned node);
int64_t tile_rows(tile t);    /* rows as stored */
int64_t tile_columns(tile t); /* columns as stored */

/* Return the matrix' row and column of the tile's first element. */
static inline int64_t tile_first_row(tile t)
{
    return t.i * t.A->shape.mb;
}

static inline int64_t tile_first_column(tile t)
{
    return t.j * t.A->shape.nb;
}
/* Submits a copy of the data to main memory, after the tasks submitted so far. Request r counts the
 * copy as unfinished. */
void return_handle_to_host(startile_request *r, starpu_data_handle_t handle,
                           enum starpu_data_access_mode mode);
/* Does the same for a tile of a matrix, whose home node takes the place of main memory. */
void return_to_home(startile_request *r, tile t, enum starpu_data_access_mode mode);

#endif
