/* Tiles that an operation keeps, although it submits some of its tasks late. */
#ifndef STARTILE_HOLD_H
#define STARTILE_HOLD_H

#include "request/context.h"
#include "request/decision.h"
#include "startile.h"

#include <stdbool.h>

/* Tiles that an operation uses until it has ended, although it submits some of its tasks late. */
typedef struct hold hold;
/* Returns a hold without tiles, a temporary of ctx.request; NULL and failure without memory. */
hold *hold_begin(context ctx);
/* Add the tiles of a matrix, or the pivots. uplo 'L', 'U': of that triangle of A, which has
 * square tiles; 'G': all. has_values: the tiles have values */
void hold_matrix(hold *h, char uplo, const startile_matrix *A, bool has_values);
void hold_pivots(hold *h, const startile_pivots *P);
/* From now on the tasks that others submit on these tiles wait for hold_end(), and ctx.request is
 * unfinished. Returns false and fails the request without memory. */
bool hold_submit(hold *h);
/* Lets the tasks that r submits from now on use the tiles before hold_end(), in the order in which
 * all such requests submit them. */
void request_use_hold(startile_request *r, hold *h);
/* Ends the hold after the tasks submitted so far: calls ended(arg), then starts the tasks that
 * wait. Call it once after hold_submit(). */
void hold_end(hold *h, decision *ended, void *arg);

#endif
