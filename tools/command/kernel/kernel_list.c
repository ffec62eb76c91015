/*
 * The kernels, and the sizes at which `startile bench kernel all` measures them: those at which a
 * factorization on one GPU spends its time.
 */
#include "kernel.h"

#include <string.h>

static const struct kernel *const tables[] = {product_kernels, group_kernels, triangle_kernels,
                                              factor_kernels,  qr_kernels,    pair_kernels,
                                              row_kernels,     move_kernels};

const struct kernel *kernel_at(int i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct kernel *k = tables[t]; k->name; k++)
            if (i-- == 0)
                return k;
    return NULL;
}

const struct kernel *kernel_named(const char *name)
{
    const struct kernel *k;
    for (int i = 0; (k = kernel_at(i)) != NULL; i++)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

bool kernel_has(const struct kernel *k, char size)
{
    return strchr(k->sizes, size) != NULL;
}

/* type, m, n, k, pieces, transa, transb */
const struct listed all_kernels[] = {
    {"gemm", {STARTILE_D, 16384, 16384, 16384, 1, 'N', 'N'}},
    {"gemm", {STARTILE_D, 16384, 16384, 256, 1, 'N', 'N'}},
    {"gemm", {STARTILE_D, 16384, 16384, 512, 1, 'N', 'N'}},
    {"gemm", {STARTILE_D, 16384, 16384, 512, 1, 'N', 'C'}},
    {"gemm", {STARTILE_D, 8192, 2048, 2048, 1, 'N', 'C'}},
    {"gemm", {STARTILE_S, 16384, 16384, 16384, 1, 'N', 'N'}},
    {"gemm", {STARTILE_S, 16384, 16384, 512, 1, 'N', 'C'}},
    {"gemm", {STARTILE_Z, 8192, 8192, 512, 1, 'N', 'C'}},
    {"gemm", {STARTILE_C, 8192, 8192, 512, 1, 'N', 'C'}},
    {"gemm_group", {STARTILE_D, 2048, 512, 512, 8, 'N', 'N'}},
    {"gemm_group", {STARTILE_D, 2048, 512, 512, 8, 'N', 'C'}},
    {"gemm_group", {STARTILE_S, 2048, 512, 512, 8, 'N', 'C'}},
    {"herk_group", {STARTILE_D, 1024, 1024, 1024, 16, 'N', 'N'}},
    {"herk", {STARTILE_D, 16384, 16384, 512, 1, 'N', 'N'}},
    {"herk", {STARTILE_D, 2048, 2048, 2048, 1, 'N', 'N'}},
    {"herk", {STARTILE_S, 16384, 16384, 512, 1, 'N', 'N'}},
    {"trmm", {STARTILE_D, 8192, 512, 0, 1, 'N', 'N'}},
    {"trmm", {STARTILE_D, 8192, 2048, 0, 1, 'N', 'N'}},
    {"trmm", {STARTILE_S, 8192, 512, 0, 1, 'N', 'N'}},
    {"trmm_group", {STARTILE_D, 1024, 512, 0, 8, 'N', 'N'}},
    {"potrf", {STARTILE_D, 512, 512, 0, 1, 'N', 'N'}},
    {"potrf", {STARTILE_D, 1024, 1024, 0, 1, 'N', 'N'}},
    {"potrf", {STARTILE_D, 2048, 2048, 0, 1, 'N', 'N'}},
    {"potrf", {STARTILE_S, 2048, 2048, 0, 1, 'N', 'N'}},
    {"potrf_inverse", {STARTILE_D, 512, 512, 0, 1, 'N', 'N'}},
    {"potrf_inverse", {STARTILE_D, 1024, 1024, 0, 1, 'N', 'N'}},
    {"potrf_inverse", {STARTILE_D, 2048, 2048, 0, 1, 'N', 'N'}},
    {"getrf", {STARTILE_D, 8192, 256, 0, 1, 'N', 'N'}},
    {"getrf", {STARTILE_D, 32768, 256, 0, 1, 'N', 'N'}},
    {"getrf_nopiv", {STARTILE_D, 1024, 1024, 0, 1, 'N', 'N'}},
    {"geqrf", {STARTILE_D, 16384, 256, 0, 1, 'N', 'N'}},
    {"larfb", {STARTILE_D, 8192, 8192, 256, 1, 'N', 'N'}},
    {"tpqrt", {STARTILE_D, 4096, 256, 0, 1, 'N', 'N'}},
    {"tpmqrt", {STARTILE_D, 4096, 4096, 256, 1, 'N', 'N'}},
    {"laswp", {STARTILE_D, 32768, 8192, 512, 1, 'N', 'N'}},
    {"transpose", {STARTILE_S, 16384, 16384, 0, 1, 'N', 'N'}},
    {"transpose", {STARTILE_D, 16384, 16384, 0, 1, 'N', 'N'}},
    {"transpose", {STARTILE_Z, 8192, 8192, 0, 1, 'N', 'N'}},
    {"lacpy", {STARTILE_D, 16384, 16384, 0, 1, 'N', 'N'}},
    {"geadd", {STARTILE_D, 8192, 8192, 0, 1, 'N', 'N'}},
    {"lange", {STARTILE_D, 8192, 8192, 0, 1, 'N', 'N'}},
    {.kernel = NULL},
};
