/*
 * A warning of performance models that cannot be used.
 */
#include "models.h"

#include "command.h"
#include "startile.h"

#include <stdio.h>
#include <stdlib.h>

/* As the library reads it. */
static void warn_of_watts(void)
{
    const char *said = getenv("STARTILE_WATTS");
    double cpu, gpu;
    char rest;
    if (!said || (sscanf(said, "%lf,%lf%c", &cpu, &gpu, &rest) == 2 && cpu >= 0 && gpu >= 0))
        return;
    report(
        "warning: STARTILE_WATTS=%s: must be CPU,GPU, two numbers, 0 or more; there are no energy "
        "models",
        said);
}

void warn_of_models(void)
{
    static bool warned;
    startile_models m;
    if (warned)
        return;
    warned = true;
    warn_of_watts();
    if (!startile_models_find(&m) && m.refused)
        report("warning: performance models: %s", m.words);
}
