/* Insert functions of symmetric indefinite systems. */
#ifndef STARTILE_INSERT_SYMMETRIC_H
#define STARTILE_INSERT_SYMMETRIC_H

#include "data/view.h"
#include "request/context.h"

/* Block column k of A := that of L and D in A = L D L^T with trans 'T', A = L D L^H with 'C', with
 * the update of the block columns right of it; with uplo 'U' of U and D in A = U D U^T, with the
 * update of the block columns left of it. P gets the panel's pivots. */
void insert_sytrf(context ctx, int64_t priority, char uplo, char trans, const startile_matrix *A,
                  int64_t k, startile_symmetric_pivots *P);

#endif
