/*
 * A progress bar on a terminal, drawn by a thread of its own while StarPU works.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

/* After startile_init(). Nothing appears unless stderr is a terminal and two seconds have passed.
 */
void progress_start(const char *what);

/* Takes the bar away. */
void progress_stop(void);

#endif
