/* Symmetric and Hermitian test matrices. */
#ifndef TESTING_SYMMETRIC_MATRICES_H
#define TESTING_SYMMETRIC_MATRICES_H

#include "array.h"

#include <complex.h>
#include <math.h>

/* Makes A symmetric (op 'T') or Hermitian ('C') by its lower triangle. */
static void make_symmetric(char op, struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = j; i < A.n; i++) {
            startile_complex x = get(A, i, j);
            x = op == 'C' && i == j ? creal(x) : x;
            set(A, i, j, x);
            set(A, j, i, op == 'C' ? conj(x) : x);
        }
}

/* Returns the symmetric (op 'T') or Hermitian ('C') matrix with the triangle uplo of A. */
static inline struct array symmetric_of(char op, char uplo, struct array A)
{
    struct array S = array_copy(A);
    for (int64_t j = 0; j < A.n && uplo == 'U'; j++)
        for (int64_t i = j + 1; i < A.n; i++)
            set(S, i, j, op == 'C' ? conj(get(A, j, i)) : get(A, j, i));
    make_symmetric(op, S);
    return S;
}

/* Kinds of matrices: random; with a diagonal of zeros, so that pivots of order 2 are needed; a
 * saddle point [H Bᵀ; B 0] with a diagonal H; banded, with many zeros; the elements of rows and
 * columns graded by powers of two; without off-diagonal elements; all elements equal */
enum symmetric_kind {
    RANDOM,
    ZERO_DIAGONAL,
    SADDLE_POINT,
    BANDED,
    GRADED,
    DIAGONAL,
    CONSTANT,
    SYMMETRIC_KINDS
};

static startile_complex element_of_kind(enum symmetric_kind kind, int64_t i, int64_t j, int64_t n,
                                        startile_complex random)
{
    switch (kind) {
    case ZERO_DIAGONAL:
        return i == j ? 0 : random;
    case SADDLE_POINT:
        return i < 2 * n / 3 ? (i == j ? 1 + fabs(creal(random)) : 0) : j < 2 * n / 3 ? random : 0;
    case BANDED:
        return i - j > 3 ? 0 : random;
    case GRADED:
        return random * ldexp(1, (int)(-i % 23 - j % 23) / 2);
    case DIAGONAL:
        return i == j ? random : 0;
    case CONSTANT:
        return 1;
    default:
        return random;
    }
}

/* Returns an n × n matrix with ld = max(1, n) + pad. */
static inline struct array symmetric_matrix(enum symmetric_kind kind, char op, startile_dtype dtype,
                                            int64_t n, int64_t pad)
{
    struct array A = array_new_random(dtype, n, n, pad);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            set(A, i, j, element_of_kind(kind, i, j, n, get(A, i, j)));
    make_symmetric(op, A);
    return A;
}

#endif
