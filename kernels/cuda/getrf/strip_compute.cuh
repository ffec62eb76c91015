/* A compute thread of the LU strip kernel (getrf_strip.cu) */
#ifndef STARTILE_STRIP_COMPUTE_CUH
#define STARTILE_STRIP_COMPUTE_CUH

#include "common/hopper.cuh"
#include "getrf/strip_state.cuh"

#include <algorithm>

namespace startile_cuda
{

/* Bytes of shared memory of a thread block of compute capability 9.0 */
constexpr int smem_bytes = 232448;

/* State of a compute thread, which holds `rows` rows: first_row + threadIdx.x + r · compute_threads
 * for r < rows */
template <typename T, int width, int rows, int compute_threads>
struct strip_compute_thread {
    using smem_layout = strip_smem<T, width>;
    static constexpr int warps = compute_threads / 32, all_threads = compute_threads + 32;
    static constexpr int column_bytes = rows * compute_threads * sizeof(T);
    static constexpr int l_smem_bytes = smem_bytes - static_cast<int>(sizeof(smem_layout));
    /* Maximal number of columns of a strip: the columns of L that fit l_smem, plus the last `width`
     * columns, which stay in registers */
    static constexpr int max_columns_here =
        std::min(max_columns<T>, width + (l_smem_bytes / column_bytes) / width * width);
    /* A candidate is sent in packs of 16 bytes. One warp sends to at most max_sent blocks, with
     * `lanes` lanes for each. */
    static constexpr int packs = sizeof(candidate<T, width>) / 16;
    static constexpr int max_sent = (max_blocks + warps - 1) / warps;
    static constexpr int lanes = max_sent > 1 ? 16 : 32;
    static constexpr int sends = (max_sent + 32 / lanes - 1) / (32 / lanes);
    static_assert(packs <= lanes, "");
    /* A block moves at most this number of rows to other places: pivot rows and the rows that they
     * replace. */
    static constexpr int most_moved = 2 * max_columns<T>;
    /* Whether the next columns are loaded before the last step of a group. With more rows they do
     * not fit the registers (perf_models/NOTES.md, "LU on one GPU"). */
    static constexpr bool loads_early = rows <= 4;
    const strip<T> &s;
    smem_layout &smem;
    int blocks, rank, warp, lane, first_row;
    int position[rows]; /* current positions of this thread's rows; −1: no such row */
    T x[rows][width];   /* elements of these rows in the columns in registers */
    T column[rows];     /* elements of these rows in the column of the next pivot */
    T finished[rows];   /* elements of these rows in the previous column, which is finished */
    T *l_smem; /* finished columns of L, in shared memory; at the end, buffer of move_rows */
    uint32_t to[sends], received_at[sends]; /* where the lane sends candidates of even steps */

    /* Returns the bytes of l_smem for a strip of n columns. */
    static constexpr int l_smem_size(int n)
    {
        return std::max((n - 1) / width * width * column_bytes,
                        most_moved * n * static_cast<int>(sizeof(T)));
    }

    /* Returns the row of the strip from which the thread's row r was loaded. */
    __device__ int original_row(int r) const
    {
        return first_row + static_cast<int>(threadIdx.x) + r * compute_threads;
    }

    /* Loads the columns from `first` on to registers. */
    __device__ void load(int first)
    {
#pragma unroll
        for (int c = 0; c < width; c++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                x[r][c] = position[r] >= 0 && first + c < s.columns
                              ? s.a[original_row(r) + (first + c) * s.ld]
                              : to_element<T>(0, 0);
    }

    /* Stores column c of the strip from `finished` to global memory and to l_smem. */
    __device__ void store(int c)
    {
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (position[r] >= 0) {
                s.a[original_row(r) + c * s.ld] = finished[r];
                l_smem[(c * rows + r) * compute_threads + threadIdx.x] = finished[r];
            }
    }

    /* Writes the warp's candidate to warp_candidates. Compares only the high words of the orders
     * (pivot.cuh) if these decide. */
    __device__ void propose(int step)
    {
        constexpr unsigned int all = 0xffffffff;
        unsigned int high = 0;
        int best_row = 0, best_position = no_row;
        bool is_tied = false;
        T pivot = to_element<T>(1, 0);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            unsigned int h = position[r] >= step ? quick_order(column[r]) : 0;
            is_tied = h > high ? false : is_tied | (h == high);
            best_row = h > high ? r : best_row;
            best_position = h > high ? position[r] : best_position;
            pivot = h > high ? column[r] : pivot;
            high = max(high, h);
        }
        const unsigned int key = (high & ~31u) | (31 - lane);
        const unsigned int largest = __reduce_max_sync(all, key);
        if (key == largest)
            publish(step, high, low_order(pivot), best_position, best_row, quick_reciprocal(pivot));
        /* quick_order does not order infinity and NaN. */
        const bool needs_exact = largest >= quick_order_of_infinity<T> ||
                                 ((key ^ largest) < 32 && (key != largest || is_tied));
        if (__any_sync(all, needs_exact) && largest >= 32)
            propose_exactly(step);
    }

    /* Writes the warp's candidate to warp_candidates. Compares whole orders and positions. */
    __device__ void propose_exactly(int step)
    {
        unsigned long long order = 0;
        int best_row = 0, best_position = no_row;
        T pivot = to_element<T>(1, 0);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            unsigned long long o = pivot_order(column[r], position[r] == step);
            if (position[r] >= step && (o > order || (o == order && position[r] < best_position))) {
                order = o;
                best_position = position[r];
                best_row = r;
                pivot = column[r];
            }
        }
        const bool mine = lane == best_lane(order, best_position);
        __syncwarp();
        if (mine)
            publish(step, static_cast<unsigned int>(order >> 32), static_cast<unsigned int>(order),
                    best_position, best_row, quick_reciprocal(pivot));
    }

    /* Writes this thread's row `best_row` to warp_candidates as the warp's candidate. */
    __device__ void publish(int step, unsigned int high, unsigned int low, int best_position,
                            int best_row, T reciprocal)
    {
        candidate<T, width> &entry = smem.warp_candidates[step % 2][warp];
        smem.warp_keys[step % 2][warp] = list_key(high, warp);
        *reinterpret_cast<uint4 *>(&entry) =
            make_uint4(low, high, static_cast<unsigned int>(best_position), original_row(best_row));
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (r == best_row)
#pragma unroll
                for (int c = 0; c < width; c++)
                    entry.row[c] = x[r][c];
        entry.reciprocal = reciprocal;
    }

    /* Sends the block's candidate to all blocks. The warps divide the receiving blocks among
     * themselves. */
    __device__ void send_best(int step)
    {
        const int b = step % 2;
        const unsigned int *warp_keys = smem.warp_keys[b];
        const unsigned int key = warp_keys[lane % max_warps];
        unsigned int largest = 0;
#pragma unroll
        for (int i = 0; i < warps; i += 4) {
            uint4 k = *reinterpret_cast<const uint4 *>(warp_keys + i);
            largest = max(largest, max(max(k.x, k.y), max(k.z, k.w)));
        }
        const int pack = lane % lanes, p = min(pack, packs - 1);
        auto message = [&](int winner) {
            return reinterpret_cast<const int4 *>(&smem.warp_candidates[b][winner])[p];
        };
        int4 value = message(index_of_key(largest));
        if (is_close(key, largest))
            value = message(choose_exactly(smem.warp_candidates[b], warps));
#pragma unroll
        for (int i = 0; i < sends; i++)
            if (receiver(i) < blocks && pack < packs)
                mbarrier::store_async(to[i] + b * uint32_t(sizeof(smem.block_candidates[0])), value,
                                      received_at[i] + b * uint32_t(sizeof(smem.received[0])));
    }

    /* Returns the block to which the lane sends in round i. */
    __device__ int receiver(int i) const
    {
        return warp + (i * (32 / lanes) + lane / lanes) * warps;
    }

    /* Sets `to` and `received_at`. */
    __device__ void find_receivers()
    {
        const int pack = min(lane % lanes, packs - 1);
#pragma unroll
        for (int i = 0; i < sends; i++) {
            const int block = min(receiver(i), blocks - 1);
            to[i] = address_in_block(block, &smem.block_candidates[0][rank]) + 16 * pack;
            received_at[i] = address_in_block(block, &smem.received[0]);
        }
    }

    /* Subtracts multiples of the pivot row from the thread's remaining rows. c is the register
     * column of the pivot, low ≤ c < high; the recursion bisects this range, because registers
     * cannot be indexed. */
    template <int low, int high>
    __device__ void subtract(int c, const bool *remaining, const T *l, const T *u)
    {
        constexpr int middle = (low + high) / 2;
        if constexpr (high - low > 1) {
            if (c < middle)
                subtract<low, middle>(c, remaining, l, u);
            else
                subtract<middle, high>(c, remaining, l, u);
        } else {
#pragma unroll
            for (int q = low + 1; q < width; q++)
#pragma unroll
                for (int r = 0; r < rows; r++)
                    if (remaining[r])
                        x[r][q] = subtract_product(x[r][q], l[r], u[q]);
#pragma unroll
            for (int r = 0; r < rows; r++) {
                if constexpr (low + 1 < width) {
                    if (remaining[r])
                        x[r][low] = l[r];
                    column[r] = x[r][low + 1];
                }
            }
        }
    }

    /* Updates the positions of the thread's rows, and eliminates with the pivot row. */
    __device__ void eliminate(int step, int c, const candidate<T, width> &pivot)
    {
        T l[rows];
        bool remaining[rows];
        const unsigned long long order = pivot.order();
        const int from = pivot.position;
        if (threadIdx.x == 0)
            smem.original_row[step] = pivot.original_row;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            int p = position[r];
            position[r] = p == from ? step : p == step ? from : p;
            remaining[r] = position[r] > step;
            l[r] = multiply_add(column[r], pivot.reciprocal, to_element<T>(0, 0));
        }
        if (!quick_reciprocal_is_accurate<T>(order)) {
            T p = pivot.row[0];
#pragma unroll
            for (int q = 1; q < width; q++)
                p = q == c ? pivot.row[q] : p;
#pragma unroll
            for (int r = 0; r < rows; r++)
                l[r] = order == order_of_zero ? column[r] : divide(column[r], p);
        }
#pragma unroll
        for (int r = 0; r < rows; r++)
            finished[r] = remaining[r] ? l[r] : column[r];
        subtract<0, width>(c, remaining, l, pivot.row);
    }

    /* Receives the candidates of a step and returns the pivot. Reads the winner by its key before
     * it is known whether the keys decide. */
    __device__ candidate<T, width> wait_for_pivot(int step)
    {
        const int b = step % 2;
        const candidate<T, width> *list = smem.block_candidates[b];
        mbarrier::wait(shared_address(&smem.received[b]), step / 2 % 2);
        const unsigned int key = lane < blocks ? list_key(list[lane].high, lane) : 0;
        const unsigned int largest = __reduce_max_sync(0xffffffff, key);
        candidate<T, width> pivot = list[index_of_key(largest)];
        if (is_close(key, largest))
            pivot = list[choose_exactly(list, blocks)];
        return pivot;
    }

    /* Factors the columns in registers, which begin at column `first` of the strip, and then loads
     * the next ones. */
    __device__ void factor(int first, int columns)
    {
        const bool is_last = first + width >= s.columns;
#pragma unroll
        for (int r = 0; r < rows; r++)
            column[r] = x[r][0];
#pragma unroll 1
        for (int c = 0; c < width; c++) {
            if (c >= columns)
                break;
            const int step = first + c;
            propose(step);
            sync(step_barrier, all_threads);
            send_best(step);
            if (c > 0 && !is_last)
                store(step - 1);
            if (loads_early && c == width - 1 && !is_last)
                load(first + width);
            eliminate(step, c, wait_for_pivot(step));
        }
        if (!is_last) {
            store(first + columns - 1);
            if (!loads_early)
                load(first + width);
        } else if (columns == width)
#pragma unroll
            for (int r = 0; r < rows; r++)
                x[r][width - 1] = finished[r];
    }

    /* Subtracts multiples of the pivot rows k0 … k1 − 1 from the columns in registers, which begin
     * at column `first`. */
    __device__ void update_columns(int first, int k0, int k1)
    {
#pragma unroll 2
        for (int k = k0; k < k1; k++) {
            T l[rows];
            alignas(16) T u[width];
            const int4 *row =
                reinterpret_cast<const int4 *>(smem.u_rows + k * smem_layout::ld + first);
#pragma unroll
            for (int i = 0; i < width * static_cast<int>(sizeof(T)) / 16; i++)
                reinterpret_cast<int4 *>(u)[i] = row[i];
#pragma unroll
            for (int r = 0; r < rows; r++)
                l[r] = l_smem[(k * rows + r) * compute_threads + threadIdx.x];
#pragma unroll
            for (int r = 0; r < rows; r++)
#pragma unroll
                for (int c = 0; c < width; c++)
                    x[r][c] = subtract_product(x[r][c], l[r], u[c]);
        }
    }

    /* Updates the columns in registers, which begin at column `first`, with all pivots before. */
    __device__ void update(int first)
    {
        sync(rows_barrier, all_threads);
        update_columns(first, 0, first - 1);
        sync(strip_barrier, all_threads);
        update_columns(first, first - 1, first);
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (position[r] >= 0 && position[r] < first)
#pragma unroll
                for (int c = 0; c < width; c++)
                    x[r][c] = smem.u_rows[position[r] * smem_layout::ld + first + c];
    }

    /* Moves rows in columns moved_first … moved_last − 1 of the panel (struct strip), except those
     * of the strip itself. All warps of all blocks share the columns. */
    __device__ void move_neighbours()
    {
        const int columns = s.moved_last - s.moved_first - s.columns,
                  row = min(lane, s.columns - 1);
        for (int i = warp + rank * warps; i < columns; i += blocks * warps)
            move_neighbour(s, i, smem.original_row[row], smem.top_position[row]);
    }

    /* Moves the rows to their positions. All columns are finished; the columns from `first` on are
     * only in registers. Rows that keep their position are stored at once. The other rows pass
     * through shared memory and are stored after all blocks have read theirs; their register
     * columns are never stored at the old position, so that no two blocks write the same element at
     * nearly the same time. */
    __device__ void move_rows(int first)
    {
        const int n = s.columns;
        T *stage = l_smem; /* column-major */
        sync(compute_barrier, compute_threads);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            if (position[r] < 0)
                continue;
            const int from = original_row(r), to = position[r];
            int slot = 0;
            if (from != to) {
                slot = atomicAdd(&smem.moved_rows, 1);
                smem.moves[slot] = make_int2(to, from);
            }
#pragma unroll
            for (int c = 0; c < width; c++)
                if (first + c < n) {
                    if (from == to)
                        s.a[from + (first + c) * s.ld] = x[r][c];
                    else
                        stage[slot + (first + c) * most_moved] = x[r][c];
                }
            if (from < n)
                s.moves[n + from] = make_int2(to < n ? -1 : to, from);
        }
        sync(strip_barrier, all_threads);
        move_neighbours();
        const int moved_rows = smem.moved_rows;
        for (int i = lane; i < moved_rows; i += 32) {
            const T *row = s.a + smem.moves[i].y;
#pragma unroll 4
            for (int c = warp; c < first; c += warps)
                stage[i + c * most_moved] = row[c * s.ld];
        }
        sync(compute_barrier, compute_threads);
        cluster_barrier_of_reads();
        for (int i = lane; i < moved_rows; i += 32) {
            T *row = s.a + smem.moves[i].x;
#pragma unroll 4
            for (int c = warp; c < n; c += warps)
                row[c * s.ld] = stage[i + c * most_moved];
        }
    }
};

} // namespace startile_cuda

#endif
