/*
 * Threads that share many small pieces of work.
 */
#ifndef TEAM_H
#define TEAM_H

#include <stdint.h>

struct team;

/* Starts threads − 1 threads, because the caller works too, or as many of them as the system
 * allows. Returns NULL without memory. */
struct team *team_open(int threads);
void team_close(struct team *team);
int team_threads(const struct team *team);
/* Calls work(argument, thread, q) for q = 0 … count − 1 and returns after the last has ended. */
void team_run(struct team *team, int64_t count, void (*work)(void *argument, int thread, int64_t q),
              void *argument);
/* Cores that this process may use */
int team_cores(void);

#endif
