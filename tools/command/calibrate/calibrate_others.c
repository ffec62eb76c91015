/*
 * Operations that no routine of the bench reaches: norms, condition numbers, triangular inverses.
 */
#include "calibrate.h"

#define TRY(call) status = status ? status : (call)

static int64_t run_norms(startile_matrix *A, startile_matrix *B)
{
    static const char norms[] = "M1IF";
    double value;
    int64_t status = 0;
    for (int i = 0; norms[i]; i++) {
        TRY(startile_lange(norms[i], A, &value));
        TRY(startile_lanhe(norms[i], 'L', A, &value));
        TRY(startile_lansy(norms[i], 'L', A, &value));
    }
    TRY(startile_laset('G', 0, 1, B));
    TRY(startile_lacpy('G', A, B));
    TRY(startile_lacpy('L', A, B));
    return status;
}

/* A is positive definite. */
static int64_t run_cholesky(startile_matrix *A, startile_matrix *B)
{
    double rcond;
    int64_t status = startile_potrf('L', A);
    TRY(startile_pocon('L', A, 1, &rcond));
    TRY(startile_lacpy('G', A, B));
    TRY(startile_potri('L', B));
    TRY(startile_syrk('L', 'N', 1, A, 1, B));
    TRY(startile_gecon('1', A, 1, &rcond));
    return status;
}

int64_t run_others(const struct problem *p)
{
    startile_matrix *A = NULL, *B = NULL;
    int64_t status = startile_matrix_create(&A, p->dtype, p->n, p->n, p->nb, p->nb);
    TRY(startile_matrix_create(&B, p->dtype, p->n, p->n, p->nb, p->nb));
    for (int i = 0; i < 3; i++) {
        TRY(startile_random('H', 1, (double)p->n, A));
        TRY(run_norms(A, B));
        TRY(run_cholesky(A, B));
    }
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    return status;
}
