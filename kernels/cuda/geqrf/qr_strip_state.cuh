/*
 * Shared memory of the QR strip kernel (geqrf_strip.cu), and the reception of messages from all
 * blocks of the cluster
 */
#ifndef STARTILE_QR_STRIP_STATE_CUH
#define STARTILE_QR_STRIP_STATE_CUH

#include "common/mbarrier.cuh"
#include "geqrf/geqrf.cuh"
#include "geqrf/reflector.cuh"

namespace startile_cuda
{

constexpr int max_qr_blocks = 16, max_qr_warps = 11;

/* Named barriers (hopper.cuh):
 * - qr_compute_barrier: compute threads
 * - qr_step_barrier: compute threads and bookkeeping warp, once a message
 * - qr_group_barrier: compute threads and bookkeeping warp, once a group */
enum { qr_compute_barrier = 1, qr_step_barrier, qr_group_barrier };

template <typename T, int width>
struct alignas(16) qr_strip_smem {
    /* A register column is one of the `width` columns that the compute threads hold in registers.
     * parts: number of parts (real, imaginary) of an element. values: doubles in a block's message,
     * one for each part of each register column */
    static constexpr int parts = element<T>::is_complex ? 2 : 1, values = width * parts;
    /* Maximal number of columns of the strip outside the group in registers. A strip is one group
     * of `width` columns, or up to four groups of eight. */
    static constexpr int max_others = width == 8 ? max_strip_columns - width : 0;
    static constexpr int products = max_others > 0 ? max_others *width : 1;

    /* mbarriers of block_sums, products_in and multiples */
    uint64_t received[2], products_received, multiples_received;
    alignas(16) double warp_sums[2][max_qr_warps][values];
    double block_sums[2][max_qr_blocks][values];
    /* Row of the diagonal element in the register columns: top_out in block 0, which sends it to
     * top in all blocks */
    wide<T> top_out[2][width], top[2][width];
    /* Multiples of v to subtract from the register columns, a copy for each warp. With shuffles
     * instead, a column of a strip takes 1.54 µs, not 1.38 (H100, double, 4096 × 32). */
    alignas(16) T column_multiples[max_qr_warps][width];
    /* Products Vᴴ C of the group's V with the other columns C of the strip: partial_products of
     * each warp, products_in of each block */
    alignas(16) T partial_products[max_qr_warps][products];
    T products_in[max_qr_blocks][products];
    T product[products]; /* intermediate result of finish_triangle() */
    /* Tᴴ Vᴴ C for the columns right of the group */
    alignas(16) T multiples[max_others > 0 ? max_others : 1][width];
    T triangle[max_strip_columns][max_strip_columns]; /* T */
    T gram[max_strip_columns][max_strip_columns];     /* VᴴV for columns of different groups */
};

/* Returns the maximum (is_largest) or the sum. */
template <bool is_largest>
__device__ inline double combine(double x, double y)
{
    if constexpr (is_largest)
        return fmax(x, y);
    else
        return x + y;
}

/* Returns the sum of x, or its maximum with is_largest, over all lanes with the same index modulo
 * `values`. All of these lanes get the same bits. */
template <bool is_largest, int values>
__device__ inline double combine_lanes(double x)
{
#pragma unroll
    for (int distance = values; distance < 32; distance *= 2)
        x = combine<is_largest>(x, __shfl_xor_sync(0xffffffff, x, distance));
    return x;
}

/* State of a warp that computes the reflector of register column 0 from the blocks' messages. Each
 * lane works for register column lane % values / parts, "the lane's column". */
template <typename T, int width>
struct qr_receiver {
    using smem_layout = qr_strip_smem<T, width>;
    using S = wide<T>;
    static constexpr int parts = smem_layout::parts, values = smem_layout::values,
                         lists = 32 / values;
    static constexpr bool may_overflow = sizeof(typename element<T>::real) == 8;
    smem_layout &smem;
    int blocks, lane;
    int messages = 0; /* number of messages received so far */
    S alpha, top;     /* diagonal element, and the element of the lane's column in the same row */
    S product;        /* inner product of register column 0 and lane's column below the diagonal */
    double square;    /* sum of squares of register column 0 below the diagonal */
    double power;     /* power of two by which the lane's column is divided in top and product */
    bool is_zero;     /* register column 0 is zero below the diagonal */
    reflector<S> h;

    /* Receives a message from all blocks. Returns value lane % values of the message, summed over
     * all blocks, or with is_largest the maximum of all blocks. */
    template <bool is_largest>
    __device__ double receive()
    {
        const int b = messages % 2, value = lane % values, first = lane / values;
        mbarrier::wait(shared_address(&smem.received[b]), messages / 2 % 2);
        messages++;
        double total = 0;
#pragma unroll
        for (int i = 0; i < max_qr_blocks; i += lists)
            if (first + i < blocks)
                total = combine<is_largest>(total, smem.block_sums[b][first + i][value]);
        return combine_lanes<is_largest, values>(total);
    }

    /* Sets `square` and `product` from the sums; `total` is sum lane % values of the message. */
    __device__ void set_products(double total)
    {
        square = __shfl_sync(0xffffffff, total, 0);
        if constexpr (element<T>::is_complex) {
            const double neighbour = __shfl_xor_sync(0xffffffff, total, 1);
            product = lane % 2 == 0 ? S{total, neighbour} : S{neighbour, total};
        } else {
            product = total;
        }
    }

    /* Returns whether squares and products are far from overflow and underflow: always true for
     * single precision; for double precision false if a number is NaN. */
    __device__ bool is_safe() const
    {
        if constexpr (!may_overflow)
            return true;
        bool mine = fabs(real_part(alpha)) <= 1e70 && square <= 1e140 && square >= 1e-140 &&
                    fabs(real_part(product)) <= 1e300;
        if constexpr (parts == 2)
            mine = mine && fabs(alpha.y) <= 1e70 && fabs(product.y) <= 1e300;
        return __all_sync(0xffffffff, mine);
    }

    /* Receives the products and returns whether they are far from overflow and underflow. If they
     * are not, two more messages follow. */
    __device__ bool receive_products()
    {
        const int b = messages % 2;
        set_products(receive<false>());
        alpha = smem.top[b][0];
        top = smem.top[b][lane % values / parts];
        power = 1;
        is_zero = square == 0;
        return is_safe();
    }

    /* Receives the columns' largest elements below the diagonal. Divides alpha and top by powers of
     * two near the columns' largest elements, the diagonal's row included. */
    __device__ void receive_largest()
    {
        double most = receive<true>();
        if constexpr (parts == 2)
            most = fmax(most, __shfl_xor_sync(0xffffffff, most, 1));
        is_zero = __shfl_sync(0xffffffff, most, 0) == 0;
        most = fmax(most, largest_part(top));
        power = most > 0 ? ldexp(1.0, min(max(ilogb(most), -1000), 1000)) : 1;
        alpha = scaled<S>(1 / power_of(0), alpha);
        top = scaled<S>(1 / power, top);
    }

    /* Returns the power of two of a register column. */
    __device__ double power_of(int column) const
    {
        return __shfl_sync(0xffffffff, power, column * parts);
    }

    /* Receives the products of the columns divided by their powers of two. */
    __device__ void receive_scaled_products()
    {
        set_products(receive<false>());
    }

    /* Computes the reflector of register column 0. */
    __device__ void compute_reflector()
    {
        h = reflector_of<S>(alpha, square, is_zero);
    }
};

} // namespace startile_cuda

#endif
