/*
 * Finds the GPU whose memory has an address, by cuPointerGetAttributes() of CUDA's driver. The
 * driver is asked only if the program has loaded it: without it no address belongs to a GPU. The
 * runtime's cudaPointerGetAttributes() would create a context on a GPU, also in a program that uses
 * CPU cores only. So a library without CUDA recognizes addresses of GPUs, too.
 */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "data/pointer.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>

/* Values of CUpointer_attribute and CUmemorytype in cuda.h */
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE_ORDINAL = 9 };
enum { MEMORY_TYPE_DEVICE = 2 };

typedef int get_attributes(unsigned count, int *attributes, void **values, unsigned long long p);

/* Stores the number of libraries that the program has loaded so far. */
static int count_loaded(struct dl_phdr_info *info, size_t bytes, void *count)
{
    (void)bytes;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1; /* all objects have the same number */
}

/* Returns the driver's function, or NULL if the program has not loaded the driver. Looks again only
 * if a library was loaded since the last time, because dlopen() searches folders, which takes up to
 * 60 µs. */
static get_attributes *driver_function(void)
{
    static _Atomic(get_attributes *) known;
    static atomic_ullong loaded_without;
    get_attributes *function = atomic_load(&known);
    if (function != NULL)
        return function;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_loaded, &loaded);
    if (loaded == atomic_load(&loaded_without))
        return NULL;
    /* the handle is not closed, so the driver stays loaded */
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver != NULL)
        *(void **)&function = dlsym(driver, "cuPointerGetAttributes");
    if (function != NULL)
        atomic_store(&known, function);
    else
        atomic_store(&loaded_without, loaded);
    return function;
}

struct place place_of(const void *p)
{
    get_attributes *function = p != NULL ? driver_function() : NULL;
    unsigned type = 0, managed = 0;
    int device = -1;
    int attributes[] = {MEMORY_TYPE, IS_MANAGED, DEVICE_ORDINAL};
    void *values[] = {&type, &managed, &device};
    /* the driver fails before its initialization, and in a child of fork() */
    bool is_known =
        function != NULL && function(3, attributes, values, (unsigned long long)(size_t)p) == 0;
    bool on_gpu = is_known && type == MEMORY_TYPE_DEVICE && managed == 0;
    return (struct place){on_gpu ? device : -1, is_known && managed != 0, is_known && type == 0};
}

bool is_gpu_memory(const void *p)
{
    return place_of(p).device >= 0;
}
