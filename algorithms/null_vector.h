/* Condition numbers with an approximate null vector. They have no asynchronous form. */
#ifndef STARTILE_NULL_VECTOR_H
#define STARTILE_NULL_VECTOR_H

#include "startile.h"

/* startile_gecon() and startile_pocon() that also set v, an n × 1 matrix of one tile: v = s A⁻¹ w,
 * or s A⁻ᴴ w for norm 'I', where A is without row interchanges, ‖v‖₁ / ‖w‖₁ is the estimate of ‖s
 * A⁻¹‖ up to rounding, and s is a power of two. */
int64_t gecon_vector(char norm, const startile_matrix *A, double anorm, double *rcond,
                     startile_matrix *v);
int64_t pocon_vector(char uplo, const startile_matrix *A, double anorm, double *rcond,
                     startile_matrix *v);

#endif
