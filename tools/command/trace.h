/*
 * StarPU's execution trace in a folder of the user's choice.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the folder and removes an earlier trace in it. Must be called before the startile_init()
 * that starts the trace. Returns false after a report if a trace cannot be written. */
bool prepare_trace_folder(const char *folder);

/* Returns whether the folder contains a trace, which StarPU writes when it stops. */
bool has_trace(const char *folder);

/* Prints the files of the trace. Must be called after startile_finalize(). Returns false after a
 * report if the trace or its picture is missing. */
bool trace_list_files(const char *folder, FILE *out);

/* Message of commands that run no tasks and therefore refuse --trace */
#define NO_TASKS_TO_TRACE "this command runs no tasks that could be traced"

#endif
