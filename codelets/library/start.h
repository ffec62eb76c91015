/* Checks before the start of StarPU, which ends the program where a start is not possible
 * (StarPU quirks 19, 53 to 57). Private to codelets/. */
#ifndef STARTILE_START_H
#define STARTILE_START_H

#include "startile.h"

#include <stdbool.h>
#include <stddef.h>

/* -- StarPU's folder in the home folder (state_dir.c) ---------------------------------------- */

/* Bytes of a path with its final 0, as in StarPU's own buffers. */
enum { STARPU_PATH = 256 };

/* Chooses the folder for StarPU's files, and prepares it. If StarPU could not use the folder that
 * the environment names, sets STARPU_HOME to a private folder for temporary files until
 * state_dir_release(). Returns 0, or STARTILE_ERROR_DISK if there is no such folder either. */
int state_dir_prepare(void);
/* Restores the environment. Call it when StarPU has started, or could not. */
void state_dir_release(void);
/* Returns whether the folder can be written, or made in a folder that can. */
bool folder_can_be_made(const char *path);

/* -- StarPU's measurements of the machine (bus_files.c) -------------------------------------- */

/* Writes the name of this host in StarPU's files. */
void bus_files_host(char *host, size_t size);
/* Returns whether the folder, "…/bus", has measurements of the host. */
bool bus_files_exist(const char *folder, const char *host);
/* Returns whether all files of the host are there and undamaged, and can be read, and with
 * `to_write` also rewritten. */
bool bus_files_are_complete(const char *folder, const char *host, bool to_write);
/* Removes the host's files if one of them is damaged or cannot be rewritten. */
void bus_files_remove_damaged(const char *folder, const char *host);

/* -- limits of the process (limits.c) -------------------------------------------------------- */

/* Returns whether the process may write the files of a start, which StarPU does if it measures the
 * machine: RLIMIT_FSIZE would end the program by SIGXFSZ. */
bool limits_allow_files(void);
/* Returns 0 if the process can have the files, memory and threads that a start takes; else
 * STARTILE_ERROR_DISK or STARTILE_ERROR_MEMORY. cpu_workers −1: one for each core. */
int limits_check(int cpu_workers, int gpu_workers);

/* -- threads (threads.c) --------------------------------------------------------------------- */

/* Returns whether the process can have `count` more threads. */
bool threads_are_allowed(int count);
/* The same for StarPU's workers. cpu_workers −1: one for each core. */
bool workers_are_allowed(int cpu_workers, int others);
/* Returns the number of cores that the process may use, and that of their hardware threads. */
int usable_cores(int *hardware_threads);

/* -- StarPU's environment variables (starpu_environment.c) ----------------------------------- */

/* Returns 0, or STARTILE_ERROR_ENVIRONMENT if StarPU would end the program at one of them. */
int starpu_environment_check(void);

#endif
