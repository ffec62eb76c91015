/* Finds a library among the loaded ones. Python loads its modules and their libraries with local
 * scope, where neither the loader's RTLD_NEXT nor RTLD_DEFAULT finds their symbols. */
#define _GNU_SOURCE
#include "dropin.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append_path(struct dl_phdr_info *object, size_t size, void *paths)
{
    (void)size;
    fputs(object->dlpi_name, paths);
    fputc('\0', paths);
    return 0;
}

/* Returns the paths of all loaded objects, each one ended by '\0', or NULL without memory. Sets
 * *size to the size of the text. The paths are copied because dlopen() inside dl_iterate_phdr(),
 * which holds a lock of the loader, could deadlock with a dlopen() of another thread. */
static char *loaded_paths(size_t *size)
{
    char *text = NULL;
    FILE *paths = open_memstream(&text, size);
    if (paths == NULL)
        return NULL;
    dl_iterate_phdr(append_path, paths);
    if (fclose(paths) == 0)
        return text;
    free(text);
    return NULL;
}

/* Opens the object if it is loaded and has the symbol outside the drop-ins, else returns NULL. */
static void *open_with_symbol(const char *path, const char *symbol)
{
    void *library = *path != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *address = library != NULL ? dlsym(library, symbol) : NULL;
    if (address != NULL && !is_in_dropin(address))
        return library;
    if (library != NULL)
        dlclose(library);
    return NULL;
}

void *open_loaded_library(const char *symbol)
{
    size_t size = 0;
    char *paths = loaded_paths(&size);
    void *library = NULL;
    for (const char *p = paths; p != NULL && p < paths + size && library == NULL;
         p += strlen(p) + 1)
        library = open_with_symbol(p, symbol);
    free(paths);
    return library;
}
