/*
 * The peer of `startile bench` on CPUs.
 */
#include "bench_race.h"
#include "flops.h"
#include "measure.h"
#include "peer_cpu.h"
#include "scalar.h"

#include <math.h>
#include <stdlib.h>

/* LAPACK's indices have 32 bits. NULL: no memory */
static int *narrow_ipiv(const struct race *race)
{
    int *narrow = malloc(race_ipiv_bytes(race, sizeof *narrow));
    for (int64_t i = 0; narrow && i < pivot_count(race->problem); i++)
        narrow[i] = (int)race->ipiv[i];
    return narrow;
}

static void widen_ipiv(struct race *race, const int *narrow)
{
    for (int64_t i = 0; i < pivot_count(race->problem); i++)
        race->ipiv[i] = narrow[i];
}

bool race_on_cpu(struct race *race, struct reference *reference)
{
    const struct problem *p = race->problem;
    double seconds[race->repeats + 1];
    if (p->m > INT32_MAX / 2 || p->n > INT32_MAX / 2)
        return race_fail(race, "too large for the peer");
    struct peer_data x = {.ipiv = narrow_ipiv(race), .tau = race->tau};
    if (!x.ipiv)
        return race_fail(race, "no host memory for the peer");
    for (int i = 0; i < MAX_OPERANDS; i++)
        x.matrix[i] = race->out[i] ? race->out[i] : race->in[i];
    /* The first run warms up. */
    for (int i = 0; i <= race->repeats; i++) {
        race_restore(race);
        double start = now_seconds();
        reference->info = p->routine->cpu_peer(p, &x);
        seconds[i] = now_seconds() - start;
    }
    widen_ipiv(race, x.ipiv);
    free(x.ipiv);
    if (race->repeats)
        reference->seconds = median(seconds + 1, (size_t)race->repeats);
    return true;
}

/* Large enough for the full rate, small enough for about a second. */
double gemm_rate_on_cpu(startile_dtype dtype)
{
    enum { RUNS = 4 };
    double rate = 0, rates[RUNS];
    for (int n = 512; n <= 2048; n *= 2) {
        size_t count = (size_t)n * (size_t)n;
        double flops = flops_gemm(dtype, n, n, n);
        if (rate > 0 && RUNS * flops / rate > 4)
            break;
        char *a = malloc(3 * count * dtype_size(dtype));
        if (!a)
            break;
        for (size_t i = 0; i < 3 * count; i++)
            element_set(dtype, a, i, (double)((i * 7919) % 10007) / 10007 - 0.5);
        char *b = a + count * dtype_size(dtype), *c = b + count * dtype_size(dtype);
        for (int i = 0; i < RUNS; i++) {
            double start = now_seconds();
            cpu_peer_gemm(dtype, n, n, n, a, b, c);
            rates[i] = flops / (now_seconds() - start);
        }
        free(a);
        rate = median(rates + 1, RUNS - 1);
    }
    return rate > 0 ? rate * 1e-9 : NAN;
}
