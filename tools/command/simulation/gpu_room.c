/*
 * Tasks that run on one GPU at the same time. SimGrid lets them share it, and those slow each other
 * down that would use all of it; but between a task's products a GPU has room for others.
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

/* StarPU calls this one instead of SimGrid's, which knows no bounds. */
__attribute__((visibility("default"))) void sg_actor_execute(double flops)
{
    double share = share_of(flops);
    sg_exec_t e = sg_actor_exec_init(share * flops);
    sg_exec_set_bound(e, share * sg_host_get_speed(sg_host_self()));
    sg_exec_start(e);
    sg_exec_wait(e);
}
