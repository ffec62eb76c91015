/*
 * StarPU's execution trace. Private to this folder.
 */
#ifndef STARTILE_TRACE_H
#define STARTILE_TRACE_H

#include <starpu.h>
#include <stdbool.h>

/* Before StarPU starts, in which case trace_finish() follows its stop. NULL: what the
 * environment says. */
int trace_prepare(const char *folder);
void trace_finish(void);
/* StarPU runs. */
void trace_note_start(void);

/* Mends the colors of codelets in the trace in that folder, if there is one (trace_colors.c). */
void trace_scale_colors(const char *folder);

/* starpu_task_submit() of a task of that step, −1: none. */
int trace_submit(struct starpu_task *t, int64_t step);

#endif
