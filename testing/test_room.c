/*
 * The least memory that startile.h asks for: with just so much a factorization or solve of a matrix
 * on a disk works, and with a little less it says so at once and the file is as it was.
 */
#include "check.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* MiB, as StarPU has it; the matrices are larger. */
#define LIMIT "6"

static char folder[] = "/tmp/startile-test-XXXXXX";

enum { N = 2000, NRHS = 3 };

/* What startile.h says, in elements, for tiles of nb columns. */
static int64_t least_of_potrf(int64_t nb, int64_t workers)
{
    return 6 * workers * nb * nb;
}

static int64_t least_of_potrs(int64_t nb, int64_t workers)
{
    return 6 * workers * nb * nb;
}

static int64_t least_of_columns(int64_t nb, int64_t workers)
{
    return 4 * workers * nb * N;
}

static int64_t potrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    return startile_potrf('L', A);
}

/* of the matrix as it is: nothing depends on its being a factor */
static int64_t potrs(startile_matrix *A, startile_matrix *B)
{
    return startile_potrs('L', A, B);
}

static int64_t getrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    int64_t info = startile_getrf(A, P);
    startile_pivots_destroy(P);
    return info;
}

static int64_t getrf_nopiv(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    return startile_getrf_nopiv(A);
}

static int64_t getrf_tntpiv(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    int64_t info = startile_getrf_tntpiv(A, P);
    startile_pivots_destroy(P);
    return info;
}

static int64_t gesv(startile_matrix *A, startile_matrix *B)
{
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    int64_t info = startile_gesv(A, P, B, 0);
    startile_pivots_destroy(P);
    return info;
}

static int64_t getrs(startile_matrix *A, startile_matrix *B)
{
    return startile_getrs('T', A, NULL, B);
}

static int64_t geqrf(startile_matrix *A, startile_matrix *B)
{
    (void)B;
    startile_matrix *T;
    require_info(startile_reflectors_create(&T, A), 0);
    int64_t info = startile_geqrf(A, T);
    startile_matrix_destroy(T);
    return info;
}

static const struct {
    const char *name;
    int64_t (*call)(startile_matrix *A, startile_matrix *B);
    int64_t (*least)(int64_t nb, int64_t workers);
} routines[] = {
    {"potrf", potrf, least_of_potrf},
    {"potrs", potrs, least_of_potrs},
    {"getrf", getrf, least_of_columns},
    {"getrf_nopiv", getrf_nopiv, least_of_columns},
    {"getrf_tntpiv", getrf_tntpiv, least_of_columns},
    {"getrs", getrs, least_of_columns},
    {"gesv", gesv, least_of_columns},
    {"geqrf", geqrf, least_of_columns},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* Of main memory, through which all workers get what is on a disk. */
static int64_t widest_tile(int routine)
{
    int64_t workers = startile_cpu_workers(), nb = 1;
    int64_t room = (int64_t)starpu_memory_get_total(STARPU_MAIN_RAM);
    while (routines[routine].least(nb + 1, workers) * (int64_t)element_size(dtype) <= room)
        nb++;
    return nb;
}

static void check_room(int routine, int64_t nb, bool is_enough)
{
    startile_matrix *A, *B;
    int64_t mb = routines[routine].least == least_of_columns ? N : nb, read, written, now;
    in_case("%s, nb %d, %s", routines[routine].name, (int)nb, is_enough ? "enough" : "too little");
    require_info(startile_matrix_create_on_disk(&A, dtype, N, N, mb, nb, folder), 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, N, NRHS, mb, nb, folder), 0);
    require_info(startile_random('H', 1, N, A), 0);
    require_info(startile_random('G', 2, 0, B), 0);
    require_info(startile_matrix_gather(A), 0);
    require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
    require_info(routines[routine].call(A, B), is_enough ? 0 : STARTILE_ERROR_MEMORY);
    require_info(startile_matrix_gather(A), 0);
    require_info(startile_matrix_disk_bytes(A, &now, &written), 0);
    require((now > read) == is_enough);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

static void test_least_memory(void **state)
{
    (void)state;
    for (int r = 0; r < ROUTINES; r++) {
        int64_t nb = widest_tile(r);
        check_room(r, nb, true);
        check_room(r, nb + 1, false);
    }
}

/* The second of two that fit one by one, but not together; and when the first is gone. */
static void test_created(void **state)
{
    (void)state;
    in_case("two created");
    startile_matrix *first, *second;
    int64_t columns = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == STARPU_CPU_RAM)
            columns +=
                (int64_t)starpu_memory_get_total(node) * 3 / 4 / (int64_t)element_size(dtype) / 100;
    require_info(startile_matrix_create(&first, dtype, 100, columns, 100, 10), 0);
    require_info(startile_matrix_create(&second, dtype, 100, columns, 100, 10),
                 STARTILE_ERROR_MEMORY);
    startile_matrix_destroy(first);
    require_info(startile_matrix_create(&second, dtype, 100, columns, 100, 10), 0);
    startile_matrix_destroy(second);
}

/* Refinement wants copies of A and B beside the tiles of tasks. */
static void test_copies(void **state)
{
    (void)state;
    in_case("gesv with refinement");
    enum { COLUMNS = 10 };
    startile_matrix *A, *B;
    startile_pivots *P;
    int64_t read, written, now;
    require_info(startile_matrix_create_on_disk(&A, dtype, N, N, N, COLUMNS, folder), 0);
    require_info(startile_matrix_create_on_disk(&B, dtype, N, NRHS, N, COLUMNS, folder), 0);
    require_info(startile_pivots_create(&P, A), 0);
    require_info(startile_matrix_disk_bytes(A, &read, &written), 0);
    require_info(startile_gesv(A, P, B, 1), STARTILE_ERROR_MEMORY);
    require_info(startile_matrix_disk_bytes(A, &now, &written), 0);
    require(now == read);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_least_memory),
                                       cmocka_unit_test(test_created),
                                       cmocka_unit_test(test_copies)};
    check_arguments(argc, argv);
    /* of which each takes a share of the memory */
    require(setenv("STARPU_LIMIT_CPU_MEM", LIMIT, 1) == 0 && setenv("STARPU_NCPU", "2", 0) == 0 &&
            mkdtemp(folder) != NULL);
    check_start(argc, argv);
    int failed = cmocka_run_group_tests_name("room", tests, NULL, NULL);
    rmdir(folder);
    return check_finish(failed);
}
