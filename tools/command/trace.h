/*
 * StarPU's execution trace in a folder of the user's choice.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the folder and removes an earlier trace; call it before startile_init() with this folder.
 * Returns false after a report. */
bool trace_begin(const char *folder);

/* Returns whether the folder has a trace: StarPU writes it when it stops. */
bool has_trace(const char *folder);

/* Lists the files after startile_finalize(). Returns false after a report. */
bool trace_end(const char *folder, FILE *out);

#define NO_TASKS_TO_TRACE "this command runs no tasks, of which there would be a trace"

/* Returns the message of startile_init(), with the folder of STARTILE_TRACE. */
const char *start_strerror(int64_t status);

#endif
