/*
 * Paths of files that come with the command, in a build folder or in an installation.
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the path of the first readable file of `places`, which are relative to the command's
 * folder. Returns false if none is readable. */
bool find_beside_command(const char *const *places, int count, char *path, size_t size);

/* Stores the path of the program that simulates a machine, or a cluster. Returns false if startile
 * was built without it. */
bool find_simulator(bool of_cluster, char *path, size_t size);

#endif
