#include "common.h"
#include "scalar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const names[ROUTINES] = {
    [POTRF] = "potrf",     [PSTRF] = "pstrf",       [POTRS] = "potrs",
    [POTRI] = "potri",     [POSV] = "posv",         [TRTRI] = "trtri",
    [TRTRS] = "trtrs",     [LAUUM] = "lauum",       [SYGST] = "sygst",
    [SYNGST] = "syngst",   [POCON] = "pocon",       [GETRF] = "getrf",
    [GETRS] = "getrs",     [GETRI] = "getri",       [GESV] = "gesv",
    [GECON] = "gecon",     [GEQRF] = "geqrf",       [GELQF] = "gelqf",
    [GEQP3] = "geqp3",     [GEQPF] = "geqpf",       [ORGQR] = "orgqr",
    [ORGLQ] = "orglq",     [ORMQR] = "ormqr",       [ORMLQ] = "ormlq",
    [GELS] = "gels",       [GELSY] = "gelsy",       [SYTRF] = "sytrf",
    [SYTRS] = "sytrs",     [SYTRS2] = "sytrs2",     [SYTRI] = "sytri",
    [SYSV] = "sysv",       [SYCON] = "sycon",       [HETRF] = "hetrf",
    [HETRS] = "hetrs",     [HETRS2] = "hetrs2",     [HETRI] = "hetri",
    [HESV] = "hesv",       [HECON] = "hecon",       [SGESV] = "sgesv",
    [SPOSV] = "sposv",     [SYTRF_AA] = "sytrf_aa", [SYTRS_AA] = "sytrs_aa",
    [SYSV_AA] = "sysv_aa", [HETRF_AA] = "hetrf_aa", [HETRS_AA] = "hetrs_aa",
    [HESV_AA] = "hesv_aa"};

const char *routine_name(enum routine routine, startile_dtype dtype)
{
    static const char *const unitary[] = {"ungqr", "unglq", "unmqr", "unmlq"};
    bool is_orthogonal = routine >= ORGQR && routine <= ORMLQ;
    if (dtype_is_complex(dtype) && routine >= SGESV)
        return routine == SGESV ? "cgesv" : "cposv";
    if (dtype_is_complex(dtype) && (routine == SYGST || routine == SYNGST))
        return routine == SYGST ? "hegst" : "hengst";
    return is_orthogonal && dtype_is_complex(dtype) ? unitary[routine - ORGQR] : names[routine];
}

void symbol_name(char name[SYMBOL_NAME], enum routine routine, startile_dtype dtype)
{
    bool has_stages =
        (routine >= SYTRF_AA && routine <= SYSV_AA) || (routine >= HETRF_AA && routine <= HESV_AA);
    snprintf(name, SYMBOL_NAME, DROPIN_PREFIX "%c%s%s", dtype_letter(dtype),
             routine_name(routine, dtype), has_stages ? "_2stage" : "");
}

double least_size(void)
{
    const char *value = getenv("STARTILE_LAPACK_MIN");
    if (value == NULL || *value == '\0')
        return NAN;
    if (value[strspn(value, "0123456789")] == '\0')
        return strtod(value, NULL);
    fprintf(stderr,
            DROPIN_NAME ": STARTILE_LAPACK_MIN=%s must be an integer, 0 or more: startile is not "
                        "used\n",
            value);
    return INFINITY;
}

bool left_operands_unchanged(int64_t status)
{
    return (status < 0 && status > STARTILE_ERROR_FIRST) || status == STARTILE_ERROR_STARPU ||
           status == STARTILE_ERROR_NO_WORKER || status == NOT_CALLED;
}

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
