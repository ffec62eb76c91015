/*
 * `startile bench kernel` where CUDA is not: the help, and nothing else.
 */
#include "command.h"
#include "kernel_help.h"

#ifndef STARTILE_HAVE_CUDA

#include <stdlib.h>

static const char command[] = "startile bench kernel";

static error_t parse(int key, char *argument, struct argp_state *state);
static const struct argp argp = {kernel_options, parse, "KERNEL|all", kernel_doc, NULL, NULL, NULL};

/* The list is of kernels that are not here; how they are called stands in the help. */
static error_t parse(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    (void)state;
    if (key != KERNEL_KEY_LIST)
        return 0;
    argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, (char *)command);
    exit(EXIT_SUCCESS);
}

int kernel_command(int argc, char **argv)
{
    parse_command_line(&argp, command, argc, argv, NULL);
    report("bench kernel: startile was built without CUDA");
    return EXIT_FAILED;
}

#endif
