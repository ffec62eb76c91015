/*
 * Parser of a subcommand's options, which a table describes, with argp.
 */
#include "options.h"

#include "command.h"
#include "scalar.h"

#include <argp.h>
#include <inttypes.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* -- sizes ---------------------------------------------------------------------------------- */

/* Largest number of sizes in a list. A longer list is considered a typing error. */
enum { MOST_SIZES = 10000 };
static const int64_t largest_size = INT32_MAX;
#define LARGEST "2147483647"

/* The functions append…() and parse_sizes() add sizes to the list. They return NULL, or a message
 * if that fails. */
static const char *append_size(struct size_list *list, int64_t value)
{
    if (list->count == MOST_SIZES)
        return "too many sizes";
    int64_t *grown = realloc(list->values, (list->count + 1) * sizeof *grown);
    if (!grown)
        return "out of memory";
    list->values = grown;
    list->values[list->count++] = value;
    return NULL;
}

/* Appends the sizes of a range START:STOP:STEP, which includes STOP if a step reaches it. */
static const char *append_range(struct size_list *list, char *text, int64_t least)
{
    int64_t bound[3];
    char *strtok_state, *word = strtok_r(text, ":", &strtok_state);
    for (int i = 0; i < 3; i++, word = strtok_r(NULL, ":", &strtok_state))
        if (!word || !parse_integer(word, i < 2 ? least : 1, largest_size, &bound[i]))
            return "a range is START:STOP:STEP, of sizes up to " LARGEST;
    if (word)
        return "a range is START:STOP:STEP";
    if (bound[0] > bound[1])
        return "the range is empty";
    const char *wrong = NULL;
    for (int64_t value = bound[0]; value <= bound[1] && !wrong; value += bound[2])
        wrong = append_size(list, value);
    return wrong;
}

/* Appends a size, or the sizes of a range. Changes `word`. */
static const char *append_word(struct size_list *list, char *word, int64_t least)
{
    int64_t value;
    if (strchr(word, ':'))
        return append_range(list, word, least);
    if (!parse_integer(word, least, largest_size, &value))
        return least ? "sizes are integers from 1 to " LARGEST
                     : "sizes are integers from 0 to " LARGEST;
    return append_size(list, value);
}

/* Appends the sizes of a comma-separated list. */
static const char *parse_sizes(struct size_list *list, const char *text, int64_t least)
{
    char *copy = strdup(text), *strtok_state;
    if (!copy)
        return "out of memory";
    const char *wrong = *copy ? NULL : "the list is empty";
    for (char *word = strtok_r(copy, ",", &strtok_state); word && !wrong;
         word = strtok_r(NULL, ",", &strtok_state))
        wrong = append_word(list, word, least);
    free(copy);
    if (!wrong && !list->count)
        wrong = "the list is empty";
    return wrong;
}

void size_list_free(struct size_list *list)
{
    free(list->values);
    *list = (struct size_list){0};
}

/* -- values --------------------------------------------------------------------------------- */

/* Returns the index of the word of `length` characters in a list such as "one|two|three", or −1.
 * Ignores the case of letters. */
static int word_index(const char *list, const char *word, size_t length)
{
    for (int i = 0; list; i++) {
        if (strcspn(list, "|") == length && !strncasecmp(list, word, length))
            return i;
        list = strchr(list, '|');
        list += list != NULL;
    }
    return -1;
}

/* Ends the program with the message that the value must be "one, two or three". */
__attribute__((noreturn)) static void refuse_word(const char *command, const struct option_row *o,
                                                  const char *word)
{
    char words[128] = "";
    for (const char *list = o->value; *list; list += strspn(list, "|")) {
        size_t used = strlen(words), length = strcspn(list, "|");
        const char *end = list + length;
        const char *comma = !*end ? "" : strchr(end + 1, '|') ? ", " : " or ";
        snprintf(words + used, sizeof words - used, "%.*s%s", (int)length, list, comma);
        list = end;
    }
    usage_error(command, "--%s %s: must be %s", o->name, word, words);
}

/* Returns the value as an integer from o->least to o->most; ends the program if it is none. */
static int64_t parse_value(const char *command, const struct option_row *o, const char *value)
{
    int64_t number;
    if (!parse_integer(value, o->least, o->most, &number))
        usage_error(command, "--%s %s: must be an integer from %" PRId64 " to %" PRId64, o->name,
                    value, o->least, o->most);
    return number;
}

/* Returns the index of the value in the option's words; ends the program if it is none of them. */
static int parse_word(const char *command, const struct option_row *o, const char *value)
{
    int index = word_index(o->value, value, strlen(value));
    if (index < 0)
        refuse_word(command, o, value);
    return index;
}

/* Sets set[i] for each word in the comma-separated list `value`, where i is the word's index in
 * o->value. Ends the program at a word that is not in o->value, also at an empty one. */
static void set_words(const char *command, const struct option_row *o, const char *value, bool *set)
{
    const char *at = value;
    for (int index; at; at += *at == ',') {
        size_t length = strcspn(at, ",");
        if ((index = word_index(o->value, at, length)) < 0)
            refuse_word(command, o, value);
        set[index] = true;
        at += length;
        if (!*at)
            return;
    }
}

/* Replaces *p by the types of a comma-separated list; ends the program if it is malformed. */
static void set_precisions(const char *command, const char *value, struct precisions *p)
{
    const char *at = value;
    p->count = 0;
    do {
        at += p->count > 0 && *at == ',';
        if (p->count == 4 || !dtype_from_letter(*at, &p->dtype[p->count++]))
            usage_error(command, "--precision %s: must be a list of s, d, c, z", value);
        at++;
    } while (*at == ',');
    if (*at)
        usage_error(command, "--precision %s: must be a list of s, d, c, z", value);
}

/* Replaces the list by the sizes in `value`; ends the program if these are malformed. */
static void set_sizes(const char *command, const struct option_row *o, const char *value,
                      struct size_list *list)
{
    size_list_free(list);
    const char *wrong = parse_sizes(list, value, o->least);
    if (wrong)
        usage_error(command, "--%s %s: %s", o->name, value, wrong);
}

/* Returns the name if StarPU has a scheduling policy of this name; ends the program otherwise. */
static const char *parse_scheduler(const char *command, const char *name)
{
    struct starpu_sched_policy **policy = starpu_sched_get_predefined_policies();
    while (*policy && strcmp((*policy)->policy_name, name))
        policy++;
    if (!*policy)
        usage_error(command, "--scheduler %s: StarPU has no policy of that name", name);
    return name;
}

/* Stores the value in `field`, the option's field in the settings. An option without a field sets
 * its environment variable, or ends the program if it is refused. */
static void set_field(const char *command, const struct option_row *o, const char *value,
                      void *field)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = value;
        break;
    case OPTION_MAYBE_TEXT:
        *(const char **)field = value ? value : "-";
        break;
    case OPTION_INT:
        *(int *)field = (int)parse_value(command, o, value);
        break;
    case OPTION_INT64:
        *(int64_t *)field = parse_value(command, o, value);
        break;
    case OPTION_VARIABLE:
        parse_value(command, o, value);
        setenv(o->variable, value, 1);
        break;
    case OPTION_SIZES:
        set_sizes(command, o, value, field);
        break;
    case OPTION_PRECISIONS:
        set_precisions(command, value, field);
        break;
    case OPTION_WORD:
        *(int *)field = parse_word(command, o, value);
        break;
    case OPTION_WORDS:
        set_words(command, o, value, field);
        break;
    case OPTION_SCHEDULER:
        *(const char **)field = parse_scheduler(command, value);
        break;
    case OPTION_REFUSED:
        usage_error(command, "--%s: %s", o->name, o->help);
    }
}

/* -- the command line ----------------------------------------------------------------------- */

enum { FIRST_KEY = 256 }; /* argp's key of the first option; smaller keys would be short options */

struct parser {
    const struct command_options *command;
    int count; /* number of options */
    void *settings;
};

/* Returns the option that an argument such as "--name" or "--name=value" means. A unique beginning
 * of the name suffices. Returns NULL if no option or several options match. */
static const struct argp_option *find_option(const struct argp *argp, const char *argument)
{
    const struct argp_option *found = NULL;
    size_t length = strcspn(argument + 2, "=");
    int matches = 0;
    for (const struct argp_option *o = argp->options; o && o->name; o++) {
        if (strncmp(o->name, argument + 2, length))
            continue;
        if (!o->name[length])
            return o;
        found = o;
        matches++;
    }
    return matches == 1 ? found : NULL;
}

/* Ends the program with a message that names the wrong option, if it finds one. Called after argp
 * has failed, because argp does not tell which option is wrong. */
__attribute__((noreturn)) static void report_bad_option(const struct argp *argp,
                                                        const char *command, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1])
            continue;
        bool is_long = argv[i][1] == '-' && argv[i][2];
        const struct argp_option *o = is_long ? find_option(argp, argv[i]) : NULL;
        bool has_value = strchr(argv[i], '=');
        if (!o)
            usage_error(command, "unknown or ambiguous option '%s'", argv[i]);
        if (!o->arg && has_value)
            usage_error(command, "--%s takes no value", o->name);
        if (o->arg && !has_value && ++i == argc)
            usage_error(command, "--%s needs a value", o->name);
    }
    usage_error(command, "bad arguments");
}

/* Returns the flags for argp. ARGP_NO_ERRS suppresses argp's own messages of two lines, but also
 * its help; therefore the flag is left out if help is requested. ARGP_IN_ORDER parses the arguments
 * in order, so that `run python3 -c ...` stops at python3. */
static unsigned argp_flags(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-?") || !strcmp(argv[i], "--usage"))
            return ARGP_IN_ORDER;
    return ARGP_IN_ORDER | ARGP_NO_ERRS;
}

/* Processes one option or argument. Called by argp. */
static error_t parse(int key, char *value, struct argp_state *state)
{
    const struct parser *p = state->input;
    if (key == ARGP_KEY_ARG) {
        if (!p->command->argument)
            usage_error(p->command->command, "'%s': takes no arguments", value);
        p->command->argument(p->settings, value);
        return 0;
    }
    if (key < FIRST_KEY || key >= FIRST_KEY + p->count)
        return ARGP_ERR_UNKNOWN;
    const struct option_row *o = &p->command->options[key - FIRST_KEY];
    char *settings = p->settings;
    set_field(p->command->command, o, value, settings + o->field);
    if (o->given)
        *(const char **)(settings + o->given) = o->name;
    return 0;
}

/* Adds the epilogue to the help text. Called by argp, which frees the result. */
static char *add_epilogue(int key, const char *text, void *input)
{
    const struct parser *p = input;
    bool adds = key == ARGP_KEY_HELP_EXTRA && p && p->command->epilogue;
    return adds ? p->command->epilogue() : (char *)text;
}

void parse_options(const struct command_options *o, int argc, char **argv, void *settings)
{
    int count = 0;
    while (o->options && o->options[count].name)
        count++;
    struct parser parser = {o, count, settings};
    struct argp_option options[count + 1];
    for (int i = 0; i < count; i++)
        options[i] = (struct argp_option){
            .name = o->options[i].name,
            .key = FIRST_KEY + i,
            .arg = o->options[i].value,
            .flags = o->options[i].kind == OPTION_MAYBE_TEXT ? OPTION_ARG_OPTIONAL
                     : o->options[i].kind == OPTION_REFUSED  ? OPTION_ARG_OPTIONAL | OPTION_HIDDEN
                                                             : 0,
            .doc = o->options[i].help};
    options[count] = (struct argp_option){0};
    const struct argp argp = {options, parse, o->usage, o->doc, NULL, add_epilogue, NULL};
    char *given[argc + 1]; /* the arguments as given, because argp changes their order */
    memcpy(given, argv, sizeof given);
    argv[0] = (char *)o->command;
    if (argp_parse(&argp, argc, argv, argp_flags(argc, argv), NULL, &parser))
        report_bad_option(&argp, o->command, argc, given);
}
