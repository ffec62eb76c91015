/*
 * One strip of a panel, by one thread block cluster. Each thread has some rows in registers, eight
 * columns of the strip at a time, and rows stay where they are until the strip is done: a position
 * says where a row would be by now (implicit pivoting). For each column every warp proposes a
 * pivot, every block sends the best of its own, with its row, straight into the shared memory of
 * all others, and all choose alike: one way through the network a column, and no barrier of the
 * whole cluster. The columns of L before the eight at hand are read back from memory
 * (left-looking).
 *
 * Reading what another block has stored: a thread fences it a column later, and blocks read it no
 * sooner than two messages after that.
 */
#include "cluster.cuh"
#include "getrf.cuh"
#include "pivot.cuh"
#include "solve.cuh"

#include <algorithm>

namespace startile_cuda
{

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int most_blocks = 16;

/* A row that may become a pivot row: the one with the largest order does, of equals the one with
 * the smallest position. */
template <typename T, int width>
struct alignas(16) candidate {
    unsigned long long order;
    int position, home;
    T row[width];
    T reciprocal; /* of the pivot */
};

template <typename T, int width>
struct workshop {
    uint64_t mailbox[2];
    candidate<T, width> outbox[2][warps];
    candidate<T, width> inbox[2][most_blocks];
    T upper[most_columns<T>][width];
    int home[most_columns<T>];
    int2 moves[2 * most_columns<T>];
    int moving;
    /* The strip's triangle L, by rows; in the end, the rows that move */
    T lower[2 * most_columns<T>][most_columns<T> + 1];
};

/* The lane whose candidate is best */
__device__ inline int best_lane(unsigned long long order, int position)
{
    constexpr unsigned int all = 0xffffffff;
    unsigned int high = static_cast<unsigned int>(order >> 32);
    unsigned int lanes = __ballot_sync(all, high == __reduce_max_sync(all, high));
    if (__popc(lanes) > 1) {
        bool in = lanes >> threadIdx.x % 32 & 1;
        unsigned int low = in ? static_cast<unsigned int>(order) : 0;
        unsigned int lowest = __reduce_max_sync(all, low);
        int where = in && low == lowest ? position : nowhere;
        int topmost = __reduce_min_sync(all, where);
        lanes = __ballot_sync(all, in && low == lowest && position == topmost);
    }
    return __ffs(lanes) - 1;
}

/* The state of a thread. It has the rows first_row + threadIdx.x, + threads, …, up to `rows`. */
template <typename T, int width, int rows>
struct strip_worker {
    using room = workshop<T, width>;
    const strip<T> &s;
    room &shop;
    int blocks, rank, warp, lane, first_row;
    int position[rows]; /* where my rows are by now; −1 if there is no such row */
    T x[rows][width];   /* their elements in the columns at hand */
    T column[rows];     /* and in the one whose pivot is next */

    __device__ int home(int r) const
    {
        return first_row + static_cast<int>(threadIdx.x) + r * threads;
    }

    __device__ void load(int first, int columns)
    {
#pragma unroll
        for (int c = 0; c < width; c++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                x[r][c] = position[r] >= 0 && c < columns ? s.a[home(r) + (first + c) * s.ld]
                                                          : to_element<T>(0, 0);
    }

    __device__ void store(int first, int columns)
    {
#pragma unroll
        for (int c = 0; c < width; c++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                if (position[r] >= 0 && c < columns)
                    s.a[home(r) + (first + c) * s.ld] = x[r][c];
    }

    /* The warp's candidate for a pivot into the outbox */
    __device__ void propose(int step)
    {
        unsigned long long order = 0;
        int where = nowhere, which = 0;
        T pivot = to_element<T>(1, 0);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            unsigned long long o = pivot_order(column[r], position[r] == step);
            bool better = (o > order) | ((o == order) & (position[r] < where));
            better &= position[r] >= step;
            order = better ? o : order;
            where = better ? position[r] : where;
            which = better ? r : which;
            pivot = better ? column[r] : pivot;
        }
        T reciprocal = quick_reciprocal(pivot);
        if (lane != best_lane(order, where))
            return;
        candidate<T, width> &mine = shop.outbox[step % 2][warp];
        mine.order = order;
        mine.position = where;
        mine.home = home(which);
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (r == which)
#pragma unroll
                for (int c = 0; c < width; c++)
                    mine.row[c] = x[r][c];
        mine.reciprocal = reciprocal;
    }

    /* The best of the first `count` of these */
    __device__ int choose(const candidate<T, width> *list, int count)
    {
        unsigned long long order = 0;
        int where = nowhere;
        if (lane < count) {
            order = list[lane].order;
            where = list[lane].position;
        }
        return best_lane(order, where);
    }

    /* The block's candidate to all blocks: a warp for each, or several in turn */
    __device__ void send_best(int step)
    {
        constexpr int pieces = sizeof(candidate<T, width>) / 16, lanes = 16;
        static_assert(pieces <= lanes, "");
        const int b = step % 2, best = choose(shop.outbox[b], warps);
        const int piece = lane % lanes;
        const int4 *from = reinterpret_cast<const int4 *>(&shop.outbox[b][best]) + piece;
        int4 *to = reinterpret_cast<int4 *>(&shop.inbox[b][rank]) + piece;
        const int block = warp + lane / lanes * warps;
        if (threadIdx.x == 0)
            expect(&shop.mailbox[b], blocks * static_cast<int>(sizeof(candidate<T, width>)));
        if (piece < pieces && block < blocks)
            send(block, to, *from, &shop.mailbox[b]);
    }

    /* Notes what the strip needs to know later of its pivot number `step` */
    __device__ void record(int step, int first, const candidate<T, width> &pivot)
    {
        if (warp == 0 && lane < width)
            shop.lower[step][first + lane] = pivot.row[lane];
        if (threadIdx.x != 0)
            return;
        shop.home[step] = pivot.home;
        if (rank == 0) {
            s.ipiv[step] = s.row0 + pivot.position + 1;
            if (pivot.order == 0 && *s.info == 0)
                *s.info = s.first + step + 1;
        }
    }

    /* Subtracts the multiples of the pivot row from my rows that are left. Column c ≥ low of those
     * at hand is the pivot's, found by bisection: registers have no index. */
    template <int low, int high>
    __device__ void subtract(int c, const bool *left, const T *l, const T *u)
    {
        constexpr int middle = (low + high) / 2;
        if constexpr (high - low > 1) {
            if (c < middle)
                subtract<low, middle>(c, left, l, u);
            else
                subtract<middle, high>(c, left, l, u);
        } else {
#pragma unroll
            for (int r = 0; r < rows; r++) {
                if (left[r]) {
                    x[r][low] = l[r];
#pragma unroll
                    for (int q = low + 1; q < width; q++)
                        x[r][q] = subtract_product(x[r][q], l[r], u[q]);
                }
                if constexpr (low + 1 < width)
                    column[r] = x[r][low + 1];
            }
        }
    }

    __device__ void eliminate(int step, int c, const candidate<T, width> &pivot)
    {
        T u[width], l[rows];
        bool left[rows];
#pragma unroll
        for (int q = 0; q < width; q++)
            u[q] = pivot.row[q];
        const T reciprocal = pivot.reciprocal;
        const unsigned long long order = pivot.order;
        const int from = pivot.position;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            int p = position[r];
            position[r] = p == from ? step : p == step ? from : p;
            left[r] = position[r] > step;
            l[r] = is_quick<T>(order) ? multiply_add(column[r], reciprocal, to_element<T>(0, 0))
                                      : column[r];
        }
        if (!is_quick<T>(order) && order != 0) {
#pragma unroll
            for (int r = 0; r < rows; r++)
                l[r] = divide(column[r], pivot.row[c]);
        }
        subtract<0, width>(c, left, l, u);
    }

    __device__ void factor(int first, int columns)
    {
#pragma unroll
        for (int r = 0; r < rows; r++)
            column[r] = x[r][0];
#pragma unroll 1
        for (int c = 0; c < columns; c++) {
            const int step = first + c, b = step % 2;
            propose(step);
            __syncthreads();
            send_best(step);
            /* What store() wrote before the barrier: by the next message but one, other blocks may
             * read it. */
            if (c == 1 && threadIdx.x == threads - 1)
                __threadfence();
            wait_for_mail(&shop.mailbox[b], step / 2 % 2);
            const candidate<T, width> &pivot = shop.inbox[b][choose(shop.inbox[b], blocks)];
            record(step, first, pivot);
            eliminate(step, c, pivot);
        }
    }

    /* L of my rows in so many columns of the strip from k on */
    static constexpr int depth = std::min(width, std::max(1, 128 / int(sizeof(T)) / rows));
    __device__ void load_multipliers(int k, T (&l)[depth][rows])
    {
#pragma unroll
        for (int i = 0; i < depth; i++)
#pragma unroll
            for (int r = 0; r < rows; r++)
                l[i][r] = position[r] >= 0 ? s.a[home(r) + (k + i) * s.ld] : to_element<T>(0, 0);
    }

    /* The columns at hand, `first` on, become what they are after the pivots before. */
    __device__ void catch_up(int first, int columns)
    {
        const int before = first - width; /* columns whose L is not in shop.lower yet */
        T l[depth][rows], next[depth][rows];
        load(first, columns);
        __syncthreads();
        for (int k = warp; k < before + columns; k += warps) {
            const bool is_lower = k < before;
            const int c = is_lower ? k : k + width; /* in the strip */
            for (int j = lane + (is_lower ? before : 0); j < first; j += 32) {
                T value = __ldcg(&s.a[shop.home[j] + c * s.ld]);
                *(is_lower ? &shop.lower[j][k] : &shop.upper[j][k - before]) = value;
            }
        }
        load_multipliers(0, l);
        __syncthreads();
        for (int c = warp; c < columns; c += warps)
            solve(first, c);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < first; k += depth) {
            if (k + depth < first)
                load_multipliers(k + depth, next);
#pragma unroll
            for (int i = 0; i < depth; i++) {
                T u[width];
#pragma unroll
                for (int c = 0; c < width; c++)
                    u[c] = shop.upper[k + i][c];
#pragma unroll
                for (int r = 0; r < rows; r++)
#pragma unroll
                    for (int c = 0; c < width; c++)
                        x[r][c] = subtract_product(x[r][c], l[i][r], u[c]);
            }
#pragma unroll
            for (int i = 0; i < depth; i++)
#pragma unroll
                for (int r = 0; r < rows; r++)
                    l[i][r] = next[i][r];
        }
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (position[r] >= 0 && position[r] < first)
#pragma unroll
                for (int c = 0; c < width; c++)
                    x[r][c] = shop.upper[position[r]][c];
    }

    /* Column c of upper := L⁻¹ times it, for the first n pivots */
    __device__ void solve(int n, int c)
    {
        constexpr int parts = most_columns<T> / 32;
        T y[parts];
#pragma unroll
        for (int p = 0; p < parts; p++)
            y[p] = lane + 32 * p < n ? shop.upper[lane + 32 * p][c] : to_element<T>(0, 0);
        solve_unit_lower<2>(n, y, [&](int i, int k) { return shop.lower[i][k]; });
#pragma unroll
        for (int p = 0; p < parts; p++)
            if (lane + 32 * p < n)
                shop.upper[lane + 32 * p][c] = y[p];
    }

    /* All columns are done, with the rows still at home: now these go where they belong. */
    __device__ void move_rows()
    {
        const int n = s.columns;
        __syncthreads();
#pragma unroll
        for (int r = 0; r < rows; r++) {
            if (position[r] < 0)
                continue;
            int from = home(r), to = position[r];
            if (from != to)
                shop.moves[atomicAdd(&shop.moving, 1)] = make_int2(to, from);
            if (from < n)
                s.moves[n + from] = make_int2(to < n ? -1 : to, from);
        }
        if (rank == 0)
            for (int j = threadIdx.x; j < n; j += threads)
                s.moves[j] = make_int2(j, shop.home[j]);
        __syncthreads();
        const int moving = shop.moving;
        T *stage = shop.lower[0];
        for (int c = warp; c < n; c += warps)
            for (int i = lane; i < moving; i += 32)
                stage[i + c * moving] = s.a[shop.moves[i].y + c * s.ld];
        cluster_barrier();
        for (int c = warp; c < n; c += warps)
            for (int i = lane; i < moving; i += 32)
                s.a[shop.moves[i].x + c * s.ld] = stage[i + c * moving];
    }
};

template <typename T, int width, int rows>
__global__ void __launch_bounds__(threads) strip_kernel(strip<T> s, int rows_of_block)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    workshop<T, width> &shop = *reinterpret_cast<workshop<T, width> *>(shared);
    const int rank = cluster_rank(), first_row = rank * rows_of_block;
    strip_worker<T, width, rows> worker = {s,
                                           shop,
                                           cluster_size(),
                                           rank,
                                           static_cast<int>(threadIdx.x) / 32,
                                           static_cast<int>(threadIdx.x) % 32,
                                           first_row};
    if (threadIdx.x == 0) {
        create_mailbox(&shop.mailbox[0]);
        create_mailbox(&shop.mailbox[1]);
        shop.moving = 0;
    }
    cluster_barrier();
    wait_for_kernel_before();
#pragma unroll
    for (int r = 0; r < rows; r++) {
        int i = threadIdx.x + r * threads;
        bool mine = i < rows_of_block && first_row + i < s.m;
        worker.position[r] = mine ? first_row + i : -1;
        if (mine && s.first == 0)
            s.names[first_row + i] = first_row + i;
    }
    if (rank == 0 && threadIdx.x == 0 && s.first == 0)
        *s.info = 0;
    for (int first = 0; first < s.columns; first += width) {
        const int columns = min(width, s.columns - first);
        if (first == 0)
            worker.load(first, columns);
        else
            worker.catch_up(first, columns);

        worker.factor(first, columns);
        worker.store(first, columns);
    }
    worker.move_rows();
    let_next_kernel_start();
#endif
}

/* A cluster has as many blocks as give its threads this many rows, until it is at its largest
 * (perf_models/NOTES.md). */
constexpr int rows_of_thread = 2;

/* The network between blocks wants two of them. */
constexpr int least_blocks = 2;

/* f(width, rows) for the shape of strip_worker that has at least so many rows for a thread and fits
 * its registers. */
template <typename T, typename F>
static int with_shape(int rows, F f)
{
    constexpr int words = sizeof(T) / 4;
    using std::integral_constant;
    integral_constant<int, 8> eight;
    integral_constant<int, 4> four;
    if (rows <= 1)
        return f(eight, integral_constant<int, 1>());
    if (rows <= 2)
        return f(eight, integral_constant<int, 2>());
    if (rows <= 4)
        return f(eight, integral_constant<int, 4>());
    if constexpr (words <= 2)
        if (rows <= 16 / words)
            return f(eight, integral_constant<int, 16 / words>());
    return f(four, integral_constant<int, 32 / words>());
}

template <typename T>
constexpr int most_rows = most_blocks *threads * 128 / sizeof(T);

int prepare_strips(startile_exec *x)
{
    int device, major;
    if (int error = check(cudaGetDevice(&device)))
        return error;
    if (int error =
            check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)))
        return error;
    x->cluster_blocks = major >= 9 ? most_blocks : 0;
    return 0;
}

template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s)
{
    if (x->cluster_blocks == 0 || s.m > most_rows<T>)
        return factor_strip_by_columns<T>(x, s);
    int blocks = least_blocks;
    while (blocks < x->cluster_blocks && s.m > blocks * threads * rows_of_thread)
        blocks *= 2;
    const int rows_of_block = static_cast<int>(ceil_div(s.m, blocks));
    return with_shape<T>(ceil_div(rows_of_block, threads), [&](auto width, auto rows) {
        auto kernel = strip_kernel<T, width(), rows()>;
        constexpr size_t bytes = sizeof(workshop<T, width()>);
        if (int error = check(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
            return error;
        if (int error = check(cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes))))
            return error;
        cudaLaunchAttribute attributes[2] = {};
        attributes[0].id = cudaLaunchAttributeClusterDimension;
        attributes[0].val.clusterDim.x = blocks;
        attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
        attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[1].val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = blocks;
        config.blockDim = threads;
        config.dynamicSmemBytes = bytes;
        config.stream = x->stream;
        config.attrs = attributes;
        config.numAttrs = 2;
        return check(cudaLaunchKernelEx(&config, kernel, s, rows_of_block));
    });
}

template decltype(factor_strip<float>) factor_strip<float>;
template decltype(factor_strip<double>) factor_strip<double>;
template decltype(factor_strip<cuComplex>) factor_strip<cuComplex>;
template decltype(factor_strip<cuDoubleComplex>) factor_strip<cuDoubleComplex>;

} // namespace startile_cuda
