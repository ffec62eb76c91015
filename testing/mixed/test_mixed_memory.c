/*
 * Tests the memory that the solvers in mixed precision take beside A, with one right-hand side: at
 * most 0.6 times A, with refinement and with GMRES. The data are those of main memory; where GPUs
 * run the tasks, StarPU keeps freed memory, which would count.
 */
#include "check.h"
#include "counted_malloc.h"
#include "mixed.h"
#include "objects.h"
#include "startile_mixed.h"
#include "startile_testing.h"

#include <stdio.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* Solves a random system, and returns the peak of the memory relative to A. */
static double peak_of_solver(char uplo, startile_method method, struct array a, struct array b,
                             struct array x)
{
    const startile_mixed_options options = {.size = sizeof options, .method = method};
    const char *routine = uplo == 'G' ? "gesv_mixed" : "posv_mixed";
    int64_t n = a.n, mb, nb;
    startile_mixed_result result = {.size = sizeof result};
    require_info(startile_tile_shape(routine, dtype, n, n, &mb, &nb), 0);
    startile_matrix *A = matrix_wrapped(dtype, n, n, a.a, a.ld, mb, nb),
                    *B = matrix_wrapped(dtype, n, 1, b.a, b.ld, mb, 1),
                    *X = matrix_wrapped(dtype, n, 1, x.a, x.ld, mb, 1);
    startile_pivots *P = pivots_created(A);
    require_info(startile_random(uplo == 'G' ? 'G' : 'H', 1, uplo == 'G' ? 0 : n, A), 0);
    require_info(startile_random('G', 2, 0, B), 0);
    require_info(startile_matrix_gather(A), 0);
    if (uplo == 'G' && method == STARTILE_METHOD_GMRES)
        make_three_columns_equal(a);
    size_t before = begin_peak();
    int64_t info = uplo == 'G' ? startile_gesv_mixed(A, P, B, X, &options, &result)
                               : startile_posv_mixed(uplo, A, B, X, &options, &result);
    double bytes = (double)(peak_bytes() - before);
    require_info(info, 0);
    require(result.iterations >= 0 && result.method == method);
    startile_pivots_destroy(P);
    matrices_destroy(X, B, A);
    return bytes / ((double)n * (double)n * (double)element_size(dtype));
}

/* Tests that at least F, which is A or its triangle in single precision, is counted, and at most
 * 0.6 times A. Below n = 2500 StarPU's tasks alone take more than 2 % of A. */
static void test_peak(void)
{
    static const char *const names[] = {
        [STARTILE_METHOD_REFINEMENT] = "refinement", [STARTILE_METHOD_GMRES] = "GMRES"};
    const double most = 0.6, least[] = {0.5, 0.25, 0.25};
    const int64_t n = dtype == STARTILE_D ? 3000 : 2200;
    struct array a = array_new(dtype, n, n, 0), b = array_new(dtype, n, 1, 0), x = array_copy(b);
    for (int u = 0; u < 3; u++)
        for (int m = STARTILE_METHOD_REFINEMENT; m <= STARTILE_METHOD_GMRES; m++) {
            char uplo = "GLU"[u];
            in_case("n %d, solver %c, %s", (int)n, uplo, names[m]);
            double bytes = peak_of_solver(uplo, (startile_method)m, a, b, x);
            printf("n %d, solver %c, %s: %.3f times A beside A\n", (int)n, uplo, names[m], bytes);
            require_below(least[u], bytes);
            require_below(bytes, most);
        }
    arrays_free(a, b, x);
}

int main(int argc, char **argv)
{
    if (sanitized)
        check_skip("a sanitizer replaces malloc()");
    check_arguments(argc, argv);
    if (backend != CPU)
        check_skip("memory of GPUs is not counted");
    return check_main(argc, argv, "mixed_memory", test_peak);
}
