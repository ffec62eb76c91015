#include "qr_factors.h"

#include "data/reflectors.h"
#include "models/tile_size.h"
#include "request/request.h"

bool suits_tree(const startile_matrix *W, const startile_matrix *B)
{
    startile_shape w = startile_matrix_shape(W), b = startile_matrix_shape(B);
    return w.mt > 1 && w.m >= TALL * w.n && same_tiles(w.m, w.mb, b.mb);
}

qr_factors factor_qr(context ctx, startile_matrix *W, const startile_matrix *B)
{
    startile_shape s = startile_matrix_shape(W);
    qr_factors f = {.W = W};
    if (suits_tree(W, B)) {
        request_fail(ctx.request, startile_tree_create(&f.tree, W, STARTILE_TREE_GREEDY));
        if (f.tree == NULL)
            return (qr_factors){NULL};
        own_tree(ctx, f.tree);
        factor_by_tree(ctx, W, f.tree);
        return f;
    }
    f.T = temporary_matrix(ctx, W, s.nb, s.n, s.nb, s.nb);
    if (f.T == NULL)
        return (qr_factors){NULL};
    request_fail(ctx.request, submit_geqrf(W, reflectors_in(f.T), ctx.request));
    return f;
}

void apply_q(context ctx, char trans, const qr_factors *f, startile_matrix *B)
{
    if (f->tree != NULL)
        apply_tree(ctx, trans, f->W, f->tree, B);
    else
        apply_reflectors(ctx, trans, f->W, f->T, B);
}
