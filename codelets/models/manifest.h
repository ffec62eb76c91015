/* The manifest of a machine's folder: lines "key: value". Private to codelets/. */
#ifndef STARTILE_MANIFEST_H
#define STARTILE_MANIFEST_H

#include <stdbool.h>

/* Format in which tasks describe their work; models in another format are stale. */
enum { MODELS_FORMAT = 1 };

struct manifest {
    char machine[64]; /* name of the folder, and of the machine in StarPU's files */
    char cpu[128], gpu[256];
    char date[32]; /* ISO 8601 */
    int format, cores;
    /* measured workers and routines, with types unless all were measured: "cpu all; gpu potrf/d
     * getrf"; "" if the manifest has no such line */
    char covers[768];
};

/* Stores the value of one line, which it modifies; ignores other keys. */
void manifest_take(struct manifest *m, char *line);
/* Returns false if there is no manifest or it is incomplete. */
bool manifest_read(const char *folder, struct manifest *m);

#endif
