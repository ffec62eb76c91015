/*
 * Tests libstartile_lapack64 as libblastrampoline uses it, through which Julia calls LAPACK: it
 * opens the library with local scope, detects suffix and INTEGER, and calls the symbols by address.
 * It detects the suffix by the first name that the library has, and INTEGER by INFO of a dpotrf
 * with a wrong LDA.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef void potrf_function(const char *uplo, const int64_t *n, double *a, const int64_t *lda,
                            int64_t *info, size_t uplo_length);

/* Opens the library. */
static int open_library(void **state)
{
    *state = dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    return *state == NULL;
}

/* Returns the library's dpotrf_64_. */
static potrf_function *potrf_of(void *library)
{
    union {
        void *object;
        potrf_function *function;
    } found = {dlsym(library, "dpotrf_64_")};
    assert_non_null(found.object);
    return found.function;
}

/* The library has no other name that libblastrampoline tries before dpotrf_64_. */
static void test_suffix(void **state)
{
    static const char *const earlier[] = {"isamax_",      "isamax__", "isamax___", "isamax_64_",
                                          "isamax__64__", "dpotrf_",  "dpotrf__",  "dpotrf___"};
    for (size_t i = 0; i < sizeof earlier / sizeof *earlier; i++)
        assert_null(dlsym(*state, earlier[i]));
    (void)potrf_of(*state);
}

/* INFO is −4 in all 64 bits. */
static void test_integer(void **state)
{
    const int64_t n = 2, lda = 0;
    int64_t info = 0;
    double a[4] = {1, 0, 0, 1};
    potrf_of (*state)("U", &n, a, &lda, &info, 1);
    assert_int_equal(info, -4);
}

/* startile factors 4 I, also in a small problem, because no LAPACK with 64-bit INTEGER is found. */
static void test_factor(void **state)
{
    enum { LARGE = 100 };
    for (int64_t n = 1; n <= LARGE; n += LARGE - 1) {
        int64_t info = -77;
        double *a = calloc((size_t)(n * n), sizeof *a);
        assert_non_null(a);
        for (int64_t i = 0; i < n; i++)
            a[i * (n + 1)] = 4;
        potrf_of (*state)("L", &n, a, &n, &info, 1);
        assert_int_equal(info, 0);
        assert_true(a[0] == 2 && a[n * n - 1] == 2);
        free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_suffix, open_library),
        cmocka_unit_test_setup(test_integer, open_library),
        cmocka_unit_test_setup(test_factor, open_library),
    };
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_LIBRARY", "none", 1);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    return cmocka_run_group_tests_name("dropin_forward", tests, NULL, NULL) != 0;
}
