/* Looking for the folder of this machine, in all places. Private to this folder. */
#ifndef STARTILE_MODEL_SEARCH_H
#define STARTILE_MODEL_SEARCH_H

#include "models/manifest.h"
#include "models/model.h"

struct search {
    const struct machine *machine;
    const char *name;         /* of the folder that is wanted; NULL: any that fits */
    startile_models best;     /* machine[0] is 0 where there is none yet */
    struct manifest manifest; /* of the best */
    startile_models refused;  /* what would have fitted but for its state */
    char passed[512];         /* what fits less, in words */
    /* the same of the places above this one, and of those above the best's */
    startile_models refused_above, earlier;
    char passed_above[512], passed_earlier[512];
    bool in_this_root; /* is the best */
};

/* What STARTILE_MODELS says, NULL where it is not set; search->machine is given. A folder that is
 * good comes before one that is refused. */
startile_models models_choose(struct search *search, const char *env_value);
/* Not all routines and types were measured on the workers that there are. */
bool models_are_partial(const struct manifest *m, const struct machine *machine);
/* No folder, for that reason. */
startile_models models_absent(const char *words);

#endif
