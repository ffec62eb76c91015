/* The part common to all routines with a plan: memory, check of the result, return of the tiles to
 * host memory. */
#include "verify.h"

/* Returns whether the memory suffices for the tasks on all operands. */
static bool has_memory(context ctx, const plan *p)
{
    const startile_matrix *left = p->left.A, *right = p->right.A;
    if (left == NULL)
        return has_capacity_for_working_set(ctx, p->working_set, p->A, p->B);
    if (right == NULL)
        return has_capacity_for_working_set(ctx, p->working_set, left, p->A);
    return has_capacity_for_working_set(ctx, p->working_set, left, right) &&
           has_capacity_for_working_set(ctx, p->working_set, p->A, NULL);
}

bool carry_out(context ctx, const plan *p)
{
    bool is_lu = p->working_set == GETRF, has_info = is_lu || p->working_set == POTRF;
    if (!has_memory(ctx, p))
        return false;
    if (p->left.A != NULL)
        hint_idle_if_large(p->left.A);
    verification v = begin_verification(ctx, p);
    plan with_sums = *p;
    with_sums.sums = v.C;
    bool is_submitted = p->submit(has_info ? begin_factorization(ctx) : ctx, &with_sums);
    if (is_submitted && !p->returns_tiles)
        return_matrix(ctx, p->A);
    if (is_submitted && p->B != NULL)
        return_matrix(ctx, p->B);
    end_verification(is_lu ? after_factorization(ctx) : ctx, &v, p, is_submitted);
    return is_submitted;
}

void submit_plan(const plan *p, startile_request *request)
{
    if (!submit_with_retries(p, request))
        carry_out(context_of(request), p);
}

int submit_on_triangle(plan p, char uplo, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check_hermitian(uplo, A, request);
    if (wrong != 0)
        return wrong;
    p.A = A;
    p.uplo = uplo;
    p.V = view_of(A, uplo == 'L' ? 'N' : 'C');
    p.panels = p.V.nt;
    submit_plan(&p, request);
    return 0;
}
