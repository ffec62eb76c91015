/* Requests: level of the option `verify`, and the corruption that was found. */
#include "request/corruption.h"

#include "library/library.h"
#include "request/request.h"
#include "request/state.h"

#include <limits.h>

/* The corruption of the last blocking call of the thread that found one */
static _Thread_local startile_corruption last;

int request_verify(const startile_request *r)
{
    return r->verify;
}

void request_note_corruption(startile_request *r, const startile_corruption *found)
{
    starpu_pthread_mutex_lock(&r->mutex);
    if (r->corruption.routine == NULL)
        r->corruption = *found;
    starpu_pthread_mutex_unlock(&r->mutex);
    request_fail(r, STARTILE_ERROR_CORRUPTION);
}

struct attempts *request_attempts(const startile_request *r)
{
    return r->attempts;
}

void request_set_attempts(startile_request *r, struct attempts *a)
{
    r->attempts = a;
}

void request_forget_info(startile_request *r)
{
    long long outcome = atomic_load(&r->outcome);
    if (outcome > 0)
        atomic_store(&r->outcome, 0);
    atomic_store(&r->zero_pivot, 0);
    atomic_store(&r->zero_pivot_factorization, INT_MAX);
    request_leave_info(r); /* on a grid tasks read it */
}

void keep_corruption(const startile_request *r)
{
    if (r->corruption.routine != NULL)
        last = r->corruption;
}

int64_t startile_request_set_verify(startile_request *request, int level)
{
    if (request == NULL)
        return -1;
    if (level < 0 || level > 2)
        return -2;
    request->verify = level;
    return 0;
}

int64_t startile_request_corruption(startile_request *request, startile_corruption *found)
{
    if (found == NULL)
        return -2;
    *found = last;
    if (request != NULL && !library_unusable_after_fork()) {
        starpu_pthread_mutex_lock(&request->mutex);
        *found = request->corruption;
        starpu_pthread_mutex_unlock(&request->mutex);
    }
    return found->routine != NULL;
}
