/*
 * Tests of several GPUs: results are correct wherever the matrix was before, and each GPU runs its
 * share of the tasks, also without direct access between GPUs.
 */
#include "check.h"
#include "generate.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"
#include "startile_trace.h"

#include <signal.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* N and NB give enough tile columns for eight GPUs, and a narrower last one. */
enum { N = 1100, NB = 64, NRHS = 70, MOST_GPUS = STARPU_MAXNODES };

static int gpus, node[MOST_GPUS];

/* Sets `gpus`, and `node` to the memory nodes of the GPUs. */
static void find_gpus(void)
{
    for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++)
        if (starpu_node_get_kind(i) == STARPU_CUDA_RAM)
            node[gpus++] = (int)i;
}

/* -- location of the matrix ------------------------------------------------------------------- */

enum place { ON_HOST, ON_ONE, SPREAD, PLACES };
static const char *const place_names[PLACES] = {"on the host", "on one GPU", "spread"};

/* Moves all tiles to the last GPU (ON_ONE), or block columns to the GPUs in turn. */
static void move_tiles(const startile_matrix *A, enum place place)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t j = 0; j < s.nt; j++)
        for (int64_t i = 0; i < s.mt; i++) {
            starpu_data_handle_t tile = startile_matrix_handle(A, i, j);
            int to = node[place == ON_ONE ? gpus - 1 : j % gpus];
            require(starpu_data_acquire_on_node(tile, to, STARPU_RW) == 0);
            starpu_data_release_on_node(tile, to);
        }
}

/* Returns a matrix with a's elements: wrapped in `a` (ON_HOST), or with tiles on the GPUs. */
static startile_matrix *matrix_at(enum place place, struct array a, int64_t mb)
{
    startile_matrix *A;
    if (place == ON_HOST) {
        A = array_wrapped(a, mb, NB);
        return A;
    }
    A = matrix_created(dtype, a.m, a.n, mb, NB);
    require_info(startile_matrix_from_lapack(A, a.a, a.ld), 0);
    move_tiles(A, place);
    return A;
}

/* Copies the elements to `a` and destroys the matrix. */
static void matrix_fetch(startile_matrix *A, enum place place, struct array a)
{
    if (place != ON_HOST)
        require_info(startile_matrix_to_lapack(A, a.a, a.ld), 0);
    startile_matrix_destroy(A);
}

/* -- distribution of tasks -------------------------------------------------------------------- */

/* Stops the profile. Requires each GPU to run at least half of an even share of the floating-point
 * operations: the last columns have little work and are not divided evenly. */
static void check_shares(void)
{
    double flops[MOST_GPUS] = {0}, all = 0;
    startile_profile *p;
    require_info(startile_profile_stop(&p), 0);
    for (int64_t t = 0; t < p->count; t++) {
        require(p->task[t].worker >= 0 && p->task[t].on_cuda);
        unsigned memory_node = starpu_worker_get_memory_node((unsigned)p->task[t].worker);
        flops[memory_node] += p->task[t].flops;
        all += p->task[t].flops;
    }
    for (int g = 0; g < gpus; g++)
        require(flops[node[g]] >= all / (2 * gpus));
    startile_profile_destroy(p);
}

/* -- solves --------------------------------------------------------------------------------- */

static int64_t by_cholesky(startile_matrix *A, startile_matrix *B)
{
    return startile_posv('L', A, B);
}

static int64_t by_upper_cholesky(startile_matrix *A, startile_matrix *B)
{
    return startile_posv('U', A, B);
}

static int64_t by_lu(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P = pivots_created(A);
    int64_t info = startile_gesv(A, P, B, 0);
    startile_pivots_destroy(P);
    return info;
}

static int64_t by_qr(startile_matrix *A, startile_matrix *B)
{
    return startile_gels('N', A, B);
}

static const struct {
    const char *name;
    int64_t (*solve)(startile_matrix *A, startile_matrix *B);
    int64_t mb; /* tile height */
    bool definite;
} solvers[] = {{"posv L", by_cholesky, NB, true},
               {"posv U", by_upper_cholesky, NB, true},
               {"gesv", by_lu, N, false},
               {"gels", by_qr, N, false}};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

/* Returns the solution of A X = B by LAPACK's LU. */
static struct array lapack_solution(struct array A, struct array B)
{
    struct array F = array_copy(A), X = array_copy(B);
    int64_t *ipiv = calloc(N, sizeof *ipiv);
    require(ipiv != NULL);
    require_info(lapack(F)->getrf(F, ipiv), 0);
    lapack(F)->getrs('N', F, ipiv, X);
    free(ipiv);
    array_free(F);
    return X;
}

/* Solves by solver s with A and B at the place, and checks shares and solution. Z: LAPACK's
 * solution */
static void solve_and_check(int s, enum place place, struct array A, struct array B, struct array Z)
{
    struct array F = array_copy(A), X = array_copy(B);
    startile_matrix *a = matrix_at(place, F, solvers[s].mb),
                    *b = matrix_at(place, X, solvers[s].mb);
    require_info(startile_profile_start(), 0);
    require_info(solvers[s].solve(a, b), 0);
    check_shares();
    matrix_fetch(a, place, F);
    matrix_fetch(b, place, X);
    check_solution(A, X, Z, B);
    arrays_free(F, X);
}

/* Tests all solvers with operands in all places. */
static void test_places(void)
{
    for (int s = 0; s < SOLVERS; s++) {
        random_seed(5);
        struct array A = solvers[s].definite ? generate(&well_conditioned, dtype, N, 0)
                                             : generate_general(&random_general, dtype, N, N, 0),
                     B = array_new_random(dtype, N, NRHS, 0);
        struct array Z = lapack_solution(A, B);
        for (int p = 0; p < PLACES; p++) {
            in_case("%s, %s", solvers[s].name, place_names[p]);
            solve_and_check(s, (enum place)p, A, B, Z);
        }
        arrays_free(A, B, Z);
    }
    check_report("several GPUs");
}

/* Tests that tiles generated on GPUs are in the memory of the GPU whose tasks will use them. */
static void test_generated(void)
{
    in_case("generated");
    startile_matrix *A = matrix_created(dtype, N, N, N, NB);
    require_info(startile_random('G', 3, 0, A), 0);
    for (int64_t j = 0; j < startile_matrix_shape(A).nt; j++)
        require(starpu_data_is_on_node(startile_matrix_handle(A, 0, j), (unsigned)node[j % gpus]) !=
                0);
    startile_matrix_destroy(A);
}

/* -- without direct transfers ----------------------------------------------------------------- */

/* Forks a child before the process uses a GPU. Returns its id in the parent. In the child, waits
 * until the parent has closed parent_done[1], after its tests, then disables direct transfers and
 * returns 0. */
static pid_t fork_waiting_child(int parent_done[2])
{
    char end;
    require(pipe(parent_done) == 0);
    pid_t child = fork();
    require(child >= 0);
    if (child == 0) {
        close(parent_done[1]);
        require(read(parent_done[0], &end, 1) == 0);
        setenv("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", "0", 1);
        puts("without direct transfers between GPUs:");
    }
    return child;
}

int main(int argc, char **argv)
{
    int parent_done[2], status = 0;
    check_arguments(argc, argv);
    pid_t child = fork_waiting_child(parent_done);
    check_start(argc, argv);
    find_gpus();
    if (gpus < 2) {
        if (child > 0)
            kill(child, SIGKILL);
        check_skip("there are not several GPUs");
    }
    int failed = run_group("spread", test_places, test_generated);
    int result = check_finish(failed);
    if (child == 0)
        return result;
    close(parent_done[1]);
    require(waitpid(child, &status, 0) == child);
    return result != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}
