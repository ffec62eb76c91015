/*
 * The peer of `startile bench --grid`: the machine's ScaLAPACK on the same grid. It is measured
 * with several block sizes, of which the fastest counts.
 */
#include "measure.h"
#include "peer/peer_cpu.h"
#include "ranks.h"
#include "scalar.h"
#include "team.h"

#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Fortran routine, all of whose arguments are addresses, or a C function of BLACS. Declared
 * without parameters, so that every call has its own. */
typedef void fortran();

/* A run of ScaLAPACK with blocks of b × b. in[i]: this process' elements of operand i before the
 * routine; out[i]: the copy that the routine overwrites */
struct peer {
    const struct problem *problem;
    int count, b, context, row, col, m, n, k, desc[MAX_OPERANDS][9], lwork;
    struct random_matrix describe[MAX_OPERANDS];
    void *in[MAX_OPERANDS], *out[MAX_OPERANDS], *ipiv, *tau, *work;
    size_t bytes[MAX_OPERANDS];
};

static void *library;

const char *load_scalapack(void)
{
    static const char *const names[] = {"libscalapack-openmpi.so.2.2", "libscalapack-openmpi.so",
                                        "libscalapack.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library) {
            cpu_peer_choose_kernels(library);
            return names[i];
        }
    }
    return NULL;
}

/* Returns a function of the ScaLAPACK that load_scalapack() has loaded, or NULL. */
static fortran *symbol(const char *name)
{
    union {
        void *object;
        fortran *function;
    } found = {dlsym(library, name)};
    return found.function;
}

/* -- calls ------------------------------------------------------------------------------------- */

static const int one = 1;
/* The scalars 1 and −1. A real routine reads only the first element of each pair. */
static const double doubles[2][2] = {{1, 0}, {-1, 0}};
static const float singles[2][2] = {{1, 0}, {-1, 0}};

/* Returns the address of the scalar 1 (i = 0) or −1 (i = 1) of the problem's type. */
static const void *scalar_address(const struct peer *x, int i)
{
    bool single = dtype_is_single(x->problem->dtype);
    return single ? (const void *)singles[i] : (const void *)doubles[i];
}

/* MATRIX(i): arguments for operand i. CALL(name, ...): defines a function that calls the Fortran
 * routine f with these arguments and returns its INFO; 0 for a routine without INFO. */
#define MATRIX(i) x->out[i], &one, &one, x->desc[i]
#define CALL(name, ...)                                                                            \
    static int name(fortran *f, struct peer *x)                                                    \
    {                                                                                              \
        int info = 0;                                                                              \
        f(__VA_ARGS__);                                                                            \
        return info;                                                                               \
    }
#define UPLO &x->problem->uplo
#define WORK x->work, &x->lwork, &info
CALL(call_potrf, UPLO, &x->n, MATRIX(0), &info)
CALL(call_potrs, UPLO, &x->n, &x->k, MATRIX(0), MATRIX(1), &info)
CALL(call_getrf, &x->m, &x->n, MATRIX(0), x->ipiv, &info)
CALL(call_getrs, "N", &x->n, &x->k, MATRIX(0), x->ipiv, MATRIX(1), &info)
CALL(call_gesv, &x->n, &x->k, MATRIX(0), x->ipiv, MATRIX(1), &info)
CALL(call_geqrf, &x->m, &x->n, MATRIX(0), x->tau, WORK)
CALL(call_gels, "N", &x->m, &x->n, &x->k, MATRIX(0), MATRIX(1), WORK)
CALL(call_gemm, "N", "N", &x->m, &x->n, &x->k, scalar_address(x, 1), MATRIX(0), MATRIX(1),
     scalar_address(x, 0), MATRIX(2))
CALL(call_herk, UPLO, "N", &x->n, &x->k, scalar_address(x, 1), MATRIX(0), scalar_address(x, 0),
     MATRIX(1))
CALL(call_trsm, "L", UPLO, "N", "N", &x->n, &x->k, scalar_address(x, 0), MATRIX(0), MATRIX(1))

/* ScaLAPACK's routines for routines of the benchmark. name: the benchmark's name; op: ScaLAPACK's,
 * without 'p' and the type letter; call: function for the routine's argument list, which several
 * routines share; prepare: a factorization called first, untimed, or NULL */
static const struct method {
    const char *name, *op;
    int (*call)(fortran *f, struct peer *x);
    const struct method *prepare;
} methods[] = {
    {"potrf", "potrf", call_potrf, NULL},        {"getrf", "getrf", call_getrf, NULL},
    {"potrs", "potrs", call_potrs, &methods[0]}, {"posv", "posv", call_potrs, NULL},
    {"getrf_nopiv", "getrf", call_getrf, NULL},  {"getrf_tntpiv", "getrf", call_getrf, NULL},
    {"getrs", "getrs", call_getrs, &methods[1]}, {"gesv", "gesv", call_gesv, NULL},
    {"geqrf", "geqrf", call_geqrf, NULL},        {"geqrf_tree", "geqrf", call_geqrf, NULL},
    {"gelqf", "gelqf", call_geqrf, NULL},        {"gels", "gels", call_gels, NULL},
    {"gemm", "gemm", call_gemm, NULL},           {"herk", "herk", call_herk, NULL},
    {"trsm", "trsm", call_trsm, NULL},           {"potri", "potri", call_potrf, &methods[0]},
};

/* Returns ScaLAPACK's method for the problem's routine; NULL: there is none. */
static const struct method *method_of(const struct problem *p)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(p->routine->name, methods[i].name))
            return &methods[i];
    return NULL;
}

/* Calls ScaLAPACK's routine on x->out. Returns INFO. */
static int call_routine(const struct method *method, struct peer *x)
{
    char name[16];
    startile_dtype t = x->problem->dtype;
    bool is_real_herk = method->call == call_herk && !dtype_is_complex(t);
    snprintf(name, sizeof name, "p%c%s_", dtype_letter(t), is_real_herk ? "syrk" : method->op);
    return method->call(symbol(name), x);
}

/* -- operands ---------------------------------------------------------------------------------- */

/* Returns how many of n rows (columns) process row (column) `position` owns, as ScaLAPACK's NUMROC.
 * The processes with position < extra_blocks own one whole block more than the others. */
static int local_extent(int64_t n, int b, int position, int processes)
{
    int64_t blocks = n / b, own = blocks / processes * b, extra_blocks = blocks % processes;
    return (int)(own + (position < extra_blocks ? b : position == extra_blocks ? n % b : 0));
}

/* Sets this process' elements of operand i. */
static void fill_operand(struct peer *x, int i)
{
    const struct problem *p = x->problem;
    const struct random_matrix *o = &x->describe[i];
    int64_t b = x->b, m = local_extent(o->m, x->b, x->row, p->ranks->p);
    int64_t n = local_extent(o->n, x->b, x->col, p->ranks->q), ld = x->desc[i][8];
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r < m; r++) {
            int64_t row = (r / b * p->ranks->p + x->row) * b + r % b;
            int64_t col = (c / b * p->ranks->q + x->col) * b + c % b;
            element_set(p->dtype, x->in[i], (size_t)(r + c * ld),
                        random_element(p->dtype, o, row, col));
        }
}

/* Describes, allocates and sets operand i. Returns whether memory sufficed. */
static bool make_operand(struct peer *x, int i)
{
    const struct random_matrix *o = &x->describe[i];
    const struct ranks *r = x->problem->ranks;
    int ld = (int)at_least_1(local_extent(o->m, x->b, x->row, r->p));
    int desc[] = {1, x->context, (int)o->m, (int)o->n, x->b, x->b, 0, 0, ld};
    memcpy(x->desc[i], desc, sizeof desc);
    x->bytes[i] = (size_t)ld * (size_t)at_least_1(local_extent(o->n, x->b, x->col, r->q)) *
                  dtype_size(x->problem->dtype);
    x->in[i] = malloc(x->bytes[i]);
    x->out[i] = malloc(x->bytes[i]);
    if (x->in[i] && x->out[i])
        fill_operand(x, i);
    return x->in[i] && x->out[i];
}

static void peer_close(struct peer *x)
{
    for (int i = 0; i < x->count; i++) {
        free(x->in[i]);
        free(x->out[i]);
    }
    free(x->ipiv);
    free(x->tau);
    free(x->work);
}

/* Allocates the workspace that geqrf, gelqf and gels need, after a query of its size. Returns
 * whether memory sufficed; for other routines does nothing and returns true. */
static bool query_workspace(struct peer *x, const struct method *method)
{
    double _Complex size = 0;
    if (method->call != call_geqrf && method->call != call_gels)
        return true;
    x->work = &size;
    x->lwork = -1;
    call_routine(method, x);
    x->lwork = (int)creal(element_get(x->problem->dtype, &size, 0));
    x->work = malloc((size_t)at_least_1(x->lwork) * dtype_size(x->problem->dtype));
    return x->work;
}

/* Allocates and sets the operands, and allocates the workspaces. Returns whether memory sufficed.
 * Collective, because ScaLAPACK's query is. */
static bool peer_open(struct peer *x, const struct method *method)
{
    const struct problem *p = x->problem;
    size_t local = (size_t)(p->m + p->n) + 2 * (size_t)x->b;
    x->m = (int)p->m;
    x->n = (int)p->n;
    x->k = (int)p->k;
    x->count = describe_operands(p, x->describe);
    bool good = true;
    for (int i = 0; i < x->count; i++)
        good = make_operand(x, i) && good;
    x->ipiv = malloc(local * sizeof(int));
    x->tau = malloc(local * dtype_size(p->dtype));
    good = p->ranks->maximum(!good || !x->ipiv || !x->tau) == 0;
    return good && query_workspace(x, method);
}

/* -- runs -------------------------------------------------------------------------------------- */

/* Runs the routine s->repeats + 1 times, of which the first run warms up. Returns the spread of the
 * other times in seconds; NaN if in any process a run failed or memory did not suffice. */
static struct spread time_blocks(const struct bench_settings *s, struct peer *x,
                                 const struct method *method)
{
    double seconds[s->repeats + 1];
    const struct ranks *ranks = x->problem->ranks;
    bool failed = ranks->maximum(!peer_open(x, method)) > 0;
    for (int i = 0; i <= s->repeats && !failed; i++) {
        for (int o = 0; o < x->count; o++)
            memcpy(x->out[o], x->in[o], x->bytes[o]);
        failed = ranks->maximum(method->prepare && call_routine(method->prepare, x) != 0) > 0;
        double start = now_seconds();
        failed = call_routine(method, x) != 0 || failed;
        seconds[i] = ranks->maximum(now_seconds() - start);
        failed = ranks->maximum(failed) > 0;
    }
    peer_close(x);
    return failed ? (struct spread){NAN, NAN, NAN} : spread_of(seconds + 1, (size_t)s->repeats);
}

/* Creates a BLACS context. Returns it and stores this process' row and column. */
static int open_context(const struct ranks *r, int *row, int *col)
{
    int context, p, q;
    symbol("Cblacs_get")(-1, 0, &context);
    symbol("Cblacs_gridinit")(&context, "Row", r->p, r->q);
    symbol("Cblacs_gridinfo")(context, &p, &q, row, col);
    return context;
}

bool scalapack_measure(const struct bench_settings *s, const struct problem *p,
                       struct reference *reference, char *reason, size_t size)
{
    static const int blocks[] = {32, 64, 128};
    const struct method *method = method_of(p);
    *reference = (struct reference){.seconds = {NAN, NAN, NAN}, .gemm_gflop_s = NAN};
    (void)reason, (void)size;
    if (!s->peer)
        return true;
    const char *name = load_scalapack();
    /* without a peer on one process, no process has one */
    if (!method || p->ranks->maximum(!name) > 0) {
        printf("# no peer: %s\n", method ? "no libscalapack-openmpi here" : "not in ScaLAPACK");
        return true;
    }
    fortran *set_threads = symbol("openblas_set_num_threads");
    if (set_threads)
        set_threads(s->library.ncpu > 0 ? s->library.ncpu : team_cores());
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        struct peer x = {.problem = p, .b = blocks[i]};
        x.context = open_context(p->ranks, &x.row, &x.col);
        struct spread seconds = time_blocks(s, &x, method);
        symbol("Cblacs_gridexit")(x.context);
        printf("# peer: %s, p%c%s, blocks of %d: %.4g s, %.4g GFlop/s\n", name,
               dtype_letter(p->dtype), method->op, x.b, seconds.median,
               1e-9 * p->routine->flops(p) / seconds.median);
        /* reference->seconds: the fastest so far; NaN before the first success */
        if (!isnan(seconds.median) && !(seconds.median >= reference->seconds.median)) {
            reference->seconds = seconds;
            snprintf(reference->name, PEER_NAME, "%s, blocks of %d", name, x.b);
        }
    }
    return true;
}
