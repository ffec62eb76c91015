/* Counts of the operations of submitted and finished tasks, for startile_options::progress. */
#ifndef STARTILE_PROGRESS_H
#define STARTILE_PROGRESS_H

#include "startile.h"

/* Sets the callback. Call it while no task is submitted. */
void progress_configure(const startile_options *o);
/* Count a task that will be submitted, and its end. progress_end() may call the callback. */
void progress_submit(double flops);
void progress_end(double flops);

#endif
