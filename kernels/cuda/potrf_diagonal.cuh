/*
 * The task that decides how fast a matrix is factored (potrf_tile.cu): a diagonal tile, and the one
 * to its left, so that from one diagonal tile to the next a word passes between thread blocks only
 * once.
 *
 * Multiplying by the inverse W of a diagonal tile L instead of substituting leaves a residual of up
 * to c n eps ‖ |W| |L| ‖, times what substitution leaves. So W is given to others only where
 * ‖L‖ ‖W‖ ≤ order, in the ∞-norm; where not, they get L and substitute.
 */
#ifndef STARTILE_POTRF_DIAGONAL_CUH
#define STARTILE_POTRF_DIAGONAL_CUH

#include "potrf_tasks.cuh"

namespace startile_cuda
{

template <typename T>
struct potrf_diagonal : potrf_worker<T> {
    using worker = potrf_worker<T>;
    using typename worker::block;
    using worker::bounds, worker::buffer, worker::elements, worker::failed, worker::job, worker::ld,
        worker::order;

    static constexpr int publisher = tile_threads - 1; /* not of the warp that factors */

    /* Whether the inverse may be used instead of substitution; the same in all threads */
    __device__ bool is_tame(const T *l, const T *w) const
    {
        constexpr int parts = tile_threads / order;
        const int row = threadIdx.x / parts;
        double sum_l = 0, sum_w = 0;
#pragma unroll 8
        for (int j = threadIdx.x % parts; j < order; j += parts) {
            const double size = magnitude(l[row + j * ld]);
            sum_l += j <= row ? size : 0;
            sum_w += magnitude(w[row + j * ld]);
        }
#pragma unroll
        for (int distance = 1; distance < parts; distance *= 2) {
            sum_l += __shfl_xor_sync(0xffffffff, sum_l, distance);
            sum_w += __shfl_xor_sync(0xffffffff, sum_w, distance);
        }
        /* fmax would lose NaN */
        bool is_bad = !isfinite(sum_l) || !isfinite(sum_w);
#pragma unroll
        for (int distance = 16; distance > 0; distance /= 2) {
            sum_l = fmax(sum_l, __shfl_xor_sync(0xffffffff, sum_l, distance));
            sum_w = fmax(sum_w, __shfl_xor_sync(0xffffffff, sum_w, distance));
        }
        const int warp = threadIdx.x / 32;
        if (threadIdx.x % 32 == 0) {
            bounds[warp] = sum_l;
            bounds[4 + warp] = sum_w;
        }
        is_bad = __syncthreads_or(is_bad);
        const double most_l = fmax(fmax(bounds[0], bounds[1]), fmax(bounds[2], bounds[3]));
        const double most_w = fmax(fmax(bounds[4], bounds[5]), fmax(bounds[6], bounds[7]));
        return !is_bad && most_l * most_w <= order;
    }

    __device__ void copy_out(T *to, const T *from) const
    {
        constexpr int pieces = tile<T>::bytes / 16, some = 9;
        int4 e[some];
        for (int first = threadIdx.x; first < pieces; first += some * tile_threads) {
#pragma unroll
            for (int u = 0; u < some; u++)
                if (first + u * tile_threads < pieces)
                    e[u] = reinterpret_cast<const int4 *>(from)[first + u * tile_threads];
#pragma unroll
            for (int u = 0; u < some; u++)
                if (first + u * tile_threads < pieces)
                    reinterpret_cast<int4 *>(to)[first + u * tile_threads] = e[u];
        }
    }

    /* x := A(i, i) less what the tiles left of it take; also makes L(i, i − 1), in buffer 2 */
    __device__ void prepare(block &x, int i) const
    {
        const int j = i - 1;
        block left;
        const bool is_started = i > 2;
        this->take_minus(left, i, j);
        if (is_started)
            x.clear();
        else
            this->take_minus(x, i, i);
        this->for_each_half(this->of_factor(i, j, 0, j), [&](const T *a, const T *b, int k) {
            left.add(a, b, tile<T>::half);
            if (k == j - 1)
                x.add(a, a, tile<T>::half);
        });
        if (is_started) {
            wait_until(job.start_there + i);
            const T *const from = job.factor(i, i);
            x.visit([&](int p, int q, T &e) {
                e = multiply_add(to_element<T>(1, 0), __ldcg(from + p + q * ld), e);
            });
        }
        strip<T> solved;
        this->solve(left, j, solved);
        this->store_factor(solved, i, j);
        T *const l = buffer(2);
        solved.visit([&](int p, int q, T &e) { l[p + q * ld] = e; });
        __syncthreads();
        if (threadIdx.x == publisher)
            announce(job.factor_there + i * job.tiles + j, 1);
        x.add(l, l, order);
        __syncthreads();
    }

    __device__ void diagonal(int i) const
    {
        T *const l = buffer(0), *const w = buffer(1), *const adjoint = buffer(2);
        block x;
        if (threadIdx.x == 0)
            *failed = -1;
        if (i > 0)
            prepare(x, i);
        else
            this->take_minus(x, 0, 0);
        x.visit([&](int p, int q, T &e) { l[p + q * ld] = scaled<T>(-1, e); });
        factor_tile(l, w, adjoint, this->reciprocals, failed);
        if (threadIdx.x == 0 && *failed >= 0 && job.control->info == 0)
            job.control->info = i * order + *failed + 1;

        const bool is_tame = this->is_tame(l, w);
        const int64_t at = int64_t(i) * elements;
        copy_out(job.w_diagonal + at, w);
        if (!is_tame)
            copy_out(job.l_diagonal + at, l);
        __syncthreads();
        if (threadIdx.x == publisher)
            announce(job.diagonal_there + i, is_tame ? 1 : 2);
        report(i);
    }

    /* What is off the way to the next diagonal tile */
    __device__ void report(int i) const
    {
        if (job.w != nullptr) {
            copy_out(job.inverse(i, i), buffer(2));
            __syncthreads();
            if (threadIdx.x == publisher)
                announce(job.inverse_there + i * job.tiles + i, 1);
            this->report_inverse(buffer(1), i, i);
        }
        this->report_factor(buffer(0), i, i);
        if (i > 0) {
            T *const l = buffer(2);
            __syncthreads();
            copy_bytes_later(l, job.factor(i, i - 1), tile<T>::bytes);
            wait_for_copies();
            __syncthreads();
            this->report_factor(l, i, i - 1);
        }
        if (i == job.tiles - 1 && threadIdx.x == 0)
            report_info();
    }

    __device__ void report_info() const
    {
        job.state->info = job.control->info;
        if (job.panel == nullptr || job.w != nullptr)
            return;
        job.panel->info = job.control->info;
        job.panel->use_inverse = 0;
        __threadfence_system();
    }
};

} // namespace startile_cuda

#endif
