/*
 * One strip of a panel, by one thread block cluster.
 */
#include "cluster.cuh"
#include "getrf.cuh"
#include "pivot.cuh"

#include <algorithm>
#include <climits>

namespace startile_cuda
{

constexpr int most_blocks = 16, most_warps = 16;

#ifdef CLOCKS
__device__ unsigned clocks[16];
#define CLOCK(i)                                                                                   \
    do {                                                                                           \
        unsigned now = clock();                                                                    \
        spent[i] += now - last;                                                                    \
        last = now;                                                                                \
    } while (0)
#define CLOCKW(i)                                                                                  \
    do {                                                                                           \
        unsigned now = clock();                                                                    \
        worker.spent[i] += now - worker.last;                                                      \
        worker.last = now;                                                                         \
    } while (0)
#else
#define CLOCK(i)
#define CLOCKW(i)
#endif
#ifdef UNROLL_STEPS
constexpr int most_unrolled = 2;
#else
constexpr int most_unrolled = 0;
#endif

/* A row that may become a pivot row: the one with the largest order does, of equals the one with
 * the smallest position. Order 0: none. */
template <typename T, int width>
struct alignas(16) candidate {
    unsigned int low, high; /* words of the order */
    int position, home;
    T row[width];
    T reciprocal; /* of the pivot */

    __device__ unsigned long long order() const
    {
        return static_cast<unsigned long long>(high) << 32 | low;
    }
};

template <typename T, int width>
struct workshop {
    uint64_t mailbox[2];
    unsigned int keys[2][most_warps]; /* of the outbox */
    candidate<T, width> outbox[2][most_warps];
    candidate<T, width> inbox[2][most_blocks];
    int2 moves[2 * most_columns<T>];
    int moving;
    T multipliers[most_columns<T>]; /* of a pivot row */
    /* U, by rows */
    static constexpr int ld = most_columns<T> + 1;
    T upper[most_columns<T> * ld];
    T spare[most_columns<T> * most_columns<T>];
};

/* The lane whose candidate is best. */
__device__ inline int best_lane(unsigned long long order, int position)
{
    constexpr unsigned int all = 0xffffffff;
    unsigned int high = static_cast<unsigned int>(order >> 32);
    bool in = high == __reduce_max_sync(all, high);
    unsigned int low = in ? static_cast<unsigned int>(order) : 0;
    in = __reduce_max_sync(all, low) == low && in;
    int where = in ? position : nowhere;
    in = __reduce_min_sync(all, where) == where && in;
    return __ffs(__ballot_sync(all, in)) - 1;
}

/* Barriers of a part of the block's threads, beside that of __syncthreads. */
enum { team_barrier = 1, step_barrier, strip_barrier };

__device__ inline void sync(int barrier, int count)
{
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

__device__ inline void arrive(int barrier, int count)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}

/* A key stands for a candidate of a list of up to 16: the greater part of its order, and its place
 * in the list counted from the end. The largest one wins, unless another is too close to it. */
__device__ inline unsigned int list_key(unsigned int high, int place)
{
    return (high & ~15u) | (15 - place);
}

__device__ inline int place_of(unsigned int key)
{
    return 15 - static_cast<int>(key & 15);
}

/* Whether the keys of the lanes, among them the largest, do not tell the winner */
__device__ inline bool is_close(unsigned int key, unsigned int largest)
{
    return __any_sync(0xffffffff, key != largest && (key ^ largest) < 16);
}

template <typename T, int width>
__device__ inline int choose_exactly(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    return best_lane(lane < count ? list[lane].order() : 0,
                     lane < count ? list[lane].position : nowhere);
}

/* The winner of a list. */
template <typename T, int width>
__device__ inline int choose(const candidate<T, width> *list, int count)
{
    const int lane = threadIdx.x % 32;
    unsigned int key = lane < count ? list_key(list[lane].high, lane) : 0;
    unsigned int largest = __reduce_max_sync(0xffffffff, key);
    return is_close(key, largest) ? choose_exactly(list, count) : place_of(largest);
}

/* The state of a thread of the team. It has the rows first_row + threadIdx.x, + team, …, up to
 * `rows`. */
template <typename T, int width, int rows, int team>
struct strip_worker {
    using room = workshop<T, width>;
    static constexpr int warps = team / 32, everybody = team + 32;
    const strip<T> &s;
    room &shop;
    int blocks, rank, warp, lane, first_row;
    int position[rows]; /* where my rows are by now; −1 if there is no such row */
    T x[rows][width];   /* their elements in the columns at hand */
    T column[rows];     /* and in the one whose pivot is next */
    T done[rows];       /* and in the one before */
#ifdef CLOCKS
    unsigned last = 0, spent[16] = {};
#endif

    __device__ int home(int r) const
    {
        return first_row + static_cast<int>(threadIdx.x) + r * team;
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

    /* Column c of the strip, which is done */
    __device__ void store(int c)
    {
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (position[r] >= 0)
                s.a[home(r) + c * s.ld] = done[r];
    }

    /* My best row, exactly */
    __device__ int best_row(int step, unsigned long long &order, int &where) const
    {
        int which = 0;
        order = 0;
        where = nowhere;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            unsigned long long o = pivot_order(column[r], position[r] == step);
            if (position[r] >= step && (o > order || (o == order && position[r] < where))) {
                order = o;
                where = position[r];
                which = r;
            }
        }
        return which;
    }

    /* The warp's candidate into the outbox: by the greater part of the orders, if that will do. */
    __device__ void propose(int step)
    {
        constexpr unsigned int all = 0xffffffff;
        unsigned int high = 0;
        int which = 0;
        bool close = false;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            unsigned int h = position[r] >= step ? quick_order(column[r]) : 0;
            close = h > high ? false : close | (h == high);
            which = h > high ? r : which;
            high = max(high, h);
        }
        const unsigned int key = (high & ~31u) | (31 - lane);
        const unsigned int largest = __reduce_max_sync(all, key);
        publish(step, which, key == largest);
        /* Infinity and NaN have no quick order. */
        const bool doubtful = largest >= quick_order_of_infinity<T> ||
                              ((key ^ largest) < 32 && (key != largest || close));
        if (__any_sync(all, doubtful) && largest >= 32) {
            unsigned long long order;
            int where;
            which = best_row(step, order, where);
            bool mine = lane == best_lane(order, where);
            __syncwarp();
            publish(step, which, mine);
        }
    }

    __device__ void publish(int step, int which, bool mine)
    {
        candidate<T, width> &place = shop.outbox[step % 2][warp];
        T pivot = column[0];
        int where = position[0];
#pragma unroll
        for (int r = 1; r < rows; r++) {
            pivot = r == which ? column[r] : pivot;
            where = r == which ? position[r] : where;
        }
        const T reciprocal = quick_reciprocal(pivot);
        const unsigned long long order = where >= step ? pivot_order(pivot, where == step) : 0;
        const int low = static_cast<int>(order), high = static_cast<int>(order >> 32);
        where = where >= step ? where : nowhere;
        if (!mine)
            return;
        shop.keys[step % 2][warp] = list_key(high, warp);
        *reinterpret_cast<int4 *>(&place) = make_int4(low, high, where, home(which));
#pragma unroll
        for (int r = 0; r < rows; r++)
            if (r == which)
#pragma unroll
                for (int c = 0; c < width; c++)
                    place.row[c] = x[r][c];
        place.reciprocal = reciprocal;
    }

    static constexpr int pieces = sizeof(candidate<T, width>) / 16;
    static constexpr int most_sent = (most_blocks + warps - 1) / warps;
    static constexpr int lanes = most_sent > 1 ? 16 : 32; /* for a message */
    static_assert(pieces <= lanes, "");

    /* The block's candidate to all blocks: a warp for each, or several in turn */
    __device__ void send_best(int step)
    {
        const int b = step % 2;
        const unsigned int *keys = shop.keys[b];
        const unsigned int key = keys[lane % most_warps];
        unsigned int largest = 0;
#pragma unroll
        for (int i = 0; i < warps; i += 4) {
            uint4 k = *reinterpret_cast<const uint4 *>(keys + i);
            largest = max(largest, max(max(k.x, k.y), max(k.z, k.w)));
        }
        const int piece = lane % lanes, p = min(piece, pieces - 1);
        auto message = [&](int winner) {
            return reinterpret_cast<const int4 *>(&shop.outbox[b][winner])[p];
        };
        int4 value = message(place_of(largest));
        if (is_close(key, largest))
            value = message(choose_exactly(shop.outbox[b], warps));
        int4 *to = reinterpret_cast<int4 *>(&shop.inbox[b][rank]) + piece;
#pragma unroll
        for (int i = 0; i < most_sent; i += 32 / lanes) {
            const int block = warp + (i + lane / lanes) * warps;
            if (block < blocks && piece < pieces)
                send(block, to, value, &shop.mailbox[b]);
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
            for (int q = low + 1; q < width; q++)
#pragma unroll
                for (int r = 0; r < rows; r++)
                    if (left[r])
                        x[r][q] = subtract_product(x[r][q], l[r], u[q]);
#pragma unroll
            for (int r = 0; r < rows; r++) {
                if (left[r])
                    x[r][low] = l[r];
                if constexpr (low + 1 < width)
                    column[r] = x[r][low + 1];
            }
        }
    }

    __device__ void eliminate(int step, int c, const candidate<T, width> &pivot)
    {
        T u[width], l[rows];
        bool left[rows];
        const int4 head = *reinterpret_cast<const int4 *>(&pivot);
#pragma unroll
        for (int q = 0; q < width; q++)
            u[q] = pivot.row[q];
        const T reciprocal = pivot.reciprocal;
        const unsigned long long order =
            static_cast<unsigned long long>(static_cast<unsigned int>(head.y)) << 32 |
            static_cast<unsigned int>(head.x);
        const int from = head.z;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            int p = position[r];
            position[r] = p == from ? step : p == step ? from : p;
            left[r] = position[r] > step;
            l[r] = multiply_add(column[r], reciprocal, to_element<T>(0, 0));
        }
        if (!is_quick<T>(order)) {
            T p = pivot.row[c];
#pragma unroll
            for (int r = 0; r < rows; r++)
                l[r] = order == order_of_zero ? column[r] : divide(column[r], p);
        }
#pragma unroll
        for (int r = 0; r < rows; r++)
            done[r] = left[r] ? l[r] : column[r];
        subtract<0, width>(c, left, l, u);
    }

    __device__ void factor(int first, int columns)
    {
        const bool is_last = first + width >= s.columns;
#pragma unroll
        for (int r = 0; r < rows; r++)
            column[r] = x[r][0];
#pragma unroll(rows <= most_unrolled ? width : 1)
        for (int c = 0; c < width; c++) {
            if (c >= columns)
                break;
            const int step = first + c, b = step % 2;
            CLOCK(0);
            propose(step);
            CLOCK(1);
            sync(step_barrier, everybody);
            CLOCK(2);
            send_best(step);
            if (c > 0 && !is_last)
                store(step - 1);
            CLOCK(3);
            wait_for_mail(&shop.mailbox[b], step / 2 % 2);
            CLOCK(4);
            const candidate<T, width> &pivot = shop.inbox[b][choose(shop.inbox[b], blocks)];
            CLOCK(5);
            eliminate(step, c, pivot);
            CLOCK(6);
        }
        if (!is_last)
            store(first + columns - 1);
    }

    /* L of my rows in so many columns of the strip from k on */
    static constexpr int depth =
        std::min(width, std::max(1, 128 / int(sizeof(T)) / rows / (team > 256 ? 2 : 1)));
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
        T l[depth][rows], next[depth][rows];
        load(first, columns);
        load_multipliers(0, l);
        sync(strip_barrier, everybody);
        CLOCK(8);
#pragma unroll 1
        for (int k = 0; k < first; k += depth) {
            if (k + depth < first)
                load_multipliers(k + depth, next);
#pragma unroll
            for (int i = 0; i < depth; i++) {
                T u[width];
#pragma unroll
                for (int c = 0; c < width; c++)
                    u[c] = shop.upper[(k + i) * room::ld + first + c];
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
                    x[r][c] = shop.upper[position[r] * room::ld + first + c];
        CLOCK(10);
    }

    /* All columns are done, from `first` on only in registers, and the rows still at home: now
     * these go where they belong. Only what stays is stored at home, so that no two blocks write
     * the same element at nearly the same time. */
    __device__ void move_rows(int first)
    {
        constexpr int most = 2 * most_columns<T>;
        const int n = s.columns;
        T *stage = shop.upper; /* by columns */
        sync(team_barrier, team);
#pragma unroll
        for (int r = 0; r < rows; r++) {
            if (position[r] < 0)
                continue;
            const int from = home(r), to = position[r];
            int slot = 0;
            if (from != to) {
                slot = atomicAdd(&shop.moving, 1);
                shop.moves[slot] = make_int2(to, from);
            }
#pragma unroll
            for (int c = 0; c < width; c++)
                if (first + c < n) {
                    if (from == to)
                        s.a[from + (first + c) * s.ld] = x[r][c];
                    else
                        stage[slot + (first + c) * most] = x[r][c];
                }
            if (from < n)
                s.moves[n + from] = make_int2(to < n ? -1 : to, from);
        }
        sync(team_barrier, team);
        const int moving = shop.moving;
        for (int i = lane; i < moving; i += 32) {
            const T *row = s.a + shop.moves[i].y;
#pragma unroll 4
            for (int c = warp; c < first; c += warps)
                stage[i + c * most] = row[c * s.ld];
        }
        CLOCK(12);
        cluster_barrier_of_reads();
        for (int i = lane; i < moving; i += 32) {
            T *row = s.a + shop.moves[i].x;
#pragma unroll 4
            for (int c = warp; c < n; c += warps)
                row[c * s.ld] = stage[i + c * most];
        }
    }
};

/* The warp beside the team: keeps the books of pivots, and finishes rows of U. It gets every
 * message that the team gets, and arrives at the next step's barrier when it has read it. */
template <typename T, int width, int team>
struct strip_clerk {
    using room = workshop<T, width>;
    static constexpr int everybody = team + 32;
    const strip<T> &s;
    room &shop;
    int blocks, rank, lane;

    __device__ void keep_books()
    {
        for (int first = 0; first < s.columns; first += width) {
            if (first > 0) {
                sync(strip_barrier, everybody);
                /* What the team stored before that barrier: others may read it after the next
                 * message. */
                __threadfence();
            }
            const int columns = min(width, s.columns - first);
            arrive(step_barrier, everybody);
            for (int c = 0; c < columns; c++)
                take_message(first, c, columns);
        }
    }

    __device__ void take_message(int first, int c, int columns)
    {
        const int step = first + c, b = step % 2;
        if (lane == 0)
            expect(&shop.mailbox[b], blocks * static_cast<int>(sizeof(candidate<T, width>)));
        __syncwarp();
        wait_for_mail(&shop.mailbox[b], step / 2 % 2);
        const candidate<T, width> &pivot = shop.inbox[b][choose(shop.inbox[b], blocks)];
        const int position = pivot.position, home = pivot.home;
        const bool is_zero = pivot.order() == order_of_zero;
        if (lane < c)
            shop.multipliers[first + lane] = pivot.row[lane];
        __syncwarp();
        if (c + 1 < columns)
            arrive(step_barrier, everybody);
        if (lane == 0 && rank == 0) {
            s.moves[step] = make_int2(step, home);
            s.ipiv[step] = s.row0 + position + 1;
            if (is_zero && *s.info == 0)
                *s.info = s.first + step + 1;
        }
        if (rank == 0)
            for (int c = lane; c < s.left; c += 32)
                s.left_rows[step + c * most_columns<T>] = s.a[home + (c - s.left) * s.ld];
        if (first + width < s.columns)
            finish_row(first, step, home);
    }

    /* Row `step` of U in the columns to come: its L in the columns before `first` is in memory. */
    __device__ void finish_row(int first, int step, int home)
    {
        constexpr int parts = most_columns<T> / 32;
        const int next = first + width;
        T y[parts];
#pragma unroll
        for (int p = 0; p < parts; p++) {
            int c = next + lane + 32 * p;
            y[p] = c < s.columns ? __ldcg(&s.a[home + c * s.ld]) : to_element<T>(0, 0);
        }
        for (int k = lane; k < first; k += 32)
            shop.multipliers[k] = __ldcg(&s.a[home + k * s.ld]);
        __syncwarp();
#pragma unroll 8
        for (int k = 0; k < step; k++)
#pragma unroll
            for (int p = 0; p < parts; p++) {
                int c = min(next + lane + 32 * p, most_columns<T> - 1);
                y[p] = subtract_product(y[p], shop.upper[k * room::ld + c], shop.multipliers[k]);
            }
#pragma unroll
        for (int p = 0; p < parts; p++)
            if (next + lane + 32 * p < s.columns)
                shop.upper[step * room::ld + next + lane + 32 * p] = y[p];
        __syncwarp();
    }
};

template <typename T, int width, int rows, int team>
__global__ void __launch_bounds__(team + 32) strip_kernel(strip<T> s, int rows_of_block)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char shared[];
    /* Shuffles, so that the compiler keeps these in registers: it would compute them again and
     * again where every cycle counts. */
    const uint32_t address = __shfl_sync(0xffffffff, shared_address(shared), 0);
    workshop<T, width> &shop =
        *static_cast<workshop<T, width> *>(__cvta_shared_to_generic(address));
    const int rank = __shfl_sync(0xffffffff, cluster_rank(), 0);
    const int blocks = __shfl_sync(0xffffffff, cluster_size(), 0);
    const int first_row = rank * rows_of_block;
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (threadIdx.x == 0) {
        create_mailbox(&shop.mailbox[0]);
        create_mailbox(&shop.mailbox[1]);
        shop.moving = 0;
        for (int i = 0; i < 2 * most_warps; i++)
            shop.keys[0][i] = 0;
        if (rank == 0)
            wait_for_kernel_before();
        if (rank == 0 && s.first == 0)
            *s.info = 0;
    }
    cluster_barrier();
    wait_for_kernel_before();
    if (warp == team / 32) {
        strip_clerk<T, width, team>{s, shop, blocks, rank, lane}.keep_books();
        return;
    }
    strip_worker<T, width, rows, team> worker = {s,    shop, cluster_size(), rank,
                                                 warp, lane, first_row};
    CLOCKW(15);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        int i = threadIdx.x + r * team;
        bool mine = i < rows_of_block && first_row + i < s.m;
        worker.position[r] = mine ? first_row + i : -1;
        if (mine && s.first == 0)
            s.names[first_row + i] = first_row + i;
    }
    for (int first = 0;; first += width) {
        const int columns = min(width, s.columns - first);
        if (first == 0)
            worker.load(first, columns);
        else
            worker.catch_up(first, columns);
        CLOCKW(7);
        worker.factor(first, columns);
        if (first + width >= s.columns) {
            let_next_kernel_start();
            worker.move_rows(first);
            break;
        }
        CLOCKW(11);
    }
    CLOCKW(13);
#ifdef CLOCKS
    if (threadIdx.x == 64 && rank == (blocks > 1))
        for (int i = 0; i < 16; i++)
            clocks[i] += worker.spent[i];
#endif
#endif
}

#ifdef TUNE
int tune_rows = 2, tune_columns = 32, tune_blocks = 16, tune_pdl = 3, tune_priority = 0,
    tune_wide = 0, tune_team = 256;
#else
constexpr int tune_rows = 2, tune_columns = 32, tune_blocks = 16, tune_pdl = 3, tune_priority = 0;
#endif

/* f(width, rows, team) for the shape of strip_worker that has room for so many rows of a block.
 * With the clerk, a team of 352 makes 12 warps, 3 for each quarter of a multiprocessor's registers.
 */
template <typename T, typename F>
static int with_shape(int rows_of_block, F f)
{
    constexpr int words = sizeof(T) / 4;
    using std::integral_constant;
    constexpr integral_constant<int, 8> eight;
    constexpr integral_constant<int, 4> four;
    constexpr integral_constant<int, 2> two;
    constexpr integral_constant<int, 1> one;
    constexpr integral_constant<int, 256> medium;
    constexpr integral_constant<int, 352> large;
#ifdef TUNE
    if constexpr (words == 2 && !element<T>::is_complex) {
        constexpr integral_constant<int, 128> small;
        if (tune_team == 128) {
            const int rows = ceil_div(rows_of_block, 128);
            if (rows <= 1)
                return f(eight, one, small);
            if (rows <= 2)
                return f(eight, two, small);
            if (rows <= 4)
                return f(eight, four, small);
        }
    }
#endif
    if (rows_of_block <= medium())
        return f(eight, one, medium);
    if (rows_of_block <= 2 * medium())
        return f(eight, two, medium);
    if constexpr (words <= 2)
        if (rows_of_block <= 4 * medium())
            return f(eight, four, medium);
    if constexpr (words == 1)
        if (rows_of_block <= 8 * medium())
            return f(eight, eight, medium);
    constexpr integral_constant<int, 12 / words> some;
    constexpr integral_constant<int, 24 / words> more;
    if (rows_of_block <= some * large)
        return f(eight, some, large);
    return f(four, more, large);
}

template <typename T>
constexpr int most_rows = most_blocks * 352 * (96 / sizeof(T));

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
int strip_columns(const startile_exec *, int)
{
    return std::min(most_columns<T>, tune_columns);
}

template <typename T>
int factor_strip(startile_exec *x, const strip<T> &s)
{
    if (x->cluster_blocks == 0 || s.m > most_rows<T>)
        return factor_strip_by_columns<T>(x, s);
    int blocks = 2;
    while (blocks < tune_blocks && s.m > blocks * 256 * tune_rows)
        blocks *= 2;
    const int rows_of_block = static_cast<int>(ceil_div(s.m, blocks));
    return with_shape<T>(rows_of_block, [&](auto width, auto rows, auto team) {
        auto kernel = strip_kernel<T, width(), rows(), team()>;
        constexpr size_t bytes = sizeof(workshop<T, width()>);
        if (int error = check(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1)))
            return error;
        if (int error = check(cudaFuncSetAttribute(
                kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes))))
            return error;
        cudaLaunchAttribute attributes[3] = {};
        attributes[0].id = cudaLaunchAttributeClusterDimension;
        attributes[0].val.clusterDim.x = blocks;
        attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
        attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[1].val.programmaticStreamSerializationAllowed = tune_pdl & 1;
        attributes[2].id = cudaLaunchAttributePriority;
        attributes[2].val.priority = tune_priority;
        cudaLaunchConfig_t config = {};
        config.gridDim = blocks;
        config.blockDim = team + 32;
        config.dynamicSmemBytes = bytes;
        config.stream = x->stream;
        config.attrs = attributes;
        config.numAttrs = 3;
        return check(cudaLaunchKernelEx(&config, kernel, s, rows_of_block));
    });
}

template decltype(factor_strip<float>) factor_strip<float>;
template decltype(factor_strip<double>) factor_strip<double>;
template decltype(factor_strip<cuComplex>) factor_strip<cuComplex>;
template decltype(factor_strip<cuDoubleComplex>) factor_strip<cuDoubleComplex>;

template decltype(strip_columns<float>) strip_columns<float>;
template decltype(strip_columns<double>) strip_columns<double>;
template decltype(strip_columns<cuComplex>) strip_columns<cuComplex>;
template decltype(strip_columns<cuDoubleComplex>) strip_columns<cuDoubleComplex>;

} // namespace startile_cuda
