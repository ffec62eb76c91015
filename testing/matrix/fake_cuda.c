/* Replaces CUDA's driver: one range of addresses is in the memory of a GPU, or managed; all others
 * are unknown. */
#include <stddef.h>
#include <stdint.h>

static struct {
    uintptr_t start, bytes;
    int device, managed;
} place;

void fake_cuda_place(const void *start, size_t bytes, int device, int managed);
int cuPointerGetAttributes(unsigned count, int *attributes, void **values, unsigned long long p);

void fake_cuda_place(const void *start, size_t bytes, int device, int managed)
{
    place.start = (uintptr_t)start;
    place.bytes = bytes;
    place.device = device;
    place.managed = managed;
}

/* The attributes are those of cuda.h: 2 memory type, 8 managed, 9 device. */
int cuPointerGetAttributes(unsigned count, int *attributes, void **values, unsigned long long p)
{
    int is_inside = p - place.start < place.bytes;
    for (unsigned i = 0; i < count; i++) {
        int *value = values[i];
        *value = attributes[i] == 2   ? 2 * is_inside
                 : attributes[i] == 8 ? is_inside && place.managed
                                      : (is_inside ? place.device : -2);
    }
    return 0;
}
