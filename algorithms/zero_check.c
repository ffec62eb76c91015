/* Search for zeros on the diagonal of a triangle, before it is inverted or solved with. */
#include "algorithms.h"
#include "operations/insert_norms.h"

context after_zero_check(context ctx, const startile_matrix *U, const magnitude *largest)
{
    context step = begin_step(ctx, U, ctx.step);
    for (int64_t k = 0; k < startile_matrix_shape(U).nt; k++)
        /* info := first zero on the diagonal of U(k,k) */
        insert_zero_check(opens_gate(step), U, k, largest);
    end_step(step);
    return waits_for_gate(ctx);
}
