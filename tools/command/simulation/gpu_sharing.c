/*
 * Tasks that run on one simulated GPU at the same time. In SimGrid each task takes the whole GPU,
 * and k tasks slow each other down to 1/k of the speed. Here a task takes only a share of the GPU,
 * by the machine's `gpu_hold`, for the time that it takes alone, and other tasks run on the rest.
 */
#include "models/simulation.h"

#include <simgrid/actor.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <stdlib.h>

static double share_of(double flops)
{
    const char *hold = sg_host_get_property_value(sg_host_self(), "gpu_hold");
    double time = 1e6 * flops / sg_host_get_speed(sg_host_self());
    return hold ? startile_simulation_share(time, strtod(hold, NULL)) : 1;
}

/* Replaces SimGrid's function of that name, which sets no bound on the speed. StarPU calls it. */
__attribute__((visibility("default"))) void sg_actor_execute(double flops)
{
    double share = share_of(flops);
    sg_exec_t e = sg_actor_exec_init(share * flops);
    sg_exec_set_bound(e, share * sg_host_get_speed(sg_host_self()));
    sg_exec_start(e);
    sg_exec_wait(e);
}
