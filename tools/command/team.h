/*
 * Threads that share many small pieces of work.
 */
#ifndef TEAM_H
#define TEAM_H

#include <stdint.h>

struct team;

/* Starts a team of `threads` threads: the caller's thread and up to threads − 1 new ones, as many
 * as the system allows. Returns NULL if memory does not suffice. */
struct team *team_open(int threads);
/* Ends the threads and frees the team, which may be NULL. */
void team_close(struct team *team);
/* Returns the number of threads, the caller's included. */
int team_threads(const struct team *team);
/* Calls work(argument, thread, q), a piece of work, for q = 0 … count − 1 and returns when all
 * these calls have ended. thread: index of the thread that makes the call; 0: the caller of
 * team_run() */
void team_run(struct team *team, int64_t count, void (*work)(void *argument, int thread, int64_t q),
              void *argument);
/* Returns the number of cores that this process may use. */
int team_cores(void);

#endif
