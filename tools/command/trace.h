/*
 * StarPU's execution trace in a folder of the user's choice, and a picture of it.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdio.h>

/* Before the library starts with the folder in its options: makes it. */
bool trace_begin(const char *folder);

/* After the library has stopped: draws a picture and says what was written. */
bool trace_end(const char *folder, FILE *out);

/* Ends the program where --trace is given to a command that runs no tasks. */
void refuse_trace(const char *command, int argc, char **argv);

#endif
