/*
 * StarPU's execution trace in a folder of the user's choice, and a picture of it.
 */
#ifndef TRACE_H
#define TRACE_H

#include "startile.h"

#include <stdbool.h>

/* Before the library starts: makes the folder, and asks for the trace in the options. */
bool trace_begin(const char *folder, startile_options *o);

/* After the library has stopped: says what was written. */
bool trace_end(const char *folder);

#endif
