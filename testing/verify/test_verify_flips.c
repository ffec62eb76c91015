/*
 * Tests of startile_options.verify with flipped bits: every flip that matters is found, and level 2
 * repairs its result.
 *
 * STARTILE_TEST_FLIPS is the number of flips for each routine and type, by default 40;
 * STARTILE_TEST_SEED selects other flips.
 */
#include "check.h"
#include "checked_routines.h"
#include "generate.h"
#include "objects.h"
#include "qr.h"
#include "startile_testing.h"
#include "startile_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- flips --------------------------------------------------------------------------------------
 */

struct counts {
    int flips, found, mattered, failed;
};

/* Flips a bit and requires its detection if it matters. Returns whether there was a flip: some
 * tasks write no tile. */
static bool check_flip(const struct checked_routine *routine, struct arrays x, startile_flip flip,
                       struct counts *counts)
{
    startile_corruption found;
    struct arrays y = arrays_copy(x);
    require_info(startile_inject_flip(&flip), 0);
    int64_t code = run_checked(routine, y, 1, &found);
    bool happened = startile_inject_flip(NULL) == 0;
    require(code >= 0 || code == STARTILE_ERROR_CORRUPTION);
    if (happened) {
        double residual = code > 0 ? 0 : routine->residual(x, y);
        counts->flips++;
        counts->failed += code > 0;
        counts->found += code == STARTILE_ERROR_CORRUPTION;
        counts->mattered += code <= 0 && !(residual < MATTERS);
        in_case("%s: residual %g after a flip of bit %d of (%d, %d) in tile %d of task %s %d",
                routine->name, residual, (int)flip.bit, (int)flip.row, (int)flip.column,
                (int)flip.tile, flip.operation, (int)flip.task);
        require(code != 0 || residual < MATTERS);
    }
    if (code == STARTILE_ERROR_CORRUPTION)
        require(strcmp(found.routine, routine->reported) == 0);
    arrays_end(y);
    return happened;
}

#ifdef __SANITIZE_ADDRESS__
enum { FLIPS = 20 };
#else
enum { FLIPS = 40 };
#endif

static void test_flips(void)
{
    int flips = number_of("STARTILE_TEST_FLIPS", FLIPS);
    const int of_size = flips < 40 ? (flips + 1) / 2 : 20;
    random_seed((uint64_t)number_of("STARTILE_TEST_SEED", 96));
    for (int r = 0; r < runnable_routines(); r++) {
        static const int64_t sizes[][2] = {{100, 100}, {140, 90}, {33, 33}, {200, 200}};
        struct counts counts = {0};
        for (int f = 0; f < flips;) {
            const int64_t *size = sizes[f / of_size % 4];
            const int64_t m = checked_routines[r].is_square ? size[1] : size[0], n = size[1];
            bool is_dominant = checked_routines[r].needs_dominant || f / of_size % 2;
            struct array A =
                checked_routines[r].is_definite
                    ? generate(&generators[f / of_size % 4 == 3 ? 1 : 0], dtype, n, 1)
                    : generate_general(is_dominant ? &dominant : &random_general, dtype, m, n, 1);
            struct arrays x = operands_for(A);
            in_case("%s", checked_routines[r].name);
            startile_profile *profile = profile_of(&checked_routines[r], x);
            for (int i = 0; i < of_size && f < flips; i++)
                f += check_flip(&checked_routines[r], x, random_flip(profile), &counts);
            startile_profile_destroy(profile);
            arrays_end(x);
        }
        printf("    %-13s %5d flips: %5d found, %5d mattered, %5d made the routine fail\n",
               checked_routines[r].name, counts.flips, counts.found, counts.mattered,
               counts.failed);
    }
}

/* -- level 2 ------------------------------------------------------------------------------------
 */

/* With level 2 the operation runs again: its result has the bits of a run without a flip. */
static void check_repair(const struct checked_routine *routine, struct arrays x, startile_flip flip,
                         struct arrays expected)
{
    startile_corruption found;
    struct arrays y = arrays_copy(x);
    in_case("%s, level 2, a flip of bit %d of (%d, %d) in tile %d of task %s %d", routine->name,
            (int)flip.bit, (int)flip.row, (int)flip.column, (int)flip.tile, flip.operation,
            (int)flip.task);
    require_info(startile_inject_flip(&flip), 0);
    int64_t code = run_checked(routine, y, 2, &found);
    bool happened = startile_inject_flip(NULL) == 0;
    require_info(code, 0);
    if (happened)
        require(routine->residual(x, y) < MATTERS);
    if (!happened && backend == CPU)
        require(is_same_result(y, expected));
    arrays_end(y);
}

/* An operation that is wrong three times fails; twice, it does not. */
static void test_lasting_fault(void)
{
    startile_corruption found;
    for (int faults = 2; faults <= 3; faults++) {
        struct arrays x = operands_for(generate(&well_conditioned, dtype, NB, 0));
        startile_flip flip = {"potrf", 0, 0, 20, 10, small_bit(), faults};
        in_case("%d wrong runs", faults);
        require_info(startile_inject_flip(&flip), 0);
        require_info(run_checked(&checked_routines[0], x, 2, &found),
                     faults == 3 ? STARTILE_ERROR_CORRUPTION : 0);
        require_info(startile_inject_flip(NULL), 0);
        if (faults == 3)
            require(found.row == 0 && found.column == 0 && strcmp(found.routine, "potrf") == 0);
        arrays_end(x);
    }
}

/* info > 0 because of a flip is not the outcome, and info > 0 of the matrix is. */
static void test_info(void)
{
    enum { WRONG = NB + 5 };
    const startile_flip flip = {"herk", 0, 0, WRONG - NB, WRONG - NB, sign_bit(), 1};
    startile_corruption found;
    for (int level = 1; level <= 2; level++) {
        struct arrays x = operands_for(generate(&well_conditioned, dtype, 2 * NB, 0)),
                      y = arrays_copy(x);
        in_case("level %d, a flip that makes a minor negative", level);
        require_info(startile_inject_flip(&flip), 0);
        require_info(run_checked(&checked_routines[0], x, level, &found),
                     level == 1 ? WRONG + 1 : 0);
        require_info(startile_inject_flip(NULL), 0);
        require(level == 1 || checked_routines[0].residual(y, x) < MATTERS);
        in_case("level %d, a minor that is negative", level);
        set(y.a, WRONG, WRONG, -1);
        require_info(run_checked(&checked_routines[0], y, level, &found), WRONG + 1);
        arrays_end(x);
        arrays_end(y);
    }
}

/* gels fails with a corruption of its factorization, and repairs it with level 2. */
static void test_gels(void)
{
    const startile_flip flip = {"geqrf", 1, 0, 3, 7, sign_bit(), 1};
    for (int level = 1; level <= 2; level++)
        for (int is_wide = 0; is_wide < 2; is_wide++) {
            struct array a = array_new_random(dtype, is_wide ? 70 : 100, is_wide ? 100 : 70, 1),
                         b = array_new_random(dtype, 100, 2, 3), x = array_copy(b),
                         factors = array_copy(a);
            startile_matrix *A = wrapped(factors), *X = wrapped(x);
            in_case("gels, level %d, %s", level, is_wide ? "wide" : "tall");
            startile_request *r = request_created();
            require_info(startile_request_set_verify(r, level), 0);
            require_info(startile_inject_flip(&flip), 0);
            require_info(startile_gels_async('N', A, X, r), 0);
            require_info(startile_request_wait(r), level == 1 ? STARTILE_ERROR_CORRUPTION : 0);
            require_info(startile_inject_flip(NULL), 0);
            startile_corruption found;
            require_info(startile_request_corruption(r, &found), level == 1);
            require(level != 1 || strcmp(found.routine, "geqrf") == 0);
            startile_request_destroy(r);
            matrices_destroy(A, X);
            struct array solution = array_new_rows(x, a.n), rhs = array_new_rows(b, a.m);
            double residual = is_wide ? qrt16('N', a, solution, rhs) : qrt17('N', a, solution, rhs);
            require(level == 1 || residual < 30);
            arrays_free(a, b, x, factors, solution, rhs);
        }
}

static void test_repair(void)
{
    int flips = number_of("STARTILE_TEST_FLIPS", FLIPS) / 4;
    random_seed(98);
    for (int r = 0; r < UNPERMUTED; r++) {
        const int64_t n = 100;
        struct arrays x = operands_for(generate(&well_conditioned, dtype, n, 1)),
                      y = arrays_copy(x), z = arrays_copy(x);
        startile_corruption found;
        in_case("%s, level 2", checked_routines[r].name);
        startile_profile *profile = profile_of(&checked_routines[r], x);
        require_info(run_checked(&checked_routines[r], y, 0, &found), 0);
        require_info(run_checked(&checked_routines[r], z, 2, &found), 0);
        require(backend != CPU || is_same_result(y, z));
        for (int f = 0; f < flips; f++)
            check_repair(&checked_routines[r], x, random_flip(profile), y);
        startile_profile_destroy(profile);
        arrays_end(x);
        arrays_end(y);
        arrays_end(z);
    }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "verify flips", test_flips, test_repair, test_lasting_fault,
                      test_info, test_gels);
}
