/* The bookkeeping warp of the QR strip kernel (geqrf_strip.cu), which computes T */
#ifndef STARTILE_QR_STRIP_BOOKKEEPING_CUH
#define STARTILE_QR_STRIP_BOOKKEEPING_CUH

#include "geqrf/qr_strip_state.cuh"

namespace startile_cuda
{

/* State of the bookkeeping warp. The warp receives every message that the compute warps receive,
 * and after reading one it arrives at the barrier of the next message. */
template <typename T, int width, int compute_threads>
struct qr_bookkeeping_warp : qr_receiver<T, width> {
    using base = qr_receiver<T, width>;
    using S = wide<T>;
    static constexpr int all_threads = compute_threads + 32;
    using base::lane, base::smem, base::blocks;
    const qr_strip<T> &s;
    int rank;

    __device__ qr_bookkeeping_warp(const qr_strip<T> &s, qr_strip_smem<T, width> &smem, int blocks,
                                   int rank, int lane)
        : base{smem, blocks, lane}, s(s), rank(rank)
    {
    }

    /* Computes T of each group, and moves R of the rows above the strip. */
    __device__ void run()
    {
        move_rows_above();
        for (int first = 0; first < s.columns; first += width) {
            for (int c = 0; c < width; c++)
                extend_triangle(first, c);
            __syncwarp();
            arrive(qr_group_barrier, all_threads);
        }
    }

    /* Moves R in the rows above the strip to s.r. All blocks share the work. */
    __device__ void move_rows_above()
    {
        for (int j = 0; j < s.columns; j++)
            for (int i = rank * 32 + lane; i < s.above; i += blocks * 32) {
                T *from = s.a + i - s.above + j * s.ld;
                s.r[i + j * s.ldr] = *from;
                *from = to_element<T>(0, 0);
            }
    }

    /* Receives the messages about one column and computes its reflector. */
    __device__ void receive_all()
    {
        arrive(qr_step_barrier, all_threads);
        if (!base::receive_products()) {
            arrive(qr_step_barrier, all_threads);
            base::receive_largest();
            arrive(qr_step_barrier, all_threads);
            base::receive_scaled_products();
        }
        base::compute_reflector();
    }

    /* Computes column c of the group's T. At that time column i < c of V is in register column
     * width − c + i. */
    __device__ void extend_triangle(int first, int c)
    {
        constexpr unsigned int all = 0xffffffff;
        receive_all();
        const S dot = scaled<S>(base::power,
                                multiply_add(conjugate(base::h.scale), base::product, base::top));
        const T g = convert<T>(conjugate(dot));
        T(*t)[max_strip_columns] = &smem.triangle[first];
        const int i = lane % width;
        T sum = to_element<T>(0, 0);
#pragma unroll
        for (int k = 0; k < width - 1; k++) {
            const int source = (width - c + k) % width * base::parts;
            const T factor = shuffle(g, source);
            if (k < c && i <= k)
                sum = multiply_add(t[i][first + k], factor, sum);
        }
        const T tau = convert<T>(base::h.tau);
        __syncwarp(all);
        if (lane < width)
            t[i][first + c] = i < c    ? multiply(scaled<T>(-1, tau), sum)
                              : i == c ? tau
                                       : to_element<T>(0, 0);
        __syncwarp(all);
    }
};

} // namespace startile_cuda

#endif
