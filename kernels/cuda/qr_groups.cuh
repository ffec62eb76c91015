/*
 * What passes between the groups of columns of a strip (geqrf_strip.cu): the block reflector of a
 * group goes to all columns right of it, which lie in shared memory, and the products of its V with
 * those left of it are kept for T.
 */
#ifndef STARTILE_QR_GROUPS_CUH
#define STARTILE_QR_GROUPS_CUH

#include "qr_worker.cuh"

namespace startile_cuda
{

template <typename T, int width, int rows, int team>
struct qr_groups : qr_worker<T, width, rows, team> {
    using base = qr_worker<T, width, rows, team>;
    using room = qr_room<T, width>;
    using base::base, base::s, base::shop, base::columns, base::x, base::rank, base::blocks,
        base::warp, base::lane, base::stride, base::warps;
    static constexpr int per_piece = 16 / sizeof(T);

    /* The other columns of the strip, without a gap */
    __device__ int other(int o, int first) const
    {
        return o < first ? o : o + width;
    }

    /* The group's V times 8 · eights others, over the rows of the warp. Tensor cores: lane has
     * column lane / 4 of V and of each eight, in row lane % 4 of four. */
    template <int eights>
    __device__ void multiply_rows_in_double(int first)
    {
        double sum[eights][2] = {};
        const int offset = warp * 32 + lane % 4, column = lane / 4;
        const double *v = columns + (first + column) * stride + offset;
        const double *c[eights];
#pragma unroll
        for (int b = 0; b < eights; b++)
            c[b] = columns + other(8 * b + column, first) * stride + offset;
#pragma unroll
        for (int r = 0; r < rows; r++)
#pragma unroll
            for (int l = 0; l < 32; l += 4) {
                const int i = r * team + l;
#pragma unroll
                for (int b = 0; b < eights; b++)
                    multiply_tile(sum[b], v[i], c[b][i]);
            }
#pragma unroll
        for (int b = 0; b < eights; b++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                shop.partial_products[warp][(8 * b + 2 * (lane % 4) + e) * width + column] =
                    sum[b][e];
    }

    /* The same without tensor cores. Lane: columns lane % 4 and 4 more of V, lane / 4 of each
     * eight. */
    template <int eights>
    __device__ void multiply_rows_plainly(int first)
    {
        T sum[2][eights];
        const T *v = columns + (first + lane % 4) * stride + warp * 32;
        const T *c[eights];
#pragma unroll
        for (int b = 0; b < eights; b++) {
            sum[0][b] = sum[1][b] = to_element<T>(0, 0);
            c[b] = columns + other(lane / 4 + 8 * b, first) * stride + warp * 32;
        }
#pragma unroll
        for (int r = 0; r < rows; r++)
#pragma unroll 4
            for (int l = 0; l < 32; l++) {
                const int i = r * team + l;
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
            T *to = &shop.partial_products[warp][(lane / 4 + 8 * b) * width + lane % 4];
            to[0] = sum[0][b];
            to[4] = sum[1][b];
        }
    }

    template <int eights>
    __device__ void multiply_rows(int first)
    {
        __syncwarp();
        if constexpr (std::is_same_v<T, double>)
            multiply_rows_in_double<eights>(first);
        else
            multiply_rows_plainly<eights>(first);
    }

    /* The block's products to all blocks, 16 bytes a thread */
    __device__ void tell_block_products(int others)
    {
        const int pieces = others * width / per_piece, senders = team / pieces;
        const int p = threadIdx.x % pieces, sender = threadIdx.x / pieces;
        if (threadIdx.x == 0)
            expect(&shop.products_mailbox, blocks * others * width * static_cast<int>(sizeof(T)));
        if (sender >= senders)
            return;
        union {
            T sum[per_piece];
            int4 bits;
        } message;
#pragma unroll
        for (int e = 0; e < per_piece; e++) {
            T sum = shop.partial_products[0][p * per_piece + e];
#pragma unroll
            for (int w = 1; w < warps; w++)
                sum = add(sum, shop.partial_products[w][p * per_piece + e]);
            message.sum[e] = sum;
        }
        int4 *to = reinterpret_cast<int4 *>(shop.products_in[rank]) + p;
        for (int block = sender; block < blocks; block += senders)
            send(block, to, message.bits, &shop.products_mailbox);
    }

    static __device__ T add(T x, T y)
    {
        return multiply_add(to_element<T>(1, 0), x, y);
    }

    /* The products with columns on the left are kept; those with the others times Tᴴ are what
     * these have to lose. */
    __device__ void hear_block_products(int first, int others)
    {
        const int t = threadIdx.x, o = t / width, i = t % width;
        wait_for_mail(&shop.products_mailbox, first / width % 2);
        if (t < others * width) {
            T sum = shop.products_in[0][t];
#pragma unroll 4
            for (int block = 1; block < blocks; block++)
                sum = add(sum, shop.products_in[block][t]);
            shop.product[t] = sum;
            if (o < first)
                shop.gram[o][first + i] = conjugate(sum);
        }
        sync(qr_group_barrier, team + 32);
        if (t >= first * width && t < others * width) {
            T sum = to_element<T>(0, 0);
#pragma unroll
            for (int k = 0; k < width; k++)
                if (k <= i)
                    sum = multiply_add(conjugate(shop.triangle[first + k][first + i]),
                                       shop.product[o * width + k], sum);
            shop.multiples[i][o] = sum;
        }
        sync(qr_team_barrier, team);
    }

    /* x is the group's V. Eight columns at a time lose their multiples of it. */
    __device__ void update(int first, int others)
    {
#pragma unroll 1
        for (int o = first; o < others; o += 8) {
            T *c = &columns[other(o, first) * stride + base::place(0)];
#pragma unroll
            for (int r = 0; r < rows; r++) {
                T e[8];
#pragma unroll
                for (int q = 0; q < 8; q++)
                    e[q] = c[q * stride + r * team];
#pragma unroll
                for (int k = 0; k < width; k++)
#pragma unroll
                    for (int q = 0; q < 8; q++)
                        e[q] = subtract_product(e[q], x[r][k], shop.multiples[k][o + q]);
#pragma unroll
                for (int q = 0; q < 8; q++)
                    c[q * stride + r * team] = e[q];
            }
        }
    }

    /* After group `first` has been put */
    __device__ void share(int first)
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
        sync(qr_team_barrier, team);
        tell_block_products(others);
        hear_block_products(first, others);
        update(first, others);
    }

    /* T between the groups, from VᴴV and the groups' own: T₁₂ = −T₁ (V₁ᴴ V₂) T₂ */
    __device__ void finish_triangle()
    {
        const int o = threadIdx.x / width, i = threadIdx.x % width;
        for (int first = width; first < s.columns; first += width) {
            const bool mine = o < first;
            T sum = to_element<T>(0, 0);
            for (int k = 0; mine && k <= i; k++)
                sum = multiply_add(shop.gram[o][first + k], shop.triangle[first + k][first + i],
                                   sum);
            if (mine)
                shop.product[o * width + i] = sum;
            sync(qr_team_barrier, team);
            sum = to_element<T>(0, 0);
            for (int k = o; mine && k < first; k++)
                sum = subtract_product(sum, shop.triangle[o][k], shop.product[k * width + i]);
            if (mine)
                shop.triangle[o][first + i] = sum;
            sync(qr_team_barrier, team);
        }
    }
};

} // namespace startile_cuda

#endif
