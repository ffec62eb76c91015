/* Loops that the threads of a team run together. */
#ifndef STARTILE_TEAM_H
#define STARTILE_TEAM_H

#include "kernels.h"

/* Calls work(context, i) for 0 ≤ i < count, in any order and in several threads, and returns when
 * all calls have returned. Without a team this thread makes all calls. */
static inline void run_by_team(startile_team *team, int count, startile_team_work *work,
                               void *context)
{
    if (team != NULL)
        team->run(team, count, work, context);
    else
        for (int i = 0; i < count; i++)
            work(context, i);
}

#endif
