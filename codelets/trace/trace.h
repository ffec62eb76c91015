/* StarPU's execution trace. Private to codelets/. */
#ifndef STARTILE_TRACING_H
#define STARTILE_TRACING_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets StarPU's environment variables for a trace, before StarPU starts. folder NULL: the folder in
 * STARTILE_TRACE; if that is unset too, does nothing. Returns 0 or a startile_error. Call
 * trace_finish() after StarPU has stopped. */
int trace_prepare(const char *folder);
/* Restores the environment. */
void trace_finish(void);
/* Returns STARTILE_ERROR_TRACE if a trace is requested, as for trace_prepare(), and the running
 * StarPU does not trace, else 0. */
int trace_check(const char *folder);
/* Records whether the running StarPU traces. If it does, writes about.txt. */
void trace_note_start(bool has_cuda);

/* Returns whether the running StarPU traces. */
bool trace_is_on(void);
/* Submits the task and records its step of the algorithm, unless that is NO_STEP. Returns StarPU's
 * status. */
int trace_submit(struct starpu_task *t, int64_t step);

/* Writes about.txt, the title of the trace's picture: the program's command line, the machine and
 * the time. (trace_about.c) */
void trace_write_about(const char *folder, bool has_cuda);

#endif
