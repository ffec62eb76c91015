/* Tests of startile_options.progress: counts of operations and the estimated time. */
#include "check.h"
#include "disk_files.h"
#include "objects.h"
#include "startile_disk.h"
#include "startile_testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 1200, WIDTH = 60 };

static struct {
    int calls;
    double done, total, seconds; /* of the last call */
    double first_total;
    bool is_monotone;
} seen;

/* The callback. */
static void note(void *arg, double done, double total, double seconds)
{
    require(arg == &seen);
    if (seen.calls++ == 0)
        seen.first_total = total;
    seen.is_monotone = seen.is_monotone && done >= seen.done && done <= total * (1 + 1e-12);
    seen.done = done;
    seen.total = total;
    seen.seconds = seconds;
}

static void begin(void)
{
    seen.calls = 0;
    seen.done = seen.total = 0;
    seen.is_monotone = true;
}

/* Requires that all calls were in order and the last one reports the end of `flops` operations, by
 * LAPACK's formula; tasks on tiles count a little differently. */
static void require_end(double flops)
{
    require(seen.calls > 0 && seen.is_monotone);
    require(seen.done == seen.total && seen.seconds == 0);
    require(fabs(seen.done / flops - 1) < 0.1);
}

/* Tests that the total is known from the begin on. */
static void test_factorizations(void)
{
    double n3 = pow(N, 3) * (dtype >= STARTILE_C ? 4 : 1);
    startile_matrix *A = matrix_created(dtype, N, N, WIDTH, WIDTH);
    require_info(startile_random('H', 1, N, A), 0);
    begin();
    require_info(startile_potrf('L', A), 0);
    require_end(n3 / 3);
    require(fabs(seen.first_total / seen.total - 1) < 0.1);
    startile_matrix_destroy(A);
    A = matrix_created(dtype, N, N, N, WIDTH);
    startile_pivots *P = pivots_created(A);
    require_info(startile_random('G', 1, 0, A), 0);
    begin();
    require_info(startile_getrf(A, P), 0);
    require_end(2 * n3 / 3);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
}

/* Tests a factorization with a journal, which submits its tasks late, and a failed request: skipped
 * tasks count as done. */
static void test_journal(void)
{
    startile_matrix *A;
    char journal[PATH_LENGTH];
    struct array a = random_array(dtype, N, N, true);
    snprintf(journal, sizeof journal, "%s/journal", folder);
    write_file(a, 0);
    require_info(startile_matrix_wrap_file(&A, dtype, N, N, file, 0, N, WIDTH, WIDTH), 0);
    require_info(startile_matrix_journal(A, journal), 0);
    begin();
    require_info(startile_potrf('L', A), 0);
    require_end(pow(N, 3) / 3 * (dtype >= STARTILE_C ? 4 : 1));
    require(fabs(seen.first_total / seen.total - 1) < 0.1);
    startile_matrix_destroy(A);
    unlink(journal);
    A = matrix_created(dtype, N, N, WIDTH, WIDTH);
    require_info(startile_laset('G', 0, -1, A), 0);
    begin();
    require_info(startile_potrf('L', A), 1);
    require(seen.done == seen.total);
    startile_matrix_destroy(A);
    array_free(a);
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    startile_options o = check_options();
    o.progress = note;
    o.progress_arg = &seen;
    require_info(startile_init(&o), 0);
    disk_start(argc, argv);
    int failed = run_group("progress_callback", test_factorizations, test_journal);
    startile_finalize();
    return disk_finish(failed);
}
