/*
 * Where a call goes: to startile from the crossover on, else to the machine's LAPACK. Neither is
 * loaded before it is needed, and StarPU is started by the first call that goes to startile.
 */
#include "dropin.h"
#include "scalar.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static any_function *typed_entries[ROUTINES][4], *machines[ROUTINES][4];
static double least_product[ROUTINES][4]; /* m n k from which on startile is taken */
static int (*cuda_workers)(void);
static bool reports;

/* Between a symbol and the machine's LAPACK, which may call symbols of its own: where it was loaded
 * before, they are these. */
static _Thread_local int depth;

/* The process that StarPU's threads are in; its children have none of them. */
static atomic_int home;

static const char *const names[ROUTINES] = {
    [POTRF] = "potrf", [POTRS] = "potrs", [POTRI] = "potri", [POSV] = "posv",   [TRTRI] = "trtri",
    [LAUUM] = "lauum", [POCON] = "pocon", [GETRF] = "getrf", [GETRS] = "getrs", [GETRI] = "getri",
    [GESV] = "gesv",   [GECON] = "gecon", [GEQRF] = "geqrf", [GELQF] = "gelqf", [ORGQR] = "orgqr",
    [ORGLQ] = "orglq", [ORMQR] = "ormqr", [ORMLQ] = "ormlq", [GELS] = "gels"};

const char *routine_name(enum routine routine, startile_dtype dtype)
{
    static const char *const unitary[] = {"ungqr", "unglq", "unmqr", "unmlq"};
    bool is_orthogonal = routine >= ORGQR && routine <= ORMLQ;
    return is_orthogonal && dtype_is_complex(dtype) ? unitary[routine - ORGQR] : names[routine];
}

/* -- the two libraries ------------------------------------------------------------------------ */

static void load_machines(void)
{
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[32];
            startile_dtype dtype = (startile_dtype)t;
            snprintf(name, sizeof name, "%c%s", dtype_letter(dtype),
                     routine_name((enum routine)r, dtype));
            machines[r][t] = machine_symbol(name);
        }
}

static void load_startile(void)
{
    void *library = dlopen(STARTILE_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        cuda_workers = (int (*)(void))library_symbol(library, "startile_cuda_workers");
    for (int r = 0; r < ROUTINES && library != NULL; r++)
        for (int t = 0; t < 4; t++) {
            char name[32];
            startile_dtype dtype = (startile_dtype)t;
            snprintf(name, sizeof name, "startile_%c%s", dtype_letter(dtype),
                     routine_name((enum routine)r, dtype));
            typed_entries[r][t] = library_symbol(library, name);
        }
}

static void set_up(void)
{
    const char *said = getenv("STARTILE_LAPACK_MIN");
    char *end = NULL;
    double least = said != NULL ? strtod(said, &end) : -1;
    if (end == said || (end != NULL && *end != '\0'))
        least = -1; /* not a number */
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            double size = least >= 0 ? least : crossover((enum routine)r, (startile_dtype)t);
            least_product[r][t] = size * size * size;
        }
    load_machines();
    reports = report_is_wanted();
}

static void set_up_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
}

any_function *machine_function(enum routine routine, startile_dtype dtype)
{
    set_up_once();
    return machines[routine][dtype];
}

/* -- a call ----------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* From the first call on StarPU belongs to this process; a child goes on with the machine's. */
static bool startile_is_here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int nobody = 0, me = (int)getpid();
    if (!atomic_compare_exchange_strong(&home, &nobody, me) && nobody != me)
        return false;
    pthread_once(&once, load_startile);
    return typed_entries[POTRF][STARTILE_S] != NULL;
}

/* In place of any typed entry. */
static int64_t unavailable(void)
{
    return STARTILE_ERROR_STARPU;
}

any_function *startile_function(enum routine routine, startile_dtype dtype)
{
    return startile_is_here() ? typed_entries[routine][dtype] : (any_function *)unavailable;
}

bool startile_is_on_gpus(void)
{
    return cuda_workers != NULL && cuda_workers() > 0;
}

static void tell_xerbla(int position, enum routine routine, startile_dtype dtype)
{
    char name[7];
    snprintf(name, sizeof name, "%c%-5s", dtype_letter(dtype), routine_name(routine, dtype));
    for (char *c = name; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    call_xerbla(position, name);
}

bool is_refused(int wrong, struct problem *problem, integer *info)
{
    *info = (integer)-wrong;
    if (wrong == 0)
        return false;
    problem->is_idle = true;
    if (machine_function(problem->routine, problem->dtype) != NULL && xerbla_is_hidden())
        return false;
    tell_xerbla(wrong, problem->routine, problem->dtype);
    return true;
}

bool call_begin(struct call *call, struct problem problem)
{
    set_up_once();
    bool has_machine = machines[problem.routine][problem.dtype] != NULL;
    double product = problem.m * problem.n * problem.k;
    *call = (struct call){.problem = problem, .is_outermost = depth++ == 0};
    bool is_large = product > 0 && product >= least_product[problem.routine][problem.dtype];
    call->on_startile = !problem.is_idle &&
                        (!has_machine || (is_large && call->is_outermost && startile_is_here()));
    if (reports)
        call->began = now();
    return call->on_startile;
}

void call_end(struct call *call)
{
    depth--;
    if (reports && call->is_outermost && !call->problem.is_idle)
        report_call(&call->problem, call->on_startile, now() - call->began);
}

/* What startile refuses, though the reference's rules allow it, such as leading dimensions beyond
 * 2³¹, or cannot begin, is the machine's; a failure on the way is the caller's to know. */
static bool is_untouched(int64_t status)
{
    return (status < 0 && status > STARTILE_ERROR_FIRST) || status == STARTILE_ERROR_STARPU ||
           status == STARTILE_ERROR_NO_WORKER || status == NOT_CALLED;
}

bool call_took(struct call *call, int64_t status, integer *info)
{
    bool has_machine = machines[call->problem.routine][call->problem.dtype] != NULL;
    if (has_machine && is_untouched(status)) {
        call->on_startile = false;
        return false;
    }
    *info = (integer)(status == NOT_CALLED ? STARTILE_ERROR_MEMORY : status);
    call_end(call);
    return true;
}
