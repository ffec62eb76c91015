/* Public functions of QR by a tree: storage, factorization, multiplication by Q. */
#include "grid/agreement.h"
#include "grid/owner.h"
#include "tree.h"

#include <stdlib.h>

/* Returns whether the tree was created for a matrix of A's type, shape and tile shape. */
static bool has_shape_of(const startile_tree *tree, const startile_matrix *A)
{
    startile_shape a = startile_matrix_shape(A), s = tree->shape;
    return a.dtype == s.dtype && a.m == s.m && a.n == s.n && a.mb == s.mb && a.nb == s.nb;
}

/* Creates R, T and T_of_join. They have no tiles if A has no rows or no columns. */
static int make_matrices(startile_tree *tree, startile_grid *grid)
{
    const startile_shape *s = &tree->shape;
    int64_t leaves = tree->processes > 0 ? tree->processes : s->mt;
    int64_t m = leaves * s->nb, n = s->m < s->n ? s->m : s->n;
    startile_matrix **matrices[] = {&tree->R, &tree->T, &tree->T_of_join};
    int status = 0;
    for (int i = 0; i < 3 && status == 0; i++)
        status = grid == NULL ? startile_matrix_create(matrices[i], s->dtype, m, n, s->nb, s->nb)
                              : startile_matrix_create_distributed(matrices[i], s->dtype, m, n,
                                                                   s->nb, s->nb, grid);
    return status;
}

static void free_lists_and_tree(startile_tree *tree)
{
    free(tree->first);
    free(tree->join);
    free(tree);
}

static int check_create_arguments(startile_tree **tree, const startile_matrix *A,
                                  startile_tree_kind kind)
{
    if (tree == NULL)
        return -1;
    if (A == NULL || !has_panels(A))
        return -2;
    return kind < STARTILE_TREE_FLAT || kind > STARTILE_TREE_GREEDY ? -3 : 0;
}

int64_t startile_tree_create(startile_tree **tree, const startile_matrix *A,
                             startile_tree_kind kind)
{
    const argument list[] = {matrix_argument(A), integer_argument(kind)};
    int wrong =
        agree_on_call(&(call){"tree_create", list, 2}, check_create_arguments(tree, A, kind));
    if (wrong != 0)
        return wrong;
    startile_tree *new_tree = calloc(1, sizeof *new_tree);
    if (new_tree == NULL)
        return STARTILE_ERROR_MEMORY;
    new_tree->kind = kind;
    new_tree->shape = startile_matrix_shape(A);
    new_tree->processes = process_rows(A) > 1 ? process_rows(A) : 0;
    int64_t k = new_tree->shape.m < new_tree->shape.n ? new_tree->shape.m : new_tree->shape.n;
    new_tree->panels = (k + new_tree->shape.nb - 1) / new_tree->shape.nb;
    int status = order_joins(new_tree) ? make_matrices(new_tree, startile_matrix_grid(A))
                                       : STARTILE_ERROR_MEMORY;
    if (status != 0)
        startile_tree_destroy(new_tree);
    else
        *tree = new_tree;
    return status;
}

argument tree_argument(const startile_tree *tree)
{
    return matrix_argument(tree == NULL ? NULL : tree->R);
}

void startile_tree_destroy(startile_tree *tree)
{
    if (tree == NULL)
        return;
    startile_matrix_destroy(tree->R);
    startile_matrix_destroy(tree->T);
    startile_matrix_destroy(tree->T_of_join);
    free_lists_and_tree(tree);
}

/* Frees the tree and its lists when the request that owns the tree releases it (own_tree()). The
 * tree's matrices are temporaries of their own. */
static void release_tree(temporary *owned)
{
    startile_tree *tree = (startile_tree *)owned;
    free_lists_and_tree(tree);
}

void own_tree(context ctx, startile_tree *tree)
{
    own_matrix(ctx, tree->R);
    own_matrix(ctx, tree->T);
    own_matrix(ctx, tree->T_of_join);
    own_temporary(ctx, &tree->owned, release_tree);
}

static bool factor(context ctx, const plan *p)
{
    factor_by_tree(ctx, p->A, p->tree);
    return true;
}

int submit_geqrf_tree(startile_matrix *A, startile_tree *tree, startile_request *request)
{
    if (A == NULL || !has_panels(A))
        return -1;
    if (tree == NULL || !has_shape_of(tree, A))
        return -2;
    if (request == NULL)
        return -3;
    plan p = {.name = "geqrf_tree",
              .working_set = TILE_PRODUCTS,
              .A = A,
              .uplo = 'G',
              .V = view_of(A, 'N'),
              .submit = factor,
              .tree = tree};
    submit_plan(&p, request);
    return 0;
}

/* With side 'R', multiplies Cᴴ from the left, because C op(Q) = (op(Q)ᴴ Cᴴ)ᴴ. */
static bool apply_on_side(context ctx, const plan *p)
{
    const startile_matrix *A = p->left.A;
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(p->A);
    if (p->V.op == 'N') {
        apply_tree(ctx, p->op, A, p->tree, p->A);
        return true;
    }
    /* X := C^H with A's tile height, which apply_tree() requires */
    startile_matrix *X = temporary_matrix(ctx, p->A, c.n, c.m, a.mb, a.nb);
    if (X == NULL)
        return false;
    transpose(ctx, p->A, X);
    apply_tree(ctx, other_trans(p->op), A, p->tree, X);
    transpose(ctx, X, p->A);
    return true;
}

static int check_unmqr_tree(char side, char trans, const startile_matrix *A,
                            const startile_tree *tree, const startile_matrix *C,
                            const startile_request *request)
{
    int wrong = check_product_with_q(side, trans, A);
    if (wrong != 0)
        return wrong;
    if (tree == NULL || !has_shape_of(tree, A))
        return -4;
    startile_shape a = startile_matrix_shape(A), c = startile_matrix_shape(C);
    if (!fits_q(side, C, A, a.m) || (side == 'L' && !same_tiles(a.m, a.mb, c.mb)))
        return -5;
    return request == NULL ? -6 : 0;
}

int submit_unmqr_tree(char side, char trans, const startile_matrix *A, const startile_tree *tree,
                      startile_matrix *C, startile_request *request)
{
    side = capital(side);
    int wrong = check_unmqr_tree(side, trans, A, tree, C, request);
    if (wrong != 0)
        return wrong;
    plan p = {.name = "unmqr_tree",
              .working_set = TILE_PRODUCTS,
              .A = C,
              .uplo = 'G',
              .V = view_of(C, side == 'L' ? 'N' : 'C'),
              .submit = apply_on_side,
              .tree = tree,
              .left = view_of(A, 'N'),
              .op = conjugating_trans(trans, A)};
    submit_plan(&p, request);
    return 0;
}
