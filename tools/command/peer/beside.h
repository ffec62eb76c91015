/*
 * Files that come with the command, in a build folder or where both are installed.
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the path of the first of the places, relative to the command's folder, that can be
 * read. */
bool find_beside_command(const char *const *places, int count, char *path, size_t size);

/* Stores the path of the program that simulates a machine or a cluster, where startile was built
 * with it. */
bool find_simulator(bool of_cluster, char *path, size_t size);

#endif
