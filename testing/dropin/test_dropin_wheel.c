/*
 * Tests libstartile_lapack in a program that loads, as Python does, modules of wheels with local
 * scope: scipy's, with 32-bit INTEGER, and numpy's since and before 2.0, with 64-bit INTEGER. Each
 * module's small problems must go to the LAPACK that this module is linked with.
 */
#include "dropin_wheel.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A module, and INFO of its LAPACK */
struct wheel {
    const char *path;
    int64_t fake;
};

static const struct wheel scipy = {DROPIN_MODULE, FAKE}, numpy = {DROPIN_MODULE64, FAKE64},
                          numpy1 = {DROPIN_MODULE_NUMPY1, FAKE_NUMPY1};

/* Loads the wheel's module and makes calls of all kinds. */
static void test_wheel(void **state)
{
    const struct wheel *wheel = *state;
    double root = 0;
    void *library = dlopen(wheel->path, RTLD_NOW | RTLD_LOCAL);
    const struct module *module = library != NULL ? dlsym(library, "module") : NULL;
    assert_non_null(module);
    /* small problems */
    assert_int_equal(module->factor(3, &root), wheel->fake);
    assert_true(root == 4);
    assert_int_equal(module->exchange(3), wheel->fake);
    /* large problems */
    assert_int_equal(module->factor(60, &root), 0);
    assert_true(root == 2);
    assert_int_equal(module->exchange(60), 0);
    /* a wrong argument, which the wheel's own routine reports */
    assert_int_equal(module->factor(-1, &root), wheel->fake);
    /* a routine that the wheel lacks */
    assert_int_equal(module->invert(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_wheel, (void *)&scipy),
        cmocka_unit_test_prestate(test_wheel, (void *)&numpy),
        cmocka_unit_test_prestate(test_wheel, (void *)&numpy1),
    };
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    setenv("STARTILE_NB", "16", 1);
    return cmocka_run_group_tests_name("dropin_wheel", tests, NULL, NULL) != 0;
}
