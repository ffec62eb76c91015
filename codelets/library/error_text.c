/* The library's version, and the texts of its error codes. */
#include "library/error_text.h"

#include "startile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The thread's last message */
static _Thread_local struct {
    int64_t code;
    char text[1024];
} last;

/* Returns whether the thread's last message is of this code. Other than for an error code with
 * messages it does not access `last`, whose memory the system may allocate at the first access. */
static bool is_explained(int64_t code)
{
    return code < 0 && code != STARTILE_ERROR_MEMORY && last.code == code;
}

int explain(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    last.code = code;
    vsnprintf(last.text, sizeof last.text, format, arguments);
    va_end(arguments);
    return code;
}

int explain_file(int code, const char *path)
{
    return explain(code, "%.700s: %s", path,
                   errno == ENODATA ? "the file ends too early" : strerror(errno));
}

char *take_explanation(int64_t code)
{
    if (!is_explained(code))
        return NULL;
    last.code = 0;
    return strdup(last.text);
}

void give_explanation(int64_t code, const char *text)
{
    if (text != NULL)
        (void)explain((int)code, "%s", text);
    else if (is_explained(code))
        last.code = 0;
}

#define STRING(x) #x
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

const char *startile_version(void)
{
    return VERSION(STARTILE_VERSION_MAJOR, STARTILE_VERSION_MINOR, STARTILE_VERSION_PATCH);
}

/* Returns LAPACK's message (XERBLA) for argument `number`, from 1. */
static const char *text_of_argument(int64_t number)
{
#define ARGUMENT(n) "argument " #n " has an illegal value"
    static const char *const text[] = {
        ARGUMENT(1),  ARGUMENT(2),  ARGUMENT(3),  ARGUMENT(4),  ARGUMENT(5),
        ARGUMENT(6),  ARGUMENT(7),  ARGUMENT(8),  ARGUMENT(9),  ARGUMENT(10),
        ARGUMENT(11), ARGUMENT(12), ARGUMENT(13), ARGUMENT(14), ARGUMENT(15),
        ARGUMENT(16), ARGUMENT(17), ARGUMENT(18), ARGUMENT(19), ARGUMENT(20),
    };
#undef ARGUMENT
    enum { COUNT = sizeof text / sizeof text[0] };
    return number <= COUNT ? text[number - 1] : "an argument has an illegal value";
}

static const char positive[] =
    "LAPACK's info i > 0: Cholesky: the leading minor of order i is not positive definite; LU and "
    "inverses: diagonal element i of a triangle is zero; L D L^T: element i of D's diagonal is "
    "zero; Aasen: element i of the diagonal of T's factor is zero; least squares: A does not have "
    "full rank, "
    "element i of R's diagonal is zero; n + 1 of posvx: A is singular to working precision; batch: "
    "matrix i is the first one with such an info";

const char *startile_strerror(int64_t code)
{
    if (is_explained(code)) {
        /* other functions return the number of an argument, too, and have no message */
        last.code = code > STARTILE_ERROR_FIRST ? 0 : code;
        return last.text;
    }
    switch (code) {
    case 0:
        return "success";
    case STARTILE_ERROR_MEMORY:
        return "out of host or device memory, or of threads";
    case STARTILE_ERROR_NO_WORKER:
        return "no StarPU worker can run this operation, or none uses the GPU in whose memory an "
               "argument is";
    case STARTILE_ERROR_DEVICE:
        return "a CUDA, cuBLAS or cuSOLVER call failed";
    case STARTILE_ERROR_CANCELLED:
        return "the request was cancelled";
    case STARTILE_ERROR_STARPU:
        return "StarPU is not running or could not be started, or its threads are in the parent "
               "of this child of fork(), or the program ends";
    case STARTILE_ERROR_TILE:
        return "an operation met a tile that has no handle, no value or no implicit dependencies";
    case STARTILE_ERROR_PROFILE:
        return "a profile is being recorded already, or none is";
    case STARTILE_ERROR_DISK:
        return "a file or folder cannot be used or has no space left, or a transfer from or to it "
               "failed";
    case STARTILE_ERROR_ENVIRONMENT:
        return "an environment variable has a wrong value";
    case STARTILE_ERROR_MPI:
        return "MPI was not initialized with MPI_THREAD_MULTIPLE by MPI_Init_thread(), or a call "
               "of "
               "MPI failed";
    case STARTILE_ERROR_MISMATCH:
        return "the processes of a grid called different routines, passed different arguments, or "
               "have different kinds of workers (CPU, GPU)";
    case STARTILE_ERROR_JOURNAL:
        return "the journal of a factorization is damaged, or the operation cannot keep one";
    case STARTILE_ERROR_JOURNAL_VERSION:
        return "the journal was written by another version of the library";
    case STARTILE_ERROR_JOURNAL_MATRIX:
        return "the journal is of another factorization: the routine, the matrix in the file, its "
               "shape or its tiles differ";
    case STARTILE_ERROR_JOURNAL_IN_USE:
        return "another process, or another matrix, uses the journal";
    case STARTILE_ERROR_TRACE:
        return "no trace: StarPU was built without FxT or was started without a trace, the folder "
               "cannot be written, or no task was traced";
    case STARTILE_ERROR_CORRUPTION:
        return "silent corruption: a bit flipped in a memory, or a computation or transfer gave a "
               "wrong result; startile_request_corruption() has the place";
    default:
        return code > 0                      ? positive
               : code > STARTILE_ERROR_FIRST ? text_of_argument(-code)
                                             : "unknown code";
    }
}
