/* Runs functions without arguments as cmocka's tests. */
#ifndef TESTING_TESTS_H
#define TESTING_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef void test_function(void);

/* Runs the functions in this order as a group `name`, and returns the number of tests that failed.
 * A test has the name of its function. */
#define run_group(name, ...) run_group_between(NULL, NULL, name, __VA_ARGS__)

/* Calls cmocka's fixture functions set_up before each test and tear_down after it. */
#define run_group_between(set_up, tear_down, name, ...)                                            \
    run_named_tests(set_up, tear_down, name, #__VA_ARGS__,                                         \
                    sizeof((test_function *[]){__VA_ARGS__}) / sizeof(test_function *),            \
                    (test_function *[]){__VA_ARGS__})

static void call_test(void **state)
{
    (*(test_function **)*state)();
}

/* names: the names of the `count` tests, separated by ", " */
static inline int run_named_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down,
                                  const char *name, const char *names, size_t count,
                                  test_function **functions)
{
    struct CMUnitTest tests[count];
    char copy[strlen(names) + 1], *next = copy;
    strcpy(copy, names);
    for (size_t t = 0; t < count; t++) {
        tests[t] = (struct CMUnitTest){.name = strtok_r(next, ", ", &next),
                                       .test_func = call_test,
                                       .setup_func = set_up,
                                       .teardown_func = tear_down,
                                       .initial_state = &functions[t]};
    }
    return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

#endif
