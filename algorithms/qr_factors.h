/* QR of a tall matrix by panels or by a reduction tree. */
#ifndef STARTILE_QR_FACTORS_H
#define STARTILE_QR_FACTORS_H

#include "algorithms.h"

/* W = Q R for W with at least as many rows as columns; R is in W's upper triangle. */
typedef struct {
    startile_matrix *W;
    startile_matrix *T;  /* by panels: triangles of the block reflectors, else NULL */
    startile_tree *tree; /* by a tree, else NULL */
} qr_factors;

/* Returns whether W is factored by a tree: it is tall, in several tile rows as high as those of B,
 * to which Q will be applied. */
bool suits_tree(const startile_matrix *W, const startile_matrix *B);
/* Submits the factorization of W; T or the tree are temporaries. W is NULL in the result, and the
 * request has failed, without memory. */
qr_factors factor_qr(context ctx, startile_matrix *W, const startile_matrix *B);
/* Submits B := op(Q) B. */
void apply_q(context ctx, char trans, const qr_factors *f, startile_matrix *B);

#endif
