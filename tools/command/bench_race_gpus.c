/*
 * The peer of `startile bench` on several GPUs: cusolverMg, where it has the routine.
 */
#include "bench_race.h"
#include "measure.h"
#include "peer_cuda.h"

#include <starpu.h>

/* What StarPU takes: its environment comes before what it is told. */
int gpus_in_use(const struct bench_settings *s)
{
    int here = cuda_count(), said = starpu_getenv_number("STARPU_NCUDA");
    int wanted = said >= 0 ? said : s->library.ncuda >= 0 ? s->library.ncuda : here;
    int most = here < STARPU_MAXCUDADEVS ? here : STARPU_MAXCUDADEVS;
    return s->where == WHERE_CPU ? 0 : wanted < most ? wanted : most;
}

#ifdef STARTILE_HAVE_CUSOLVERMG

const char *lacks_several_gpus(const struct bench_settings *s, const struct problem *p)
{
    int gpus = gpus_in_use(s);
    return p->routine->several_gpus == MG_NONE ? "cusolverMg has no such routine"
           : p->routine->several_gpus == MG_POTRF && p->uplo != 'L' ? "cusolverMg takes uplo L only"
           : gpus > CUDA_MG_GPUS                                    ? "too many for cusolverMg"
           : p->n < (int64_t)gpus * CUDA_MG_BLOCK ? "too few columns for cusolverMg"
                                                  : NULL;
}

/* Where the matrix resides in main memory, its way to the GPUs and back is part of the time. */
static int time_on_gpus(const struct race *race, double *seconds)
{
    bool resident = race->settings->resident_on_gpu;
    if (resident && cuda_mg_to_devices(race->in[0]))
        return -1;
    double start = now_seconds();
    int failed = (!resident && cuda_mg_to_devices(race->in[0])) || cuda_mg_factor() ||
                 (!resident && cuda_mg_to_host(race->out[0], race->ipiv));
    *seconds = now_seconds() - start;
    return failed;
}

static int run_on_gpus(struct race *race, struct reference *reference)
{
    double seconds[race->repeats + 1];
    /* The first run warms up. */
    for (int i = 0; i <= race->repeats; i++)
        if (time_on_gpus(race, &seconds[i]))
            return -1;
    reference->info = cuda_mg_info();
    if (race->repeats)
        reference->seconds = median(seconds + 1, (size_t)race->repeats);
    return race->keep && cuda_mg_to_host(race->out[0], race->ipiv);
}

bool race_on_gpus(struct race *race, struct reference *reference)
{
    const struct problem *p = race->problem;
    size_t bytes = operand_bytes(p, &race->describe[0]);
    /* Page-locking takes longer than the run: only what is used. */
    bool fetches = race->keep || !race->settings->resident_on_gpu;
    (void)cuda_peer_pin(race->in[0], bytes);
    if (fetches)
        (void)cuda_peer_pin(race->out[0], bytes);
    bool good = !cuda_mg_open(p->routine->several_gpus, gpus_in_use(race->settings), p->dtype, p->m,
                              p->n) &&
                !run_on_gpus(race, reference);
    if (!good)
        race_fail(race, "cusolverMg: %s", cuda_peer_reason());
    cuda_mg_close();
    cuda_peer_unpin(race->in[0]);
    if (fetches)
        cuda_peer_unpin(race->out[0]);
    return good;
}

static void name_mg(char *name, size_t size, int gpus)
{
    snprintf(name, size, "%s on %d GPUs (%d)", cuda_mg_name(), gpus, CUDA_MG_BLOCK);
}

#else

const char *lacks_several_gpus(const struct bench_settings *s, const struct problem *p)
{
    (void)s;
    (void)p;
    return "built without cusolverMg";
}

bool race_on_gpus(struct race *race, struct reference *reference)
{
    (void)reference;
    return race_fail(race, "startile was built without cusolverMg");
}

static void name_mg(char *name, size_t size, int gpus)
{
    (void)gpus;
    snprintf(name, size, "cusolverMg");
}

#endif

void name_gpus(const struct bench_settings *s, const struct problem *p, char *name, size_t size)
{
    int gpus = gpus_in_use(s);
    const char *lack = gpus > 1 ? lacks_several_gpus(s, p) : NULL;
    if (lack)
        snprintf(name, size, "%s on one GPU (%s)", gpu_name(), lack);
    else if (gpus > 1)
        name_mg(name, size, gpus);
    else
        snprintf(name, size, "%s", gpu_name());
}
