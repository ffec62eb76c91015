/*
 * StarPU's execution trace in a folder of the user's choice, and a picture of it.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Before the library starts with the folder in its options: makes it. */
bool trace_begin(const char *folder);

/* StarPU writes one when the library stops, if it was started. */
bool trace_is_there(const char *folder);

/* After the library has stopped: draws a picture and says what was written. */
bool trace_end(const char *folder, FILE *out);

#define NO_TASKS_TO_TRACE "this command runs no tasks, of which there would be a trace"

/* Ends the program where --trace is given to a command that has none to offer, for that reason. */
void refuse_trace(const char *command, const char *reason, int argc, char **argv);

/* Of startile_init(): names the folder where it is the environment's. */
const char *start_strerror(int64_t status);

#endif
