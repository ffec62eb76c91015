/*
 * Tests the failure of each allocation of startile, one after the other: a call returns
 * STARTILE_ERROR_MEMORY, or 0 and the right result, and the library works afterwards. The address
 * sanitizer finds leaks.
 */
#include "../check/tests.h"
#include "failing_malloc.h"
#include "models/model.h"
#include "routines.h"
#include "startile_lapack.h"
#include "startile_testing.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

double checksum;

/* Solves a system of order N, whose solution is 1, and requires it. */
static void require_usable(const char *after)
{
    enum { N = 20 };
    double a[N * N], b[N];
    int64_t ipiv[N];
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += a[i + j * N] = 1.0 / (1 + i + 2 * j) + (i == j);
    }
    exempt_allocations(true);
    int64_t info = startile_dgesv(N, 1, a, N, ipiv, b, N);
    exempt_allocations(false);
    double error = 0;
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs(b[i] - 1));
    if (info != 0 || !(error < 1e-12))
        fail_msg("after %s: gesv returns %" PRId64 ", error %g", after, info, error);
}

/* Runs the routine with the failures that have been chosen. Requires STARTILE_ERROR_MEMORY, or 0
 * and the expected result. `failure` names the failures. */
static void check_failure(const struct routine *routine, double expected, const char *failure)
{
    int64_t status = routine->run();
    bool has_none = !has_failed();
    fail_allocations_from(0);
    if (status != 0 && (status != STARTILE_ERROR_MEMORY || has_none))
        fail_msg("%s, failing %s: returns %" PRId64 " (%s)", routine->name, failure, status,
                 startile_strerror(status));
    if (status == 0 && !(fabs(checksum - expected) <= 1e-6 * fabs(expected)))
        fail_msg("%s, failing %s: returns 0, wrong result (%g, not %g)", routine->name, failure,
                 checksum, expected);
}

/* Runs the routine with one failing allocation: the first and the last one on each path, also on
 * the paths after a failure. Then runs it with all allocations failing from a number on. */
static void fail_each(const struct routine *routine, bool is_started)
{
    char failure[80];
    forget_paths();
    fail_allocations_from(0);
    assert_int_equal(routine->run(), 0);
    double expected = checksum;
    long all = allocations(), at_first[MOST_PATHS];
    if (all == 0)
        fail_msg("%s allocates nothing", routine->name);
    int known = paths();
    for (int i = 0; i < known; i++)
        at_first[i] = occurrences(i);
    for (int i = 0; i < paths(); i++) {
        long last = i < known ? at_first[i] : 1;
        for (long k = 1; k <= last; k = k < last ? last : last + 1) {
            snprintf(failure, sizeof failure, "allocation %ld of %ld on path %d", k, last, i);
            fail_path(i, k);
            check_failure(routine, expected, failure);
            if (is_started)
                require_usable(routine->name);
        }
    }
    for (long first = 1; first <= all; first += 1 + first / 4) {
        snprintf(failure, sizeof failure, "allocations from %ld of %ld", first, all);
        fail_allocations_from(first);
        check_failure(routine, expected, failure);
        if (is_started)
            require_usable(routine->name);
    }
    if (paths() == MOST_PATHS)
        fail_msg("%s: too many paths", routine->name);
}

static void run_list(const struct routine *list)
{
    for (const struct routine *r = list; r->name != NULL; r++)
        fail_each(r, true);
}

static void test_matrices(void)
{
    assert_int_equal(startile_init(NULL), 0);
    run_list(matrix_routines);
    startile_finalize();
}

static void test_typed(void)
{
    run_list(typed_routines);
}

static void test_batches(void)
{
    run_list(batch_routines);
}

/* Starts the library with models, and StarPU with it, factors a matrix and stops both. */
static int64_t start_and_stop(void)
{
    startile_options options;
    startile_matrix *A = NULL;
    startile_options_default(&options, sizeof options);
    options.scheduler = "dmdas";
    options.ncpu = 1;
    int64_t status = startile_init(&options);
    if (status != 0)
        return status;
    if ((status = startile_matrix_create(&A, STARTILE_D, 20, 20, 8, 8)) == 0)
        status = startile_random('S', 1, 20, A);
    if (status == 0)
        status = startile_potrf('L', A);
    if (status == 0)
        status = startile_lange('F', A, &checksum);
    startile_matrix_destroy(A);
    startile_finalize();
    return status;
}

/* Makes the library use a copy of MODELS whose manifest names this machine's processors. */
static void use_models(char *folder)
{
    char path[PATH_MAX];
    struct machine here;
    machine_find(&here, true, false);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "cp -r '%s/.' %s", MODELS, folder);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/manifest", folder);
    FILE *manifest = fopen(path, "a");
    assert_non_null(manifest);
    fprintf(manifest, "cpu: %s\ncores: %d\n", here.cpu, here.cores);
    assert_int_equal(fclose(manifest), 0);
    snprintf(path, sizeof path, "./%s", folder);
    setenv("STARTILE_MODELS", path, 1);
}

static void test_start(void)
{
    static const struct routine start = {"startile_init", start_and_stop};
    char folder[] = "models.XXXXXX", remove[64];
    use_models(folder);
    fail_each(&start, false);
    setenv("STARTILE_MODELS", "none", 1);
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    assert_int_equal(system(remove), 0);
    assert_int_equal(start_and_stop(), 0);
}

/* The typed entries start StarPU until the program ends, so test_start() comes first. */
int main(void)
{
    return run_group("failing_malloc", test_start, test_matrices, test_typed, test_batches) != 0;
}
