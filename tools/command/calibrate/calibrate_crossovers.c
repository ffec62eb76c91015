/*
 * `startile calibrate --crossovers`: the least sizes for which LAPACK's symbols are faster on
 * startile than in the machine's LAPACK. Both libraries get the same calls in turn, so that the
 * threads of one are awake as in a program that calls both.
 */
#define _GNU_SOURCE
#include "calibrate.h"
#include "command.h"
#include "measure.h"
#include "peer/beside.h"
#include "scalar.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A routine by its name for real types; hetrf, hetrs, hetri and hesv have complex types only. sygst
 * is hegst for those.
 * arguments: a letter for each, in LAPACK's order:
 *   u uplo   t trans   d diag   s side   n order, rows, columns, reflectors or right-hand sides
 *   l leading dimension   A B matrices   p ipiv   T tau   w work   L lwork   f rcond   e tol
 *   y rank   i info   1 itype 1; x: rwork, of complex types only, and w: for them 2 n real numbers
 * fit */
struct lapack_routine {
    const char *name, *arguments;
};

static const struct lapack_routine rows[] = {
    {"potrf", "unAli"},         {"pstrf", "unAlpyewi"},  {"potrs", "unnAlBli"},
    {"potri", "unAli"},         {"posv", "unnAlBli"},    {"trtri", "udnAli"},
    {"trtrs", "utdnnAlBli"},    {"lauum", "unAli"},      {"sygst", "1unAlBli"},
    {"sytrf", "unAlpwLi"},      {"sytrs", "unnAlpBli"},  {"sytri", "unAlpwi"},
    {"sysv", "unnAlpBlwLi"},    {"hetrf", "unAlpwLi"},   {"hetrs", "unnAlpBli"},
    {"hetri", "unAlpwi"},       {"hesv", "unnAlpBlwLi"}, {"getrf", "nnAlpi"},
    {"getrs", "tnnAlpBli"},     {"getri", "nAlpwLi"},    {"gesv", "nnAlpBli"},
    {"geqrf", "nnAlTwLi"},      {"gelqf", "nnAlTwLi"},   {"geqp3", "nnAlpTwLxi"},
    {"orgqr", "nnnAlTwLi"},     {"orglq", "nnnAlTwLi"},  {"ormqr", "stnnnAlTBlwLi"},
    {"ormlq", "stnnnAlTBlwLi"}, {"gels", "tnnnAlBlwLi"}, {"gelsy", "nnnAlBlpfywLxi"}};

enum {
    ROWS = sizeof rows / sizeof *rows,
    OURS = 0,
    MACHINE = 1,
    SIDES = 2,
    REPEATS = 5,
    NOISY_RUNS = 3,
    MOST_ARGUMENTS = 17
};

/* Orders that are tried, in this sequence. most_seconds: no larger order is tried if it would
 * probably take longer; least_gain: the machine's time by startile's from which on startile is
 * called faster */
static const int orders[] = {256, 362, 512, 724, 1024, 1448, 2048};
enum { ORDERS = sizeof orders / sizeof *orders };
static const double most_seconds = 4, least_gain = 1.1;

struct libraries {
    void *library[SIDES];
    bool on_gpus;
    int cores; /* of the machine */
};

/* -- a call ------------------------------------------------------------------------------------ */

/* Operands of order n. a, b: the matrices, which a call overwrites; the originals are kept */
struct lapack_operands {
    startile_dtype dtype;
    int n, lwork, info, rank;
    char *a, *b, *original, *tau, *work;
    int *pivots;
    double *rwork;
    char tol[8], rcond[8];
};

static void operands_free(struct lapack_operands *x)
{
    free(x->a), free(x->b), free(x->original), free(x->tau), free(x->work);
    free(x->pivots), free(x->rwork);
}

/* Fills the original: small random elements, and 2 on the diagonal. This is a definite matrix with
 * any of its triangles, a triangle, LU and LDL factors and reflectors; all of them
 * well-conditioned. */
static void fill_original(struct lapack_operands *x)
{
    unsigned random = 1;
    for (size_t j = 0; j < (size_t)x->n; j++)
        for (size_t i = 0; i < (size_t)x->n; i++) {
            random = random * 1664525u + 1013904223u;
            double value = (double)(random >> 8) / (1 << 24) / x->n;
            element_set(x->dtype, x->original, i + j * (size_t)x->n, i == j ? 2 : value);
        }
}

/* Returns false without memory. operands_free() is needed in both cases. */
static bool operands_new(struct lapack_operands *x, startile_dtype dtype, int n)
{
    size_t size = dtype_size(dtype), bytes = (size_t)n * (size_t)n * size;
    *x = (struct lapack_operands){.dtype = dtype, .n = n, .lwork = 66 * n + 2 * 65 * 64};
    x->a = malloc(bytes);
    x->b = malloc(bytes);
    x->original = malloc(bytes);
    x->tau = malloc((size_t)n * size);
    x->work = malloc((size_t)x->lwork * size);
    x->pivots = malloc((size_t)n * sizeof *x->pivots);
    x->rwork = malloc(2 * (size_t)n * sizeof *x->rwork);
    bool is_complete = x->a && x->b && x->original && x->tau && x->work && x->pivots && x->rwork;
    if (is_complete)
        fill_original(x);
    return is_complete;
}

/* Sets all operands to their values before a call. geqp3 and gelsy take 0 as pivots: any column
 * may be interchanged. */
static void restore(struct lapack_operands *x, const struct lapack_routine *r)
{
    startile_dtype real = dtype_is_single(x->dtype) ? STARTILE_S : STARTILE_D;
    size_t bytes = (size_t)x->n * (size_t)x->n * dtype_size(x->dtype);
    bool chooses_columns = !strcmp(r->name, "geqp3") || !strcmp(r->name, "gelsy");
    memcpy(x->a, x->original, bytes);
    memcpy(x->b, x->original, bytes);
    for (int i = 0; i < x->n; i++) {
        element_set(x->dtype, x->tau, (size_t)i, 0.5);
        x->pivots[i] = chooses_columns ? 0 : i + 1;
    }
    element_set(real, x->tol, 0, -1);
    element_set(real, x->rcond, 0, dtype_unit_roundoff(x->dtype));
}

/* Returns the address of an argument. */
static void *address_of(struct lapack_operands *x, char letter)
{
    static int itype = 1;
    static char uplo[] = "L", diag[] = "N", side[] = "L", trans[] = "N";
    void *const addresses[128] = {
        ['u'] = uplo,     ['d'] = diag,      ['s'] = side,     ['t'] = trans,     ['n'] = &x->n,
        ['l'] = &x->n,    ['A'] = x->a,      ['B'] = x->b,     ['p'] = x->pivots, ['T'] = x->tau,
        ['w'] = x->work,  ['L'] = &x->lwork, ['f'] = x->rcond, ['e'] = x->tol,    ['y'] = &x->rank,
        ['x'] = x->rwork, ['i'] = &x->info,  ['1'] = &itype};
    return addresses[(unsigned char)letter];
}

typedef void routine_function(void *, void *, void *, void *, void *, void *, void *, void *,
                              void *, void *, void *, void *, void *, void *, void *, void *,
                              void *);

/* Returns the library's routine of this name for real types, or NULL. */
static routine_function *find_routine_of(void *library, const char *name, startile_dtype dtype)
{
    char symbol[16];
    bool is_complex = dtype_is_complex(dtype), is_unitary = name[0] == 'o' && is_complex;
    union {
        void *object;
        routine_function *function;
    } found;
    if (is_complex && !strcmp(name, "sygst"))
        name = "hegst";
    snprintf(symbol, sizeof symbol, "%c%s%s_", dtype_letter(dtype), is_unitary ? "un" : "",
             is_unitary ? name + 2 : name);
    found.object = dlsym(library, symbol);
    return found.function;
}

/* Returns the seconds of one call, or NAN if info is not 0. The lengths of the letters, 1, are
 * behind the arguments. */
static double time_call(routine_function *f, struct lapack_operands *x,
                        const struct lapack_routine *r)
{
    void *p[MOST_ARGUMENTS];
    int count = 0;
    for (const char *c = r->arguments; *c != '\0'; c++)
        if (*c != 'x' || dtype_is_complex(x->dtype))
            p[count++] = address_of(x, *c);
    while (count < MOST_ARGUMENTS)
        p[count++] = (void *)(uintptr_t)1;
    restore(x, r);
    double begin = now_seconds();
    f(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14],
      p[15], p[16]);
    double seconds = now_seconds() - begin;
    return x->info == 0 ? seconds : NAN;
}

/* -- the search -------------------------------------------------------------------------------- */

/* Returns the machine's seconds divided by startile's, medians of calls in turn; NAN if a call
 * failed. *seconds := duration of all. */
static double ratio(routine_function *const f[SIDES], struct lapack_operands *x,
                    const struct lapack_routine *r, double *seconds)
{
    double times[SIDES][REPEATS], begin = now_seconds();
    for (int side = 0; side < SIDES; side++)
        time_call(f[side], x, r);
    for (int i = 0; i < REPEATS; i++)
        for (int side = 0; side < SIDES; side++)
            times[side][i] = time_call(f[side], x, r);
    *seconds = now_seconds() - begin;
    return median(times[MACHINE], REPEATS) / median(times[OURS], REPEATS);
}

/* Returns the first of the orders from which on startile is faster: at two of them in a row, or at
 * the last one. If it is never faster, returns an order above the last one. Returns 0 if a library
 * lacks the routine or a call fails. */
static int search(const struct libraries *l, const struct lapack_routine *r, startile_dtype dtype)
{
    routine_function *const f[] = {find_routine_of(l->library[OURS], r->name, dtype),
                                   find_routine_of(l->library[MACHINE], r->name, dtype)};
    int found = 0, last = 0;
    double seconds = 0;
    if (f[OURS] == NULL || f[MACHINE] == NULL)
        return 0;
    for (int o = 0; o < ORDERS && 2.83 * seconds < most_seconds; o++) {
        struct lapack_operands x;
        double gain = operands_new(&x, dtype, orders[o]) ? ratio(f, &x, r, &seconds) : NAN;
        operands_free(&x);
        if (!(gain >= 0))
            return 0;
        last = orders[o];
        if (gain >= least_gain && found > 0)
            return found;
        found = gain >= least_gain ? last : 0;
    }
    return found > 0 ? found : last * 1449 / 1024;
}

/* -- the file ---------------------------------------------------------------------------------- */

/* Sizes found, by row and type; 0: not measured */
typedef int sizes_found[ROWS][4];

/* Returns whether the line of the file is one of a size that was measured again. A line of ungqr is
 * one of orgqr. */
static bool is_replaced(const char *line, sizes_found sizes, bool on_gpus)
{
    char name[16], letter, where[8];
    startile_dtype dtype;
    if (sscanf(line, "%15s %c %7s", name, &letter, where) != 3 ||
        !dtype_from_letter(letter, &dtype) || strcmp(where, on_gpus ? "cuda" : "cpu") != 0)
        return false;
    if (!strncmp(name, "un", 2))
        memcpy(name, "or", 2);
    for (int r = 0; r < ROWS; r++)
        if (!strcmp(rows[r].name, name) && sizes[r][dtype] > 0)
            return true;
    return false;
}

/* Returns the other lines of the file, to be freed by free(); NULL without memory. */
static char *other_lines(const struct calibration *c, sizes_found sizes, bool on_gpus)
{
    char line[256], *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size), *f = folder_file(c, "crossovers", "r");
    while (out && f && fgets(line, sizeof line, f))
        if (!is_replaced(line, sizes, on_gpus))
            fprintf(out, "%.*s\n", (int)strcspn(line, "\n"), line); /* the last line may lack \n */
    if (f)
        fclose(f);
    return out && !fclose(out) ? text : NULL;
}

/* Replaces the measured lines of the file and keeps all others. Returns false after a report on
 * failure. */
static bool write_file(const struct calibration *c, sizes_found sizes, bool on_gpus)
{
    char *others = other_lines(c, sizes, on_gpus);
    FILE *f = others ? folder_file(c, "crossovers", "w") : NULL;
    if (f) {
        fputs(others, f);
        for (int r = 0; r < ROWS; r++)
            for (int t = 0; t < 4; t++)
                if (sizes[r][t] > 0)
                    fprintf(f, "%s %c %s %d\n", rows[r].name, "sdcz"[t], on_gpus ? "cuda" : "cpu",
                            sizes[r][t]);
    }
    free(others);
    return file_close(f);
}

/* -- the command ------------------------------------------------------------------------------- */

/* Opens both libraries. The machine's LAPACK is the one that the drop-in takes for small problems
 * of a program without a LAPACK of its own. Returns false after a report on failure. */
static bool open_libraries(struct libraries *l)
{
    static const char *const places[] = {DROPIN_IN_BUILD, DROPIN_INSTALLED};
    const char *given = getenv("STARTILE_LAPACK_LIBRARY");
    const char *names[] = {given && *given ? given : "liblapack.so.3", "libopenblas.so.0"};
    char path[PATH_MAX];
    for (int i = 0; i < 2 && !l->library[MACHINE]; i++)
        l->library[MACHINE] = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (find_beside_command(places, 2, path, sizeof path))
        l->library[OURS] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->library[MACHINE])
        report("calibrate: no LAPACK: neither %s nor %s can be loaded", names[0], names[1]);
    else if (!l->library[OURS])
        report("calibrate: no libstartile_lapack beside this command");
    return l->library[OURS] && l->library[MACHINE];
}

/* Starts startile in the drop-in by a problem of order 1. Returns false after a report on failure.
 */
static bool start(struct libraries *l)
{
    struct lapack_operands x;
    bool is_started = false;
    if (operands_new(&x, STARTILE_S, 1)) {
        time_call(find_routine_of(l->library[OURS], "potrf", STARTILE_S), &x, &rows[0]);
        is_started = startile_cpu_workers() > 0 || startile_cuda_workers() > 0;
    }
    operands_free(&x);
    l->on_gpus = is_started && startile_cuda_workers() > 0;
    if (!is_started)
        report("calibrate: startile did not start");
    return is_started;
}

/* Outcome of the measurement of a routine */
enum outcome_of_row { ROW_STORED, ROW_NOISY, ROW_NOT_WRITTEN };

/* Measures a routine for all types, and prints a line. Stores the sizes, unless other processes
 * took more than NOISE_LIMIT of the cores' time. */
static enum outcome_of_row measure_row(const struct calibration *c, const struct libraries *l,
                                       int row)
{
    sizes_found sizes = {{0}};
    struct cpu_times before = cpu_times_now("/proc/stat");
    printf("%-5s", rows[row].name);
    for (int t = 0; t < c->precisions.count; t++) {
        startile_dtype dtype = c->precisions.dtype[t];
        sizes[row][dtype] = search(l, &rows[row], dtype);
        printf("  %c %5d", dtype_letter(dtype), sizes[row][dtype]);
        fflush(stdout);
    }
    struct cpu_times after = cpu_times_now("/proc/stat");
    double noise = load_of_others(&before, &after, l->cores);
    bool is_noisy = noise > NOISE_LIMIT && !c->force;
    printf("  others %.0f %%%s\n", 100 * noise, is_noisy ? ": not stored" : "");
    fflush(stdout); /* before a report on the standard error */
    if (is_noisy)
        return ROW_NOISY;
    return write_file(c, sizes, l->on_gpus) ? ROW_STORED : ROW_NOT_WRITTEN;
}

/* Measures and stores the routines of c->routines; each at most NOISY_RUNS times if the machine is
 * busy. Returns whether all are stored; reports a failure, and that they are not. */
static bool measure_all(const struct calibration *c, const struct libraries *l)
{
    int measured = 0, noisy = 0;
    for (int r = 0; r < ROWS; r++) {
        enum outcome_of_row outcome = ROW_NOISY;
        if (!list_contains(c->routines, rows[r].name))
            continue;
        for (int run = 0; run < NOISY_RUNS && outcome == ROW_NOISY; run++)
            outcome = measure_row(c, l, r);
        if (outcome == ROW_NOT_WRITTEN)
            return false;
        noisy += outcome == ROW_NOISY;
        measured++;
    }
    if (measured == 0)
        report("calibrate: --crossovers: no routine of --routine %s is measured", c->routines);
    if (noisy > 0)
        report("calibrate: %d of %d routines not stored, because other processes took more than "
               "%.0f %% of the cores' time: end them and call the command again for these "
               "(--routine), or say --force",
               noisy, measured, 100 * NOISE_LIMIT);
    if (noisy < measured)
        printf("%s/crossovers\n", c->folder);
    return measured > 0 && noisy == 0;
}

bool calibrate_crossovers(struct calibration *c)
{
    struct libraries l = {.on_gpus = false};
    struct manifest m;
    if (!folder_open(c))
        return false;
    if (!manifest_read(c->folder, &m) || m.date[0] == '\0') {
        report("%s: no complete calibration, which crossovers are added to: run startile calibrate "
               "first, with --quick for about a minute",
               c->folder);
        return false;
    }
    setenv("STARTILE_LAPACK_MIN", "0", 1);
    setenv("STARTILE_MODELS", c->folder, 1);
    setenv("STARPU_SILENT", "1", 1);
    unsetenv("STARTILE_LAPACK_REPORT");
    if (!c->gpu)
        setenv("STARPU_NCUDA", "0", 1);
    l.cores = m.cores;
    return open_libraries(&l) && start(&l) && measure_all(c, &l);
}
