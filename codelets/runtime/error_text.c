/* The version, and the texts of error codes. */
#include "runtime/runtime.h"

#define STRING(x) #x
#define VERSION(major, minor, patch) STRING(major) "." STRING(minor) "." STRING(patch)

const char *startile_version(void)
{
    return VERSION(STARTILE_VERSION_MAJOR, STARTILE_VERSION_MINOR, STARTILE_VERSION_PATCH);
}

const char *startile_strerror(int64_t code)
{
    switch (code) {
    case 0:
        return "success";
    case STARTILE_ERROR_MEMORY:
        return "out of host or device memory";
    case STARTILE_ERROR_NO_WORKER:
        return "no StarPU worker can run this operation";
    case STARTILE_ERROR_DEVICE:
        return "a CUDA, cuBLAS or cuSOLVER call failed";
    case STARTILE_ERROR_CANCELLED:
        return "the request was cancelled";
    case STARTILE_ERROR_STARPU:
        return "StarPU is not running or could not be started";
    case STARTILE_ERROR_TILE:
        return "an operation met a tile that has no handle, no value or no implicit dependences";
    case STARTILE_ERROR_PROFILE:
        return "a profile is being taken already, or none";
    case STARTILE_ERROR_DISK:
        return "a file or folder cannot be used or has no room, or a transfer from or to it failed";
    case STARTILE_ERROR_TRACE:
        return "no trace: StarPU was built without FxT or not started with one, or its folder "
               "cannot "
               "be written";
    default:
        return code > 0                      ? "numerical failure: LAPACK's info"
               : code > STARTILE_ERROR_FIRST ? "wrong argument"
                                             : "unknown code";
    }
}
