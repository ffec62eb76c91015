/*
 * Progress bar on a terminal, drawn by a thread of its own while StarPU works.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

/* Starts the thread that draws the bar, with the text `what` before it. Must be called after
 * startile_init(). The bar appears after two seconds, and only if stderr is a terminal. */
void progress_start(const char *what);

/* Stops the thread and removes the bar. */
void progress_stop(void);

/* State of progress_fraction(), initially zeros. finished: tasks that were seen to finish;
 * unfinished: argument of the last call; shown: fraction that the bar shows */
struct progress_count {
    double finished;
    int unfinished;
    double shown;
};

/* Returns the fraction of the tasks known so far that have finished. unfinished: StarPU's number of
 * tasks that are submitted and have not finished. The result never decreases: when a later step of
 * a solution (refinement, another factorization) submits more tasks, the result stays the same
 * until the fraction exceeds it. */
double progress_fraction(struct progress_count *count, int unfinished);

#endif
