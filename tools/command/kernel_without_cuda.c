/*
 * `startile bench kernel` where CUDA is not.
 */
#include "command.h"

#ifndef STARTILE_HAVE_CUDA

int kernel_command(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    report("bench kernel: startile was built without CUDA");
    return EXIT_FAILED;
}

#endif
