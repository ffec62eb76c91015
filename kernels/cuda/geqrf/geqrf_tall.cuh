/*
 * QR of a tall panel by Cholesky factorizations, and the reconstruction of Householder vectors
 * from its Q. Private to geqrf/.
 */
#ifndef STARTILE_GEQRF_TALL_CUH
#define STARTILE_GEQRF_TALL_CUH

#include "common/exec.cuh"

namespace startile_cuda
{

/* Returns whether a panel is so large that factor_tall() is faster than Householder's method.
 * (geqrf_tall.cu) */
template <typename T>
bool suits_cholesky_qr(int m, int n);

/* Overwrites A (m × n, m > n) with R and V, and T (n × n) with their triangle, as geqrf does, and
 * sets *done to true. If a check fails, or after an error before A is overwritten, sets *done to
 * false and leaves A unchanged and T undefined. Waits for the stream. Uses all of the workspace; A
 * may be in x->copy. (geqrf_tall.cu) */
template <typename T>
int factor_tall(startile_exec *x, int m, int n, T *a, int lda, T *t, int ldt, bool *done);

/* Computes G := Aᴴ A in the lower triangle, and zeros above. A is m × n; G is n × n in contiguous
 * columns. parts: gram_workspace() elements. (geqrf_gram.cu) */
template <typename T>
int gram(startile_exec *x, int m, int n, const T *a, int lda, T *parts, T *g);

/* Returns the number of elements of `parts` for gram(). (geqrf_gram.cu) */
size_t gram_workspace(int m, int n);

/* Columns of a step of the substitution, and the largest number of such steps */
constexpr int tall_block = 256, most_tall_blocks = 64;

/* Measurements of check_tall for one block column */
struct tall_check_result {
    double distance; /* its part of ‖I − Q1ᴴ Q1‖_F², or NaN */
    double growth;   /* see geqrf_check.cu */
    int info;        /* info of the first Cholesky factorization */
};

/* Accuracy of Q1: too low for the second half of the method, high enough, or so high that ‖I −
 * Q1ᴴ Q1‖_F² ≤ eps */
enum tall_accuracy { NOT_ACCURATE, ACCURATE, NEARLY_ORTHONORMAL };

/* Sets *accuracy, given G = Q1ᴴ Q1, L = R1ᴴ and W, the inverses of L's diagonal blocks of order
 * tall_block. G, L and W are n × n. results: most_tall_blocks elements. Waits for the stream.
 * (geqrf_check.cu) */
template <typename T>
int check_tall(startile_exec *x, int n, const T *l, const T *w, const T *g,
               tall_check_result *results, tall_accuracy *accuracy);

/* Computes L U := Q − diag(signs) without pivoting, and overwrites Q. Q and lu, which holds L and
 * U, are n × n in contiguous columns. The signs are ±1. (geqrf_signs.cu) */
template <typename T>
int factor_with_signs(startile_exec *x, int n, T *q, T *lu, T *signs);

} // namespace startile_cuda

#endif
