/* Complete transfers between memory and files. Private to codelets/. */
#ifndef STARTILE_FILE_BYTES_H
#define STARTILE_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read and write `size` bytes from byte `offset` of the file on. Return false and set
 * errno if a transfer failed; ENODATA: the file ends before. */
bool read_bytes(int file, void *buffer, size_t size, int64_t offset);
bool write_bytes(int file, const void *buffer, size_t size, int64_t offset);

#endif
