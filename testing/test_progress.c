/*
 * Tests of the fraction that the progress bar shows.
 */
#include "progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Tests 100 tasks of which 100, 75 and 0 are unfinished. */
static void test_one_step(void **state)
{
    (void)state;
    struct progress_count count = {0, 0, 0};
    assert_true(progress_fraction(&count, 0) == 0);
    assert_true(progress_fraction(&count, 100) == 0);
    assert_true(progress_fraction(&count, 75) == 0.25);
    assert_true(progress_fraction(&count, 0) == 1);
}

/* Tests a second step that adds as many tasks as the first one, when four fifths of the first are
 * done. */
static void test_later_step(void **state)
{
    (void)state;
    struct progress_count count = {0, 0, 0};
    progress_fraction(&count, 100);
    assert_true(progress_fraction(&count, 20) == 0.8);
    assert_true(progress_fraction(&count, 120) == 0.8);
    assert_true(progress_fraction(&count, 60) == 0.8);
    assert_true(progress_fraction(&count, 20) == 0.9);
    assert_true(progress_fraction(&count, 0) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_step),
                                       cmocka_unit_test(test_later_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
