/* Factors of QR with column pivoting. */
#ifndef STARTILE_TESTING_PIVOTED_H
#define STARTILE_TESTING_PIVOTED_H

#include "check.h"
#include "generate_qr.h"
#include "objects.h"
#include "qr.h"
#include "reference.h"
#include "triangles.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* A P = Q R; jpvt as in LAPACK */
struct pivoted {
    struct qr f;
    int64_t *jpvt;
};

static inline struct pivoted pivoted_new(struct array A, const int64_t *chosen)
{
    struct pivoted p = {qr_new(A, QR), calloc((size_t)A.n + 1, sizeof(int64_t))};
    require(p.jpvt != NULL);
    for (int64_t j = 0; j < A.n && chosen != NULL; j++)
        p.jpvt[j] = chosen[j];
    return p;
}

static inline void pivoted_free(struct pivoted p)
{
    qr_free(p.f);
    free(p.jpvt);
}

/* A routine with column pivoting, with its other arguments */
typedef int64_t pivoted_routine(startile_matrix *A, startile_permutation *P, startile_reflectors *T,
                                const void *arguments);

/* Returns the factors by `routine` of a copy of A in block columns of width nb. The columns with
 * chosen[j] ≠ 0 come first. */
static inline struct pivoted pivoted_with(pivoted_routine *routine, const void *arguments,
                                          struct array A, const int64_t *chosen, enum way way,
                                          int64_t nb)
{
    struct pivoted p = pivoted_new(A, chosen);
    struct test_matrix S = test_matrix_new(p.f.F, way, 'G', max(A.m, 1), nb);
    struct test_matrix T = triangles_new(S.A, p.f.tau.m, way);
    startile_permutation *P = NULL;
    require_info(startile_permutation_create(&P, S.A), 0);
    if (chosen != NULL)
        require_info(startile_permutation_choose(P, p.jpvt), 0);
    require_info(routine(S.A, P, reflectors_of(T.A), arguments), 0);
    require_info(startile_permutation_to_lapack(P, p.jpvt), 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T.A), p.f.tau.a), 0);
    startile_permutation_destroy(P);
    triangles_end(&T, p.f.tau);
    test_matrix_finish(&S);
    return p;
}

static inline int64_t factor_by_seed(startile_matrix *A, startile_permutation *P,
                                     startile_reflectors *T, const void *seed)
{
    return seed == NULL ? startile_geqp3(A, P, T)
                        : startile_geqp3_random(A, P, T, *(const uint64_t *)seed);
}

/* Returns the factors by LAPACK's pivots or, if seed is not NULL, by random sketches. */
static inline struct pivoted pivoted_by(const uint64_t *seed, struct array A, const int64_t *chosen,
                                        enum way way, int64_t nb)
{
    return pivoted_with(factor_by_seed, seed, A, chosen, way, nb);
}

/* Checks the factors p of A; `times` as for check_qr() */
typedef void pivoted_check(struct array A, struct pivoted p, double times);

/* Checks the factors of matrices of all kinds, by pivots as in pivoted_by(). */
static inline void check_pivoted_kinds(const uint64_t *seed, pivoted_check *check)
{
    const struct {
        const struct general *kinds;
        double times;
    } lists[] = {{generals, INFINITY},
                 {full_rank, 2},
                 {mixed, INFINITY},
                 {deficient, INFINITY},
                 {extremes, 2}};
    static const int64_t shapes[][3] = {{35, 35, 16}, {100, 80, 40}, {90, 70, 8}, {40, 90, 64}};
    for (int l = 0; l < 5; l++)
        for (const struct general *g = lists[l].kinds; g->name != NULL; g++)
            for (int s = 0; s < 4; s++) {
                in_case("%s, %d × %d", g->name, (int)shapes[s][0], (int)shapes[s][1]);
                random_seed(7);
                struct array A = generate_general(g, dtype, shapes[s][0], shapes[s][1], 3);
                struct pivoted p = pivoted_by(seed, A, NULL, WRAPPED, shapes[s][2]);
                require(is_finite(p.f.F) && is_finite(p.f.tau));
                check(A, p, lists[l].times);
                pivoted_free(p);
                array_free(A);
            }
}

/* Tests the product of random m × r and r × n matrices: R has r rows that are not small. */
static inline void check_pivoted_ranks(const uint64_t *seed, int64_t nb, pivoted_check *check)
{
    enum { M = 90, N = 75 };
    for (int64_t r = 0; r < N; r += 13) {
        in_case("rank %d, nb = %d", (int)r, (int)nb);
        random_seed((uint64_t)r);
        struct array X = array_new_random(dtype, M, r, 0), Y = array_new_random(dtype, r, N, 0);
        struct array A = product('N', 'N', X, Y);
        struct pivoted p = pivoted_by(seed, A, NULL, WRAPPED, nb);
        check(A, p, INFINITY);
        double least = 100 * N * unit_roundoff(dtype) * cabs(get(p.f.F, 0, 0));
        for (int64_t k = 0; k < N; k++)
            require((cabs(get(p.f.F, k, k)) > least) == (k < r));
        pivoted_free(p);
        arrays_free(X, Y, A);
    }
}

#endif
