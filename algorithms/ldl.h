/* Solves with Bunch–Kaufman factors. */
#ifndef STARTILE_LDL_H
#define STARTILE_LDL_H

#include "algorithms.h"
#include "operations/insert_symmetric.h"

/* The factors of A in the form P A Pᵀ = L D op(L), or U D op(U), with all interchanges in P.
 * Temporaries of the request. */
struct ldl {
    char uplo, op;                   /* op 'T' or 'C' */
    const startile_matrix *triangle; /* L or U, without its diagonal */
    const startile_matrix *D;        /* array of D, one tile */
    const startile_pivots *P;
};

/* Submits the conversion of the factors in A. fails: a zero pivot of order 1 fails the request.
 * Returns false, and the request has failed, without memory. */
bool convert_factors(context ctx, char op, const startile_matrix *A,
                     const startile_symmetric_pivots *P, bool fails, struct ldl *f);
/* Submits B := op(L)⁻¹ D⁻¹ L⁻¹ B. */
void solve_without_interchanges(context ctx, const struct ldl *f, startile_matrix *B);
/* Submits B := A⁻¹ B. */
void solve_by_ldl(context ctx, const struct ldl *f, startile_matrix *B);

/* Check arguments 1 … 3 (uplo, A, P) of a routine with the factors in A; uplo is a capital. Return
 * 0 or −i. */
int check_ldl(char uplo, const startile_matrix *A, const startile_symmetric_pivots *P);

#endif
