/* A program outside the project that uses StarPU itself: its own task reads the solution. */
#include <starpu.h>
#include <startile.h>

#include <stdio.h>

enum { N = 4, NB = 2 };

static double first; /* the solution's first element */

/* CPU function of the program's task: first := element (0, 0) of the tile. */
static void read_first(void *buffers[], void *unused)
{
    (void)unused;
    first = *(double *)STARPU_MATRIX_GET_PTR(buffers[0]);
}

int main(void)
{
    double a[N * N] = {0}, b[N];
    struct starpu_codelet reader = {.cpu_funcs = {read_first}, .nbuffers = 1, .modes = {STARPU_R}};
    startile_matrix *A, *B;
    startile_request *request;
    for (int j = 0; j < N; j++) {
        a[j + j * N] = 2;
        b[j] = 6;
    }
    if (starpu_init(NULL) != 0 || startile_init(NULL) != 0)
        return 1;
    if (startile_matrix_wrap(&A, STARTILE_D, N, N, a, N, NB, NB) != 0 ||
        startile_matrix_wrap(&B, STARTILE_D, N, 1, b, N, NB, NB) != 0 ||
        startile_request_create(&request) != 0)
        return 1;
    int status = startile_posv_async('L', A, B, request);
    if (status == 0)
        status = starpu_task_insert(&reader, STARPU_R, startile_matrix_handle(B, 0, 0), 0);
    int64_t info = startile_request_wait(request);
    starpu_task_wait_for_all();
    startile_request_destroy(request);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_finalize();
    starpu_shutdown();
    printf("info %d, first element %g\n", (int)info, first);
    return status == 0 && info == 0 && first > 2.999 && first < 3.001 ? 0 : 1;
}
