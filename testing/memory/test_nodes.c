/*
 * Tests of several memory nodes without a GPU: StarPU uses the NUMA nodes of a synthetic hwloc
 * topology, which this test's environment sets. Factors must be correct, and tiles must have been
 * transferred.
 */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "reference.h"
#include "startile_testing.h"

#include <starpu.h>
#include <stdio.h>

enum { NODES = 2, N = 800, NB = 40 };

/* Tests that each of the two nodes of main memory has a worker. */
static void test_memory_nodes(void)
{
    int on_node[NODES] = {0};
    require(starpu_memory_nodes_get_count() == NODES);
    for (unsigned n = 0; n < NODES; n++)
        require(starpu_node_get_kind(n) == STARPU_CPU_RAM);
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        on_node[starpu_worker_get_memory_node(w)]++;
    require(on_node[0] > 0 && on_node[1] > 0);
}

/* Returns the bytes transferred from node `from` to node `to` since the last call, and resets the
 * count. */
static double take_bytes_between(int from, int to)
{
    struct starpu_profiling_bus_info info;
    int bus = starpu_bus_get_id(from, to);
    require(bus >= 0 && starpu_bus_get_profiling_info(bus, &info) == 0);
    return (double)info.transferred_bytes;
}

/* Runs `work` until at least the bytes of one tile have been transferred in each direction: on a
 * busy machine one worker may run all tasks. Fails if MOST_RUNS runs do not suffice. */
static void require_transfers(const char *what, void (*work)(void))
{
    enum { MOST_RUNS = 200 };
    double tile = (double)(NB * NB) * (double)element_size(dtype), forth = 0, back = 0;
    int runs = 0;
    in_case("%s", what);
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    take_bytes_between(0, 1);
    take_bytes_between(1, 0);
    for (; (forth < tile || back < tile) && runs < MOST_RUNS; runs++) {
        work();
        forth += take_bytes_between(0, 1);
        back += take_bytes_between(1, 0);
    }
    starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
    printf("%s: %d runs, %.3g bytes to the other node, %.3g back\n", what, runs, forth, back);
    require(forth >= tile && back >= tile);
}

/* Factors a matrix that is on one of the nodes. */
static void factor_wrapped(void)
{
    struct array A = generate(&well_conditioned, dtype, N, 0), T = array_copy(A);
    startile_matrix *M = matrix_wrapped(dtype, N, N, T.a, T.ld, NB, NB);
    require_info(startile_potrf('L', M), 0);
    startile_matrix_destroy(M);
    check_factor('L', A, T, N);
    arrays_free(A, T);
}

static void test_wrapped(void)
{
    require_transfers("potrf of a wrapped matrix", factor_wrapped);
}

/* Solves with matrices whose tiles are allocated on the node of their first writer. */
static void solve_created(void)
{
    struct array A = array_new(dtype, N, N, 0), b = array_new(dtype, N, NB, 0);
    struct array X = array_copy(b);
    startile_matrix *M = matrix_created(dtype, N, N, NB, NB),
                    *B = matrix_created(dtype, N, NB, NB, NB);
    require_info(startile_random('G', 1, 0, M), 0);
    require_info(startile_random('G', 2, 0, B), 0);
    require_info(startile_matrix_to_lapack(M, A.a, A.ld), 0);
    require_info(startile_matrix_to_lapack(B, b.a, b.ld), 0);
    startile_pivots *P = pivots_created(M);
    require_info(startile_gesv(M, P, B, 0), 0);
    require_info(startile_matrix_to_lapack(B, X.a, X.ld), 0);
    startile_pivots_destroy(P);
    matrices_destroy(M, B);
    struct array Y = array_copy(b);
    struct lu reference = lapack_lu(A);
    lapack(Y)->getrs('N', reference.F, reference.ipiv, Y);
    check_solution(A, X, Y, b);
    lu_free(reference);
    arrays_free(A, b, X, Y);
}

static void test_created(void)
{
    require_transfers("gesv of created tiles", solve_created);
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "nodes", test_memory_nodes, test_wrapped, test_created);
}
