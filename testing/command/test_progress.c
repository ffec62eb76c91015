/*
 * Tests of the fraction that the progress bar shows.
 */
#include "../check/tests.h"
#include "progress.h"

#include <stddef.h>
#include <stdint.h>

/* Tests 100 operations, of which more become known during the run. */
static void test_one_step(void)
{
    struct progress_count count = {0, 0, 0, 0};
    assert_true(progress_fraction(&count, 25, 100) == 0.25);
    assert_true(progress_fraction(&count, 50, 400) == 0.25);
    assert_true(progress_fraction(&count, 200, 400) == 0.5);
    assert_true(progress_fraction(&count, 400, 400) == 1);
}

/* Tests a second step, with as many operations as the first one had when four fifths of it were
 * done. */
static void test_later_step(void)
{
    struct progress_count count = {0, 0, 0, 0};
    assert_true(progress_fraction(&count, 80, 100) == 0.8);
    assert_true(progress_fraction(&count, 10, 100) == 0.8);
    assert_true(progress_fraction(&count, 60, 100) == 0.8);
    assert_true(progress_fraction(&count, 80, 100) == 0.9);
    assert_true(progress_fraction(&count, 100, 100) == 1);
}

int main(void)
{
    return run_group("progress", test_one_step, test_later_step);
}
