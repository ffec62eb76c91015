/*
 * Gantt charts of StarPU's traces.
 */
#ifndef GANTT_H
#define GANTT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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
    int workers; /* 1 + the largest number of a worker with tasks; of all processes */
    char (*worker)[TRACE_NAME];
};
/* Reads tasks.rec and paje.trace, and corrects the colors in the latter. Returns false after a
 * report if the folder has no trace with a task; call trace_free() in both cases. */
bool trace_read(const char *folder, struct trace_content *t);
void trace_free(struct trace_content *t);

/* Opens a file of the folder. */
FILE *trace_open(const char *folder, const char *name, const char *mode);

/* Draws gantt.svg in the folder of a trace, and corrects the colors in its paje.trace. Returns
 * false after a report on failure. */
bool draw_gantt(const char *folder);

#endif
