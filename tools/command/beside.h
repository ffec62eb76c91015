/*
 * Files that come with the command, in a build folder or where both are installed.
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/* The first of the places, which are relative to the command's folder, that can be read. */
bool find_beside_command(const char *const *places, int count, char *path, size_t size);

#endif
