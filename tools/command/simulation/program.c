/*
 * Linked into a program with tasks of its own, lets it run on the machine that the environment
 * variable STARTILE_MODELS names, simulated. The program is built with startile_simulation.
 */
#include "models/simulation.h"
#include "platform.h"
#include "startile_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[PLATFORM_PATH];

/* Removes the description of the machine. Reports if the simulation is invalid. */
static void end_simulation(void)
{
    platform_remove(folder);
    if (startile_simulation_lacks())
        fprintf(stderr, "simulation: no time for %s\n", startile_simulation_lacks());
}

/* Describes the machine to StarPU. Runs before main(), because StarPU's main() starts SimGrid. */
__attribute__((constructor)) static void begin_simulation(void)
{
    startile_models m;
    struct platform p = {.reason = ""};
    const char *machine = getenv("STARTILE_MODELS");
    bool is_known = machine && !startile_models_named(machine, &m) && !m.refused;
    if (!is_known || !platform_read(m.folder, m.machine, 1, &p) || !platform_write(&p, folder) ||
        !platform_use(m.folder, folder)) {
        fprintf(stderr, "STARTILE_MODELS names no machine to simulate %s\n", p.reason);
        _exit(EXIT_FAILURE);
    }
    atexit(end_simulation);
}
