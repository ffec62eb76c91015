/* A compute thread of the QR strip kernel (geqrf_strip.cu) */
#ifndef STARTILE_QR_STRIP_COMPUTE_CUH
#define STARTILE_QR_STRIP_COMPUTE_CUH

#include "geqrf/qr_strip_state.cuh"

namespace startile_cuda
{

/* State of a compute thread, which holds `rows` rows: first_row + threadIdx.x + r · compute_threads
 * for r < rows. Registers cannot be indexed; so after each reflector the columns move to the left
 * by one register column, and the new column of V enters from the right. */
template <typename T, int width, int rows, int compute_threads>
struct qr_compute_thread : qr_receiver<T, width> {
    using base = qr_receiver<T, width>;
    using smem_layout = qr_strip_smem<T, width>;
    using S = wide<T>;
    using base::lane, base::smem, base::blocks, base::messages;
    static constexpr int warps = compute_threads / 32, all_threads = compute_threads + 32,
                         values = smem_layout::values;
    /* Distance in elements between columns in shared memory, chosen so that columns begin in
     * different banks */
    static constexpr int stride = rows * compute_threads + (std::is_same_v<T, double> ? 4 : 1);
    static constexpr int column_bytes = stride * sizeof(T);
    const qr_strip<T> &s;
    int rank, warp, first_row;
    T *columns; /* columns of the strip in shared memory: V, or A where it is not factored yet */
    T x[rows][width]; /* this thread's elements of the columns in registers */

    __device__ qr_compute_thread(const qr_strip<T> &s, smem_layout &smem, int blocks, int rank,
                                 int warp, int lane, int first_row)
        : base{smem, blocks, lane}, s(s), rank(rank), warp(warp), first_row(first_row)
    {
    }

    /* Returns the index in the block of the thread's row r. */
    __device__ int row_in_block(int r) const
    {
        return static_cast<int>(threadIdx.x) + r * compute_threads;
    }

    /* Returns the index in the strip of the thread's row r. */
    __device__ int row(int r) const
    {
        return first_row + row_in_block(r);
    }

    __device__ bool is_mine(int r, int rows_of_block) const
    {
        return row_in_block(r) < rows_of_block && row(r) < s.m;
    }

    /* Loads the first group to registers, and starts copying the other groups to shared memory. */
    __device__ void load(int rows_of_block)
    {
#pragma unroll
        for (int c = 0; c < width; c++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                x[r][c] = is_mine(r, rows_of_block) && c < s.columns ? s.a[row(r) + c * s.ld]
                                                                     : to_element<T>(0, 0);
        if (s.columns <= width)
            return;
        const int padded = (s.columns + width - 1) / width * width;
        for (int c = width; c < padded; c++)
#pragma unroll
            for (int r = 0; r < rows; r++) {
                T *to = &columns[c * stride + row_in_block(r)];
                if (is_mine(r, rows_of_block) && c < s.columns)
                    copy_async(to, &s.a[row(r) + c * s.ld]);
                else
                    *to = to_element<T>(0, 0);
            }
    }

    /* Loads the group from column `first` on from shared memory to registers. */
    __device__ void load_group(int first)
    {
#pragma unroll
        for (int c = 0; c < width; c++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                x[r][c] = columns[(first + c) * stride + row_in_block(r)];
    }

    /* Stores the finished group that begins at column `first`: R to s.r, V to the strip and, if
     * there are several groups, to shared memory. */
    __device__ void store_group(int first, int rows_of_block)
    {
        if (row(0) < first + width)
            store_row_of_r(first);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const bool exists = is_mine(r, rows_of_block);
            T *a = s.a + row(r) + first * s.ld, *kept = columns + first * stride + row_in_block(r);
#pragma unroll
            for (int c = 0; c < width; c++) {
                if (exists && first + c < s.columns)
                    a[c * s.ld] = x[r][c];
                if (s.columns > width)
                    kept[c * stride] = x[r][c];
            }
        }
    }

    /* Stores the elements of R in this thread's first row, and replaces them by those of V in the
     * registers. */
    __device__ void store_row_of_r(int first)
    {
        const int i = row(0);
        T *to = s.r + s.above + i;
#pragma unroll
        for (int c = 0; c < width; c++)
            if (i <= first + c) {
                if (i < s.m && first + c < s.columns)
                    to[(first + c) * s.ldr] = x[0][c];
                x[0][c] = to_element<T>(i == first + c, 0);
            }
    }

    /* Sums each of `values` numbers over the warp, or finds its maximum with is_largest. Returns to
     * a lane the result for number ⌊lane · values / 32⌋. */
    template <bool is_largest>
    __device__ double reduce(double (&p)[values]) const
    {
        int distance = 16;
#pragma unroll
        for (int half = values / 2; half > 0; half /= 2) {
            const bool upper = lane & distance;
#pragma unroll
            for (int i = 0; i < half; i++) {
                const double kept = upper ? p[i + half] : p[i], given = upper ? p[i] : p[i + half];
                p[i] = combine<is_largest>(kept, __shfl_xor_sync(0xffffffff, given, distance));
            }
            distance /= 2;
        }
#pragma unroll
        for (int d = 16 / values; d > 0; d /= 2)
            p[0] = combine<is_largest>(p[0], __shfl_xor_sync(0xffffffff, p[0], d));
        return p[0];
    }

    /* Sends the block's sums, or its maxima with is_largest, to all blocks. The warps divide the
     * receiving blocks among themselves. with_top: block 0 also sends smem.top_out. */
    template <bool is_largest>
    __device__ void broadcast(double (&p)[values], bool with_top)
    {
        constexpr int lists = 32 / values, packs = values / 2, receivers = 32 / packs;
        const int b = messages % 2;
        const double mine = reduce<is_largest>(p);
        if (lane % lists == 0)
            smem.warp_sums[b][warp][lane / lists] = mine;
        sync(qr_step_barrier, all_threads);
        if (threadIdx.x == 0)
            mbarrier::arrive_expect_tx(shared_address(&smem.received[b]),
                                       (blocks + (with_top ? 1 : 0)) * values * 8);
        double total = 0;
#pragma unroll
        for (int w = 0; w < warps; w += lists)
            if (w + lane / values < warps)
                total =
                    combine<is_largest>(total, smem.warp_sums[b][w + lane / values][lane % values]);
        total = combine_lanes<is_largest, values>(total);
        const int pack = lane % packs;
        const double low = __shfl_sync(0xffffffff, total, 2 * pack);
        const double high = __shfl_sync(0xffffffff, total, 2 * pack + 1);
        const int4 message = make_int4(__double2loint(low), __double2hiint(low),
                                       __double2loint(high), __double2hiint(high));
        int4 *to = reinterpret_cast<int4 *>(smem.block_sums[b][rank]) + pack;
        for (int block = warp + lane / packs * warps; block < blocks; block += receivers * warps) {
            mbarrier::store_async(block, to, message, &smem.received[b]);
            if (with_top && rank == 0)
                mbarrier::store_async(block, reinterpret_cast<int4 *>(smem.top[b]) + pack,
                                      reinterpret_cast<const int4 *>(smem.top_out[b])[pack],
                                      &smem.received[b]);
        }
    }

    /* Returns whether the thread's row r is below row `step`. */
    __device__ bool is_below(int r, int step) const
    {
        return r > 0 || row(0) > step;
    }

    /* Adds x̄ y to the sum of one register column. */
    static __device__ void accumulate(double (&p)[values], int column, S x, S y)
    {
        if constexpr (element<T>::is_complex) {
            S sum = multiply_add(conjugate(x), y, S{p[2 * column], p[2 * column + 1]});
            p[2 * column] = sum.x;
            p[2 * column + 1] = sum.y;
        } else {
            p[column] = fma(x, y, p[column]);
        }
    }

    /* Sends to all blocks the inner products of register column 0 with all register columns, over
     * the rows below row `step`, and the elements of row `step`. */
    __device__ void broadcast_products(int step)
    {
        double p[values] = {};
        if (row(0) == step)
#pragma unroll
            for (int q = 0; q < width; q++)
                smem.top_out[messages % 2][q] = convert<S>(x[0][q]);
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (is_below(r, step))
#pragma unroll
                for (int q = 0; q < width; q++)
                    accumulate(p, q, convert<S>(x[r][0]), convert<S>(x[r][q]));
        broadcast<false>(p, true);
    }

    /* Sends the products again, and receives them, with columns divided by powers of two near their
     * largest elements, because squares might overflow or underflow. Register column 0 stays
     * divided. */
    __device__ void broadcast_scaled_products(int step)
    {
        double p[values] = {};
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (is_below(r, step))
#pragma unroll
                for (int q = 0; q < width; q++) {
                    const S e = convert<S>(x[r][q]);
                    p[q * smem_layout::parts] = fmax(p[q * smem_layout::parts], largest_part(e));
                }
        broadcast<true>(p, false);
        base::receive_largest();
        double scale[width], sums[values] = {};
#pragma unroll
        for (int q = 0; q < width; q++)
            scale[q] = 1 / base::power_of(q);
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (is_below(r, step)) {
                x[r][0] = scaled<T>(scale[0], x[r][0]);
#pragma unroll
                for (int q = 0; q < width; q++)
                    accumulate(sums, q, convert<S>(x[r][0]),
                               scaled<S>(q == 0 ? 1 : scale[q], convert<S>(x[r][q])));
            }
        broadcast<false>(sums, false);
        base::receive_scaled_products();
    }

    /* Computes the reflector of register column 0, which is column c of the group and column `step`
     * of the strip. Applies it to the columns of the group on the right. */
    __device__ void reflect(int step, int c)
    {
        broadcast_products(step);
        if (!base::receive_products())
            if constexpr (base::may_overflow)
                broadcast_scaled_products(step);
        base::compute_reflector();
        const reflector<S> &h = base::h;
        const T mine = convert<T>(scaled<S>(base::power, multiple_of(h, base::top, base::product)));
        const T beta = to_element<T>(h.beta * base::power_of(0), 0);
        if (lane < values && lane % smem_layout::parts == 0)
            smem.column_multiples[warp][lane / smem_layout::parts] = mine;
        __syncwarp();
        T v[rows], w[width];
#pragma unroll
        for (int q = 0; q < width; q++)
            w[q] = smem.column_multiples[warp][q];
#pragma unroll
        for (int r = 0; r < rows; r++) {
            v[r] = convert<T>(multiply(convert<S>(x[r][0]), h.scale));
            if (!is_below(r, step)) {
                const bool is_top = row(r) == step;
                v[r] = to_element<T>(is_top, 0);
                x[r][0] = is_top ? beta : x[r][0];
            } else {
                x[r][0] = v[r];
            }
        }
#pragma unroll
        for (int q = 1; q < width; q++) {
#pragma unroll
            for (int r = 0; r < rows; r++) {
                const T old = x[r][q];
                x[r][q] = x[r][q - 1];
                x[r][q - 1] = q < width - c ? subtract_product(old, v[r], w[q]) : old;
            }
        }
    }

    /* Factors the group that begins at column `first` of the strip. */
    __device__ void factor(int first)
    {
#pragma unroll 1
        for (int c = 0; c < width; c++)
            reflect(first + c, c);
    }
};

} // namespace startile_cuda

#endif
