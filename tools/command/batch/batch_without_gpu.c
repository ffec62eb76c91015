/*
 * Batches in GPU memory where CUDA is not: none.
 */
#include "batch.h"

#ifndef STARTILE_HAVE_CUDA

static const char reason[] = "startile was built without CUDA";

void batch_race_gpu(const struct batch_settings *s, struct batch_data *d, struct team *team,
                    struct batch_row *row)
{
    (void)s;
    (void)d;
    (void)team;
    batch_fail(row, "error: peer: %s", reason);
}

const char *batch_gpu_peer(const struct batch_case *c)
{
    (void)c;
    return NULL;
}

int batch_gpu_alloc(const struct batch_data *d, void **device)
{
    (void)d;
    for (int i = 0; i < BATCH_ARRAYS; i++)
        device[i] = NULL;
    return -1;
}

void batch_gpu_free(void **device)
{
    (void)device;
}

int batch_gpu_restore(const struct batch_data *d, void *const *device)
{
    (void)d;
    (void)device;
    return -1;
}

int batch_gpu_fetch(struct batch_data *d, void *const *device)
{
    (void)d;
    (void)device;
    return -1;
}

int batch_ceilings(double *reading, double *copying)
{
    (void)reading;
    (void)copying;
    return -1;
}

const char *batch_gpu_reason(void)
{
    return reason;
}

#endif
