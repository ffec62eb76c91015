/*
 * Lower bound of ‖A⁻¹‖ by a system with a known solution, which the factors and refinement solve:
 *
 *     Y := random;  B := −A Y;  X := B refined three times;  E := X + Y
 *     ‖A⁻¹‖ ≥ ‖E‖ / ‖A E‖, where A E = −(B − A X)
 *
 * B and the residual have rounding errors. They count once as s->least_residual ‖X‖
 * (include_known_solution()); their bound is about 2 n times that, so the result may exceed ‖A⁻¹‖.
 *
 * If A is singular in single precision, F are the factors of a matrix near A whose smallest
 * singular value may be far larger than A's. Then refinement hardly changes the component of x in
 * the direction of that singular value, and neither its corrections nor the residual show the
 * error. Y has such a component, and E keeps it.
 */
#include "mixed.h"

#include <string.h>

enum { STEPS = 3 };

void solve_known_system(mixed_solver *s)
{
    context ctx = context_of(s->low);
    startile_shape v = startile_matrix_shape(s->X);
    startile_dtype single = startile_matrix_shape(s->F).dtype;
    v.n = v.nb = KNOWN_COLUMNS;
    startile_matrix *Y = temporary_of_type(ctx, v.dtype, v),
                    *B = temporary_of_type(ctx, v.dtype, v),
                    *X = temporary_of_type(ctx, v.dtype, v),
                    *R = temporary_of_type(ctx, v.dtype, v), *S = temporary_of_type(ctx, single, v);
    if (Y == NULL || B == NULL || X == NULL || R == NULL || S == NULL)
        return;
    mixed_solver k = *s;
    k.nrhs = KNOWN_COLUMNS;
    k.submitted = 0;
    k.corrections[0] = k.corrections[1] = NULL; /* without acceleration */
    submit_random('G', 1, 0, Y, s->low);
    submit_laset('G', 0, 0, X, s->low);
    k.X = Y, k.B = X, k.R = B;
    k.steps->find_residual(ctx, &k); /* B := 0 - A Y */
    memset(k.maxima, 0, sizeof k.maxima);
    k.X = X, k.B = B, k.R = R, k.S = S;
    copy_right_side(ctx, &k);
    find_residual_maxima(ctx, &k, &k.before);
    for (int i = 0; i < STEPS; i++)
        refine(&k);
    const column_maxima *m = &k.maxima[STEPS - 1];
    if (m->x == NULL || m->d == NULL || m->r == NULL)
        return;
    s->known = *m;
    add_columns(ctx, 1, NULL, NULL, Y, X); /* X := E */
    s->known.d = column_maxima_of(ctx, &k, X, NULL);
}
