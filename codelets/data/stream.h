/* Order of tasks after the work of a caller's CUDA stream. */
#ifndef STARTILE_STREAM_H
#define STARTILE_STREAM_H

#include "startile.h"

/* A point in a CUDA stream: an event that the library has recorded. */
struct stream_point;

/* *point := the end of the work that is in the stream now; NULL if no GPU runs tasks and the stream
 * is NULL. `device`: GPU of the stream, −1: the caller's current one. Returns 0, −1 if no event can
 * be recorded in the stream, or a startile_error. */
int stream_point_record(struct stream_point **point, int device, void *stream);
/* Releases the caller's reference. NULL is allowed. */
void stream_point_release(struct stream_point *point);
/* Makes later tasks on A wait for the point: by tasks on A's tiles if its elements are in the
 * memory of the GPU `device`, else by a wait of the calling thread. */
void order_after_point(const startile_matrix *A, int device, struct stream_point *point);

#endif
