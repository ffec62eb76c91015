/*
 * The options of `startile bench kernel` and what its --help says, with CUDA and without.
 */
#ifndef KERNEL_HELP_H
#define KERNEL_HELP_H

#include <argp.h>

enum {
    KERNEL_KEY_M = 256,
    KERNEL_KEY_N,
    KERNEL_KEY_K,
    KERNEL_KEY_PIECES,
    KERNEL_KEY_TRANS,
    KERNEL_KEY_PRECISION,
    KERNEL_KEY_IMPLEMENTATION,
    KERNEL_KEY_REPEAT,
    KERNEL_KEY_CSV,
    KERNEL_KEY_LIST
};

extern const struct argp_option kernel_options[];

/* As argp takes it: '\v' parts what stands before the options from what follows them. */
extern const char kernel_doc[];

#endif
