/*
 * Tasks of the program and of the library on the same tiles: the program's tasks write A, the
 * library factors it, and the program's tasks sum up log det A. StarPU orders them by their data.
 */
#include <math.h>
#include <starpu.h>
#include <startile.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 1000, nb = 250, nt = n / nb };

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "own_tasks: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Writes one tile of A, with first row i0 and first column j0: a_ij = 0.5^|i−j|. */
static void generate_cpu(void *buffers[], void *arguments)
{
    int i0, j0;
    starpu_codelet_unpack_args(arguments, &i0, &j0);
    double *tile = (double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    size_t ld = STARPU_MATRIX_GET_LD(buffers[0]);
    for (int j = 0; j < nb; j++)
        for (int i = 0; i < nb; i++)
            tile[(size_t)i + (size_t)j * ld] = pow(0.5, abs(i0 + i - j0 - j));
}
static struct starpu_codelet generate = {
    .cpu_funcs = {generate_cpu}, .nbuffers = 1, .modes = {STARPU_W}};

/* sum += 2·log L(i, i) for the diagonal of one tile. */
static void add_logs_cpu(void *buffers[], void *arguments)
{
    const double *tile = (const double *)STARPU_MATRIX_GET_PTR(buffers[0]);
    double *sum = (double *)STARPU_VARIABLE_GET_PTR(buffers[1]);
    (void)arguments;
    for (size_t i = 0; i < nb; i++)
        *sum += 2 * log(tile[i + i * STARPU_MATRIX_GET_LD(buffers[0])]);
}
static struct starpu_codelet add_logs = {
    .cpu_funcs = {add_logs_cpu}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}};

int main(void)
{
    startile_matrix *A;
    startile_request *request;
    starpu_data_handle_t sum;
    double log_det = 0, exact = (n - 1) * log(0.75); /* det A = (1 − 0.5²)^(n−1) */
    require(starpu_init(NULL) == 0 ? 0 : STARTILE_ERROR_STARPU, "starting StarPU");
    require(startile_init(NULL), "init"); /* joins the StarPU that runs */
    require(startile_matrix_create(&A, STARTILE_D, n, n, nb, nb), "create");
    require(startile_request_create(&request), "request");
    starpu_variable_data_register(&sum, STARPU_MAIN_RAM, (uintptr_t)&log_det, sizeof log_det);

    int failed = 0;
    for (int j0 = 0; j0 < n; j0 += nb)
        for (int i0 = j0; i0 < n; i0 += nb)
            failed |=
                starpu_task_insert(&generate, STARPU_W, startile_matrix_handle(A, i0 / nb, j0 / nb),
                                   STARPU_VALUE, &i0, sizeof i0, STARPU_VALUE, &j0, sizeof j0, 0);
    require(startile_potrf_async('L', A, request), "potrf"); /* submits tasks and returns */
    for (int k = 0; k < nt; k++)
        failed |= starpu_task_insert(&add_logs, STARPU_R, startile_matrix_handle(A, k, k),
                                     STARPU_RW, sum, 0);
    require(startile_request_wait(request), "potrf");
    starpu_data_unregister(sum); /* waits for the tasks that write sum */

    printf("log det A = %.12g, exact %.12g\n", log_det, exact);
    startile_request_destroy(request);
    startile_matrix_destroy(A);
    startile_finalize();
    starpu_shutdown();
    return !failed && fabs(log_det - exact) < 1e-9 * fabs(exact) ? 0 : 1;
}
