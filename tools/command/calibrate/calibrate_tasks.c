/* Tasks that no routine of the bench runs: norms, condition numbers, inverses, determinants; and
 * batches, whose order and problems per task follow from a case's order and tile width. */
#include "calibrate.h"
#include "startile_testing.h"

#define TRY(call) status = status ? status : (call)

int64_t run_other_tasks(const struct problem *p)
{
    startile_matrix *A = NULL, *B = NULL;
    startile_symmetric_pivots *P = NULL;
    startile_complex sign;
    const double one = 1; /* norm of A, on which the tasks do not depend */
    double value, logarithm;
    int64_t inertia[3];
    int64_t status = startile_matrix_create(&A, p->dtype, p->n, p->n, p->nb, p->nb);
    TRY(startile_matrix_create(&B, p->dtype, p->n, p->n, p->nb, p->nb));
    TRY(startile_symmetric_pivots_create(&P, B));
    for (int i = 0; i < 3; i++) {
        TRY(startile_random('H', 1, (double)p->n, A)); /* positive definite */
        for (const char *norm = "M1IF"; *norm; norm++) {
            TRY(startile_lange(*norm, A, &value));
            TRY(startile_lanhe(*norm, 'L', A, &value));
            TRY(startile_lansy(*norm, 'L', A, &value));
        }
        TRY(startile_laset('G', 0, 1, B));
        TRY(startile_lacpy('L', A, B));
        TRY(startile_potrf('L', A));
        TRY(startile_pocon('L', A, &one, &value));
        TRY(startile_lacpy('G', A, B));
        TRY(startile_potri('L', B));
        TRY(startile_syrk('L', 'N', 1, A, 1, B));
        TRY(startile_gecon('1', A, &one, &value));
        TRY(startile_random('H', 1, 0, B));
        TRY(startile_hetrf('L', B, P));
        TRY(startile_heinertia('L', B, P, inertia));
        TRY(startile_hedet('L', B, P, &sign, &logarithm));
    }
    startile_symmetric_pivots_destroy(P);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    return status;
}

/* A problem has the order p->n / SMALLER. The matrices of a task together have about 2 nb²
 * elements. A vector has as many elements as a problem's matrix. */
int run_batched(const struct bench_settings *s, const struct problem *p, struct row *row)
{
    enum { SMALLER = 32, TASKS = 4 };
    const struct routine *routine;
    int64_t n = p->n / SMALLER, per_task = 1 + 2 * p->nb * p->nb / (n * n);
    for (int i = 0; (routine = batch_routine(i)); i++) {
        bool vectors = routine->traits & VECTORS;
        const struct problem q = {.routine = routine,
                                  .dtype = p->dtype,
                                  .uplo = 'L',
                                  .size = {vectors ? 1 : n, vectors ? n * n : n, n},
                                  .count = TASKS * per_task,
                                  .per_task = per_task};
        row_clear(row, s, &q);
        run_batch(s, &q, row);
        if (!row->ok)
            return -1;
    }
    return 0;
}
