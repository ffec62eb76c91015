/*
 * Values of options that several benches have. All end the program with one line where the argument
 * is wrong; `command` is as in "startile bench".
 */
#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include "size_list.h"
#include "startile.h"

/* In place of what the list held; sizes are at least `least`. */
void option_sizes(const char *command, struct size_list *list, const char *option,
                  const char *argument, int64_t least);
int64_t option_integer(const char *command, const char *option, const char *argument, int64_t least,
                       int64_t most);
/* The list of --precision, of up to four; how many */
int option_precisions(const char *command, const char *argument, startile_dtype *dtypes);
/* Index of the argument in the words, which end with NULL. */
int option_word(const char *command, const char *option, const char *argument,
                const char *const *words, const char *in_words);
/* The name, which StarPU has to know, of --scheduler */
const char *option_scheduler(const char *command, const char *name);

#endif
