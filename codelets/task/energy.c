/* Energy models of the codelets, for policies that weigh joules against time: the expected time
 * multiplied by the power that a busy device draws beyond its idle power. */
#include "task/energy.h"

#include <math.h>
#include <stdbool.h>

static double watts_of_cpu, watts_of_cuda;

void energy_configure(const startile_options *o)
{
    watts_of_cpu = o->cpu_watts;
    watts_of_cuda = o->cuda_watts;
}

/* Returns the expected joules; 0 without watts or a model. */
static double joules(struct starpu_task *t, struct starpu_perfmodel_arch *arch,
                     unsigned implementation)
{
    bool is_cuda = arch->devices[0].type == STARPU_CUDA_WORKER;
    double watts = is_cuda ? watts_of_cuda : watts_of_cpu;
    double seconds = watts > 0 ? 1e-6 * starpu_task_expected_length(t, arch, implementation) : 0;
    return isnan(seconds) ? 0 : watts * seconds;
}

void energy_define(struct starpu_codelet *cl, struct starpu_perfmodel *model)
{
    model->type = STARPU_PER_ARCH;
    model->arch_cost_function = joules;
    cl->energy_model = model;
}
