/* Warning about performance models that cannot be used */
#include "models.h"

#include "command.h"
#include "startile.h"

void warn_of_models(void)
{
    static bool warned;
    startile_models m;
    if (warned || startile_models_in_use(&m) || !m.refused)
        return;
    report("warning: performance models: %s", m.words);
    warned = true;
}
