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

    /* The largest of numbers ≥ 0, NaN among them the largest: as integers, they order so. */
    static __device__ float largest_of_warp(float x)
    {
        return __uint_as_float(__reduce_max_sync(0xffffffff, __float_as_uint(x)));
    }

    /* By the first warp: the ∞-norm of L, and of W but for its last eight rows */
    __device__ void bound_norms(const T *l, const T *w) const
    {
        float most_l = 0, most_w = 0;
        for (int row = threadIdx.x; row < order; row += 32) {
            const pivots_of<T> root = this->roots[row];
            double sum_l = root.pivot * root.reciprocal, sum_w = 0;
#pragma unroll 8
            for (int j = 0; j < row / 32 * 32 + 32; j++) {
                const double size = magnitude(l[row + j * ld]);
                sum_l += j < row ? size : 0;
                sum_w += row < order - strip_width ? magnitude(w[row + j * ld]) : 0;
            }
            most_l = largest_of_warp(fmaxf_or_nan(most_l, fabsf(static_cast<float>(sum_l))));
            most_w = largest_of_warp(fmaxf_or_nan(most_w, static_cast<float>(sum_w)));
        }
        if (threadIdx.x == 0) {
            bounds[0] = most_l;
            bounds[1] = most_w;
        }
    }

    static __device__ float fmaxf_or_nan(float x, float y)
    {
        return __uint_as_float(max(__float_as_uint(x), __float_as_uint(y)));
    }

    /* Whether the inverse may be used instead of substitution; the same in all threads, after
     * bound_norms and a barrier. Two of the last rows to a warp. */
    __device__ bool is_tame(const T *w) const
    {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const int row = order - strip_width + 2 * warp + lane % 2;
        float sum = 0;
#pragma unroll
        for (int j = lane / 2; j < order; j += 16)
            sum += static_cast<float>(magnitude(w[row + j * ld]));
#pragma unroll
        for (int distance = 2; distance < 32; distance *= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, distance);
        sum = largest_of_warp(sum);
        if (lane == 0)
            bounds[2 + warp] = sum;
        __syncthreads();
        float most_w = bounds[1];
#pragma unroll
        for (int i = 2; i < 6; i++)
            most_w = fmaxf_or_nan(most_w, bounds[i]);
        return bounds[0] * most_w <= order;
    }

    /* By so many threads, of which this is one */
    __device__ void copy_out(T *to, const T *from, int thread, int threads) const
    {
        constexpr int pieces = tile<T>::bytes / 16, some = 9;
        int4 e[some];
        for (int first = thread; first < pieces; first += some * threads) {
#pragma unroll
            for (int u = 0; u < some; u++)
                if (first + u * threads < pieces)
                    e[u] = reinterpret_cast<const int4 *>(from)[first + u * threads];
#pragma unroll
            for (int u = 0; u < some; u++)
                if (first + u * threads < pieces)
                    reinterpret_cast<int4 *>(to)[first + u * threads] = e[u];
        }
    }

    __device__ void get_start(block &x, int i, int j) const
    {
        const T *const from = job.factor(i, j);
        x.visit([&](int p, int q, T &e) { e = __ldcg(from + p + q * ld); });
    }

    /* x := A(i, i) less what the tiles left of it take; also makes L(i, i − 1), in buffer 2 */
    __device__ void prepare(block &x, int i) const
    {
        const int j = i - 1;
        block left;
        if (this->is_started(i)) {
            wait_until(job.start_there + i);
            get_start(left, i, j);
            get_start(x, i, i);
        } else {
            this->take_minus(left, i, j);
            this->take_minus(x, i, i);
        }
        const int first = this->is_started(i) ? j - lead : 0;
        this->for_each_half(this->of_factor(i, j, first, j), [&](const T *a, const T *b) {
            left.add(a, b, tile<T>::half);
            x.add(a, a, tile<T>::half);
        });
        strip<T> solved;
        this->solve(left, j, solved);
        T *const l = buffer(2);
        solved.visit([&](int p, int q, T &e) { l[p + q * ld] = e; });
        __syncthreads();
        x.add(l, l, order);
        __syncthreads();
    }

    /* By the helpers: L(i, i − 1), in buffer 2, for the others */
    __device__ void give_left(int i) const
    {
        if (i == 0)
            return;
        copy_out(job.factor(i, i - 1), buffer(2), threadIdx.x - 32, helpers);
        sync(helpers_barrier, helpers);
        if (threadIdx.x == publisher)
            announce(job.factor_there + i * job.tiles + i - 1, 1);
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
        factor_tile(
            l, w, adjoint, this->roots, failed, [&] { give_left(i); }, [&] { bound_norms(l, w); });
        if (threadIdx.x == 0 && *failed >= 0 && job.control->info == 0)
            job.control->info = i * order + *failed + 1;

        const bool is_tame = this->is_tame(w);
        const int64_t at = int64_t(i) * elements;
        copy_out(job.w_diagonal + at, w, threadIdx.x, tile_threads);
        if (!is_tame)
            copy_out(job.l_diagonal + at, l, threadIdx.x, tile_threads);
        __syncthreads();
        if (threadIdx.x == publisher)
            announce(job.diagonal_there + i, is_tame ? 1 : 2);
        report(i);
    }

    /* What is off the way to the next diagonal tile */
    __device__ void report(int i) const
    {
        T *const l = buffer(0), *const w = buffer(1), *const room = buffer(2);
        if (job.w != nullptr) {
            copy_out(job.inverse(i, i), room, threadIdx.x, tile_threads);
            __syncthreads();
            if (threadIdx.x == publisher)
                announce(job.inverse_there + i * job.tiles + i, 1);
            put_tile(job, i, i, w, job.w, job.ldw, true);
            if (threadIdx.x < order)
                sum_column(job, i, i, w, threadIdx.x, job.norms_w);
            this->count_norms(i, i, 1);
        }
        this->report_factor(l, i, i);
        if (i > 0) {
            __syncthreads();
            copy_bytes_later(room, job.factor(i, i - 1), tile<T>::bytes);
            wait_for_copies();
            __syncthreads();
            this->report_factor(room, i, i - 1);
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
