/*
 * Values of options that several benches have.
 */
#include "option_values.h"

#include "command.h"
#include "scalar.h"

#include <inttypes.h>
#include <starpu.h>
#include <string.h>

void option_sizes(const char *command, struct size_list *list, const char *option,
                  const char *argument, int64_t least)
{
    size_list_free(list);
    const char *wrong = size_list_parse(list, argument, least);
    if (wrong)
        usage_error(command, "%s %s: %s", option, argument, wrong);
}

int64_t option_integer(const char *command, const char *option, const char *argument, int64_t least,
                       int64_t most)
{
    int64_t value;
    if (!parse_integer(argument, least, most, &value))
        usage_error(command, "%s %s: must be an integer from %" PRId64 " to %" PRId64, option,
                    argument, least, most);
    return value;
}

int option_precisions(const char *command, const char *argument, startile_dtype *dtypes)
{
    const char *at = argument;
    int count = 0;
    do {
        at += *at == ',';
        if (count == 4 || !dtype_from_letter(*at, &dtypes[count++]))
            usage_error(command, "--precision %s: must be a list of s, d, c, z", argument);
        at++;
    } while (*at == ',');
    if (*at)
        usage_error(command, "--precision %s: must be a list of s, d, c, z", argument);
    return count;
}

int option_word(const char *command, const char *option, const char *argument,
                const char *const *words, const char *in_words)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(argument, words[i]))
            return i;
    usage_error(command, "%s %s: must be %s", option, argument, in_words);
}

const char *option_scheduler(const char *command, const char *name)
{
    struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
    while (*policy && strcmp((*policy)->policy_name, name))
        policy++;
    if (!*policy)
        usage_error(command, "--scheduler %s: StarPU has no policy of that name", name);
    return name;
}
