/*
 * Exchange of the results of a search, in kernels whose thread blocks wait for each other. Each
 * thread block publishes the largest magnitude of its rows, and the thread block of one row also
 * publishes `Elements` of that row. The numbers of the searches are 1, 2, 3, ...
 *
 *                grid_exchange                    cluster_exchange
 *     launch     launch_together                  launch_clusters, one cluster
 *     publish    list in global memory            messages to all thread blocks (store_async)
 *                counter in global memory         arrivals at the mbarriers of all thread blocks
 *     finish     wait for the counter             wait for the own mbarrier
 *                read the list from L2            read the list in shared memory
 *
 * Writes of a thread block to global memory before publish() are visible to all threads of all
 * thread blocks after finish(). They read such elements from the L2 cache.
 *
 * Two lists, for even and odd searches, are enough: a thread block publishes a search after all its
 * threads have read the list of the search before, and finish() waits for all thread blocks.
 *
 * PTX ISA, "Memory Consistency Model": the thread block's writes, its barrier, the release by the
 * arrivals and the acquire by the waiting threads are in causality order.
 */
#ifndef STARTILE_SEARCH_EXCHANGE_CUH
#define STARTILE_SEARCH_EXCHANGE_CUH

#include "common/grid_search.cuh"
#include "common/mbarrier.cuh"

#include <string.h>

namespace startile_cuda
{

/* Result of a search */
template <typename Elements>
struct search_result {
    largest_magnitude best;
    Elements elements;
};

/* An object as words of type Word; the last one may be filled up. */
template <typename Word, typename Object>
struct words_of {
    static constexpr int count = (sizeof(Object) + sizeof(Word) - 1) / sizeof(Word);
    Word word[count];

    __device__ static words_of from(const Object &object)
    {
        words_of w = {};
        memcpy(w.word, &object, sizeof object);
        return w;
    }

    __device__ Object object() const
    {
        Object o;
        memcpy(&o, word, sizeof o);
        return o;
    }
};

/* Returns the best of the thread block's warps, in all lanes of a warp. */
template <int warps>
__device__ inline largest_magnitude best_of_warps(const largest_magnitude (&best)[warps])
{
    const int lane = threadIdx.x % 32;
    return best_of_warp(lane < warps ? best[lane] : largest_magnitude{});
}

/* Lists in global memory for even and odd searches. best: 2 × thread blocks; elements: 2; arrived:
 * thread blocks at all barriers of a kernel together, 0 at its launch */
template <typename Elements>
struct grid_lists {
    largest_magnitude *best;
    Elements *elements;
    unsigned int *arrived;
};

template <typename Elements, int warps>
struct grid_exchange {
    struct shared_state {
        largest_magnitude best[warps];
    };

    const grid_lists<Elements> lists;
    shared_state &s;

    __device__ grid_exchange(const grid_lists<Elements> &in_global, shared_state &shared)
        : lists(in_global), s(shared)
    {
    }

    /* Is called by all threads, before all other functions. */
    __device__ void start() const
    {
    }

    /* Sets the elements that the thread block publishes in this search, by one thread. */
    __device__ void set_elements(int search, const Elements &elements) const
    {
        lists.elements[search % 2] = elements;
    }

    /* Publishes the best of all threads' `best`. has_elements: whether this thread block has set
     * the elements. Is called by all threads, and returns before other thread blocks have
     * published theirs. */
    __device__ void publish(int search, largest_magnitude best, bool /* has_elements */) const
    {
        best = best_of_warp(best);
        if (threadIdx.x % 32 == 0)
            s.best[threadIdx.x / 32] = best;
        __syncthreads();
        if (threadIdx.x >= 32)
            return;
        best = best_of_warps(s.best);
        if (threadIdx.x > 0)
            return;
        lists.best[search % 2 * gridDim.x + blockIdx.x] = best;
        arrive_at_grid(lists.arrived);
    }

    /* Waits until all thread blocks have published, and returns the result in all threads. */
    __device__ search_result<Elements> finish(int search) const
    {
        constexpr int threads = 32 * warps;
        using words = words_of<int2, Elements>;
        if (threadIdx.x == 0)
            wait_for_arrivals(lists.arrived, unsigned(search) * gridDim.x);
        __syncthreads();
        const int2 *const from =
            reinterpret_cast<const int2 *>(lists.elements) + search % 2 * words::count;
        words elements;
        for (int q = 0; q < words::count; q++)
            elements.word[q] = __ldcg(from + q);
        const largest_magnitude *const list = lists.best + search % 2 * gridDim.x;
        largest_magnitude best;
        for (int b = threadIdx.x; b < gridDim.x; b += threads)
            take_larger(best, {__ldcg(&list[b].bits), __ldcg(&list[b].row)});
        best = best_of_warp(best);
        if (threadIdx.x % 32 == 0)
            s.best[threadIdx.x / 32] = best;
        __syncthreads();
        return {best_of_warps(s.best), elements.object()};
    }

    /* Waits until all thread blocks have read the result of the search before this one and have
     * called this function, which no search follows. */
    __device__ void finish_all(int search) const
    {
        wait_for_grid(lists.arrived, unsigned(search) * gridDim.x);
    }
};

/* Thread blocks of a cluster that exchange results */
constexpr int exchanging_blocks = 16;

template <typename Elements, int warps>
struct cluster_exchange {
    static_assert(warps >= 2);
    using words = words_of<int4, Elements>;

    struct shared_state {
        largest_magnitude best[warps];
        words own; /* elements to publish */
        /* what the thread blocks have published, for even and odd searches */
        largest_magnitude list[2][exchanging_blocks];
        words elements[2];
        uint64_t received[2]; /* mbarriers */
    };

    shared_state &s;

    __device__ cluster_exchange(const grid_lists<Elements> & /* lists */, shared_state &shared)
        : s(shared)
    {
    }

    /* Lets an mbarrier expect a search: the arrivals of all thread blocks, and their messages. */
    __device__ void expect(int list) const
    {
        mbarrier::arrive_expect_tx(shared_address(&s.received[list]),
                                   int(sizeof s.list[list] + sizeof s.elements[list]));
    }

    __device__ void start() const
    {
        if (threadIdx.x == 0) {
            for (int list = 0; list < 2; list++)
                mbarrier::init(shared_address(&s.received[list]), 1 + exchanging_blocks);
            mbarrier::fence_init();
            for (int list = 0; list < 2; list++)
                expect(list);
        }
        cluster_barrier();
    }

    __device__ void set_elements(int /* search */, const Elements &elements) const
    {
        s.own = words::from(elements);
    }

    /* The first warp sends the largest magnitude while the second one waits for the thread block's
     * writes. */
    __device__ void publish(int search, largest_magnitude best, bool has_elements) const
    {
        const int warp = threadIdx.x / 32, to = threadIdx.x % 32, list = search % 2;
        best = best_of_warp(best);
        if (to == 0)
            s.best[warp] = best;
        __syncthreads();
        if (warp == 0) {
            const auto message = words_of<int4, largest_magnitude>::from(best_of_warps(s.best));
            if (to < exchanging_blocks)
                mbarrier::store_async(to, &s.list[list][cluster_rank()], message.word[0],
                                      &s.received[list]);
        } else if (warp == 1 && to < exchanging_blocks) {
            if (has_elements)
                for (int q = 0; q < words::count; q++)
                    mbarrier::store_async(to, &s.elements[list].word[q], s.own.word[q],
                                          &s.received[list]);
            mbarrier::arrive_release(to, &s.received[list]);
        }
    }

    __device__ search_result<Elements> finish(int search) const
    {
        const int lane = threadIdx.x % 32, list = search % 2;
        mbarrier::wait_acquire(&s.received[list], (search - 1) / 2 % 2);
        if (threadIdx.x == 0)
            expect(list);
        const largest_magnitude best =
            lane < exchanging_blocks ? s.list[list][lane] : largest_magnitude{};
        return {best_of_warp(best), s.elements[list].object()};
    }

    __device__ void finish_all(int /* search */) const
    {
        cluster_barrier();
    }
};

} // namespace startile_cuda

#endif
