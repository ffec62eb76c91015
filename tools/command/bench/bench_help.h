/*
 * The text of `startile bench --help` beside the options.
 */
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

/* Stands before the options. */
extern const char bench_doc[];
/* Returns malloc'd text to stand behind them. */
char *bench_epilogue(void);

#endif
