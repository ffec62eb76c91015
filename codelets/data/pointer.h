/* The memory that has an address. */
#ifndef STARTILE_POINTER_H
#define STARTILE_POINTER_H

#include <stdbool.h>

/* device: GPU whose memory has the address, −1: the host can access it. is_managed: managed memory,
 * which the host and all GPUs can access. is_pageable: main memory that CUDA does not know. */
struct place {
    int device;
    bool is_managed, is_pageable;
};
/* Returns the place of an address. Does not start CUDA. Thread-safe. (pointer.c) */
struct place place_of(const void *p);

/* Returns the memory node of a GPU, or −1 if no worker uses it. (memory_node.c) */
int node_of_device(int device);
/* Returns the memory node of the GPU if exactly one GPU has workers, else −1. (memory_node.c) */
int only_gpu_node(void);
/* Returns the memory node of the caller's memory, or −1 if no worker can use it. *device := its
 * GPU, or −1. (memory_node.c) */
int memory_node_of(const void *p, int *device);

/* Returns whether the address is in the memory of a GPU, which the host cannot access. */
bool is_gpu_memory(const void *p);

#endif
