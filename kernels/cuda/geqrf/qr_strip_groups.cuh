/*
 * Update of a QR strip (geqrf_strip.cu) by a group of its columns. The block reflector of the group
 * is applied to the columns right of it, which are in shared memory. The products of the group's V
 * with the columns left of it are stored, for T.
 */
#ifndef STARTILE_QR_STRIP_GROUPS_CUH
#define STARTILE_QR_STRIP_GROUPS_CUH

#include "geqrf/qr_strip_compute.cuh"

namespace startile_cuda
{

/* State of a compute thread. `first` is the first column of the group. The other columns, which are
 * those of the strip outside the group, are numbered from 0 on without the group's columns;
 * `others` is their count. */
template <typename T, int width, int rows, int compute_threads>
struct qr_group_update : qr_compute_thread<T, width, rows, compute_threads> {
    using base = qr_compute_thread<T, width, rows, compute_threads>;
    using smem_layout = qr_strip_smem<T, width>;
    using base::base;
    using base::s, base::smem, base::columns, base::x, base::rank, base::blocks, base::warp,
        base::lane, base::stride, base::warps;
    static constexpr int per_pack = 16 / sizeof(T); /* elements in a message of 16 bytes */
    /* Bytes of the products of V with one other column */
    static constexpr int product_column_bytes = width * sizeof(T);
    /* Number of phases of products_received that this thread has waited for */
    int phases_waited = 0;

    /* Returns the index in the strip of other column o. */
    __device__ int other_column(int o, int first) const
    {
        return o < first ? o : o + width;
    }

    /* Computes Vᴴ C on tensor cores, over the rows of the warp, for the group's V and 8 · eights
     * other columns C. A lane loads row lane % 4 of each four rows, in column lane / 4 of V and in
     * column lane / 4 of each eight columns of C. */
    template <int eights>
    __device__ void multiply_rows_in_double(int first)
    {
        double sum[eights][2] = {};
        const int offset = warp * 32 + lane % 4, column = lane / 4;
        const double *v = columns + (first + column) * stride + offset;
        const double *c[eights];
#pragma unroll
        for (int b = 0; b < eights; b++)
            c[b] = columns + other_column(8 * b + column, first) * stride + offset;
#pragma unroll
        for (int r = 0; r < rows; r++)
#pragma unroll
            for (int l = 0; l < 32; l += 4) {
                const int i = r * compute_threads + l;
#pragma unroll
                for (int b = 0; b < eights; b++)
                    multiply_tile(sum[b], v[i], c[b][i]);
            }
#pragma unroll
        for (int b = 0; b < eights; b++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                smem.partial_products[warp][(8 * b + 2 * (lane % 4) + e) * width + column] =
                    sum[b][e];
    }

    /* Computes Vᴴ C by FMA, over the rows of the warp, for the group's V and 8 · eights other
     * columns C. A lane has columns lane % 4 and lane % 4 + 4 of V, and column lane / 4 of each
     * eight columns of C. */
    template <int eights>
    __device__ void multiply_rows_fma(int first)
    {
        T sum[2][eights];
        const T *v = columns + (first + lane % 4) * stride + warp * 32;
        const T *c[eights];
#pragma unroll
        for (int b = 0; b < eights; b++) {
            sum[0][b] = sum[1][b] = to_element<T>(0, 0);
            c[b] = columns + other_column(lane / 4 + 8 * b, first) * stride + warp * 32;
        }
#pragma unroll
        for (int r = 0; r < rows; r++)
#pragma unroll 4
            for (int l = 0; l < 32; l++) {
                const int i = r * compute_threads + l;
                const T v0 = conjugate(v[i]), v1 = conjugate(v[4 * stride + i]);
#pragma unroll
                for (int b = 0; b < eights; b++) {
                    const T e = c[b][i];
                    sum[0][b] = multiply_add(v0, e, sum[0][b]);
                    sum[1][b] = multiply_add(v1, e, sum[1][b]);
                }
            }
#pragma unroll
        for (int b = 0; b < eights; b++) {
            T *to = &smem.partial_products[warp][(lane / 4 + 8 * b) * width + lane % 4];
            to[0] = sum[0][b];
            to[4] = sum[1][b];
        }
    }

    /* Computes Vᴴ C over the rows of the warp, for 8 · eights other columns C. */
    template <int eights>
    __device__ void multiply_rows(int first)
    {
        __syncwarp();
        if constexpr (std::is_same_v<T, double>)
            multiply_rows_in_double<eights>(first);
        else
            multiply_rows_fma<eights>(first);
    }

    static __device__ T add(T x, T y)
    {
        return multiply_add(to_element<T>(1, 0), x, y);
    }

    /* Sends the block's products to the blocks that add them up: block 0 for the columns on the
     * left, the blocks in turn for the columns on the right. */
    __device__ void send_block_products(int first, int others)
    {
        const int p = threadIdx.x * per_pack, o = p / width;
        if (o >= others)
            return;
        union {
            T sum[per_pack];
            int4 bits;
        } message;
#pragma unroll
        for (int e = 0; e < per_pack; e++) {
            T sum = smem.partial_products[0][p + e];
#pragma unroll
            for (int w = 1; w < warps; w++)
                sum = add(sum, smem.partial_products[w][p + e]);
            message.sum[e] = sum;
        }
        mbarrier::store_async(o < first ? 0 : (o - first) % blocks, &smem.products_in[rank][p],
                              message.bits, &smem.products_received);
    }

    /* Returns the number of other columns whose products this block adds up. */
    __device__ int columns_to_add(int first, int others) const
    {
        return (others - first + blocks - 1 - rank) / blocks + (rank == 0 ? first : 0);
    }

    /* Called by one warp. Returns vᴴ c, summed over all blocks, where v is column lane % width of V
     * and c is other column o. */
    __device__ T whole_product(int o) const
    {
        T sum = to_element<T>(0, 0);
#pragma unroll
        for (int i = 0; i < max_qr_blocks; i += 32 / width)
            if (i + lane / width < blocks)
                sum = add(sum, smem.products_in[i + lane / width][o * width + lane % width]);
#pragma unroll
        for (int distance = width; distance < 32; distance *= 2)
            sum = add(sum, shuffle(sum, lane ^ distance));
        return sum;
    }

    /* Called by one warp. Sends w = Tᴴ Vᴴ c to all blocks, where c is other column o, right of the
     * group. The blocks then compute c −= V w. */
    __device__ void broadcast_multiples(int first, int o)
    {
        constexpr int packs = width / per_pack;
        const T product = whole_product(o);
        T mine = to_element<T>(0, 0);
#pragma unroll
        for (int k = 0; k < width; k++) {
            const T product_k = shuffle(product, k);
            if (k <= lane % width)
                mine = multiply_add(conjugate(smem.triangle[first + k][first + lane % width]),
                                    product_k, mine);
        }
        const int pack = lane % packs;
        union {
            T multiple[per_pack];
            int4 bits;
        } message;
#pragma unroll
        for (int e = 0; e < per_pack; e++)
            message.multiple[e] = shuffle(mine, pack * per_pack + e);
        for (int block = lane / packs; block < blocks; block += 32 / packs)
            mbarrier::store_async(block, &smem.multiples[o][pack * per_pack], message.bits,
                                  &smem.multiples_received);
        __syncwarp();
    }

    /* Computes c −= V w for the columns right of the group, eight at a time, by FMA. V is in x. */
    __device__ void update_fma(int first, int others)
    {
#pragma unroll 1
        for (int o = first; o < others; o += 8) {
            T *c = &columns[other_column(o, first) * stride + base::row_in_block(0)];
#pragma unroll
            for (int r = 0; r < rows; r++) {
                T e[8];
#pragma unroll
                for (int q = 0; q < 8; q++)
                    e[q] = c[q * stride + r * compute_threads];
#pragma unroll
                for (int k = 0; k < width; k++)
#pragma unroll
                    for (int q = 0; q < 8; q++)
                        e[q] = subtract_product(e[q], x[r][k], smem.multiples[o + q][k]);
#pragma unroll
                for (int q = 0; q < 8; q++)
                    c[q * stride + r * compute_threads] = e[q];
            }
        }
    }

    /* Computes c −= V w for the columns right of the group, eight at a time, on tensor cores,
     * transposed: cᵀ −= wᵀ Vᵀ. */
    __device__ void update_in_double(int first, int others)
    {
        const int high = lane / 4, low = lane % 4;
        const double *v = columns + (first + low) * stride + warp * 32 + high;
        double *c = columns + (first + width + high) * stride + warp * 32 + 2 * low;
#pragma unroll 1
        for (int o = first; o < others; o += 8, c += 8 * stride) {
            const double w[2] = {-smem.multiples[o + high][low],
                                 -smem.multiples[o + high][low + 4]};
#pragma unroll
            for (int r = 0; r < rows; r++) {
                double e[4][2];
#pragma unroll
                for (int l = 0; l < 4; l++) {
                    const double2 old =
                        *reinterpret_cast<double2 *>(&c[r * compute_threads + 8 * l]);
                    e[l][0] = old.x;
                    e[l][1] = old.y;
                }
#pragma unroll
                for (int k = 0; k < 2; k++)
#pragma unroll
                    for (int l = 0; l < 4; l++)
                        multiply_tile(e[l], w[k], v[4 * k * stride + r * compute_threads + 8 * l]);
#pragma unroll
                for (int l = 0; l < 4; l++)
                    *reinterpret_cast<double2 *>(&c[r * compute_threads + 8 * l]) =
                        make_double2(e[l][0], e[l][1]);
            }
        }
        __syncwarp();
    }

    /* Stores the products with the columns on the left in smem.gram, for finish_triangle(). */
    __device__ void store_products(int first)
    {
        for (int o = warp; o < first; o += warps) {
            const T product = whole_product(o);
            if (lane < width)
                smem.gram[o][first + lane] = conjugate(product);
        }
    }

    /* Applies the group that begins at column `first`, after store_group(): updates the columns on
     * its right, and stores the products with the columns on its left. */
    __device__ void update_other_columns(int first)
    {
        const int others = (s.columns - 1) / width * width;
        if (first == 0)
            wait_for_copies();
        if (others == 8)
            multiply_rows<1>(first);
        else if (others == 16)
            multiply_rows<2>(first);
        else
            multiply_rows<3>(first);
        sync(qr_compute_barrier, compute_threads);
        send_block_products(first, others);
        const int to_add = columns_to_add(first, others), to_update = others - first;
        if (threadIdx.x == 0 && to_add > 0)
            mbarrier::arrive_expect_tx(shared_address(&smem.products_received),
                                       blocks * to_add * product_column_bytes);
        if (threadIdx.x == 0 && to_update > 0)
            mbarrier::arrive_expect_tx(shared_address(&smem.multiples_received),
                                       to_update * product_column_bytes);
        sync(qr_group_barrier, compute_threads + 32);
        if (to_add > 0)
            mbarrier::wait(shared_address(&smem.products_received), phases_waited++ % 2);
        for (int o = first + rank + warp * blocks; o < others; o += warps * blocks)
            broadcast_multiples(first, o);
        if (rank == 0)
            store_products(first);
        if (to_update == 0)
            return;
        mbarrier::wait(shared_address(&smem.multiples_received), first / width % 2);
        if constexpr (std::is_same_v<T, double>)
            update_in_double(first, others);
        else
            update_fma(first, others);
    }

    /* Computes the blocks of T between the groups from VᴴV and the groups' own T: T₁₂ = −T₁ (V₁ᴴ
     * V₂) T₂. */
    __device__ void finish_triangle()
    {
        const int o = threadIdx.x / width, i = threadIdx.x % width;
        for (int first = width; first < s.columns; first += width) {
            const bool mine = o < first;
            T sum = to_element<T>(0, 0);
            for (int k = 0; mine && k <= i; k++)
                sum =
                    multiply_add(smem.gram[o][first + k], smem.triangle[first + k][first + i], sum);
            if (mine)
                smem.product[o * width + i] = sum;
            sync(qr_compute_barrier, compute_threads);
            sum = to_element<T>(0, 0);
            for (int k = o; mine && k < first; k++)
                sum = subtract_product(sum, smem.triangle[o][k], smem.product[k * width + i]);
            if (mine)
                smem.triangle[o][first + i] = sum;
            sync(qr_compute_barrier, compute_threads);
        }
    }
};

} // namespace startile_cuda

#endif
