/* The pieces of algorithms that other algorithms are made of. */
#ifndef STARTILE_ALGORITHMS_H
#define STARTILE_ALGORITHMS_H

#include "codelets.h"

/* B := alpha A⁻¹ B for a triangular A, which is lower as seen (forward) or upper. With after_info
 * the first task of each block column waits for the last factorization's success. */
void solve_triangle(startile_request *r, bool forward, char uplo, char diag, startile_complex alpha,
                    view A, view B, bool after_info);

#endif
