/* The manifest of a machine's folder: lines "key: value". Private to this folder. */
#ifndef STARTILE_MANIFEST_H
#define STARTILE_MANIFEST_H

#include <stdbool.h>

/* Of the way that codelets describe their work: models of another are stale. */
enum { MODELS_FORMAT = 1 };

struct manifest {
    char machine[64]; /* the folder's name, and StarPU's for the machine */
    char cpu[128], gpu[256];
    char date[32]; /* ISO 8601 */
    int format, cores;
    /* "cpu all; gpu potrf/d getrf": kinds of workers, each with its routines, and these with their
     * types where not all were measured; "": it does not say */
    char covers[768];
};

/* Of one line, which it cuts up; other keys are passed over. */
void manifest_take(struct manifest *m, char *line);
/* False: there is none, or it is not complete. */
bool manifest_read(const char *folder, struct manifest *m);

#endif
