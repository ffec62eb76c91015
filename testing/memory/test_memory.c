/*
 * Tests that a wrapped matrix is not copied on the host: the peak of the resident memory grows by
 * less than a tenth of the matrix plus BASE_KIB.
 */
#include "check.h"
#include "objects.h"
#include "startile_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* BASE_KIB: memory of submitted tasks that are not freed yet, 2 KiB each, and malloc's overhead. */
enum { BASE_KIB = 8192, N = 3000 };

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* Returns the value `name` of /proc/self/status in KiB. */
static long status_of(const char *name)
{
    char line[256];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");
    if (f == NULL)
        check_skip("no /proc/self/status");
    while (fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            sscanf(line + strlen(name), ": %ld", &value);
    fclose(f);
    return value;
}

static const char *const routines[] = {"potrf L", "potrf U", "getrf"};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* Fills the array with a positive definite matrix and factors it in place by routines[routine]. */
static void factor(double *a, int64_t n, int routine)
{
    const char *name = routine == 2 ? "getrf" : "potrf";
    startile_matrix *A;
    require_info(startile_matrix_wrap_for(&A, name, STARTILE_D, n, n, a, n), 0);
    require_info(startile_random('S', 1, (double)n, A), 0);
    startile_pivots *P = pivots_created(A);
    require_info(routine == 2 ? startile_getrf(A, P) : startile_potrf("LU"[routine], A), 0);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
}

/* Tests the largest resident memory (VmHWM) against that before the factorization (VmRSS). */
static void test_peak(void)
{
    long matrix_kib = (long)((size_t)N * N * sizeof(double) / 1024);
    double *a = malloc((size_t)N * N * sizeof *a);
    require(a != NULL);
    for (int64_t t = 0; t < (int64_t)N * N; t++)
        a[t] = 1;
    /* first calls with a small matrix load the code and allocate the workers' buffers */
    double *small = calloc(600 * 600, sizeof *small);
    require(small != NULL);
    for (int routine = 0; routine < ROUTINES; routine++)
        factor(small, 600, routine);
    free(small);
    for (int routine = 0; routine < ROUTINES; routine++) {
        in_case("%s, n %d", routines[routine], N);
        long before = status_of("VmRSS");
        factor(a, N, routine);
        long growth = status_of("VmHWM") - before;
        printf("%s: matrix %ld KiB, peak %ld KiB above the resident memory before\n",
               routines[routine], matrix_kib, growth);
        require_below(growth, matrix_kib / 10 + BASE_KIB);
    }
    free(a);
}

int main(int argc, char **argv)
{
    if (sanitized)
        check_skip("a sanitizer's own memory would be counted");
    check_arguments(argc, argv);
    if (backend != CPU)
        check_skip("CUDA's own memory would be counted");
    return check_main(argc, argv, "memory", test_peak);
}
