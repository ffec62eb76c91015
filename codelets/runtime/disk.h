/*
 * Matrices in files, as a memory node of StarPU's that the tiles are at home in, or mapped into
 * main memory. Private to this folder.
 */
#ifndef STARTILE_DISK_H
#define STARTILE_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One file and the tiles in it. */
struct store;

/* StarPU's number of the node; −1: it has none of ours yet. */
int disk_node(void);

/* Files are mapped into main memory instead. */
bool disk_is_map(void);

/* A file without a name in that folder, of `bytes` zeros that the disk has room for; or the file of
 * that name, in which the tiles begin at `first` and end before first + bytes. 0, or a
 * startile_error. */
int store_create(struct store **store, const char *folder, int64_t bytes, int64_t tiles);
int store_open(struct store **store, const char *file, int64_t first, int64_t bytes, int64_t tiles);

bool store_is_mapped(const struct store *store);
/* Where its tiles are at home. */
int store_node(const struct store *store);

/* What StarPU takes for the address of the tile that begins so many bytes from the first. */
uintptr_t store_tile_address(struct store *store, int64_t tile, int64_t offset);

/* The store that a handle's tile is at home in; or NULL. */
struct _starpu_data_state;
struct store *store_of(struct _starpu_data_state *handle);

/* A transfer has failed: what tasks read since may be anything. */
bool store_has_failed(const struct store *store);
void store_count(const struct store *store, int64_t *read, int64_t *written);

/* Whether all that was written is on the disk: 0 or STARTILE_ERROR_DISK. */
int store_sync(struct store *store);
/* No handle is at home in it any more. */
void store_close(struct store *store);

#endif
