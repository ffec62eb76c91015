/*
 * QR of a tall panel by two Cholesky factorizations (Yamamoto, Nakatsukasa, Yanagisawa &
 * Fukaya, "Roundoff error analysis of the CholeskyQR2 algorithm", ETNA 44, 2015). The operations on
 * tall matrices are products, which run at full rate; Householder's method is bound by memory.
 *
 *     gram          G := Aᴴ A                                  (geqrf_gram.cu)
 *     factor        R1ᴴ R1 = G
 *     substitute    Q1 := A R1⁻¹
 *     gram          G := Q1ᴴ Q1
 *     check_tall    the host decides whether to go on          (geqrf_check.cu)
 *     factor        R2ᴴ R2 = G, by the first terms of a series if G is nearly I;
 *                   R = R2 R1,  Q = Q1 R2⁻¹
 *     reconstruct   L U = Q_top − S                            (geqrf_signs.cu)
 *                   V = [L; Q_rest U⁻¹],  T = −U S L⁻ᴴ,  R := S R
 *
 * The last step gives LAPACK's form of Q: Q = (I − V T Vᴴ) [S; 0] means Q_top − S = −L T Lᴴ S and
 * Q_rest = −V_rest T Lᴴ S. S is a diagonal matrix of signs; the top is the first n rows, the rest
 * those below. Q itself is not needed below the top: V_rest = Q1_rest (R2⁻¹ U⁻¹).
 *
 * Orthogonality: if ‖I − Q1ᴴ Q1‖ ≤ 5/64, the second pass gives ‖I − Qᴴ Q‖_F ≤ 6 (m n + n (n + 1))
 * eps, up to constants (ibid.). check_tall measures ‖I − Q1ᴴ Q1‖ instead of bounding it by a
 * condition number.
 *
 * Residual: Q1 comes from a substitution by block columns, Q1_j = (A_j − Σ Q1_i R1_ij) R1_jj⁻¹, sum
 * over i < j, with the inverses of the diagonal blocks. For 262144 × 256 in double on an H100 this
 * took 0.96 ms with blocks of 128; cuBLAS's solve takes 3.2. check_tall also measures the accuracy
 * lost to the inverses (geqrf_check.cu).
 *
 * If a check fails, which includes overflow and NaN, A is unchanged and geqrf uses Householder's
 * method. The host needs the outcome of the checks to go on. So this method waits for the stream
 * after two thirds of the work. Otherwise kernel functions wait only where a workspace grows.
 */
#include "common/apply_elementwise.cuh"
#include "common/block_products.cuh"
#include "common/operations.cuh"
#include "geqrf/geqrf_tall.cuh"

#include <algorithm>

namespace startile_cuda
{

/*
 * Minimal bytes of a panel of wide and of narrow rows. One H100, double, µs by Householder's method
 * and by this one for 512, 384, 256 and 128 columns (perf_models/NOTES.md, "QR on one GPU"):
 *      1024 rows: 1108, 807     785, 652    497, 489   222, 311
 *      4096 rows: 1144*, 943    825, 738    536, 521   242, 327
 *     16384 rows: 2380*, 1348   1069, 1004  705, 680   382, 385
 * *: an earlier version of Householder's method
 */
constexpr int64_t least_bytes_if_wide = 4 << 20, least_bytes = 16 << 20;
constexpr int wide_row = 2048; /* bytes */
constexpr int fewest_columns = 16;
constexpr int64_t min_ratio = 2; /* minimal m / n */

/* State of a factorization. The arrays are in the workspace, after the part that
 * factor_and_invert() and invert() use. */
template <typename T>
struct tall {
    startile_exec *x;
    int m, n;
    tall_check_result *results;
    T *q;                      /* m × n */
    T *parts;                  /* parts of a Gram matrix, or a block column */
    T *l1, *w1, *l2, *w2;      /* n × n: R1ᴴ, its inverse, R2ᴴ, its inverse */
    T *top, *lu, *wl, *wu, *v; /* n × n */
    T *signs;

    int lay_out();
    int substitute(const T *a, int lda);
    int reconstruct(T *a, int lda, T *t, int ldt);
};

/* Allocates the workspace and sets the arrays. */
template <typename T>
int tall<T>::lay_out()
{
    const size_t n_n = size_t(n) * n, m_n = size_t(m) * n;
    const size_t of_block = n > tall_block ? size_t(m) * tall_block : 0;
    size_t steps;
    if (int error = factor_workspace<T>(x, n, &steps))
        return error;
    steps = aligned_size(std::max(steps, invert_workspace<T>(n, 2)));
    const size_t gram_elements = std::max(gram_workspace(m, n), of_block),
                 all = m_n + gram_elements + 9 * n_n + n;
    const size_t head = aligned_size(most_tall_blocks * sizeof(tall_check_result));
    if (int error = reserve(x, steps + head + all * sizeof(T)))
        return error;
    char *base = static_cast<char *>(x->workspace) + steps;
    results = reinterpret_cast<tall_check_result *>(base);
    q = reinterpret_cast<T *>(base + head);
    parts = q + m_n;
    T **next[] = {&l1, &w1, &l2, &w2, &top, &lu, &wl, &wu, &v, &signs};
    for (int i = 0; i < 10; i++)
        *next[i] = parts + gram_elements + i * n_n;
    return 0;
}

/* Computes Q1 := A R1⁻¹. */
template <typename T>
int tall<T>::substitute(const T *a, int lda)
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0), minus_one = to_element<T>(-1, 0);
    for (int j = 0; j < n; j += tall_block) {
        const int columns = std::min(tall_block, n - j);
        matrices<const T> left = {a + int64_t(j) * lda, lda, 0};
        if (j > 0) {
            if (int error = lacpy<T>(x, 'G', m, columns, left.p, lda, parts, m))
                return error;
            if (int error = multiply<T>(x, 'N', 'C', m, columns, j, minus_one, {q, m, 0},
                                        {l1 + j, n, 0}, one, {parts, m, 0}))
                return error;
            left = {parts, m, 0};
        }
        if (int error =
                multiply<T>(x, 'N', 'C', m, columns, columns, one, left,
                            {w1 + j + int64_t(j) * n, n, 0}, zero, {q + int64_t(j) * m, m, 0}))
            return error;
    }
    return 0;
}

/* For G = I + E in the lower triangle of l, with ‖E‖_F² ≤ eps: sets l to its Cholesky factor I + F
 * and w to the inverse I − F, up to errors of ‖E‖_F². F is the lower triangle of E, with half its
 * diagonal. */
template <typename T>
struct near_identity_element {
    int64_t n;
    T *l, *w;

    __device__ void operator()(int i, int j) const
    {
        const T e = l[i + j * n];
        const auto half = (real_part(e) - 1) / 2; /* of E's diagonal element */
        if (i == j)
            l[i + j * n] = to_element<T>(1 + half, 0);
        w[i + j * n] = i == j  ? to_element<T>(1 - half, 0)
                       : i > j ? scaled<T>(-1, e)
                               : to_element<T>(0, 0);
    }
};

/* Sets the top n rows of A: S R on and above the diagonal, with a real diagonal, and L below. */
template <typename T>
struct tall_top_element {
    int64_t n;
    const T *r, *lu, *signs;
    T *a;
    int64_t lda;

    __device__ void operator()(int i, int j) const
    {
        T value = i > j ? lu[i + j * n] : scaled(real_part(signs[i]), r[i + j * n]);
        a[i + j * lda] = i == j ? to_element<T>(real_part(value), 0) : value;
    }
};

/* Sets us to −U S, with zeros below the diagonal. */
template <typename T>
struct signed_element {
    int64_t n;
    const T *lu, *signs;
    T *us;

    __device__ void operator()(int i, int j) const
    {
        us[i + j * n] = i > j ? to_element<T>(0, 0) : scaled(-real_part(signs[j]), lu[i + j * n]);
    }
};

/* Computes V, T and R from Q1, R1 and R2. Overwrites A. */
template <typename T>
int tall<T>::reconstruct(T *a, int lda, T *t, int ldt)
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const matrices<const T> r2_inverse = {w2, n, 0};
    if (int error =
            multiply<T>(x, 'N', 'C', n, n, n, one, {q, m, 0}, r2_inverse, zero, {top, n, 0}))
        return error;
    if (int error = factor_with_signs(x, n, top, lu, signs))
        return error;
    const inverse_of<T> both[] = {{'U', 'N', lu, n, wu, n}, {'L', 'U', lu, n, wl, n}};
    if (int error = invert<T>(x, n, 2, both))
        return error;
    if (int error = multiply<T>(x, 'C', 'N', n, n, n, one, r2_inverse, {wu, n, 0}, zero, {v, n, 0}))
        return error;
    /* R2⁻¹ U⁻¹ is an upper triangle; so each block column needs the columns of Q1 up to its own. */
    for (int j = 0; j < n; j += tall_block) {
        const int columns = std::min(tall_block, n - j);
        if (int error =
                multiply<T>(x, 'N', 'N', m - n, columns, j + columns, one, {q + n, m, 0},
                            {v + int64_t(j) * n, n, 0}, zero, {a + n + int64_t(j) * lda, lda, 0}))
            return error;
    }
    T *r = w1, *us = top;
    if (int error = multiply<T>(x, 'C', 'C', n, n, n, one, {l2, n, 0}, {l1, n, 0}, zero, {r, n, 0}))
        return error;
    if (int error = apply_elementwise(x, 'G', n, n, tall_top_element<T>{n, r, lu, signs, a, lda}))
        return error;
    if (int error = apply_elementwise(x, 'G', n, n, signed_element<T>{n, lu, signs, us}))
        return error;
    return multiply<T>(x, 'N', 'C', n, n, n, one, {us, n, 0}, {wl, n, 0}, zero, {t, ldt, 0});
}

template <typename T>
bool suits_cholesky_qr(int m, int n)
{
    const int64_t of_row = n * int64_t(sizeof(T));
    return m >= min_ratio * n && n >= fewest_columns && n <= most_tall_blocks * tall_block &&
           m * of_row >= (of_row >= wide_row ? least_bytes_if_wide : least_bytes);
}

template <typename T>
int factor_tall(startile_exec *x, int m, int n, T *a, int lda, T *t, int ldt, bool *done)
{
    tall<T> p = {x, m, n};
    *done = false;
    if (int error = p.lay_out())
        return error;
    if (int error = gram(x, m, n, a, lda, p.parts, p.l1))
        return error;
    if (int error = factor_and_invert(x, n, p.l1, n, p.w1, n))
        return error;
    if (int error = p.substitute(a, lda))
        return error;
    if (int error = gram(x, m, n, p.q, m, p.parts, p.l2))
        return error;
    tall_accuracy accuracy;
    if (int error = check_tall(x, n, p.l1, p.w1, p.l2, p.results, &accuracy))
        return error;
    if (accuracy == NOT_ACCURATE)
        return 0;
    if (int error = accuracy == NEARLY_ORTHONORMAL
                        ? apply_elementwise(x, 'G', n, n, near_identity_element<T>{n, p.l2, p.w2})
                        : factor_and_invert(x, n, p.l2, n, p.w2, n))
        return error;
    *done = true;
    return p.reconstruct(a, lda, t, ldt);
}

INSTANTIATE(suits_cholesky_qr);
INSTANTIATE(factor_tall);

} // namespace startile_cuda
