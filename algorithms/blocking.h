/* The blocking routines: each calls the asynchronous routine of its name with a request of its own
 * and waits for that request. */
#ifndef STARTILE_BLOCKING_H
#define STARTILE_BLOCKING_H

#include "batch/insert_batch.h"
#include "request/request.h"

#define BLOCKING_RETURNING(result, routine, parameters, ...)                                       \
    int64_t startile_##routine parameters                                                          \
    {                                                                                              \
        startile_request *r = request_start();                                                     \
        int64_t code = request_finish(r, startile_##routine##_async(__VA_ARGS__, r));              \
        return result;                                                                             \
    }

/* Defines a routine that returns the result of the asynchronous routine if that is not 0, else the
 * outcome of the request. */
#define BLOCKING(...) BLOCKING_RETURNING(code, __VA_ARGS__)

/* Defines a routine on batches. It returns as a routine of BLOCKING() does; where that returns 0,
 * it returns batch_first_failure(info): the number, counted from 1, of the first matrix whose info
 * is not 0, or 0 if there is none. */
#define BLOCKING_WITH_INFO(...)                                                                    \
    BLOCKING_RETURNING(code != 0 ? code : batch_first_failure(info), __VA_ARGS__)

#endif
