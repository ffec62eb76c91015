/* Calls of the CPU kernels for small matrices of one type. Compiled once per type. */
#include "small.h"
#include "small_calls.h"

#include <stdlib.h>

#if defined STARTILE_TYPE_S
#define CALLS small_calls_s
#elif defined STARTILE_TYPE_D
#define CALLS small_calls_d
#elif defined STARTILE_TYPE_C
#define CALLS small_calls_c
#else
#define CALLS small_calls_z
#endif

static int lanes_of(int variant)
{
    const struct small_kernels *kernels = NAME(small_variant)(variant);
    return kernels == NULL ? 0 : kernels->lanes;
}

static struct small_matrix small_of(struct small_case *of)
{
    struct array A = of->A;
    return (struct small_matrix){
        .p = A.a,
        .m = (int)(of->is_transposed ? A.n : A.m),
        .n = (int)(of->is_transposed ? A.m : A.n),
        .ld = (int)A.ld,
        .info = &of->info,
        .tau = of->tau.a,
        .b = of->B.a,
        .ldb = (int)of->B.ld,
        .sides = (int)of->B.n,
        .is_transposed = of->is_transposed,
    };
}

/* The matrices of a call and their largest dimensions */
struct batch {
    struct small_matrix of[MOST_LANES];
    int m, n;
};

static struct batch batch_of(int count, struct small_case *of)
{
    struct batch b = {.m = 0, .n = 0};
    for (int q = 0; q < count; q++) {
        b.of[q] = small_of(&of[q]);
        b.m = (int)max(b.m, b.of[q].m);
        b.n = (int)max(b.n, b.of[q].n);
    }
    return b;
}

static real *work_of(struct small_matrix a)
{
    return malloc((size_t)qr_small_work(a.m, a.n + a.sides) * sizeof(element));
}

static void factor(int variant, bool together, int count, struct small_case *of)
{
    const struct small_kernels *kernels = NAME(small_variant)(variant);
    struct batch b = batch_of(count, of);
    if (together)
        kernels->geqrf_together(b.m, b.n, count, b.of);
    for (int q = 0; q < count && !together; q++) {
        real *work = work_of(b.of[q]);
        kernels->geqrf(b.of[q], work);
        free(work);
    }
}

static void solve(int variant, bool together, char op, int count, struct small_case *of)
{
    const struct small_kernels *kernels = NAME(small_variant)(variant);
    struct batch b = batch_of(count, of);
    if (together)
        kernels->gels_together(op, b.m, b.n, count, b.of);
    for (int q = 0; q < count && !together; q++) {
        real *work = work_of(b.of[q]);
        kernels->gels(op, b.of[q], work);
        free(work);
    }
}

const struct small_calls CALLS = {lanes_of, factor, solve};
