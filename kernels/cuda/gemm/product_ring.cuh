/* The ring of slots in shared memory through which the fetching warps of a product hand data to the
 * computing warps (product_engine.cuh) */
#ifndef STARTILE_PRODUCT_RING_CUH
#define STARTILE_PRODUCT_RING_CUH

#include "common/mbarrier.cuh"

namespace startile_cuda
{

/* Bytes in front of the slots, for the mbarriers `full` and `empty` of each slot */
constexpr int mbarriers_bytes = 256;
constexpr int max_slots = 16;

/* Position in the ring of slots in shared memory */
struct product_ring {
    uint32_t base;
    int slots, slot_bytes;
    int slot = 0, parity = 0;

    __device__ uint32_t full() const
    {
        return base + 8 * slot;
    }
    __device__ uint32_t empty() const
    {
        return base + 8 * (max_slots + slot);
    }
    __device__ uint32_t data() const
    {
        return base + mbarriers_bytes + slot * slot_bytes;
    }
    __device__ void advance()
    {
        if (++slot == slots) {
            slot = 0;
            parity ^= 1;
        }
    }
};

/* Waits for the next slot to become empty. Called by the fetching warps. */
__device__ inline void wait_empty(const product_ring &ring)
{
    while (!mbarrier::try_wait(ring.empty(), ring.parity ^ 1)) {
    }
}

/* Waits for the next slot to be filled. Called by the computing warps. */
__device__ inline void wait_full(const product_ring &ring)
{
    while (!mbarrier::try_wait(ring.full(), ring.parity)) {
    }
}

/* Releases a slot, by a warp. The caller has already used all fragments of the slot, so that the
 * arrival does not wait for reads in flight. */
__device__ inline void release_slot(uint32_t empty)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        mbarrier::arrive(empty);
}

/* Releases the next `count` slots, each after it was filled. */
__device__ inline void pass_slots(product_ring &ring, int count)
{
    for (; count > 0; count--) {
        wait_full(ring);
        release_slot(ring.empty());
        ring.advance();
    }
}

} // namespace startile_cuda

#endif
