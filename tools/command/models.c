/* Warning about performance models that cannot be used */
#include "models.h"

#include "command.h"
#include "startile.h"

void warn_of_models(void)
{
    static bool warned;
    startile_models m;
    if (warned)
        return;
    warned = true;
    if (!startile_models_find(&m) && m.refused)
        report("warning: performance models: %s", m.words);
}
