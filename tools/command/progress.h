/*
 * A progress bar on a terminal, drawn by a thread of its own while StarPU works.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

/* After startile_init(). Nothing appears unless stderr is a terminal and two seconds have passed.
 */
void progress_start(const char *what);

/* Removes the bar. */
void progress_stop(void);

/* Tasks counted so far, and the fraction that the bar shows; begins with zeros. */
struct progress_count {
    double finished;
    int unfinished;
    double shown;
};

/* Returns the fraction of tasks finished, of those known so far, given StarPU's number of tasks
 * that were submitted and have not finished. A later step of a solution (refinement, another
 * factorization) submits more tasks: the fraction then stays until it is exceeded, and never
 * decreases. */
double progress_fraction(struct progress_count *count, int unfinished);

#endif
