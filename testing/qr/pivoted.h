/* Factors of QR with column pivoting. */
#ifndef STARTILE_TESTING_PIVOTED_H
#define STARTILE_TESTING_PIVOTED_H

#include "check.h"
#include "objects.h"
#include "qr.h"
#include "triangles.h"

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

/* Returns the library's factors of a copy of A in block columns of width nb, by LAPACK's pivots or,
 * if seed is not NULL, by random sketches. The columns with chosen[j] ≠ 0 come first. */
static inline struct pivoted pivoted_by(const uint64_t *seed, struct array A, const int64_t *chosen,
                                        enum way way, int64_t nb)
{
    struct pivoted p = pivoted_new(A, chosen);
    struct test_matrix S = test_matrix_new(p.f.F, way, 'G', max(A.m, 1), nb);
    struct test_matrix T = triangles_new(S.A, p.f.tau.m, way);
    startile_permutation *P = NULL;
    require_info(startile_permutation_create(&P, S.A), 0);
    if (chosen != NULL)
        require_info(startile_permutation_choose(P, p.jpvt), 0);
    require_info(seed == NULL ? startile_geqp3(S.A, P, reflectors_of(T.A))
                              : startile_geqp3_random(S.A, P, reflectors_of(T.A), *seed),
                 0);
    require_info(startile_permutation_to_lapack(P, p.jpvt), 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T.A), p.f.tau.a), 0);
    startile_permutation_destroy(P);
    triangles_end(&T, p.f.tau);
    test_matrix_finish(&S);
    return p;
}

/* Returns A P, after checking that P is a permutation. */
static inline struct array permuted(struct array A, const int64_t *jpvt)
{
    struct array B = array_new(A.dtype, A.m, A.n, 0);
    int64_t sum = 0;
    for (int64_t j = 0; j < A.n; j++) {
        require(jpvt[j] >= 1 && jpvt[j] <= A.n);
        sum += jpvt[j];
        for (int64_t other = 0; other < j; other++)
            require(jpvt[other] != jpvt[j]);
        array_assign(array_part(A, 0, jpvt[j] - 1, A.m, 1), array_part(B, 0, j, A.m, 1));
    }
    return B;
}

#endif
