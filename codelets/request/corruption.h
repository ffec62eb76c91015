/* Detection of corruption (option `verify`). */
#ifndef STARTILE_CORRUPTION_H
#define STARTILE_CORRUPTION_H

#include "startile.h"

/* Returns the level of the option `verify` for the operations that r gets from now on: 0, 1 or
 * 2. */
int request_verify(const startile_request *r);
/* Fails the request with STARTILE_ERROR_CORRUPTION, unless it has failed, and stores the first
 * report. */
void request_note_corruption(startile_request *r, const startile_corruption *found);
/* Attempts at an operation of which r is one (algorithms/verify_again.c), or NULL. */
struct attempts;
struct attempts *request_attempts(const startile_request *r);
void request_set_attempts(startile_request *r, struct attempts *a);
/* Forgets an info > 0, before the next attempt. */
void request_forget_info(startile_request *r);

#endif
