/* The performance models in use: a warning if they cannot be used, and their GPU */
#include "models.h"

#include "command.h"
#include "models/manifest.h"
#include "startile.h"

#include <stdio.h>

void warn_of_models(void)
{
    static bool warned;
    startile_models m;
    if (warned || startile_models_in_use(&m) || !m.refused)
        return;
    report("warning: performance models: %s", m.words);
    warned = true;
}

void gpu_of_models(char *gpu, size_t size)
{
    startile_models m;
    struct manifest manifest;
    bool is_known = !startile_models_in_use(&m) && manifest_read(m.folder, &manifest);
    snprintf(gpu, size, "%s", is_known ? manifest.gpu : "");
}
