/*
 * Model of tasks that run on one simulated GPU at the same time. SimGrid alone lets each task use
 * the whole GPU, so that k tasks have 1/k of the speed each. With this file a task uses only a
 * share of the GPU, for the time that it takes alone, and other tasks use the rest. The share
 * depends on the task's rate and on the machine's `gpu_hold` (models/simulation.h).
 */
#include "models/simulation.h"

#include <simgrid/actor.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <stdlib.h>

/* Returns the share of the GPU that a task uses; 1 on hosts without `gpu_hold`. */
static double share_of(double flops)
{
    const char *hold = sg_host_get_property_value(sg_host_self(), "gpu_hold");
    /* microseconds that the task takes alone */
    double time = 1e6 * flops / sg_host_get_speed(sg_host_self());
    return hold ? startile_simulation_share(time, strtod(hold, NULL)) : 1;
}

/* Replaces SimGrid's function of this name, which sets no bound on the speed. StarPU calls it to
 * simulate a task. */
__attribute__((visibility("default"))) void sg_actor_execute(double flops)
{
    double share = share_of(flops);
    sg_exec_t e = sg_actor_exec_init(share * flops);
    sg_exec_set_bound(e, share * sg_host_get_speed(sg_host_self()));
    sg_exec_start(e);
    sg_exec_wait(e);
}
