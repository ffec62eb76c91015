/* What all routines with a plan have in common: memory, check of the result, return of the tiles to
 * host memory. */
#include "verify.h"

/* Returns whether the memory suffices for the tasks on all operands. */
static bool has_memory(context ctx, const plan *p)
{
    const startile_matrix *left = p->left.A, *right = p->right.A;
    if (left == NULL)
        return has_capacity_of(ctx, p->working_set, p->A, p->B);
    if (right == NULL)
        return has_capacity_of(ctx, p->working_set, left, p->A);
    return has_capacity_of(ctx, p->working_set, left, right) &&
           has_capacity_of(ctx, p->working_set, p->A, NULL);
}

/* Submits the checksums of the operands. */
static verification begin_check(context ctx, const plan *p)
{
    switch (p->equation) {
    case LLH:
        return verify_potrf(ctx, p->V);
    case LU:
    case QR:
        return verify_columns(ctx, p->name, p->A);
    case PRODUCT:
        return verify_gemm(ctx, p->alpha, p->left, p->right, p->beta, p->V);
    case SOLUTION:
        return verify_trsm(ctx, is_lower_as_seen(p), p->diag, p->alpha, p->left, p->V);
    default:
        return (verification){0};
    }
}

/* Submits the checksums of the result, and the comparison. */
static void end_check(context ctx, verification *v, const plan *p)
{
    if (p->equation == LLH)
        verify_potrf_end(ctx, v, p->V);
    else if (p->equation == LU)
        verify_lu_end(ctx, v, p->P);
    else if (p->equation == QR)
        verify_qr_end(ctx, v, p->T);
    else if (p->equation == PRODUCT)
        verify_gemm_end(ctx, v, p->V);
    else if (p->equation == SOLUTION)
        verify_trsm_end(ctx, v, p->V);
}

bool carry_out(context ctx, const plan *p)
{
    bool is_lu = p->working_set == GETRF, has_info = is_lu || p->working_set == POTRF;
    if (!has_memory(ctx, p))
        return false;
    verification v = begin_check(ctx, p);
    if (!p->submit(has_info ? begin_factorization(ctx) : ctx, p))
        return false;
    if (!p->returns_tiles)
        return_matrix(ctx, p->A);
    if (p->B != NULL)
        return_matrix(ctx, p->B);
    end_check(is_lu ? after_factorization(ctx) : ctx, &v, p);
    return true;
}

void submit_plan(const plan *p, startile_request *request)
{
    if (!repeats(p, request))
        carry_out(context_of(request), p);
}
