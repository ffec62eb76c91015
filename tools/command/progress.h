/*
 * Progress bar on a terminal, drawn by the library's progress callback.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "startile.h"

/* Sets the options' callback so that it draws the bar, with the text `what` before it, if stderr is
 * a terminal. The bar appears after two seconds. Call it before startile_init(). */
void progress_bar_begin(const char *what, startile_options *o);

/* Removes the bar. Later tasks do not draw it. */
void progress_bar_end(void);

/* State of progress_fraction(), initially zeros. before: operations of earlier steps; done, total:
 * arguments of the last call; shown: fraction that the bar shows */
struct progress_count {
    double before, done, total, shown;
};

/* Returns the fraction of the operations known so far that are done, from the callback's arguments.
 * A `done` that decreases begins a later step of a solution (condition number, another
 * factorization), whose operations add to those of the earlier steps. The result never decreases.
 */
double progress_fraction(struct progress_count *count, double done, double total);

#endif
