/*
 * One run of the peer of `startile bench` over a problem: what its CPU half, its GPU half and
 * bench_reference.c share.
 */
#ifndef BENCH_RACE_H
#define BENCH_RACE_H

#include "bench.h"

struct race {
    const struct bench_settings *settings;
    const struct problem *problem;
    struct operand describe[MAX_OPERANDS];
    void *in[MAX_OPERANDS];  /* as the routine takes it */
    void *out[MAX_OPERANDS]; /* for results */
    int64_t *ipiv;           /* what the routine takes or makes of row interchanges */
    void *tau;               /* and of reflectors */
    int repeats;             /* 0: once, untimed, for the check only */
    bool keep;               /* the check needs the results */
    char *reason;
    size_t size;
};

/* Keeps the reason. Returns false. */
__attribute__((format(printf, 2, 3))) bool race_fail(struct race *race, const char *format, ...);
/* Of as many elements as there may be pivots, of that size, and reflectors. */
size_t race_ipiv_bytes(const struct race *race, size_t size);
size_t race_tau_bytes(const struct race *race);
/* Results := what the routine takes. */
void race_restore(struct race *race);

/* bench_race_cpu.c, bench_race_gpu.c; of one GPU. The rates are those of the peer's gemm in
 * GFlop/s, or NaN. */
bool race_on_cpu(struct race *race, struct reference *reference);
double gemm_rate_on_cpu(startile_dtype dtype);
bool race_on_gpu(struct race *race, struct reference *reference);
double gemm_rate_on_gpu(startile_dtype dtype);
const char *gpu_name(void);

/* bench_race_gpus.c: GPUs that the library is given. */
int gpus_in_use(const struct bench_settings *s);
/* Why one GPU has to stand in for several; NULL: it need not. */
const char *lacks_several_gpus(const struct bench_settings *s, const struct problem *p);
bool race_on_gpus(struct race *race, struct reference *reference);
/* What races on GPUs, and why it is one GPU where the library is given several. */
void name_gpus(const struct bench_settings *s, const struct problem *p, char *name, size_t size);

#endif
