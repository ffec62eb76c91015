/* Tests of tasks of the program beside gesv_mixed: on its operands, and on data of the program. */
#include "check.h"
#include "mixed.h"
#include "objects.h"
#include "startile_mixed.h"

#include <starpu.h>
#include <string.h>

enum { N = 60, NB = 8, NRHS = 2 };

/* Tasks of the program: copy a tile, set a tile to 0, and count. */
static void copy_tile(void *buffers[], void *arg)
{
    size_t rows = STARPU_MATRIX_GET_NX(buffers[0]), ld[2];
    (void)arg;
    for (int b = 0; b < 2; b++)
        ld[b] = STARPU_MATRIX_GET_LD(buffers[b]);
    for (size_t j = 0; j < STARPU_MATRIX_GET_NY(buffers[0]); j++)
        memcpy((char *)STARPU_MATRIX_GET_PTR(buffers[1]) + j * ld[1] * element_size(dtype),
               (const char *)STARPU_MATRIX_GET_PTR(buffers[0]) + j * ld[0] * element_size(dtype),
               rows * element_size(dtype));
}

static void zero_tile(void *buffers[], void *arg)
{
    (void)arg;
    for (size_t j = 0; j < STARPU_MATRIX_GET_NY(buffers[0]); j++)
        memset((char *)STARPU_MATRIX_GET_PTR(buffers[0]) +
                   j * STARPU_MATRIX_GET_LD(buffers[0]) * element_size(dtype),
               0, STARPU_MATRIX_GET_NX(buffers[0]) * element_size(dtype));
}

static void increment(void *buffers[], void *arg)
{
    (void)arg;
    ++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}

static struct starpu_codelet
    copier = {.cpu_funcs = {copy_tile},
              .nbuffers = 2,
              .modes = {STARPU_R, STARPU_W},
              .name = "own_copy"},
    zeroer = {.cpu_funcs = {zero_tile}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "own_zero"},
    counter = {.cpu_funcs = {increment}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "own_count"};

/* Submits tasks of the program on the counter, and waits for the last of them. */
static void run_counters(starpu_data_handle_t handle)
{
    enum { COUNT = 20 };
    for (int i = 0; i < COUNT; i++)
        require(starpu_task_insert(&counter, STARPU_RW, handle, 0) == 0);
    require(starpu_data_acquire(handle, STARPU_R) == 0);
    require(*(int *)starpu_data_handle_to_pointer(handle, STARPU_MAIN_RAM) == COUNT);
    starpu_data_release(handle);
}

/* Submits tasks of the program that copy X's tiles, and then set them and those of B to 0. */
static void submit_own_tasks(startile_matrix *X, startile_matrix *B, startile_matrix *copy)
{
    for (int64_t i = 0; i < (N + NB - 1) / NB; i++) {
        starpu_data_handle_t x = startile_matrix_handle(X, i, 0),
                             b = startile_matrix_handle(B, i, 0);
        require(starpu_task_insert(&copier, STARPU_R, x, STARPU_W,
                                   startile_matrix_handle(copy, i, 0), 0) == 0);
        require(starpu_task_insert(&zeroer, STARPU_RW, x, 0) == 0);
        require(starpu_task_insert(&zeroer, STARPU_RW, b, 0) == 0);
    }
}

/* A system, the solver's request, and a copy of X by tasks of the program. */
struct run {
    struct array a, b, x, copy;
    struct test_matrix A, B, X, C;
    startile_pivots *P;
    startile_request *r;
    startile_mixed_result result;
};

static struct run begin(void)
{
    struct run s = {.a = new_matrix('G', N),
                    .b = array_new_random(dtype, N, NRHS, 0),
                    .x = array_new(dtype, N, NRHS, 0),
                    .copy = array_new(dtype, N, NRHS, 0),
                    .result = {.size = sizeof s.result}};
    make_three_columns_equal(s.a);
    s.A = test_matrix_new(s.a, WRAPPED, 'G', N, NB);
    s.B = test_matrix_new(s.b, WRAPPED, 'G', NB, NRHS);
    s.X = test_matrix_new(s.x, CREATED, 'G', NB, NRHS);
    s.C = test_matrix_new(s.copy, WRAPPED, 'G', NB, NRHS);
    s.P = pivots_created(s.A.A);
    s.r = request_created();
    return s;
}

static void finish(struct run *s)
{
    startile_request_destroy(s->r);
    startile_pivots_destroy(s->P);
    struct test_matrix *all[] = {&s->A, &s->B, &s->X, &s->C};
    for (int i = 0; i < 4; i++)
        test_matrix_finish(all[i]);
}

/* Solves while tasks of the program run: those on X and B, submitted after the solver, must run
 * after its last step. B is not free at first; tasks on other data must run in spite of that. */
static void solve_beside_tasks(struct run *s, const startile_mixed_options *options)
{
    int number = 0, is_done;
    starpu_data_handle_t own, b = startile_matrix_handle(s->B.A, 0, 0);
    starpu_variable_data_register(&own, STARPU_MAIN_RAM, (uintptr_t)&number, sizeof number);
    require(starpu_data_acquire(b, STARPU_RW) == 0);
    require_info(startile_gesv_mixed_async(s->A.A, s->P, s->B.A, s->X.A, options, &s->result, s->r),
                 0);
    submit_own_tasks(s->X.A, s->B.A, s->C.A);
    run_counters(own);
    require_info(startile_request_test(s->r, &is_done), 0);
    require(!is_done);
    starpu_data_release(b);
    require_info(startile_request_wait(s->r), 0);
    starpu_data_unregister(own);
}

/* Tests GMRES of several steps, and the fallback. */
static void test_own_tasks(void)
{
    for (int m = STARTILE_METHOD_REFINEMENT; m <= STARTILE_METHOD_GMRES; m++) {
        const startile_mixed_options options = {.size = sizeof options,
                                                .method = (startile_method)m};
        in_case("tasks of the program, method %d", m);
        random_seed(6);
        struct run s = begin();
        struct array a = array_copy(s.a), b = array_copy(s.b);
        solve_beside_tasks(&s, &options);
        finish(&s);
        require(m == STARTILE_METHOD_GMRES ? s.result.iterations > 3 : s.result.iterations < 0);
        require_below(backward_error(a, s.copy, b), 30 * N);
        for (int64_t j = 0; j < NRHS; j++)
            for (int64_t i = 0; i < N; i++)
                require(get(s.x, i, j) == 0 && get(s.b, i, j) == 0);
        arrays_free(s.a, s.b, s.x, s.copy, a, b);
    }
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    if (starpu_cpu_worker_get_count() == 0)
        check_skip("the tasks of the program need a CPU worker");
    return check_finish(run_group("mixed_tasks", test_own_tasks));
}
