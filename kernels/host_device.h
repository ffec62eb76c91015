/* Marks functions that both CPU kernels and CUDA kernels call. */
#ifndef STARTILE_HOST_DEVICE_H
#define STARTILE_HOST_DEVICE_H

#ifdef __CUDACC__
#define STARTILE_HD __host__ __device__
#else
#define STARTILE_HD
#endif

#endif
