/* StarPU's own files of measurements, which it learns while tasks run. It ends the program at a
 * damaged file, and at the stop if it cannot rewrite a file (StarPU quirks 24 and 56). */
#include "models/model.h"

#include <starpu.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool learned_model_is_usable(const char *symbol)
{
    char path[512];
    const char *reason;
    starpu_perfmodel_get_model_path(symbol, path, sizeof path);
    if (path[0] == '\0' || strstr(path, "/codelets/45/") == NULL) /* the version of model_read() */
        return true;
    model_free(model_read(path, &reason));
    if (reason == model_no_memory)
        return false;
    return (reason == NULL && access(path, R_OK | W_OK) == 0) || remove(path) == 0;
}
