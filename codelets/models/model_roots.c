/* The folders that contain machines' folders. */
#define _GNU_SOURCE /* dladdr */
#include "models/model.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void visit_path(const char *path, models_root_callback *callback, void *data)
{
    while (path != NULL && *path != '\0') {
        char root[PATH_MAX];
        int length = (int)strcspn(path, ":");
        if (snprintf(root, sizeof root, "%.*s", length, path) < (int)sizeof root)
            callback(data, root);
        path += length + (path[length] == ':');
    }
}

bool models_user_root(char *root, size_t size)
{
    const char *data = getenv("XDG_DATA_HOME"), *home_dir = getenv("HOME");
    int length = (int)size;
    if (data != NULL && data[0] != '\0')
        length = snprintf(root, size, "%s/startile/models", data);
    else if (home_dir != NULL && home_dir[0] != '\0')
        length = snprintf(root, size, "%s/.local/share/startile/models", home_dir);
    return length < (int)size;
}

/* Calls back for the folders beside the library: installed, in a bundle, in the source tree. */
static void visit_library_roots(const void *in_library, models_root_callback *callback, void *data)
{
    static const char *const places[] = {STARTILE_MODELS_FROM_LIBRARY, "../perf_models",
                                         "../../perf_models"};
    char library[PATH_MAX], root[PATH_MAX + 64];
    Dl_info info;
    if (dladdr(in_library, &info) == 0 || info.dli_fname == NULL ||
        realpath(info.dli_fname, library) == NULL)
        return;
    *strrchr(library, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(root, sizeof root, "%s/%s", library, places[i]);
        callback(data, root);
    }
}

void models_roots(const void *in_library, models_root_callback *callback, void *data)
{
    char root[PATH_MAX];
    visit_path(getenv("STARTILE_MODELS_PATH"), callback, data);
    if (models_user_root(root, sizeof root))
        callback(data, root);
    visit_library_roots(in_library, callback, data);
}
