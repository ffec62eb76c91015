/*
 * Tests of gesv_mixed with matrices whose elements grow exponentially in partial pivoting, so that
 * factors in single precision have no correct digit, or overflow. The solver must find that out:
 * it returns a refined solution with a small backward error, or that of LU in double precision.
 */
#include "check.h"
#include "generate.h"
#include "mixed.h"
#include "startile_mixed.h"

#include <complex.h>
#include <math.h>

enum { NB = 16, NRHS = 2 };

/* Returns max_i |b − A x|_i / (Σ_j |a_ij| ‖x‖∞) of all columns in units of the roundoff. */
static double rowwise_error(struct array A, struct array X, struct array B)
{
    double largest = 0;
    for (int64_t c = 0; c < B.n; c++) {
        double x_norm = 0;
        for (int64_t j = 0; j < A.n; j++)
            x_norm = fmax(x_norm, cabs(get(X, j, c)));
        for (int64_t i = 0; i < A.n; i++) {
            startile_complex r = get(B, i, c);
            double sum = 0;
            for (int64_t j = 0; j < A.n; j++) {
                r -= get(A, i, j) * get(X, j, c);
                sum += cabs(get(A, i, j));
            }
            double error = cabs(r) / sum / x_norm;
            largest = error > largest || isnan(error) ? error : largest;
        }
    }
    return largest / unit_roundoff(A.dtype);
}

/* Multiplies the rows of A and B by random numbers, of magnitudes from 10^−15 to 10^15. */
static void scale_rows(struct array A, struct array B)
{
    for (int64_t i = 0; i < A.m; i++) {
        startile_complex factor = random_element(dtype) * pow(10, 15 * random_real());
        for (int64_t j = 0; j < A.n; j++)
            set(A, i, j, get(A, i, j) * factor);
        for (int64_t j = 0; j < B.n; j++)
            set(B, i, j, get(B, i, j) * factor);
    }
}

/* Requires a small backward error of a refined solution, which the result states, or a backward
 * error of at most ten times LAPACK's. */
static void require_honest(struct array A, struct array B, struct solved x)
{
    double n = (double)A.n, eps = unit_roundoff(dtype), sufficient = fmax(10, sqrt(n)) * 1.001;
    require_info(x.info, 0);
    if (x.result.iterations >= 0) {
        require(x.result.products != STARTILE_PRODUCTS_DOUBLE);
        require_below(x.result.backward / eps, sufficient);
        /* n / 2: rounding errors of this test's own residual */
        require_below(rowwise_error(A, x.X, B), 2 * sufficient + n / 2);
    } else {
        require(x.result.products == STARTILE_PRODUCTS_DOUBLE && isnan(x.result.backward));
        require_below(backward_error(A, x.X, B), fmax(30 * n, 10 * lapack_error('G', A, B)));
    }
}

/* Solves the system by all methods; returns the number of those that fell back. */
static int solve_by_all_methods(struct array A, struct array B, struct tiling t)
{
    int fallbacks = 0;
    for (int m = STARTILE_METHOD_AUTO; m <= STARTILE_METHOD_GMRES; m++) {
        const startile_mixed_options options = {.size = sizeof options,
                                                .method = (startile_method)m};
        struct solved x = solve('G', A, B, &options, WRAPPED, t, NRHS);
        require_honest(A, B, x);
        fallbacks += x.result.iterations < 0;
        solved_free(x);
    }
    return fallbacks;
}

/* Tests orders from growth within single precision to growth beyond its range, 2^128. In each step
 * elements of the last column double (gfpp), or grow by 1.9 (growing). With scaled rows other
 * pivots are chosen. gfpp is refined for n = 20; from n = 127 on its refinement cannot converge. */
static void test_growth(void)
{
    static const int64_t orders[] = {20, 60, 127, 128, 129, 140, 170};
    static const struct general *const kinds[] = {&gfpp, &growing};
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 7; o++)
            for (int is_scaled = 0; is_scaled < 2; is_scaled++) {
                int64_t n = orders[o];
                in_case("%s, n %d%s", kinds[k]->name, (int)n, is_scaled ? ", scaled rows" : "");
                random_seed((uint64_t)n);
                struct array A = generate_general(kinds[k], dtype, n, n, 1),
                             B = array_new_random(dtype, n, NRHS, 3);
                if (is_scaled)
                    scale_rows(A, B);
                int fallbacks = solve_by_all_methods(A, B, tiling_of(o % 3, n, NB));
                require(fallbacks == 0 || n > 20);
                require(fallbacks == 3 || k == 1 || is_scaled || n < 127);
                arrays_free(A, B);
            }
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "mixed_growth", test_growth);
}
