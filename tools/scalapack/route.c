/* Where a call goes: to startile from the crossover on, else to the machine's ScaLAPACK. */
#include "scalapack.h"

#include "scalar.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Smaller blocks make tasks that are slower than ScaLAPACK's products of whole panels. */
enum { LEAST_SIZE = 2000, LEAST_BLOCK = 128 };

static any_function *machines[ROUTINES][4];
static double least; /* size, NAN without STARTILE_LAPACK_MIN */
static bool reports;

/* The machine's ScaLAPACK calls symbols of its own, which are these. */
static _Thread_local int depth;

static void set_up(void)
{
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[16];
            symbol_name(name, (enum routine)r, (startile_dtype)t);
            machines[r][t] = machine_symbol(name);
        }
    least = least_size();
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

bool is_letter(const char *c, const char *letters)
{
    return *c != '\0' && strchr(letters, *c) != NULL;
}

double real_get(startile_dtype dtype, const void *x)
{
    return dtype_is_single(dtype) ? (double)*(const float *)x : *(const double *)x;
}

void real_set(startile_dtype dtype, void *x, double value)
{
    if (dtype_is_single(dtype))
        *(float *)x = (float)value;
    else
        *(double *)x = value;
}

/* -- the decision ------------------------------------------------------------------------------ */

static bool is_large(const struct call *call)
{
    const struct problem *p = &call->problem;
    double size = cbrt(p->m * p->n * p->k);
    return isnan(least) ? size >= LEAST_SIZE && call->operand[0]->desc[MB_] >= LEAST_BLOCK
                        : size >= least;
}

/* Returns whether startile can take the operands: blocks of A are square, and those of B begin on
 * the same process and are as high. */
static bool are_usable(const struct call *call)
{
    const struct operand *A = call->operand[0], *B = call->operand[1];
    const struct context *c = call->context;
    if (!is_usable(A, c) || A->desc[MB_] != A->desc[NB_])
        return false;
    return B == NULL ||
           (is_usable(B, c) && B->desc[MB_] == A->desc[MB_] && B->desc[CTXT_] == A->desc[CTXT_] &&
            first_process_row(A, c) == first_process_row(B, c) &&
            first_process_column(A, c) == first_process_column(B, c));
}

static int64_t mixed(int64_t fingerprint, int64_t value)
{
    const uint64_t prime = 1099511628211; /* FNV */
    return (int64_t)((((uint64_t)fingerprint ^ (uint64_t)value) * prime) >> 2);
}

/* Returns a number of the arguments that must be the same on all processes. */
static int64_t fingerprint_of(const struct call *call, const char *letters)
{
    int64_t f = mixed(call->problem.routine, call->problem.dtype);
    f = mixed(f, (int64_t)call->problem.k);
    for (const char *l = letters; *l != '\0'; l++)
        f = mixed(f, toupper((unsigned char)*l));
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL; o++) {
        const struct operand *A = call->operand[o];
        f = mixed(mixed(mixed(mixed(f, A->m), A->n), *A->ia), *A->ja);
        for (int d = M_; d <= CSRC_; d++)
            f = mixed(f, A->desc[d]);
    }
    return f;
}

/* -- a call ------------------------------------------------------------------------------------ */

static void unwrap(struct call *call)
{
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL; o++) {
        startile_matrix_destroy(call->operand[o]->matrix);
        call->operand[o]->matrix = NULL;
    }
}

static bool wrap_operands(struct call *call)
{
    const struct operand *A = call->operand[0];
    struct context *c = call->context;
    startile_grid *grid = grid_from(c, first_process_row(A, c), first_process_column(A, c));
    int status = grid == NULL ? STARTILE_ERROR_MPI : 0;
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL && status == 0; o++)
        status = wrap(call->operand[o], call->problem.dtype, c, grid);
    if (status != 0)
        unwrap(call);
    return status == 0;
}

bool call_begin(struct call *call, struct problem problem, bool is_valid, const char *letters,
                struct operand *A, struct operand *B)
{
    set_up_once();
    problem.is_idle |= !is_valid || problem.m < 0 || problem.n < 0 || problem.k < 0;
    *call = (struct call){.problem = problem, .operand = {A, B}, .is_outermost = depth++ == 0};
    if (reports)
        call->began = seconds_now();
    if (call->is_outermost)
        call->context = find_context(A->desc[CTXT_]);
    if (call->context == NULL)
        return false;
    bool wanted = !problem.is_idle && are_usable(call) && is_large(call);
    call->on_startile =
        agree(call->context, wanted, fingerprint_of(call, letters)) && wrap_operands(call);
    return call->on_startile;
}

void call_end(struct call *call)
{
    depth--;
    if (reports && call->is_outermost && !call->problem.is_idle)
        report_call(&call->problem, call->on_startile, seconds_now() - call->began);
}

bool call_solved(struct call *call, int64_t status, integer *info)
{
    unwrap(call);
    if (is_untouched(status)) {
        call->on_startile = false;
        return false;
    }
    *info = (integer)status;
    call_end(call);
    return true;
}

/* -- workspaces -------------------------------------------------------------------------------- */

bool is_query(struct work w)
{
    return *w.lwork == query || (w.lmore != NULL && *w.lmore == query);
}

/* Returns whether the second workspace has real elements: in the estimators of complex types. */
static bool has_reals(const struct problem *p)
{
    return dtype_is_complex(p->dtype) && p->routine != GETRI;
}

static double second_size(const struct problem *p, const void *more)
{
    integer size;
    memcpy(&size, more, sizeof size);
    return has_reals(p) ? real_get(p->dtype, more) : size;
}

bool has_workspace(struct call *call, struct work w, const struct answer *answer)
{
    const struct problem *p = &call->problem;
    bool is_enough = answer->info == 0 &&
                     *w.lwork >= creal(element_get(p->dtype, &answer->work, 0)) &&
                     (w.lmore == NULL || *w.lmore >= second_size(p, &answer->more));
    call->on_startile = agree(call->context, is_enough, 0);
    if (!call->on_startile)
        unwrap(call);
    return call->on_startile;
}

void store_sizes(const struct call *call, struct work w, const struct answer *answer)
{
    const struct problem *p = &call->problem;
    size_t real = dtype_is_single(p->dtype) ? sizeof(float) : sizeof(double);
    memcpy(w.work, &answer->work, dtype_size(p->dtype));
    if (w.more != NULL)
        memcpy(w.more, &answer->more, has_reals(p) ? real : sizeof(integer));
}
