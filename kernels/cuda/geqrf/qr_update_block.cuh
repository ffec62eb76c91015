/* State of a thread of the kernel that applies the block reflector of a strip (geqrf_update.cu) */
#ifndef STARTILE_QR_UPDATE_BLOCK_CUH
#define STARTILE_QR_UPDATE_BLOCK_CUH

#include "common/mbarrier.cuh"
#include "geqrf/geqrf.cuh"
#include "geqrf/reflector.cuh"

namespace startile_cuda
{

/* Thread blocks of a cluster, and columns of C that it has. The two are equal. */
constexpr int update_blocks = 16, update_columns = 16;
constexpr int update_warps = 8, update_threads = 32 * update_warps;
constexpr int max_k = max_strip_columns;

template <typename T>
struct alignas(16) qr_update_smem {
    static constexpr int ld = max_k + 16 / sizeof(T) * 2; /* puts columns in different banks */
    uint64_t parts_received, w_received;                  /* mbarriers of parts and w */
    /* parts[b]: block b's part of Vᴴ c, where c is the column of C with this block's rank */
    T parts[update_blocks][max_k];
    T w[update_columns][ld];                        /* W by columns */
    T triangle[max_k][max_k + 1];                   /* triangle[l][i]: element (i, l) of Tᴴ */
    T partial[update_warps][update_columns][max_k]; /* each warp's part of Vᴴ C, by columns */
    /* Rows of V and of C, for multiply_fma() */
    T tile[std::is_same_v<T, double> ? 1 : max_k + update_columns][33];
};

/* State of a thread. C: the columns of the cluster */
template <typename T>
struct qr_updater {
    using smem_layout = qr_update_smem<T>;
    static constexpr int per_pack = 16 / sizeof(T);
    const qr_update<T> &u;
    smem_layout &smem;
    T *c;           /* first column of C */
    int columns;    /* number of columns of C */
    int begin, end; /* rows of this block */
    int rank, warp, lane;

    __device__ T v_at(int row, int i) const
    {
        return row < end && i < u.k ? u.v[row + i * u.ld] : to_element<T>(0, 0);
    }

    __device__ T c_at(int row, int j) const
    {
        return row < end && j < columns ? c[row + j * u.ld] : to_element<T>(0, 0);
    }

    /* Loads Tᴴ to shared memory, padded with zeros. */
    __device__ void load_triangle()
    {
        for (int e = threadIdx.x; e < max_k * max_k; e += update_threads) {
            const int l = e % max_k, i = e / max_k;
            smem.triangle[l][i] =
                l <= i && i < u.k ? conjugate(u.t[l + i * u.ldt]) : to_element<T>(0, 0);
        }
    }

    /* Computes Vᴴ C over the block's rows on tensor cores, four rows at a time (multiply_tile). */
    __device__ void multiply_in_double()
    {
        double sum[4][2][2] = {};
        const int i = lane / 4;
        for (int first = begin + warp * 16; first < end; first += update_warps * 16) {
            double v[4][4], e[4][2];
#pragma unroll
            for (int s = 0; s < 4; s++) {
                const int row = first + 4 * s + lane % 4;
#pragma unroll
                for (int a = 0; a < 4; a++)
                    v[s][a] = v_at(row, 8 * a + i);
#pragma unroll
                for (int b = 0; b < 2; b++)
                    e[s][b] = c_at(row, 8 * b + i);
            }
#pragma unroll
            for (int s = 0; s < 4; s++)
#pragma unroll
                for (int a = 0; a < 4; a++)
#pragma unroll
                    for (int b = 0; b < 2; b++)
                        multiply_tile(sum[a][b], v[s][a], e[s][b]);
        }
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 2; b++)
#pragma unroll
                for (int d = 0; d < 2; d++)
                    smem.partial[warp][8 * b + 2 * (lane % 4) + d][8 * a + i] = sum[a][b][d];
    }

    /* Computes Vᴴ C over the block's rows by FMA. 32 rows at a time pass through shared memory; a
     * warp takes every eighth row, and a lane has 4 × 4 products. */
    __device__ void multiply_fma()
    {
        T sum[4][4];
        const int i = lane % 8, j = lane / 8;
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 4; b++)
                sum[a][b] = to_element<T>(0, 0);
        for (int first = begin; first < end; first += 32) {
            __syncthreads();
#pragma unroll
            for (int q = warp; q < max_k + update_columns; q += update_warps)
                smem.tile[q][lane] =
                    q < max_k ? v_at(first + lane, q) : c_at(first + lane, q - max_k);
            __syncthreads();
#pragma unroll
            for (int row = warp; row < 32; row += update_warps) {
                T v[4];
#pragma unroll
                for (int a = 0; a < 4; a++)
                    v[a] = conjugate(smem.tile[i + 8 * a][row]);
#pragma unroll
                for (int b = 0; b < 4; b++) {
                    const T e = smem.tile[max_k + j + 4 * b][row];
#pragma unroll
                    for (int a = 0; a < 4; a++)
                        sum[a][b] = multiply_add(v[a], e, sum[a][b]);
                }
            }
        }
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 4; b++)
                smem.partial[warp][j + 4 * b][i + 8 * a] = sum[a][b];
    }

    /* Sends the products with column b of C to block b, for all b. */
    __device__ void send_products()
    {
        constexpr int packs = max_k / per_pack;
        __syncthreads();
        for (int p = threadIdx.x; p < update_columns * packs; p += update_threads) {
            const int column = p / packs, i = p % packs * per_pack;
            union {
                T sum[per_pack];
                int4 bits;
            } message;
#pragma unroll
            for (int e = 0; e < per_pack; e++) {
                T sum = smem.partial[0][column][i + e];
#pragma unroll
                for (int w = 1; w < update_warps; w++)
                    sum = multiply_add(to_element<T>(1, 0), smem.partial[w][column][i + e], sum);
                message.sum[e] = sum;
            }
            mbarrier::store_async(column, &smem.parts[rank][i], message.bits, &smem.parts_received);
        }
    }

    /* Called by one warp. Returns element `lane` of this block's column of W. */
    __device__ T element_of_w()
    {
        T product = smem.parts[0][lane], w = to_element<T>(0, 0);
#pragma unroll
        for (int block = 1; block < update_blocks; block++)
            product = multiply_add(to_element<T>(1, 0), smem.parts[block][lane], product);
#pragma unroll
        for (int l = 0; l < max_k; l++)
            w = multiply_add(smem.triangle[l][lane], shuffle(product, l), w);
        return w;
    }

    /* Called by one warp. Sends this block's column of W to all blocks; w is element `lane`. */
    __device__ void broadcast_w(T w)
    {
        constexpr int packs = max_k / per_pack, step = 32 < packs ? 1 : 32 / packs;
        const int pack = lane % packs;
        union {
            T element[per_pack];
            int4 bits;
        } message;
#pragma unroll
        for (int e = 0; e < per_pack; e++)
            message.element[e] = shuffle(w, pack * per_pack + e);
        for (int block = lane / packs; block < update_blocks; block += step)
            mbarrier::store_async(block, &smem.w[rank][pack * per_pack], message.bits,
                                  &smem.w_received);
    }

    /* Computes C := C − V W on tensor cores, eight rows at a time, transposed: Cᵀ := Cᵀ − Wᵀ Vᵀ. */
    __device__ void subtract_in_double()
    {
        double w[8][2];
        const int j = lane / 4, place = lane % 4;
#pragma unroll
        for (int s = 0; s < 8; s++)
#pragma unroll
            for (int b = 0; b < 2; b++)
                w[s][b] = -smem.w[8 * b + j][4 * s + place];
#pragma unroll 2
        for (int first = begin + warp * 8; first < end; first += update_warps * 8) {
            double e[2][2], v[8];
            const int row = first + 2 * place;
#pragma unroll
            for (int b = 0; b < 2; b++)
#pragma unroll
                for (int d = 0; d < 2; d++)
                    e[b][d] = c_at(row + d, 8 * b + j);
#pragma unroll
            for (int s = 0; s < 8; s++)
                v[s] = v_at(first + j, 4 * s + place);
#pragma unroll
            for (int s = 0; s < 8; s++)
#pragma unroll
                for (int b = 0; b < 2; b++)
                    multiply_tile(e[b], w[s][b], v[s]);
#pragma unroll
            for (int b = 0; b < 2; b++)
#pragma unroll
                for (int d = 0; d < 2; d++)
                    if (row + d < end && 8 * b + j < columns)
                        c[row + d + (8 * b + j) * u.ld] = e[b][d];
        }
    }

    /* Computes C := C − V W by FMA, one row per thread. */
    __device__ void subtract_fma()
    {
        for (int row = begin + threadIdx.x; row < end; row += update_threads) {
            T e[update_columns];
#pragma unroll
            for (int j = 0; j < update_columns; j++)
                e[j] = c_at(row, j);
#pragma unroll 4
            for (int i = 0; i < max_k; i++) {
                const T v = v_at(row, i);
#pragma unroll
                for (int j = 0; j < update_columns; j++)
                    e[j] = subtract_product(e[j], v, smem.w[j][i]);
            }
#pragma unroll
            for (int j = 0; j < update_columns; j++)
                if (j < columns)
                    c[row + j * u.ld] = e[j];
        }
    }

    /* Computes W and, for columns on the right, C := C − V W. w: destination of this block's column
     * of W for columns on the left; null for columns on the right */
    __device__ void run(T *w)
    {
        constexpr bool in_double = std::is_same_v<T, double>;
        constexpr int bytes = update_blocks * max_k * sizeof(T);
        load_triangle();
        if constexpr (in_double)
            multiply_in_double();
        else
            multiply_fma();
        send_products();
        if (threadIdx.x == 0) {
            mbarrier::arrive_expect_tx(shared_address(&smem.parts_received), bytes);
            if (w == nullptr)
                mbarrier::arrive_expect_tx(shared_address(&smem.w_received), bytes);
        }
        if (warp == 0) {
            mbarrier::wait(shared_address(&smem.parts_received), 0);
            const T mine = element_of_w();
            if (w == nullptr)
                broadcast_w(mine);
            else if (rank < columns && lane < u.k)
                w[rank * u.k + lane] = mine;
        }
        if (w != nullptr)
            return;
        mbarrier::wait(shared_address(&smem.w_received), 0);
        if constexpr (in_double)
            subtract_in_double();
        else
            subtract_fma();
    }
};

} // namespace startile_cuda

#endif
