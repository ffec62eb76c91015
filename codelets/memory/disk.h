/*
 * Matrices in files: a memory node of StarPU that is the tiles' home node, or a file mapped into
 * main memory. Private to codelets/.
 */
#ifndef STARTILE_DISK_STORE_H
#define STARTILE_DISK_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file and the tiles in it. */
struct store;

/* Returns StarPU's number of the files' memory node, or −1 before the first file that is not
 * mapped. */
int disk_node(void);

/* Returns whether files are mapped into main memory. */
bool disk_is_map(void);

/* Creates an unnamed file of `bytes` zeros in the folder. Returns 0 or a startile_error. */
int store_create(struct store **store, const char *folder, int64_t bytes, int64_t tiles);
/* Opens the caller's file, in which the tiles take `bytes` bytes from byte `first` on. Returns 0 or
 * a startile_error. */
int store_open(struct store **store, const char *file, int64_t first, int64_t bytes, int64_t tiles);

/* Return the file's descriptor; its name, for an unnamed file that of its folder; and the offset of
 * the first tile in the file, in bytes. */
int store_file(const struct store *store);
const char *store_name(const struct store *store);
int64_t store_first_offset(const struct store *store);

bool store_is_mapped(const struct store *store);
/* Returns the home node of the store's tiles. */
int store_node(const struct store *store);

/* Returns StarPU's address of tile number `tile`, which begins `offset` bytes after the first
 * tile. */
uintptr_t store_tile_address(struct store *store, int64_t tile, int64_t offset);

/* Returns the handle's store if its home node is the files' memory node, else NULL. */
struct _starpu_data_state;
struct store *store_of(struct _starpu_data_state *handle);

/* Returns STARTILE_ERROR_DISK if a transfer has failed, else 0. Data that was read may then be
 * invalid. */
int store_status(const struct store *store);
void store_bytes(const struct store *store, int64_t *read, int64_t *written);

/* Writes all data to the disk. Returns 0, or STARTILE_ERROR_DISK if that or an earlier transfer
 * failed. */
int store_sync(struct store *store);
/* Closes the store after its handles were unregistered. */
void store_close(struct store *store);

#endif
