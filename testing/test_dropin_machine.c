/*
 * libstartile_lapack in a program that is linked with a LAPACK of its own, here one that lacks most
 * routines: which of startile, that LAPACK and the machine's gets a call. Every case is a process,
 * since the drop-in looks around once.
 */
#include "dropin_fake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

void dtrtri_(const char *uplo, const char *diag, const int32_t *n, double *a, const int32_t *lda,
             int32_t *info, size_t uplo_length, size_t diag_length);

/* A child that hangs ends by its alarm. */
static void require_child(bool (*body)(void))
{
    enum { SECONDS = 60 };
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        exit(body() ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* INFO of a factorization of 2 I. */
static int32_t factor(int32_t n, double *root)
{
    int32_t info = -77;
    double *a = calloc((size_t)n * (size_t)n, sizeof *a);
    for (int32_t i = 0; a != NULL && i < n; i++)
        a[i * (n + 1)] = 4;
    if (a != NULL)
        dpotrf_("L", &n, a, &n, &info, 1);
    *root = a != NULL ? a[0] : 0;
    free(a);
    return info;
}

static bool inverts(void)
{
    const int32_t one = 1;
    int32_t info = -77;
    double a = 2;
    dtrtri_("L", "N", &one, &a, &one, &info, 1, 1);
    return info == 0 && a == 0.5;
}

static bool small_is_the_programs(void)
{
    double root;
    return factor(3, &root) == FAKE && root == 4;
}

static bool large_is_startiles(void)
{
    double root;
    return factor(60, &root) == 0 && root == 2;
}

/* dtrtri, which the program's lacks, is where it would have been without: in the machine's. */
static bool others_are_the_machines(void)
{
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return inverts() && small_is_the_programs();
}

/* A routine that is nowhere else is startile's at any size, and no other. */
static bool missing_is_startiles(void)
{
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    setenv("STARTILE_LAPACK_MIN", "1000000", 1);
    return small_is_the_programs() && inverts() && small_is_the_programs();
}

/* No XERBLA is to be seen from here, so that it is the program's routine that tells. */
static bool wrong_is_the_programs(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    dpotrf_("L", &wrong, &a, &one, &info, 1);
    return info == FAKE;
}

static bool wrong_and_missing_is_ours(void)
{
    const int32_t wrong = -1, one = 1;
    int32_t info = -77;
    double a = 1;
    setenv("STARTILE_LAPACK_LIBRARY", DROPIN_FAKE, 1);
    dtrtri_("L", "N", &wrong, &a, &one, &info, 1, 1);
    return info == -3;
}

/* Pivots of 64 bits for the largest n take 16 GiB. */
static bool without_memory_is_the_programs(void)
{
    const int32_t n = INT32_MAX, one = 1, pivot = 1;
    int32_t info = -77;
    double a = 1, b = 1;
    long pages = 0;
    FILE *sizes = fopen("/proc/self/statm", "r");
    if (sizes == NULL || fscanf(sizes, "%ld", &pages) != 1)
        return false;
    fclose(sizes);
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)4 * 1024 * 1024 * 1024;
    setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
    dgetrs_("N", &n, &one, &a, &n, &pivot, &b, &n, &info, 1);
    return info == FAKE;
}

static void test_place(void **state)
{
    require_child(*(bool (**)(void)) * state);
}

#define PLACE(body)                                                                                \
    {                                                                                              \
#body, test_place, NULL, NULL, &(bool (*)(void))                                           \
        {                                                                                          \
            body                                                                                   \
        }                                                                                          \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE(small_is_the_programs),          PLACE(large_is_startiles),
        PLACE(others_are_the_machines),        PLACE(missing_is_startiles),
        PLACE(wrong_is_the_programs),          PLACE(wrong_and_missing_is_ours),
        PLACE(without_memory_is_the_programs),
    };
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "50", 1);
    setenv("STARTILE_NB", "16", 1);
    return cmocka_run_group_tests_name("dropin_machine", tests, NULL, NULL) != 0;
}
