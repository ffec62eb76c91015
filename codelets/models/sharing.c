/* Decides whether CPU cores share tasks with GPUs (perf_models/NOTES.md, "CPU cores and GPUs
 * together"). */
#include "models/model.h"

#include "kernels.h"

#include <math.h>

/* Least rate of all CPU workers, relative to that of all GPUs, with which CPUs share tasks. Sharing
 * needs tiles that suit a core, with which a GPU is up to a third slower, and copies of tiles. */
static const double LEAST_RATIO = 0.3;

/* CPUs and GPUs share a matrix of this order or more, relative to the rate of a GPU in cores. In a
 * smaller one the core that takes an update is the last to end. */
static const double LEAST_ORDER = 300;

static struct {
    /* rate of a GPU in products relative to that of a core; INFINITY without models (not NAN:
     * comparisons would trap in programs that enable floating-point exceptions) */
    double gpu_in_cores;
    bool cores_factor_faster; /* a core takes less time for a panel than a GPU */
} machine[4] = {{INFINITY, false}, {INFINITY, false}, {INFINITY, false}, {INFINITY, false}};

double models_gpu_in_cores(startile_dtype dtype)
{
    return machine[dtype].gpu_in_cores;
}

/* Returns the time of LU's panel of 2048 × 128 elements. */
static double panel_time(const struct model *getrf, startile_dtype dtype, enum model_device device)
{
    const double m = 2048, n = 128, operations = n * n * (m - n / 3);
    return model_time(getrf, device, 0, 0, operations, m * n * startile_element_size[dtype]);
}

bool models_say_share(startile_dtype dtype, int cpu_workers, int gpus)
{
    const struct model *product = model_of_operation("gemm", dtype),
                       *getrf = model_of_operation("getrf", dtype);
    double gpu = model_fastest_rate(product, MODEL_CUDA),
           core = model_fastest_rate(product, MODEL_CPU);
    machine[dtype].gpu_in_cores = gpu > 0 && core > 0 ? gpu / core : INFINITY;
    machine[dtype].cores_factor_faster =
        getrf != NULL && isless(panel_time(getrf, dtype, MODEL_CPU), /* NAN without measurements */
                                panel_time(getrf, dtype, MODEL_CUDA));
    int cores = cpu_workers >= 0 ? cpu_workers : models_cores();
    return gpus > 0 && cores >= LEAST_RATIO * gpus * machine[dtype].gpu_in_cores;
}

bool models_say_share_size(startile_dtype dtype, int64_t n)
{
    return machine[dtype].cores_factor_faster ||
           (double)n >= LEAST_ORDER * machine[dtype].gpu_in_cores;
}
