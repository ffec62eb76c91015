/*
 * Paths of files that come with the command, in a build folder or in an installation.
 */
#define _GNU_SOURCE
#include "beside.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool find_beside_command(const char *const *places, int count, char *path, size_t size)
{
    char folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    *strrchr(folder, '/') = '\0';
    for (int p = 0; p < count; p++) {
        int needed = snprintf(path, size, "%s/%s", folder, places[p]);
        if (needed > 0 && (size_t)needed < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool find_simulator(bool of_cluster, char *path, size_t size)
{
    static const char *const places[2][2] = {
        {"startile-simulate", SIMULATE_INSTALLED},
        {"startile-simulate-cluster", SIMULATE_INSTALLED "-cluster"}};
    return find_beside_command(places[of_cluster], 2, path, size);
}
