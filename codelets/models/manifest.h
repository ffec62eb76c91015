/* The manifest of a machine's folder: lines "key: value". Private to codelets/. */
#ifndef STARTILE_MANIFEST_H
#define STARTILE_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

/* Format of the folder and of the tasks' work in it; models in another format are stale. */
enum { MODELS_FORMAT = 2 };

struct manifest {
    char machine[64]; /* name of the folder, and of the machine in StarPU's files */
    char cpu[128], gpu[256];
    char date[32]; /* ISO 8601; "" if the calibration is not complete */
    int format, cores;
};

/* Returns false if there is no manifest or it lacks machine, format or processors. */
bool manifest_read(const char *folder, struct manifest *m);

/* Stores the folder that contains the user's own machines. Returns false if the environment names
 * none. */
bool models_user_root(char *root, size_t size);

#endif
