/*
 * Records of tasks while a profile is taken. Private to this folder.
 */
#ifndef STARTILE_PROFILE_H
#define STARTILE_PROFILE_H

#include <starpu.h>
#include <stdint.h>

enum { NO_RECORD = -1 };

/* Before the submission of a task whose accesses are complete; the number of its record. */
int64_t profile_note_submit(struct starpu_task *t, int64_t step);
/* In its callback, or, with t NULL, when it was refused. */
void profile_note_end(struct starpu_task *t, int64_t record);
/* No later task uses the handle; another one may get its address. */
void profile_forget(starpu_data_handle_t handle);
/* Before the library stops. */
void profile_drop(void);

#endif
