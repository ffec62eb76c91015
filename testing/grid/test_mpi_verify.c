/*
 * Tests of startile_options.verify on a grid: mpirun -n P test_mpi_verify BACKEND TYPE p q, where
 * P = p q. One process flips a bit; all must find it and report the same place, and with level 2
 * all must repair the result. STARTILE_TEST_FLIPS is the number of flips for each routine, by
 * default 8; STARTILE_TEST_SEED selects other flips.
 */
#include "check.h"
#include "checked_routines.h"
#include "generate.h"
#include "grid_program.h"
#include "objects.h"
#include "startile_testing.h"
#include "startile_trace.h"

#include <startile_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rows, columns;

/* Returns the number of the next routine that runs on grids; PIVOTED after the last one. */
static int next_routine(int r)
{
    return r + 1 == UNPERMUTED ? AASEN : r + 1;
}

/* Returns a distributed matrix with the elements of X, which all processes have. */
static startile_matrix *scatter_tiles(struct array X)
{
    return scatter(X, NB, NB);
}

/* X := A on all processes. Destroys A. */
static void gather_everywhere(startile_matrix *A, struct array X)
{
    gather(A, X);
    MPI_Bcast(X.memory, (int)array_bytes(X), MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* As run_checked(); all processes must have the same result and place. */
static int64_t run_on_grid(const struct checked_routine *routine, struct arrays x, int level,
                           startile_corruption *found)
{
    *found = (startile_corruption){.step = 0};
    int64_t code = run_checked(routine, x, level, found);
    int64_t place[] = {code, found->routine != NULL, found->step, found->row, found->column};
    require_agreement(place, sizeof place);
    return code;
}

static struct arrays operands_of(const struct checked_routine *routine, int64_t m, int64_t n)
{
    struct array A = routine->is_definite ? generate(&well_conditioned, dtype, n, 1)
                                          : generate_general(&dominant, dtype, m, n, 1);
    return operands_for(A);
}

/* Requires the result of verify = 0, to the last bit. */
static void test_clean(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {100, 100}, {170, 100}, {70, 200}};
    random_seed(93);
    for (int r = 0; r < PIVOTED; r = next_routine(r))
        for (int s = 0; s < (checked_routines[r].is_square ? 2 : 4); s++) {
            in_case("%s, %d × %d", checked_routines[r].name, (int)sizes[s][0], (int)sizes[s][1]);
            struct arrays x = operands_of(&checked_routines[r], sizes[s][0], sizes[s][1]),
                          y = arrays_copy(x);
            startile_corruption found;
            require_info(run_on_grid(&checked_routines[r], x, 0, &found), 0);
            require_info(run_on_grid(&checked_routines[r], y, 1 + s % 2, &found), 0);
            require(backend != CPU || is_same_result(x, y));
            arrays_end(x);
            arrays_end(y);
        }
}

/* Lets process `number` flip a bit of one of its tasks. */
static void inject(const startile_profile *profile, int number)
{
    if (rank != number || profile->count == 0)
        return;
    startile_flip flip = random_flip(profile);
    in_case("bit %d of (%d, %d) in tile %d of task %s %d of process %d", (int)flip.bit,
            (int)flip.row, (int)flip.column, (int)flip.tile, flip.operation, (int)flip.task, rank);
    require_info(startile_inject_flip(&flip), 0);
}

/* Flips bits of tasks, of all processes by turns, at level 1 and then at level 2. */
static void test_flips(void)
{
    int flips = number_of("STARTILE_TEST_FLIPS", 8), count = 0, mattered = 0, injected = 0;
    uint64_t seed = (uint64_t)number_of("STARTILE_TEST_SEED", 97);
    for (int r = 0; r < PIVOTED; r = next_routine(r)) {
        const struct checked_routine *routine = &checked_routines[r];
        int64_t m = routine->is_square ? 140 : 170;
        random_seed(94);
        struct arrays x = operands_of(routine, m, 140);
        startile_profile *profile = profile_of(routine, x);
        for (int f = 0; f < flips; f++) {
            struct arrays y = arrays_copy(x);
            startile_corruption found;
            int level = r < UNPERMUTED ? 1 + f / processes % 2 : 1;
            random_seed(seed + (uint64_t)(1000 * r + f));
            in_case("%s, level %d", routine->name, level);
            inject(profile, f % processes);
            injected++;
            int64_t code = run_on_grid(routine, y, level, &found);
            startile_inject_flip(NULL);
            double residual = code > 0 ? 0 : routine->residual(x, y);
            require(code == 0 || (level == 1 && (code > 0 || code == STARTILE_ERROR_CORRUPTION)));
            require(code != 0 || residual < MATTERS);
            count += code == STARTILE_ERROR_CORRUPTION;
            mattered += code == STARTILE_ERROR_CORRUPTION && !(residual < MATTERS);
            arrays_end(y);
        }
        startile_profile_destroy(profile);
        arrays_end(x);
    }
    if (rank == 0)
        printf("    %d flips: %d found at level 1, of which %d mattered\n", injected, count,
               mattered);
    require(mattered > 0);
}

/* A lasting fault is reported. */
static void test_lasting_fault(void)
{
    startile_flip flip = {"potrf", 0, 0, 20, 10, small_bit(), 3};
    startile_corruption found;
    random_seed(95);
    struct arrays x = operands_of(&checked_routines[0], NB, NB);
    in_case("lasting fault");
    if (rank == 0) /* it has the only tile */
        require_info(startile_inject_flip(&flip), 0);
    require_info(run_on_grid(&checked_routines[0], x, 2, &found), STARTILE_ERROR_CORRUPTION);
    require_info(startile_inject_flip(NULL), 0);
    require(found.row == 0 && found.column == 0 && strcmp(found.routine, "potrf") == 0);
    arrays_end(x);
}

/* A minor that a flip makes negative is not the outcome with level 2. */
static void test_info(void)
{
    enum { WRONG = NB + 5 };
    const startile_flip flip = {"herk", 0, 0, WRONG - NB, WRONG - NB, sign_bit(), 1};
    startile_corruption found;
    random_seed(96);
    int owner = 1 % rows * columns + 1 % columns; /* of tile (1,1) */
    for (int level = 1; level <= 2; level++) {
        struct arrays x = operands_of(&checked_routines[0], 2 * NB, 2 * NB);
        in_case("negative minor, level %d", level);
        if (rank == owner)
            require_info(startile_inject_flip(&flip), 0);
        require_info(run_on_grid(&checked_routines[0], x, level, &found),
                     level == 1 ? WRONG + 1 : 0);
        require_info(startile_inject_flip(NULL), 0);
        arrays_end(x);
    }
}

/* Processes with different levels get an error instead of waiting for each other. */
static void test_levels(void)
{
    startile_matrix *A = NULL;
    in_case("levels");
    require_info(startile_matrix_create_distributed(&A, dtype, 100, 100, NB, NB, grid), 0);
    require_info(startile_random('H', 3, 100, A), 0);
    startile_request *r = request_created();
    require_info(startile_request_set_verify(r, rank == 0 ? 2 : 1), 0);
    require_info(startile_potrf_async('L', A, r), processes > 1 ? STARTILE_ERROR_MISMATCH : 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
}

/* After an operation on the grid a process works alone on a local matrix, in the same request. */
static void test_local(void)
{
    startile_corruption found;
    for (int level = 1; level <= 2; level++) {
        startile_matrix *A = NULL, *B = matrix_created(dtype, 100, 100, NB, NB);
        in_case("local matrix, level %d", level);
        require_info(startile_matrix_create_distributed(&A, dtype, 100, 100, NB, NB, grid), 0);
        require_info(startile_random('H', 3, 100, A), 0);
        require_info(startile_random('H', 3, 100, B), 0);
        startile_request *r = request_created();
        require_info(startile_request_set_verify(r, level), 0);
        require_info(startile_potrf_async('L', A, r), 0);
        if (rank == processes - 1)
            require_info(startile_potrf_async('L', B, r), 0);
        require_info(startile_request_wait(r), 0);
        require_info(startile_request_corruption(r, &found), 0);
        startile_request_destroy(r);
        matrices_destroy(A, B);
    }
}

int main(int argc, char **argv)
{
    grid_program_begin(argc, argv);
    rows = atoi(argv[3]), columns = atoi(argv[4]);
    make_operand = scatter_tiles;
    end_operand = gather_everywhere;
    test_clean();
    test_flips();
    test_lasting_fault();
    test_info();
    test_levels();
    test_local();
    return grid_program_end();
}
