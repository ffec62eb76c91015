/* Records of tasks during a profile. Private to codelets/. */
#ifndef STARTILE_PROFILE_H
#define STARTILE_PROFILE_H

#include <starpu.h>
#include <stdbool.h>
#include <stdint.h>

enum { NO_RECORD = -1 };

/* Records a task with all its accesses before its submission. Returns the record's index, or
 * NO_RECORD if no profile is being recorded, or without memory. */
int64_t profile_note_submit(struct starpu_task *t, int64_t step);
/* Returns whether a profile is being recorded. */
bool profile_is_on(void);
/* Completes the record; the task's callback calls it. t NULL: the task was refused. */
void profile_note_end(struct starpu_task *t, int64_t record);
/* Forgets the handle, because a new handle may get its address (StarPU quirk 9). */
void profile_forget(starpu_data_handle_t handle);
/* Drops a profile before the library stops. */
void profile_drop(void);

#endif
