/*
 * overlap [n [runs]]: tasks of the program fill the CPU cores while the library's tasks run on the
 * GPU.
 *
 * The program computes log det A of covariance matrices, a_ij = r^|i−j|, for several correlations
 * r. Its own tasks assemble A on the cores, the library factors A on the GPU. Two matrices take
 * turns: the cores assemble one while the GPU factors the other. Without a GPU all tasks share the
 * cores, and the library's go first by their priority.
 *
 * All this runs `runs` times without and with a wait after each stage, by turns.
 */
#include <math.h>
#include <starpu.h>
#include <startile.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { CORRELATIONS = 4, BUFFERS = 2 };
static const double correlation[CORRELATIONS] = {0.97, 0.98, 0.99, 0.995};

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "overlap: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Writes one tile of A. `distance` is i − j of its first element. */
static void assemble_cpu(void *buffers[], void *arguments)
{
    double r;
    int64_t distance;
    starpu_codelet_unpack_args(arguments, &r, &distance);
    double *tile = (double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    size_t ld = STARPU_MATRIX_GET_LD(buffers[0]);
    for (int64_t j = 0; j < STARPU_MATRIX_GET_NY(buffers[0]); j++)
        for (int64_t i = 0; i < STARPU_MATRIX_GET_NX(buffers[0]); i++)
            tile[(size_t)i + (size_t)j * ld] = pow(r, (double)llabs(distance + i - j));
}

/* Returns the time of this task in microseconds, for simulations and for schedulers with models:
 * 0.011 for an element on a Rocket Lake. */
static double assemble_time(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                            unsigned implementation)
{
    starpu_data_handle_t tile = task->handles[0];
    (void)arch, (void)implementation;
    return 0.011 * starpu_matrix_get_nx(tile) * starpu_matrix_get_ny(tile);
}
static struct starpu_perfmodel time_model = {.type = STARPU_PER_ARCH,
                                             .arch_cost_function = assemble_time};

/* Only a CPU function: the task never takes a GPU from the library. */
static struct starpu_codelet assemble = {.cpu_funcs = {assemble_cpu},
                                         .nbuffers = 1,
                                         .modes = {STARPU_W},
                                         .model = &time_model,
                                         .name = "assemble"};

/* Submits the tasks that write the lower triangle of A. Each waits for the tasks that still use its
 * tile: those of the matrix before the last. */
static void submit_assembly(startile_matrix *A, double r)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = j; i < s.mt; i++) {
            int64_t distance = i * s.mb - j * s.nb;
            int status = starpu_task_insert(&assemble, STARPU_W, startile_matrix_handle(A, i, j),
                                            STARPU_VALUE, &r, sizeof r, STARPU_VALUE, &distance,
                                            sizeof distance, 0);
            require(status == 0 ? 0 : STARTILE_ERROR_STARPU, "assemble");
        }
}

/* Computes log det A for each correlation. waits: each stage ends before the next one begins.
 * Returns the seconds. */
static double run(startile_matrix *const A[BUFFERS], bool waits, double log_det[CORRELATIONS])
{
    startile_request *request;
    require(startile_request_create(&request), "request");
    require(startile_request_set_priority(request, 1), "priority"); /* own tasks have 0 */
    double start = starpu_timing_now();
    for (int q = 0; q < CORRELATIONS; q++) {
        submit_assembly(A[q % BUFFERS], correlation[q]);
        if (waits)
            starpu_task_wait_for_all();
        /* Submits tasks that begin when their tiles are assembled, and returns. */
        require(startile_potrf_async('L', A[q % BUFFERS], request), "potrf");
        require(startile_podet_async(A[q % BUFFERS], &log_det[q], request), "podet");
        if (waits)
            starpu_task_wait_for_all();
    }
    require(startile_request_wait(request), "factorizations");
    startile_request_destroy(request);
    return (starpu_timing_now() - start) * 1e-6;
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 2000;
    int runs = argc > 2 ? atoi(argv[2]) : 3;
    startile_matrix *A[BUFFERS];
    require(startile_init(NULL), "init"); /* starts StarPU */
    int64_t nb, eighth = (n + 7) / 8;
    require(startile_tile_shape("potrf", STARTILE_D, n, n, &nb, &nb), "tile shape");
    nb = nb < eighth ? nb : eighth; /* at least 36 tiles to assemble: tasks for all cores */
    for (int b = 0; b < BUFFERS; b++)
        require(startile_matrix_create(&A[b], STARTILE_D, n, n, nb, nb), "create");

    bool good = true;
    double seconds[2] = {INFINITY, INFINITY}; /* of the best run: the first allocates memory */
    for (int r = 0; r < 2 * runs; r++) {
        double log_det[CORRELATIONS], time = run(A, r % 2, log_det);
        seconds[r % 2] = fmin(seconds[r % 2], time);
        for (int q = 0; q < CORRELATIONS; q++) {
            double exact = (double)(n - 1) * log1p(-correlation[q] * correlation[q]);
            good = good && fabs(log_det[q] - exact) <= 1e-9 * fabs(exact);
        }
    }
    printf("%d workers on GPUs, %d on CPU cores, n = %lld: %.4f s, with waits %.4f s, gain %.2f\n",
           startile_cuda_workers(), startile_cpu_workers(), (long long)n, seconds[0], seconds[1],
           seconds[1] / seconds[0]);
    for (int b = 0; b < BUFFERS; b++)
        startile_matrix_destroy(A[b]);
    startile_finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
