/* Condition numbers with an approximate null vector. They have no asynchronous form. */
#ifndef STARTILE_NULL_VECTOR_H
#define STARTILE_NULL_VECTOR_H

#include "startile.h"

/* Do the same as startile_gecon() and startile_pocon(), and set v, an n × 1 matrix of one tile, to
 * s A⁻¹ w or, for norm 'I', to s A⁻ᴴ w. Here A is the product of the factors without interchanges,
 * s a power of two, and w a vector for which ‖v‖₁ / ‖w‖₁ is the estimate of ‖s A⁻¹‖, up to
 * rounding. */
int64_t gecon_vector(char norm, const startile_matrix *A, const double *anorm, double *rcond,
                     startile_matrix *v);
int64_t pocon_vector(char uplo, const startile_matrix *A, const double *anorm, double *rcond,
                     startile_matrix *v);

#endif
