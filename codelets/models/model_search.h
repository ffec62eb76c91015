/* The search for the machine's folder in all roots. Private to codelets/. */
#ifndef STARTILE_MODEL_SEARCH_H
#define STARTILE_MODEL_SEARCH_H

#include "models/manifest.h"
#include "models/model.h"

struct search {
    const struct machine *machine;
    const char *name;         /* name of the folder; NULL: any that fits */
    startile_models best;     /* machine[0] is 0 before the first */
    struct manifest manifest; /* of the best */
    startile_models refused;  /* folder that fits but is not usable */
    char skipped[512];        /* message about the folder passed over last */
    /* the same before this root, and before the root of the best */
    startile_models refused_above, refused_earlier;
    char skipped_above[512], skipped_earlier[512];
    bool in_this_root; /* the best is in the current root */
};

/* Returns the chosen folder. env_value is STARTILE_MODELS or NULL; search->machine must be set. A
 * usable folder has priority over a refused one. */
startile_models models_choose(struct search *search, const char *env_value);
/* Returns whether the folder lacks routines or types for the machine's workers. */
bool models_are_partial(const struct manifest *m, const struct machine *machine);
/* Returns a result without a folder and with this message. */
startile_models models_absent(const char *words);

#endif
