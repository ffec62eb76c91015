/*
 * Access to the library's CUDA kernels for `startile bench kernel`. startile_cuda_access_get() is
 * the only exported symbol that is not in the public headers; it may change with every version.
 */
#ifndef STARTILE_CUDA_ACCESS_H
#define STARTILE_CUDA_ACCESS_H

#include "kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* The tables startile_cuda_kernels, startile_cuda_own_kernels, startile_cuda_vendor_kernels, in
     * this order; the functions below are those of kernels.h. */
    const startile_kernels *const *faster, *const *own, *const *vendor;
    startile_exec *(*exec_create)(void *stream, const startile_allocator *allocator);
    void (*exec_destroy)(startile_exec *x);
    void (*set_products)(startile_exec *x, startile_products products);
    void (*keep_own)(startile_exec *x, int kept);
    int64_t (*splits)(const startile_exec *x);
    int (*moves_of_pivots)(int64_t row0, startile_pivots_of_panel pivots);
} startile_cuda_access;

__attribute__((visibility("default"))) const startile_cuda_access *startile_cuda_access_get(void);

#ifdef __cplusplus
}
#endif
#endif
