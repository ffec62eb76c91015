/* Complete transfers between memory and files. Private to codelets/. */
#ifndef STARTILE_FILE_BYTES_H
#define STARTILE_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read and write `size` bytes from byte `offset` of the file on. Return false if the file ends
 * before, or a transfer failed. */
bool read_bytes(int file, void *buffer, size_t size, int64_t offset);
bool write_bytes(int file, const void *buffer, size_t size, int64_t offset);

#endif
