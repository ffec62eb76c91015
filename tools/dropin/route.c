/*
 * Chooses the library that solves a problem: startile for sizes from the crossover on, else the
 * machine's LAPACK. Each library is loaded when it is first needed. The first problem that is large
 * enough starts StarPU.
 */
#include "dropin.h"
#include "scalar.h"

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static any_function *typed_entries[ROUTINES][4];
static _Atomic double least_product[ROUTINES][4]; /* least m n k that goes to startile */
static double least_order[ROUTINES]; /* least n that goes to startile if k is at most FEW */
static bool least_is_given;          /* STARTILE_LAPACK_MIN gives least_product */
static int (*cuda_workers)(void);    /* startile_cuda_workers() */
static int64_t outcome_of_start = STARTILE_ERROR_STARPU;
static bool reports; /* a report is requested */

/* Number of nested calls of this library's symbols in this thread. The machine's LAPACK may call
 * these symbols where it means its own. */
static _Thread_local int depth;

/* Process that uses startile, or 0. Children of this process do not have StarPU's threads. */
static atomic_int owner_pid;

/* -- startile ---------------------------------------------------------------------------------- */

static void set_crossover(enum routine routine, startile_dtype dtype, double size)
{
    atomic_store(&least_product[routine][dtype], size * size * size);
}

/* Returns the routine whose typed entry and crossover this one has: xSYTRS for xSYTRS2. */
static enum routine typed_routine(int routine)
{
    return routine == SYTRS2 ? SYTRS : routine == HETRS2 ? HETRS : (enum routine)routine;
}

typedef int64_t crossover_function(const char *routine, startile_dtype dtype);

/* Replaces the sizes from crossover() by sizes that were measured on this machine, if there are
 * any. */
static void use_crossovers(crossover_function *measured)
{
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            int64_t size = measured(routine_name(typed_routine(r), STARTILE_D), (startile_dtype)t);
            if (size > 0)
                set_crossover((enum routine)r, (startile_dtype)t, (double)size);
        }
}

/* Finds the functions of the opened libstartile. */
static void load_startile(void *library)
{
    cuda_workers = (int (*)(void))library_symbol(library, "startile_cuda_workers");
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[32];
            startile_dtype dtype = (startile_dtype)t;
            bool has_vector = r == GECON || r == POCON; /* on exit of LAPACK's routine */
            snprintf(name, sizeof name, "startile_%c%s%s", dtype_letter(dtype),
                     routine_name(typed_routine(r), dtype), has_vector ? "_vector" : "");
            typed_entries[r][t] = library_symbol(library, name);
        }
}

/* Solves a problem of order 1 by startile, which starts StarPU, and returns the status. A failure
 * is then one of the start, not one of the user's problem. */
static int64_t try_smallest_problem(void)
{
    typedef int64_t potrf_function(char uplo, int64_t n, float *a, int64_t lda);
    potrf_function *potrf = (potrf_function *)typed_entries[POTRF][STARTILE_S];
    float a = 1;
    return potrf != NULL ? potrf('L', 1, &a, 1) : STARTILE_ERROR_STARPU;
}

/* Prints that an environment variable is malformed. Otherwise the user could not learn why the
 * machine's LAPACK solves all problems. */
static void report_environment_fault(void *library)
{
    typedef const char *text_function(int64_t);
    text_function *text = (text_function *)library_symbol(library, "startile_strerror");
    fprintf(stderr, "libstartile_lapack: %s: startile is not used\n",
            text != NULL ? text(STARTILE_ERROR_ENVIRONMENT) : "malformed environment variable");
}

static void refuse_for_address_space(void)
{
    outcome_of_start = STARTILE_ERROR_MEMORY;
    report_remark(
        "the address space is limited (ulimit -v): startile, which must leave some for the "
        "threads of OpenBLAS, is not used");
}

/* Loads libstartile and starts it, unless a limit leaves too little address space. Checks that
 * before and after the load, which takes address space, too. Sets outcome_of_start. */
static void start_startile(void)
{
    if (!has_address_space_for_startile()) {
        refuse_for_address_space();
        return;
    }
    outcome_of_start = STARTILE_ERROR_STARPU;
    void *library = dlopen(STARTILE_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return;
    if (!has_address_space_for_startile()) {
        refuse_for_address_space();
        dlclose(library);
        return;
    }
    load_startile(library);
    outcome_of_start = try_smallest_problem();
    if (outcome_of_start == STARTILE_ERROR_ENVIRONMENT)
        report_environment_fault(library);
    crossover_function *measured =
        (crossover_function *)library_symbol(library, "startile_crossover");
    if (outcome_of_start == 0 && !least_is_given && measured != NULL)
        use_crossovers(measured);
}

/* Sets the crossovers and prepares the report. start_startile() sets the crossovers once more: a
 * machine with a GPU has those of the folder only then. */
static void set_up(void)
{
    double least = least_size();
    least_is_given = !isnan(least);
    for (int r = 0; r < ROUTINES; r++)
        least_order[r] = least_is_given ? INFINITY : least_order_for_few((enum routine)r);
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++)
            set_crossover((enum routine)r, (startile_dtype)t,
                          least_is_given ? least : crossover((enum routine)r, (startile_dtype)t));
    if (!least_is_given) {
        measured_read();
        use_crossovers(measured_crossover);
    }
    reports = report_begin();
}

any_function *function_of_machine(struct abi *abi, enum routine routine, startile_dtype dtype)
{
    abi->find_functions();
    return abi->functions[routine][dtype];
}

/* -- a call ----------------------------------------------------------------------------------- */

/* Starts startile at the first call. Returns whether this process can use it: false also in a child
 * of the process that has started it. */
static bool ensure_started(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool is_started;
    int owner = 0, own_pid = (int)getpid();
    /* sets owner_pid if it is 0; otherwise `owner` gets its value */
    if (!atomic_compare_exchange_strong(&owner_pid, &owner, own_pid) && owner != own_pid)
        return false;
    pthread_mutex_lock(&mutex);
    if (!is_started)
        start_startile();
    is_started = true;
    pthread_mutex_unlock(&mutex);
    return outcome_of_start == 0;
}

/* Takes the place of every typed entry if startile cannot be used. Returns an error. */
static int64_t unavailable(void)
{
    return outcome_of_start != 0 ? outcome_of_start : STARTILE_ERROR_STARPU;
}

any_function *typed_entry(enum routine routine, startile_dtype dtype)
{
    return ensure_started() ? typed_entries[routine][dtype] : (any_function *)unavailable;
}

bool startile_is_on_gpus(void)
{
    return cuda_workers != NULL && cuda_workers() > 0;
}

bool reject(struct abi *abi, int wrong, struct problem *problem)
{
    char name[SYMBOL_NAME], padded[SYMBOL_NAME];
    problem->is_excluded = true;
    if (function_of_machine(abi, problem->routine, problem->dtype) != NULL &&
        abi->is_xerbla_hidden())
        return false;
    symbol_name(name, problem->routine, problem->dtype);
    snprintf(padded, sizeof padded, "%-6s", name);
    for (char *c = padded; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
    abi->call_xerbla(wrong, padded);
    return true;
}

/* Largest number of right-hand sides for which the order alone decides. */
enum { FEW = 16 };

/* Returns whether the problem has at least the size of the crossover, or few right-hand sides and
 * at least the order for these. */
static bool is_large(const struct problem *p)
{
    double product = p->m * p->n * p->k;
    return product >= atomic_load(&least_product[p->routine][p->dtype]) ||
           (p->k <= FEW && p->n >= least_order[p->routine]);
}

/* Returns the reason why the machine's LAPACK gets a problem below the crossover. */
static const char *reason_for_small(const struct problem *p)
{
    return least_is_given && isinf(least_product[p->routine][p->dtype]) ? "STARTILE_LAPACK_MIN"
                                                                        : "too small";
}

/* Returns NULL if startile shall solve the problem, else the reason why not; starts startile for
 * the first large problem. The start may replace the crossovers by measured ones, so the size is
 * compared once more after it. */
static const char *reason_for_machine(const struct problem *p)
{
    if (p->m * p->n * p->k == 0)
        return "no operations";
    if (!is_large(p))
        return reason_for_small(p);
    bool is_started = atomic_load(&owner_pid) != 0;
    if (!is_started && !least_is_given && start_does_not_pay(p, 1))
        return reason_start;
    if (!ensure_started())
        return outcome_of_start != 0 ? "startile did not start" : "child of fork()";
    return is_large(p) ? NULL : reason_for_small(p);
}

/* Begins a call whose solver is not chosen yet. */
static void enter_call(struct abi *abi, struct call *call, struct problem problem)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
    *call = (struct call){.abi = abi, .problem = problem, .is_outermost = depth++ == 0};
    if (reports && call->is_outermost)
        report_enter(&call->span);
}

void begin_for_machine(struct abi *abi, struct call *call, struct problem problem,
                       const char *reason)
{
    enter_call(abi, call, problem);
    call->reason = is_large(&problem) ? reason : reason_for_small(&problem);
}

bool begin(struct abi *abi, struct call *call, struct problem problem)
{
    enter_call(abi, call, problem);
    bool has_machine = function_of_machine(abi, problem.routine, problem.dtype) != NULL;
    /* A nested call comes from the machine's LAPACK, which then solves this problem, too. */
    if (problem.is_excluded || (has_machine && !call->is_outermost))
        call->reason = "";
    else if (has_machine)
        call->reason = reason_for_machine(&problem);
    if (call->reason == reason_start)
        call->began = seconds_now();
    return call->reason == NULL;
}

bool is_for_startile(const struct call *call)
{
    return call->is_outermost && reason_for_machine(&call->problem) == NULL;
}

void call_end(struct call *call, int64_t info)
{
    depth--;
    if (info < 0) /* no operations: the report shall have no rate */
        call->problem.flops = 0;
    if (call->reason == reason_start)
        add_seconds_before_start(seconds_now() - call->began);
    if (reports && call->is_outermost)
        report_leave(&call->span, &call->problem, call->reason);
}

bool end_if_answered(struct call *call, int64_t *status)
{
    bool has_machine = call->abi->functions[call->problem.routine][call->problem.dtype] != NULL;
    if (has_machine && left_operands_unchanged(*status)) {
        call->reason = "refused by startile";
        return false;
    }
    if (*status == NOT_CALLED)
        *status = STARTILE_ERROR_MEMORY;
    call_end(call, *status);
    return true;
}
