/*
 * The electrostatic capacitance of the unit cube, by the boundary element method.
 *
 * A conducting cube at potential 1 carries charge on its faces only, and its capacitance is this
 * charge. Each face is divided into p × p panels, each with a constant charge density; n = 6p² is
 * the number of panels. The charge q_j on panel j raises the mean potential of panel i by P_ij q_j.
 * P_ij, Maxwell's potential coefficient, is the mean of 1/r over all pairs of one point of panel i
 * and one of panel j. The program solves P q = 1; the sum of q is the capacitance in units of
 * 4πε₀ × edge. This is the Galerkin method. P is symmetric, because P_ij and P_ji are the same
 * integral, and positive definite, because qᵀPq is twice the energy of a charge distribution. Of
 * all distributions of a given charge, the true one has the least energy. Therefore the computed
 * capacitance is too small and grows with refinement.
 *
 * Charge crowds at edges and corners, so panels shrink towards the edges (see grade() in cube.h).
 * The error then falls as p⁻³; with equal panels it would be p⁻⁴ᐟ³.
 *
 * The function solve_cube() shows how program and library share StarPU. The program starts StarPU,
 * owns the tiles and writes them with its own tasks. The library factors these tiles and solves.
 * Tasks of the program compute the residual. The program waits only where it needs a time or a
 * number.
 */
#define _GNU_SOURCE
#include "cube.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <starpu.h>
#include <startile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Upper bound of ‖1 − P q‖₁ / (n ‖P‖₁ ‖q‖₁ eps). */
static const double backward_bound = 30;

/* Ends the program with a message. */
static void fail(const char *what, const char *why)
{
    fprintf(stderr, "capacitance: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Ends the program with a message if `code`, a result of the library, is not 0. */
static void require(int64_t code, const char *what)
{
    if (code != 0)
        fail(what, startile_strerror(code));
}

/* Ends the program with a message if `code` is not 0. StarPU's functions return −errno, for example
 * −ENODEV if no worker can run a task. */
static void require_starpu(int code, const char *what)
{
    if (code != 0)
        fail(what, strerror(-code));
}

/* -- the program's own tasks ------------------------------------------------------------------ */

/* CPU function of the codelet `generate`: computes one tile of P, which begins at row i0 and column
 * j0 of P. */
static void generate_cpu(void *buffers[], void *arguments)
{
    const panel *panels;
    int64_t i0, j0;
    starpu_codelet_unpack_args(arguments, &panels, &i0, &j0);
    double *tile = (double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    size_t ld = STARPU_MATRIX_GET_LD(buffers[0]);
    for (size_t j = 0; j < STARPU_MATRIX_GET_NY(buffers[0]); j++)
        for (size_t i = 0; i < STARPU_MATRIX_GET_NX(buffers[0]); i++)
            tile[i + j * ld] =
                potential_coefficient(&panels[i0 + (int64_t)i], &panels[j0 + (int64_t)j]);
}

static struct starpu_codelet generate = {
    .cpu_funcs = {generate_cpu}, .nbuffers = 1, .modes = {STARPU_W}, .name = "generate"};

/* CPU function of the codelet `subtract`: r := r − T q for a tile T of P, or r := r − Tᵀ q if form
 * is 'T'. If form is 'S', T is a diagonal tile, which is symmetric; only its lower triangle is
 * read.
 */
static void subtract_cpu(void *buffers[], void *arguments)
{
    char form;
    starpu_codelet_unpack_args(arguments, &form);
    const double *tile = (const double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    const double *q = (const double *)STARPU_MATRIX_GET_PTR(buffers[1]);
    double *r = (double *)STARPU_MATRIX_GET_PTR(buffers[2]);
    size_t ld = STARPU_MATRIX_GET_LD(buffers[0]);
    for (size_t j = 0; j < STARPU_MATRIX_GET_NY(buffers[0]); j++)
        for (size_t i = form == 'S' ? j : 0; i < STARPU_MATRIX_GET_NX(buffers[0]); i++) {
            if (form != 'T')
                r[i] -= tile[i + j * ld] * q[j];
            if (form == 'T' || (form == 'S' && i > j))
                r[j] -= tile[i + j * ld] * q[i];
        }
}

static struct starpu_codelet subtract = {.cpu_funcs = {subtract_cpu},
                                         .nbuffers = 3,
                                         .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                         .name = "subtract"};

/* Submits the task of subtract_cpu(). */
static void submit_subtract(starpu_data_handle_t tile, char form, starpu_data_handle_t q,
                            starpu_data_handle_t r)
{
    require_starpu(starpu_task_insert(&subtract, STARPU_R, tile, STARPU_R, q, STARPU_RW, r,
                                      STARPU_VALUE, &form, sizeof form, 0),
                   "submitting a task");
}

/* -- solution ----------------------------------------------------------------------------- */

typedef struct {
    double capacitance, backward_error, generate_s, solve_s; /* _s: seconds */
} result;

/* Returns the handles of nt × nt tiles, column by column; those above the diagonal are NULL. With
 * home node −1 StarPU allocates a tile in the memory where it is first written. */
static starpu_data_handle_t *register_lower(int64_t n, int64_t nb, int64_t nt)
{
    starpu_data_handle_t *tiles = calloc((size_t)(nt * nt), sizeof *tiles);
    require(tiles == NULL ? STARTILE_ERROR_MEMORY : 0, "tiles");
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = j; i < nt; i++) {
            uint32_t rows = (uint32_t)(i < nt - 1 ? nb : n - i * nb);
            uint32_t columns = (uint32_t)(j < nt - 1 ? nb : n - j * nb);
            starpu_matrix_data_register(&tiles[i + j * nt], -1, 0, rows, rows, columns,
                                        sizeof(double));
        }
    return tiles;
}

/* Submits the task that computes the tile of P which begins at row i0 and column j0. */
static void submit_generate(starpu_data_handle_t tile, const panel *panels, int64_t i0, int64_t j0)
{
    require_starpu(starpu_task_insert(&generate, STARPU_W, tile, STARPU_VALUE, &panels,
                                      sizeof panels, STARPU_VALUE, &i0, sizeof i0, STARPU_VALUE,
                                      &j0, sizeof j0, 0),
                   "submitting a task");
}

/* Computes the capacitance with p × p panels per face and tiles of order nb; 0: the library
 * chooses the order for posv. */
static result solve_cube(int p, int64_t nb)
{
    int64_t n = 6 * (int64_t)p * p;
    panel *panels = cut_cube(p);
    require(panels == NULL ? STARTILE_ERROR_MEMORY : 0, "panels");

    /* Matrices that the library allocates: a copy of P for the check, the right-hand side, which
     * becomes q, and the residual. */
    startile_matrix *copy, *Q, *R;
    if (nb == 0)
        require(startile_tile_shape("posv", STARTILE_D, n, n, &nb, &nb), "tile shape");
    require(startile_matrix_create(&copy, STARTILE_D, n, n, nb, nb), "copy of P");
    require(startile_matrix_create(&Q, STARTILE_D, n, 1, nb, 1), "q");
    require(startile_matrix_create(&R, STARTILE_D, n, 1, nb, 1), "residual");

    /* nt × nt tiles of the program, and P, their descriptor */
    int64_t nt = startile_matrix_shape(copy).nt;
    starpu_data_handle_t *tiles = register_lower(n, nb, nt);
    startile_matrix *P;
    require(startile_matrix_from_handles(&P, STARTILE_D, n, n, nb, nb, tiles, nt), "P");

    startile_request *work, *check;
    require(startile_request_create(&work), "request");
    require(startile_request_create(&check), "request");
    double norm, residual;

    double start = starpu_timing_now();
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = j; i < nt; i++)
            submit_generate(tiles[i + j * nt], panels, i * nb, j * nb);
    require(startile_lacpy_async('L', P, copy, work), "lacpy");
    require(startile_lansy_async('1', 'L', P, &norm, work), "lansy");
    require(startile_laset_async('G', 1, 1, Q, work), "laset");
    require(startile_laset_async('G', 1, 1, R, work), "laset");

    /* The program waits here only to measure the time: without this call the factorization would
     * begin as soon as the first tiles are ready. */
    require(startile_request_wait(work), "generation");
    double generated = starpu_timing_now();

    require(startile_posv_async('L', P, Q, work), "posv");
    for (int64_t j = 0; j < nt; j++)
        for (int64_t i = j; i < nt; i++) {
            starpu_data_handle_t tile = startile_matrix_handle(copy, i, j);
            submit_subtract(tile, i == j ? 'S' : 'N', startile_matrix_handle(Q, j, 0),
                            startile_matrix_handle(R, i, 0));
            if (i > j)
                submit_subtract(tile, 'T', startile_matrix_handle(Q, i, 0),
                                startile_matrix_handle(R, j, 0));
        }
    require(startile_lange_async('1', R, &residual, check), "lange");

    require(startile_request_wait(work), "posv");
    double solved = starpu_timing_now();
    require(startile_request_wait(check), "lange");

    double charge = 0, charge_norm = 0;
    for (int64_t i = 0; i < nt; i++) {
        starpu_data_handle_t h = startile_matrix_handle(Q, i, 0);
        require_starpu(starpu_data_acquire(h, STARPU_R), "reading q");
        const double *q = (const double *)starpu_matrix_get_local_ptr(h);
        for (uint32_t k = 0; k < starpu_matrix_get_nx(h); k++) {
            charge += q[k];
            charge_norm += fabs(q[k]);
        }
        starpu_data_release(h);
    }

    startile_request_destroy(check);
    startile_request_destroy(work);
    startile_matrix_destroy(P);
    for (int64_t t = 0; t < nt * nt; t++)
        if (tiles[t] != NULL)
            starpu_data_unregister_no_coherency(tiles[t]);
    startile_matrix_destroy(R);
    startile_matrix_destroy(Q);
    startile_matrix_destroy(copy);
    free(tiles);
    free(panels);
    return (result){.capacitance = charge,
                    .backward_error = residual / ((double)n * norm * charge_norm * 0x1p-53),
                    .generate_s = (generated - start) * 1e-6,
                    .solve_s = (solved - generated) * 1e-6};
}

/* -- command line ----------------------------------------------------------------------------- */

enum { max_sizes = 32, max_p = 256 };

typedef struct {
    int p[max_sizes], count;
    int64_t tile;
    char *trace;
} settings;

static const struct argp_option options[] = {
    {"panels", 'p', "LIST", 0, "Panels along an edge, separated by commas [8,16,32]; n = 6p²", 0},
    {"tile", 't', "NB", 0, "Order of a tile; 0: the library's choice [0]", 0},
    {"trace", 'T', "DIR", 0, "Record a trace into DIR", 0},
    {0}};

/* Returns the number at the start of the text; *end := the text behind it. Ends the program if it
 * is malformed or out of range. */
static long parse_number(const char *text, char **end, long lowest, long highest,
                         struct argp_state *state)
{
    long value = strtol(text, end, 10);
    if (*end == text || value < lowest || value > highest)
        argp_error(state, "'%s': expected numbers from %ld to %ld", text, lowest, highest);
    return value;
}

/* Parses one option, for argp. */
static error_t parse(int key, char *text, struct argp_state *state)
{
    settings *set = state->input;
    char *end = NULL;
    switch (key) {
    case 'p':
        set->count = 0;
        do {
            if (set->count == max_sizes)
                argp_error(state, "more than %d sizes", max_sizes);
            set->p[set->count++] = (int)parse_number(text, &end, 1, max_p, state);
            text = end + 1;
        } while (*end == ',');
        break;
    case 't':
        set->tile = parse_number(text, &end, 0, 65536, state);
        break;
    case 'T':
        set->trace = text;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (end != NULL && *end != '\0')
        argp_error(state, "'%s' is not understood", end);
    return 0;
}

/* Prints the trace's file, and how to see it. */
static void report_trace(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/paje.trace", folder);
    require(access(path, R_OK) == 0 ? 0 : STARTILE_ERROR_STARPU, "writing the trace");
    printf("trace           %s (a picture: startile gantt %s)\n", path, folder);
}

int main(int argc, char **argv)
{
    settings set = {.p = {8, 16, 32}, .count = 3};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .doc =
                                  "Computes the electrostatic capacitance of the unit cube.\v"
                                  "STARPU_NCPU, STARPU_NCUDA and STARPU_SCHED choose the workers "
                                  "and the scheduler."};
    argp_parse(&argp, argc, argv, 0, NULL, &set);

    if (set.trace != NULL) {
#ifdef STARPU_USE_FXT
        if ((mkdir(set.trace, 0777) != 0 && errno != EEXIST) || access(set.trace, W_OK | X_OK) != 0)
            fail(set.trace, strerror(errno));
        setenv("STARPU_FXT_TRACE", "1", 1);
        setenv("STARPU_FXT_PREFIX", set.trace, 1);
        setenv("STARPU_GENERATE_TRACE", "1", 1); /* paje.trace, which ViTE reads */
#else
        printf("No trace: this StarPU was built without FxT.\n");
        set.trace = NULL;
#endif
    }
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_NWORKER_PER_CUDA", "2",
           0); /* a second stream keeps the GPU busy between tasks */

    struct starpu_conf conf;
    starpu_conf_init(&conf);
    if (getenv("STARPU_SCHED") == NULL)
        conf.sched_policy_name = "prio"; /* the library's tasks carry priorities */
    require_starpu(starpu_init(&conf), "starting StarPU");
    require(startile_init(NULL), "starting startile");
    printf("startile %s: %d CPU workers, %d CUDA workers, scheduler %s\n\n", startile_version(),
           startile_cpu_workers(), startile_cuda_workers(),
           starpu_sched_get_sched_policy()->policy_name);

    printf("%4s %7s %12s %10s %6s %11s %8s %9s %9s\n", "p", "n", "capacitance", "rel.error",
           "order", "generate s", "solve s", "GFlop/s", "backward");
    bool good = true;
    double previous = 0;
    for (int k = 0; k < set.count; k++) {
        int p = set.p[k];
        double n = 6.0 * p * p, flops = n * n * n / 3 + 2 * n * n;
        result c = solve_cube(p, set.tile);
        double error = fabs(1 - c.capacitance / literature);
        char order[16] = "-";
        if (k > 0 && p != set.p[k - 1])
            snprintf(order, sizeof order, "%.2f",
                     log(previous / error) / log((double)p / set.p[k - 1]));
        printf("%4d %7.0f %12.8f %10.2e %6s %11.3f %8.3f %9.1f %9.1e\n", p, n, c.capacitance, error,
               order, c.generate_s, c.solve_s, flops / c.solve_s * 1e-9, c.backward_error);
        previous = error;
        /* `good` becomes false for NaN too */
        double bound = error_constant / ((double)p * p * p) + error_floor;
        good = good && error <= bound && c.backward_error <= backward_bound;

        if (k == set.count - 1)
            printf("\ncapacitance     %.8f × 4πε₀ × edge\n"
                   "literature      %.8f (Helsing & Perfekt 2013)\n"
                   "relative error  %.2e (bound %.2e)\n"
                   "backward error  %.1e × n eps ‖P‖₁ ‖q‖₁ (bound %g)\n"
                   "factor, solve   %.3f s, %.1f GFlop/s\n",
                   c.capacitance, literature, error, bound, c.backward_error, backward_bound,
                   c.solve_s, flops / c.solve_s * 1e-9);
    }

    startile_finalize();
    starpu_shutdown(); /* writes the trace */
    if (set.trace != NULL)
        report_trace(set.trace);
    if (!good)
        fprintf(stderr, "capacitance: an error is above its bound\n");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
