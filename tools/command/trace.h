/*
 * StarPU's execution trace (FxT) in a folder of the user's choice.
 */
#ifndef TRACE_H
#define TRACE_H

#include <stdbool.h>

/* Before StarPU starts: makes the folder and asks for the trace. */
bool trace_begin(const char *folder);

/* After StarPU has stopped: says what was written. */
bool trace_end(const char *folder);

#endif
