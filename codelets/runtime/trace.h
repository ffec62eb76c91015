/* StarPU's execution trace. Private to codelets/. */
#ifndef STARTILE_TRACE_H
#define STARTILE_TRACE_H

#include <starpu.h>
#include <stdbool.h>

/* Sets the environment before StarPU starts; call trace_finish() after StarPU has stopped. NULL:
 * the folder in STARTILE_TRACE. */
int trace_prepare(const char *folder);
void trace_finish(void);
/* Records whether StarPU, which has started, traces. */
void trace_note_start(void);

/* Corrects the colors of codelets in the folder's trace, if there is one (trace_colors.c). */
void trace_scale_colors(const char *folder);

/* Submits a task of this step of the algorithm; −1: no step. */
int trace_submit(struct starpu_task *t, int64_t step);

#endif
