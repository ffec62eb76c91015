/* The manifest of a machine's folder: lines "key: value". Private to codelets/. */
#ifndef STARTILE_MANIFEST_H
#define STARTILE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

/* Version of the folder's format and of the description of a task's work in it. Models in another
 * format are stale. */
enum { MODELS_FORMAT = 2 };

struct manifest {
    char machine[64]; /* name of the folder, and of the machine in StarPU's files */
    char cpu[128], gpu[256];
    char date[32]; /* ISO 8601; "" if the calibration is not complete */
    int format, cores;
};

/* Returns false if there is no manifest or it lacks machine, format or processors. */
bool manifest_read(const char *folder, struct manifest *m);

/* Stores the path of the folder that contains the user's own machine folders. Returns false if the
 * environment gives no such path, or if `root` is too small. */
bool models_user_root(char *root, size_t size);

#endif
