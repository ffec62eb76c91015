/* The blocking routines: each submits the asynchronous routine of its name in a request of its own
 * and waits for it. */
#ifndef STARTILE_BLOCKING_H
#define STARTILE_BLOCKING_H

#include "codelets.h"

#define BLOCKING_RETURNING(result, routine, parameters, ...)                                       \
    int64_t startile_##routine parameters                                                          \
    {                                                                                              \
        startile_request *r = request_start();                                                     \
        int64_t code = request_finish(r, startile_##routine##_async(__VA_ARGS__, r));              \
        return result;                                                                             \
    }

/* Defines a routine that returns a failure, or the info of the request. */
#define BLOCKING(...) BLOCKING_RETURNING(code, __VA_ARGS__)

/* Defines a routine on batches that returns a failure, else the 1-based number of the first matrix
 * with info ≠ 0, else 0. */
#define BLOCKING_WITH_INFO(...)                                                                    \
    BLOCKING_RETURNING(code != 0 ? code : batch_first_failure(info), __VA_ARGS__)

#endif
