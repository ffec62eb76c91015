/*
 * Text of `startile bench --help` before and after the options.
 */
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

/* Text before the options */
extern const char bench_doc[];
/* Returns malloc'd text that follows the options; NULL without memory. */
char *bench_epilogue(void);

#endif
