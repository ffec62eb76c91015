/* StarPU's execution trace. Private to codelets/. */
#ifndef STARTILE_TRACE_H
#define STARTILE_TRACE_H

#include <starpu.h>
#include <stdbool.h>
#include <stdio.h>

/* Sets StarPU's environment variables for a trace, before StarPU starts. folder NULL: the folder in
 * STARTILE_TRACE; if that is unset too, does nothing. Returns 0 or a startile_error. Call
 * trace_finish() after StarPU has stopped. */
int trace_prepare(const char *folder);
/* Draws the trace if StarPU has traced, and restores the environment. */
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

/* -- the files of a trace ------------------------------------------------------------------- */

/* Opens a file of the folder. */
FILE *trace_open(const char *folder, const char *name, const char *mode);

enum { ABOUT_LINE = 512 };
/* Text of about.txt. program: the program with its arguments; machine: the machine and the time. */
struct trace_about {
    char program[ABOUT_LINE], machine[ABOUT_LINE];
};
/* Writes about.txt for this process. (trace_about.c) */
void trace_write_about(const char *folder, bool has_cuda);
/* Reads about.txt. If there is none, stores the folder's name and the time of its trace. */
void trace_read_about(const char *folder, struct trace_about *about);

enum { TRACE_NAME = 64 };
struct trace_task {
    int worker, codelet; /* indices in trace_content */
    double start, end;   /* ms */
};
struct trace_codelet {
    char name[TRACE_NAME];
    unsigned color; /* RGB */
};
/* The tasks that ran, ordered by worker, codelet and start. */
struct trace_content {
    int64_t count;
    struct trace_task *task;
    int codelets;
    struct trace_codelet *codelet;
    int workers; /* 1 + the largest number of a worker with tasks */
    char (*worker)[TRACE_NAME];
};
/* Reads tasks.rec and paje.trace, and corrects the colors in the latter. Returns 0 or a
 * startile_error; call trace_free() in both cases. (trace_read.c) */
int trace_read(const char *folder, struct trace_content *t);
void trace_free(struct trace_content *t);

#endif
