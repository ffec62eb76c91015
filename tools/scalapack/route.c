/* Chooses the library that solves a problem: startile for sizes from the crossover on, else the
 * machine's ScaLAPACK. */
#include "scalapack.h"

#include "scalar.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operands with blocks smaller than LEAST_BLOCK are copied to tiles of order COPY_BLOCK, because
 * tasks on small blocks are slower than ScaLAPACK's products of whole panels. A problem is copied
 * only if each process row and column gets about COPY_TILES tiles or more. STARTILE_LAPACK_MIN and
 * STARTILE_NB change these rules (too_small(), copy_order()). */
enum { LEAST_BLOCK = 128, COPY_BLOCK = 256, COPY_TILES = 4 };

static any_function *machines[ROUTINES][4];
static double given_least_size; /* STARTILE_LAPACK_MIN, or NAN if it is not set */
static int64_t given_nb;        /* STARTILE_NB, or 0 if it is not set */
static bool reports;            /* a report is requested */

/* Number of nested calls of this library's symbols in this thread. The machine's ScaLAPACK calls
 * these symbols where it means its own. */
static _Thread_local int depth;

/* Returns STARTILE_NB, or 0 without it. If it is malformed, prints a message and returns −1. */
static int64_t tile_width(void)
{
    const char *value = getenv("STARTILE_NB");
    if (value == NULL || *value == '\0')
        return 0;
    long long width = strtoll(value, NULL, 10);
    if (value[strspn(value, "0123456789")] == '\0' && width >= 1 && width <= INT32_MAX)
        return width;
    fprintf(stderr,
            DROPIN_NAME ": STARTILE_NB=%s must be a tile width from 1 to 2147483647: startile is "
                        "not used\n",
            value);
    return -1;
}

/* Finds the machine's routines, reads the environment, and prepares the report. */
static void set_up(void)
{
    for (int r = 0; r < ROUTINES; r++)
        for (int t = 0; t < 4; t++) {
            char name[SYMBOL_NAME];
            symbol_name(name, (enum routine)r, (startile_dtype)t);
            machines[r][t] = machine_symbol(name);
        }
    given_least_size = least_size();
    given_nb = tile_width();
    if (given_nb < 0)
        given_least_size = INFINITY;
    if (isnan(given_least_size))
        measured_read();
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

/* Returns NULL if the size is at least STARTILE_LAPACK_MIN or, if that is not set, at least
 * the crossover and, with copies, large enough for COPY_TILES tiles in each process row and column;
 * else the reason for the machine's ScaLAPACK. */
static const char *too_small(const struct call *call)
{
    const struct problem *p = &call->problem;
    double size = cbrt(p->m * p->n * p->k);
    int rows = call->context->p, columns = call->context->q;
    int grid_side = rows > columns ? rows : columns;
    if (isinf(given_least_size))
        return "STARTILE_LAPACK_MIN or STARTILE_NB";
    double least = isnan(given_least_size) ? crossover(p->routine, p->dtype, rows * columns)
                                           : given_least_size;
    if (size < least)
        return isinf(least) ? "too many processes" : "too small";
    bool is_enough = !isnan(given_least_size) || p->routine == GEQPF ||
                     size >= (double)(COPY_TILES * call->nb * grid_side);
    return is_enough ? NULL : "too small for a copy in larger tiles";
}

/* Returns whether startile can take the operands without a copy, with their blocks as tiles: they
 * begin at block boundaries, A's blocks are square, and B's blocks have as many rows as A's and
 * begin on the same process. */
static bool blocks_are_tiles(const struct call *call)
{
    const struct operand *A = call->operand[0], *B = call->operand[1];
    const struct context *c = call->context;
    return A->desc[MB_] == A->desc[NB_] && is_aligned(A) &&
           (B == NULL || (B->desc[MB_] == A->desc[MB_] && is_aligned(B) &&
                          first_process_row(A, c) == first_process_row(B, c) &&
                          first_process_column(A, c) == first_process_column(B, c)));
}

/* Returns NULL if startile can take the operands, as they are or in copies, else the reason for the
 * machine's ScaLAPACK. Also requires, because ScaLAPACK does: in routines other than QR and LQ, A's
 * blocks are square; in routines other than PxORMQR and PxGEQPF, submatrices begin at block
 * boundaries, and B's blocks have as many rows as A's and begin on the same process row. PxORMTR
 * calls PxORMQR from row 2 on. */
static const char *unusable(const struct call *call)
{
    const struct operand *A = call->operand[0], *B = call->operand[1];
    const struct context *c = call->context;
    enum routine r = call->problem.routine;
    if (!is_usable(A, c) || (B != NULL && !is_usable(B, c)))
        return "empty, or not within the descriptor";
    if (r != ORMQR && r != GEQPF && !(is_aligned(A) && (B == NULL || is_aligned(B))))
        return "not at a block boundary";
    if (r < GEQRF && A->desc[MB_] != A->desc[NB_])
        return "blocks are not square";
    bool is_right =
        B == NULL || (B->desc[CTXT_] == A->desc[CTXT_] &&
                      (r == ORMQR || (B->desc[MB_] == A->desc[MB_] &&
                                      first_process_row(A, c) == first_process_row(B, c))));
    return is_right ? NULL : "blocks of both matrices differ";
}

/* Returns the order of the tiles to which the operands must be copied, or 0 if no copy is needed.
 */
static int64_t copy_order(const struct call *call)
{
    const struct operand *A = call->operand[0];
    int64_t block = A->desc[MB_];
    if (call->problem.routine == GEQPF)
        return larger(A->m, A->n); /* one tile, on the first process */
    if (given_nb > 0)
        return block != given_nb || !blocks_are_tiles(call) ? given_nb : 0;
    bool is_small = isnan(given_least_size) && block < LEAST_BLOCK;
    return is_small || !blocks_are_tiles(call) ? COPY_BLOCK : 0;
}

/* Returns the hash of a fingerprint and one more value. The shift makes it non-negative, so that
 * agree() can negate it. */
static int64_t hash(int64_t fingerprint, int64_t value)
{
    const uint64_t prime = 1099511628211; /* FNV */
    return (int64_t)((((uint64_t)fingerprint ^ (uint64_t)value) * prime) >> 2);
}

/* Returns a hash of those arguments that must be the same on all processes. */
static int64_t fingerprint_of(const struct call *call, const char *letters)
{
    int64_t f = hash(hash(call->problem.routine, call->problem.dtype), call->nb);
    f = hash(f, (int64_t)call->problem.k);
    for (const char *l = letters; *l != '\0'; l++)
        f = hash(f, toupper((unsigned char)*l));
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL; o++) {
        const struct operand *A = call->operand[o];
        f = hash(hash(hash(hash(f, A->m), A->n), *A->ia), *A->ja);
        for (int d = M_; d <= CSRC_; d++)
            f = hash(f, A->desc[d]);
    }
    return f;
}

/* -- a call ------------------------------------------------------------------------------------ */

/* Destroys the matrices of the operands and frees their copies. Before it frees copies, copies the
 * outputs back to the user's arrays if `changed`. Returns 0 or a status. Collective. */
static int unwrap(struct call *call, bool changed)
{
    static const bool only_reads_a[ROUTINES] = {
        [POTRS] = true,  [POCON] = true, [TRTRS] = true, [SYGST] = true,
        [SYNGST] = true, [GETRS] = true, [GECON] = true, [ORMQR] = true};
    int status = 0;
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL; o++) {
        struct operand *A = call->operand[o];
        bool is_output = o > 0 || !only_reads_a[call->problem.routine];
        startile_matrix_destroy(A->matrix);
        if (call->nb > 0 && changed && is_output && status == 0)
            status = copy_from_tiles(A, call->problem.dtype, call->context, call->nb);
        free(A->tiles);
        A->matrix = NULL;
        A->tiles = NULL;
    }
    return status;
}

/* Makes the operand's matrix. Returns 0 or a status, the same on all processes. Collective. */
static int wrap_operand(struct call *call, struct operand *A)
{
    startile_dtype t = call->problem.dtype;
    if (call->problem.routine == GEQPF)
        return copy_to_first_process(A, t, call->context, call->nb);
    return call->nb > 0 ? copy_to_tiles(A, t, call->context, call->nb, call->grid)
                        : wrap_blocks(A, t, call->context, call->grid);
}

/* Makes the matrices of all operands, in copies if call->nb > 0. Returns whether that succeeded.
 * Collective. */
static bool wrap_operands(struct call *call)
{
    const struct operand *A = call->operand[0];
    struct context *c = call->context;
    call->grid = call->nb > 0 ? find_grid(c, 0, 0)
                              : find_grid(c, first_process_row(A, c), first_process_column(A, c));
    int status = call->grid == NULL ? STARTILE_ERROR_MPI : 0;
    for (int o = 0; o < MOST_OPERANDS && call->operand[o] != NULL && status == 0; o++)
        status = wrap_operand(call, call->operand[o]);
    if (status != 0)
        unwrap(call, false);
    return status == 0;
}

/* Returns NULL if startile can take the problem, as far as this process knows, else the reason for
 * the machine's ScaLAPACK. Sets call->nb. */
static const char *reason_for_machine(struct call *call)
{
    const char *reason = unusable(call);
    call->nb = reason == NULL ? copy_order(call) : 0; /* too_small() needs it */
    if (reason == NULL)
        reason = too_small(call);
    if (reason == NULL && call->nb > 0 && !has_row_major_ranks(call->context))
        reason = "order of the processes";
    const struct context *c = call->context;
    if (reason == NULL && isnan(given_least_size) && !is_startile_started() &&
        start_does_not_pay(&call->problem, c->p * c->q))
        reason = reason_start;
    return reason;
}

bool call_begin(struct call *call, struct problem problem, bool is_valid, const char *letters,
                struct operand *A, struct operand *B)
{
    set_up_once();
    problem.is_excluded |= !is_valid || problem.m < 0 || problem.n < 0 || problem.k < 0;
    *call = (struct call){.problem = problem, .operand = {A, B}, .is_outermost = depth++ == 0};
    call->reason = "";
    if (!call->is_outermost)
        return false;
    if (reports)
        report_enter(&call->span);
    call->context = find_context(A->desc[CTXT_]);
    if (call->context == NULL) {
        call->reason = has_thread_level() ? "no BLACS context" : "thread level of MPI";
        return false;
    }
    call->reason = problem.is_excluded ? "" : reason_for_machine(call);
    if (!agree(call->context, call->reason == NULL, fingerprint_of(call, letters)))
        call->reason = call->reason != NULL ? call->reason : "another process cannot";
    else if (!wrap_operands(call))
        call->reason = "startile did not start, or has no memory";
    if (call->reason == reason_start)
        call->began = seconds_now();
    return call->reason == NULL;
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

bool call_end_if_answered(struct call *call, int64_t status, integer *info)
{
    int stored = unwrap(call, status >= 0);
    if (left_operands_unchanged(status)) {
        call->reason = "refused by startile";
        return false;
    }
    *info = (integer)(stored < 0 ? stored : status);
    call_end(call, *info);
    return true;
}

/* -- workspaces -------------------------------------------------------------------------------- */

bool is_query(struct work w)
{
    return *w.lwork == query || (w.lmore != NULL && *w.lmore == query);
}

/* Returns whether the second workspace has real elements, as in the condition estimators of complex
 * types; else it has integers. */
static bool has_reals(const struct problem *p)
{
    return dtype_is_complex(p->dtype) && p->routine != GETRI;
}

/* Returns the size of the second workspace that a query has stored in its first element. */
static double second_size(const struct problem *p, const void *more)
{
    integer size;
    memcpy(&size, more, sizeof size);
    return has_reals(p) ? real_get(p->dtype, more) : size;
}

bool check_workspace(struct call *call, struct work w, const struct answer *answer)
{
    const struct problem *p = &call->problem;
    bool is_enough = answer->info == 0 &&
                     *w.lwork >= creal(element_get(p->dtype, &answer->work, 0)) &&
                     (w.lmore == NULL || *w.lmore >= second_size(p, &answer->more));
    if (agree(call->context, is_enough, 0))
        return true;
    unwrap(call, false);
    call->reason = "workspace too short, or blocks of both matrices";
    return false;
}

void store_sizes(const struct call *call, struct work w, const struct answer *answer)
{
    const struct problem *p = &call->problem;
    size_t real = dtype_is_single(p->dtype) ? sizeof(float) : sizeof(double);
    memcpy(w.work, &answer->work, dtype_size(p->dtype));
    if (w.more != NULL)
        memcpy(w.more, &answer->more, has_reals(p) ? real : sizeof(integer));
}
