/*
 * Where a call goes: to startile from the crossover on, else to the machine's LAPACK. Neither is
 * loaded before it is needed, and StarPU is started by the first call that is large enough.
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
static _Atomic double least_product[ROUTINES][4]; /* m n k from which on startile is taken */
static bool least_is_said;                        /* by the user */
static int (*cuda_workers)(void);
static int64_t outcome_of_start = STARTILE_ERROR_STARPU;
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

static void set_least(enum routine routine, startile_dtype dtype, double size)
{
    atomic_store(&least_product[routine][dtype], size * size * size);
}

/* What was measured on this machine comes before crossover(). */
static void take_crossovers(void *library)
{
    typedef int64_t crossover_function(const char *, startile_dtype);
    crossover_function *measured =
        (crossover_function *)library_symbol(library, "startile_crossover");
    for (int r = 0; r < ROUTINES && measured != NULL; r++)
        for (int t = 0; t < 4; t++) {
            int64_t size = measured(names[r], (startile_dtype)t);
            if (size > 0)
                set_least((enum routine)r, (startile_dtype)t, (double)size);
        }
}

static void load_startile(void *library)
{
    cuda_workers = (int (*)(void))library_symbol(library, "startile_cuda_workers");
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[32];
            startile_dtype dtype = (startile_dtype)t;
            snprintf(name, sizeof name, "startile_%c%s", dtype_letter(dtype),
                     routine_name((enum routine)r, dtype));
            typed_entries[r][t] = library_symbol(library, name);
        }
}

/* The smallest problem, a square root, by the machine's LAPACK: OpenBLAS then has the buffer that
 * it would wait for, and for ever, where startile's libraries leave no room for it. */
static void let_machine_begin(void)
{
    typedef void potrf_function(const char *uplo, const integer *n, float *a, const integer *lda,
                                integer *info, size_t uplo_length);
    potrf_function *potrf = (potrf_function *)machines[POTRF][STARTILE_S];
    const integer one = 1;
    integer info;
    float a = 1;
    if (potrf != NULL)
        potrf("L", &one, &a, &one, &info, 1);
}

/* The same starts StarPU, as the entries do for themselves. So a start that fails is told from a
 * problem that does. */
static int64_t try_smallest_problem(void)
{
    typedef int64_t potrf_function(char uplo, int64_t n, float *a, int64_t lda);
    potrf_function *potrf = (potrf_function *)typed_entries[POTRF][STARTILE_S];
    float a = 1;
    return potrf != NULL ? potrf('L', 1, &a, 1) : STARTILE_ERROR_STARPU;
}

static void start_startile(void)
{
    let_machine_begin();
    void *library = dlopen(STARTILE_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    load_startile(library);
    outcome_of_start = try_smallest_problem();
    if (outcome_of_start == 0 && !least_is_said)
        take_crossovers(library);
}

static void set_up(void)
{
    const char *said = getenv("STARTILE_LAPACK_MIN");
    char *end = NULL;
    double least = said != NULL ? strtod(said, &end) : -1;
    if (end == said || (end != NULL && *end != '\0'))
        least = -1; /* not a number */
    least_is_said = least >= 0;
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            set_least((enum routine)r, (startile_dtype)t,
                      least_is_said ? least : crossover((enum routine)r, (startile_dtype)t));
    load_machines();
    reports = report_begin();
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
    pthread_once(&once, start_startile);
    return outcome_of_start == 0;
}

/* In place of any typed entry. */
static int64_t unavailable(void)
{
    return outcome_of_start != 0 ? outcome_of_start : STARTILE_ERROR_STARPU;
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

static bool is_large(const struct problem *p)
{
    double product = p->m * p->n * p->k;
    return product > 0 && product >= atomic_load(&least_product[p->routine][p->dtype]);
}

/* Once startile is here it may be known better what is large. */
static bool is_for_startile(const struct problem *p)
{
    return is_large(p) && startile_is_here() && is_large(p);
}

bool call_begin(struct call *call, struct problem problem)
{
    set_up_once();
    bool has_machine = machines[problem.routine][problem.dtype] != NULL;
    *call = (struct call){.problem = problem, .is_outermost = depth++ == 0};
    call->on_startile =
        !problem.is_idle && (!has_machine || (call->is_outermost && is_for_startile(&problem)));
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
