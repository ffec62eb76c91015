/*
 * Options of a subcommand as a table: a row for each, with the field of the settings that it sets.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,       /* bool */
    OPTION_TEXT,       /* const char * */
    OPTION_MAYBE_TEXT, /* const char *, "-" without a value */
    OPTION_INT,        /* int from least to most */
    OPTION_INT64,      /* int64_t from least to most */
    OPTION_VARIABLE,   /* integer from least to most, for the environment variable `variable` */
    OPTION_SIZES,      /* struct size_list, of sizes from least on */
    OPTION_PRECISIONS, /* struct precisions */
    OPTION_WORD,       /* int: the index of the word in `value`, which is "one|two|three" */
    OPTION_WORDS,      /* bool[]: those of a list of such words */
    OPTION_SCHEDULER,  /* const char *: the name of one of StarPU's policies */
    OPTION_REFUSED,    /* not listed; `help` says why */
};

struct option_row {
    const char *name, *value, *help;
    enum option_kind kind;
    size_t field; /* offset in the settings */
    int64_t least, most;
    const char *variable;
    size_t given; /* offset of a const char * that is set to the option's name; 0: none */
};

/* An option that other commands have, refused here for that reason */
#define REFUSED(name_, why)                                                                        \
    {                                                                                              \
        .name = (name_), .value = "", .help = (why), .kind = OPTION_REFUSED                        \
    }

/* "1024,2048" or START:STOP:STEP, also mixed */
struct size_list {
    int64_t *values;
    size_t count;
};
void size_list_free(struct size_list *list);

struct precisions {
    startile_dtype dtype[4];
    int count;
};

struct command_options {
    const char *command; /* as in "startile solve" */
    const char *usage;   /* arguments behind the options */
    const char *doc;     /* as argp takes it: '\v' separates what follows the options */
    const struct option_row *options; /* the last has no name; or NULL */
    /* Takes an argument that is no option; NULL: there are none. */
    void (*argument)(void *settings, const char *text);
    /* Returns malloc'd text that --help prints at its end; or NULL. */
    char *(*epilogue)(void);
};

/* Sets the fields of all options that are given. Ends the program with one line where the command
 * line is wrong. */
void parse_options(const struct command_options *o, int argc, char **argv, void *settings);

#endif
