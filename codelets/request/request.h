/* Requests: unfinished tasks and the first failure. */
#ifndef STARTILE_REQUEST_H
#define STARTILE_REQUEST_H

#include "request/context.h"
#include "startile.h"

/* request_start() and request_finish() enclose the asynchronous calls of a blocking call.
 * request_start() returns NULL without memory, or if the library is not started. request_finish()
 * waits, frees the request and returns `result` if it is not 0, else the request's result. If r is
 * NULL, it returns the reason as a startile_error. */
startile_request *request_start(void);
int64_t request_finish(startile_request *r, int result);

/* Stores the first failure in the request; code 0 is ignored. */
void request_fail(startile_request *r, int64_t code);
/* Stores info > 0, the first zero pivot of a factorization that continues after it; ignores info
 * 0. */
void request_note_zero_pivot(startile_request *r, int64_t info, int factorization);

/* Returns the first failure or, if there is none, the first zero pivot, or 0. */
int64_t request_outcome(startile_request *r);
/* Returns request_outcome(r). On a grid makes it the same on all processes first; collective. */
int64_t request_agree(startile_request *r);
/* Makes r a request of the matrix' grid, if it has one. */
void request_join_grid(startile_request *r, const startile_matrix *A);

#endif
