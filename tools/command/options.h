/*
 * Options of a subcommand as a table: each row describes an option and the field of the settings
 * that it sets.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kind of an option, and the type of its field in the settings */
enum option_kind {
    OPTION_FLAG,       /* bool, set to true */
    OPTION_TEXT,       /* const char * */
    OPTION_MAYBE_TEXT, /* const char *; "-" if the option is given without a value */
    OPTION_INT,        /* int from least to most */
    OPTION_INT64,      /* int64_t from least to most */
    OPTION_VARIABLE, /* no field: sets the environment variable `variable` to an integer from least
                        to most */
    OPTION_SIZES,    /* struct size_list, with sizes of at least `least` */
    OPTION_PRECISIONS, /* struct precisions */
    OPTION_WORD,       /* int: the index of the word in `value`, which is "one|two|three" */
    OPTION_WORDS, /* bool[], one element per word of `value`: the elements of the words in the given
                     comma-separated list are set to true */
    OPTION_SCHEDULER, /* const char *: the name of one of StarPU's policies */
    OPTION_REFUSED,   /* no field, and not in --help: an error, whose reason is `help` */
};

struct option_row {
    const char *name, *value, *help;
    enum option_kind kind;
    size_t field; /* offset of the field in the settings */
    int64_t least, most;
    const char *variable;
    size_t given; /* offset of a const char * that is set to the option's name; 0: none */
};

/* Initializer of an option that other commands have and this one refuses, with the reason */
#define REFUSED(name_, why)                                                                        \
    {                                                                                              \
        .name = (name_), .value = "", .help = (why), .kind = OPTION_REFUSED                        \
    }

/* Sizes given as a list of numbers and ranges START:STOP:STEP, such as "1024,2048:4096:512" */
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
    const char *command; /* the command's name, such as "startile solve" */
    const char *usage;   /* arguments after the options, for --help */
    const char *doc;     /* text of --help; '\v' separates the parts before and after the options */
    const struct option_row *options; /* the last row has name NULL; NULL: no options */
    /* Processes an argument that is not an option; NULL: the command takes no arguments. */
    void (*argument)(void *settings, const char *text);
    /* Returns an allocated text that --help prints at its end; NULL: no such text. */
    char *(*epilogue)(void);
};

/* Sets the fields of all options that are given, and passes each other argument to o->argument().
 * Ends the program with a message of one line if the command line is wrong. */
void parse_options(const struct command_options *o, int argc, char **argv, void *settings);

#endif
