/*
 * QR of a very tall panel by two Cholesky factorizations, all of whose work on tall matrices is
 * products, at full rate where Householder's method is bound by memory:
 *     R1ᴴ R1 = Aᴴ A,  Q1 = A R1⁻¹,  R2ᴴ R2 = Q1ᴴ Q1,  Q = Q1 R2⁻¹,  R = R2 R1
 * (Yamamoto, Nakatsukasa, Yanagisawa & Fukaya, "Roundoff error analysis of the CholeskyQR2
 * algorithm", ETNA 44, 2015), then LAPACK's form of Q (geqrf_signs.cu): L U = Q_top − S, V = [L;
 * Q_rest U⁻¹], T = −U S L⁻ᴴ and R := S R. For Q = (I − V T Vᴴ) [S; 0] says Q_top − S = −L T Lᴴ S
 * and Q_rest = −V_rest T Lᴴ S. Q itself is not needed below the top: V_rest = Q1_rest (R2⁻¹ U⁻¹).
 *
 * Orthogonality: ‖I − Qᴴ Q‖_F ≤ 6 (m n + n (n + 1)) eps where ‖I − Q1ᴴ Q1‖ ≤ 5/64, as there in the
 * proof of theorem 3.4; that is measured here, and not derived from a condition number.
 *
 * Residual: Q1 comes from a substitution by block columns, Q1_j = (A_j − Σ Q1_i R1_ij) R1_jj⁻¹,
 * with the inverses of the diagonal blocks, since solves are five times as slow (H100, 262144 × 256
 * in double: 3.2 ms against 0.6). The error of A − Q1 R1 is c n eps κ_j ‖a‖, column by column, with
 * κ_j = ‖R1_jj⁻¹ D‖_F and D the norms of R1_jj's rows' partners, its columns: the smallest
 * condition that scaling A's columns could give the block. That is measured, too.
 *
 * Where one of these does not hold, or anything overflows or is NaN, A has not been touched.
 */
#include "blocks.cuh"
#include "geqrf_tall.cuh"
#include "operations.cuh"
#include "visit.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Columns of a step of the substitution. */
constexpr int tall_block = 128;

/* AᴴA is summed up from products of so many rows, or more where they would be more than 64: cuBLAS
 * on an H100 takes 0.49 ms for the triangle of 256 columns of 262144 then, and 0.73 at once. */
constexpr int gram_rows = 1024;
constexpr int gram_parts = 64;

constexpr double most_distance = 5.0 / 64;
constexpr double most_condition = 1000;

struct tall_verdict {
    double distance; /* ‖I − Q1ᴴ Q1‖_F², or NaN */
    double condition;
    int info;
};

/* Where everything is: in the workspace, behind what the steps take of it. */
template <typename T>
struct tall {
    startile_exec *x;
    int m, n;
    tall_verdict *verdict;
    T *q;                      /* m × n */
    T *parts;                  /* of a Gram matrix; or a block column */
    T *l1, *w1, *l2, *w2;      /* n × n: R1ᴴ, R2ᴴ and their inverses */
    T *top, *lu, *wl, *wu, *v; /* n × n */
    T *signs;

    int rows_of_part() const
    {
        return std::max<int>(gram_rows, ceil_div(m, gram_parts));
    }

    int lay_out();
    int gram(const T *a, int lda, T *g);
    int substitute(const T *a, int lda);
    int judge(bool *good);
    int store(T *a, int lda, T *t, int ldt);
};

template <typename T>
int tall<T>::lay_out()
{
    const size_t n_n = size_t(n) * n, m_n = size_t(m) * n;
    const size_t of_gram = n_n * ceil_div(m, rows_of_part());
    const size_t of_block = n > tall_block ? size_t(m) * tall_block : 0;
    size_t steps;
    if (int error = factor_room<T>(x, n, &steps))
        return error;
    steps = (std::max(steps, (n_n + 3) / 4 * sizeof(T)) + 255) / 256 * 256;
    const size_t room = std::max(of_gram, of_block), all = m_n + room + 9 * n_n + n;
    if (int error = reserve(x, steps + 256 + all * sizeof(T)))
        return error;
    char *ours = static_cast<char *>(x->workspace) + steps;
    verdict = reinterpret_cast<tall_verdict *>(ours);
    q = reinterpret_cast<T *>(ours + 256);
    parts = q + m_n;
    T **next[] = {&l1, &w1, &l2, &w2, &top, &lu, &wl, &wu, &v, &signs};
    for (int i = 0; i < 10; i++)
        *next[i] = parts + room + i * n_n;
    return 0;
}

constexpr int sum_threads = 128;

/* G := the sum of the parts in the lower triangle, zero in the other */
template <typename T>
__global__ void __launch_bounds__(sum_threads) sum_kernel(int n, int count, const T *parts, T *g)
{
    const int64_t i = blockIdx.x * sum_threads + threadIdx.x, j = blockIdx.y;
    const int64_t n_n = int64_t(n) * n, here = i + j * n;
    if (i >= n)
        return;
    T sum = to_element<T>(0, 0);
    if (i >= j)
#pragma unroll 8
        for (int part = 0; part < count; part++)
            sum = multiply_add(to_element<T>(1, 0), parts[here + part * n_n], sum);
    g[here] = sum;
}

template <typename T>
int tall<T>::gram(const T *a, int lda, T *g)
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const int rows = rows_of_part(), count = m / rows, rest = m % rows;
    const int64_t n_n = int64_t(n) * n;
    for (int j = 0; j < n; j += tall_block) {
        const int columns = std::min(tall_block, n - j);
        const T *from = a + int64_t(j) * lda;
        T *to = parts + j + int64_t(j) * n;
        const matrices<const T> whole = {from, lda, rows},
                                last = {from + int64_t(count) * rows, lda, 0};
        if (count > 0)
            if (int error = multiply<T>(x, 'C', 'N', n - j, columns, rows, one, whole, whole, zero,
                                        {to, n, n_n}, count))
                return error;
        if (rest > 0)
            if (int error = multiply<T>(x, 'C', 'N', n - j, columns, rest, one, last, last, zero,
                                        {to + count * n_n, n, 0}))
                return error;
    }
    return launch(x, sum_kernel<T>, dim3(ceil_div(n, sum_threads), n), sum_threads, n,
                  count + (rest > 0), parts, g);
}

/* Q1 := A R1⁻¹ */
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

constexpr int verdict_warps = 32;

__device__ inline double warp_sum(double sum)
{
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
    return sum;
}

template <typename T>
__device__ double square(T x)
{
    double size = magnitude(x);
    return size * size;
}

/* One block, a warp per row and column l. The blocks' conditions are taken together, which is at
 * most the root of their number too strict. */
template <typename T>
__global__ void __launch_bounds__(32 * verdict_warps)
    verdict_kernel(int n, const T *l1, const T *w1, const T *g2, const panel_state *state,
                   tall_verdict *verdict)
{
    __shared__ double distances[verdict_warps], conditions[verdict_warps];
    const int lane = threadIdx.x, warp = threadIdx.y;
    double distance = 0, condition = 0;
    for (int64_t l = warp; l < n; l += verdict_warps) {
        const int64_t first = l / tall_block * tall_block;
        const int64_t last = min(static_cast<int>(first) + tall_block, n);
        double row = 0, column = 0;
        for (int64_t j = first + lane; j <= l; j += 32)
            row += square(l1[l + j * n]);
        for (int64_t i = l + lane; i < last; i += 32)
            column += square(w1[i + l * n]);
        condition += warp_sum(row) * warp_sum(column);
        for (int64_t i = l + lane; i < n; i += 32)
            distance += i == l ? square(subtract_product(g2[i + l * n], to_element<T>(1, 0),
                                                         to_element<T>(1, 0)))
                               : 2 * square(g2[i + l * n]);
    }
    distance = warp_sum(distance);
    if (lane == 0) {
        distances[warp] = distance;
        conditions[warp] = condition;
    }
    __syncthreads();
    if (lane != 0 || warp != 0)
        return;
    for (int i = 1; i < verdict_warps; i++) {
        distance += distances[i];
        condition += conditions[i];
    }
    *verdict = {sqrt(distance), sqrt(condition), state->info};
}

/* The host has to know, since nothing else can be enqueued that takes A's place: only here does a
 * kernel function wait for its stream, for as long as a fraction of the panel takes. */
template <typename T>
int tall<T>::judge(bool *good)
{
    tall_verdict found;
    if (int error = launch(x, verdict_kernel<T>, 1, dim3(32, verdict_warps), n, l1, w1, l2,
                           x->panel, verdict))
        return error;
    if (int error = check(
            cudaMemcpyAsync(&found, verdict, sizeof found, cudaMemcpyDeviceToHost, x->stream)))
        return error;
    if (int error = check(cudaStreamSynchronize(x->stream)))
        return error;
    /* false for NaN, too */
    *good = found.info == 0 && found.distance <= most_distance && found.condition <= most_condition;
    return 0;
}

/* A's top: S R above the diagonal and on it, where it is real; L below */
template <typename T>
struct top_visitor {
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

/* −U S, with zeros below */
template <typename T>
struct signed_visitor {
    int64_t n;
    const T *lu, *signs;
    T *us;

    __device__ void operator()(int i, int j) const
    {
        us[i + j * n] = i > j ? to_element<T>(0, 0) : scaled(-real_part(signs[j]), lu[i + j * n]);
    }
};

/* With Q1 and R2 at hand, the rest: from here on A is overwritten. */
template <typename T>
int tall<T>::store(T *a, int lda, T *t, int ldt)
{
    const T zero = to_element<T>(0, 0), one = to_element<T>(1, 0);
    const matrices<const T> r2_inverse = {w2, n, 0};
    if (int error =
            multiply<T>(x, 'N', 'C', n, n, n, one, {q, m, 0}, r2_inverse, zero, {top, n, 0}))
        return error;
    if (int error = factor_with_signs(x, n, top, lu, signs))
        return error;
    if (int error = invert<T>(x, 'U', 'N', n, lu, n, wu, n))
        return error;
    if (int error = invert<T>(x, 'L', 'U', n, lu, n, wl, n))
        return error;
    if (int error = multiply<T>(x, 'C', 'N', n, n, n, one, r2_inverse, {wu, n, 0}, zero, {v, n, 0}))
        return error;
    /* an upper triangle: each block column takes the columns of Q1 up to its own */
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
    if (int error = visit(x, 'G', n, n, top_visitor<T>{n, r, lu, signs, a, lda}))
        return error;
    if (int error = visit(x, 'G', n, n, signed_visitor<T>{n, lu, signs, us}))
        return error;
    return multiply<T>(x, 'N', 'C', n, n, n, one, {us, n, 0}, {wl, n, 0}, zero, {t, ldt, 0});
}

template <typename T>
int factor_tall(startile_exec *x, int m, int n, T *a, int lda, T *t, int ldt, bool *done)
{
    tall<T> p = {x, m, n};
    *done = false;
    if (int error = p.lay_out())
        return error;
    if (int error = p.gram(a, lda, p.l1))
        return error;
    if (int error = factor(x, 'L', n, p.l1, n))
        return error;
    if (int error = invert<T>(x, 'L', 'N', n, p.l1, n, p.w1, n))
        return error;
    if (int error = p.substitute(a, lda))
        return error;
    if (int error = p.gram(p.q, m, p.l2))
        return error;
    bool good;
    if (int error = p.judge(&good))
        return error;
    if (!good)
        return 0;
    if (int error = factor(x, 'L', n, p.l2, n))
        return error;
    if (int error = invert<T>(x, 'L', 'N', n, p.l2, n, p.w2, n))
        return error;
    *done = true;
    return p.store(a, lda, t, ldt);
}

template decltype(factor_tall<float>) factor_tall<float>;
template decltype(factor_tall<double>) factor_tall<double>;
template decltype(factor_tall<cuComplex>) factor_tall<cuComplex>;
template decltype(factor_tall<cuDoubleComplex>) factor_tall<cuDoubleComplex>;

} // namespace startile_cuda
