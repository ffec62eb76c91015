/* Cholesky factorization A = L Lᴴ, right-looking (LAPACK xPOTRF; Volkov & Demmel 2008, sec. 5). */
#include "verify.h"

static bool is_on_grid(view A)
{
    return process_rows(A.A) * process_columns(A.A) > 1;
}

/* Returns the distance from the urgency 2 (nt - k) that gives all tasks on A(i,n) the same
 * priority: column by column, each from the top. A worker then applies all updates to A(i,n) before
 * it turns to another tile, so that the tile stays in the core's cache: 5 % faster on two cores for
 * n = 3072 and 4096 (perf_models/NOTES.md, "CPU cores"). It was not tried with GPUs. In more
 * than 512 tile rows neighbors share a priority, so that all are below CRITICAL. */
static int64_t distance_by_tiles(view A, int64_t k, int64_t i, int64_t n)
{
    int64_t most = CRITICAL / 2 / A.nt, steps = A.nt < most ? A.nt : most;
    return 2 * (A.nt - k) - ((A.nt - n) * steps + (A.nt - i) * steps / A.nt);
}

/* Returns by how much the priority of A(i,k)'s solve is below the step's urgency. On a grid other
 * processes wait for all tiles of the panel. */
static int64_t distance_of_solve(view A, int64_t k, int64_t i)
{
    if (is_on_grid(A))
        return 0;
    return runtime_has_cuda() ? i - k : distance_by_tiles(A, k, i, k);
}

/* Returns how many block columns right of a panel go before all others on a grid: the number of
 * panels of whose tiles a process can hold the copies. A quarter of a process' part and one block
 * column is (nt / 4 + p q) nt / (p q) tiles; of a panel a process receives (p + q - 2) nt / (p q)
 * tiles on average. (perf_models/NOTES.md, "Several GPUs and processes") */
static int64_t columns_ahead(view A)
{
    int p = process_rows(A.A), q = process_columns(A.A);
    return (A.nt / 4 + p * q) / (p + q - 2);
}

/* Returns by how much the priority of A(i,n)'s update by panel k is below the step's urgency. On a
 * grid the next block columns are updated in order, and the others in the order of the panels:
 * copies of the oldest panel are then freed first, so that the next panel can be received. */
static int64_t distance_of_update(view A, int64_t k, int64_t i, int64_t n)
{
    if (!is_on_grid(A))
        return runtime_has_cuda() ? n - k + i - k : distance_by_tiles(A, k, i, n);
    int64_t ahead = columns_ahead(A);
    /* urgency falls by 2 from a panel to the next */
    return n - k <= ahead ? 2 * (n - k) : 2 * ahead + 1;
}

/* Factors A(k,k) and computes L(k+1:,k). A(k+1,k) has its own task, because the next diagonal tile
 * waits for it. */
static inverse *panel(context ctx, const factorization *f, step s)
{
    view A = f->V;
    int64_t k = s.k, next = k + 1;
    tile L = tile_op('C', at(A, k, k));
    /* A(k,k) = L(k,k) * L(k,k)^H, W := L(k,k)^-1 */
    inverse *W = insert_potrf(ctx, critical(s.urgency), f->uplo, at(A, k, k), next < A.nt);
    broadcast(ctx, critical(s.urgency), L, (tile_block){A, next, k, A.nt - next, 1});
    if (own_column(A, k) == k)
        for (int64_t i = own_row(A, next); i < A.nt;) {
            /* A(i,k) := A(i,k) * L(k,k)^-H for the tiles i of B */
            tile_range B = i == next ? (tile_range){A, i, k, 1} : tiles_from(A, i, k);
            insert_trsm_inverse(
                ctx, i == next ? critical(s.urgency - 1) : s.urgency - distance_of_solve(A, k, i),
                f->uplo, L, W, B);
            i = own_row(A, i + B.count);
        }
    return W;
}

/* Updates block columns s.first … s.last − 1 by block column k. The tiles (k+1,k+1), (k+2,k+1) and
 * (k+2,k+2) have tasks of their own, because the critical path needs them next. A left-looking
 * update gives them own tasks only with the option reproducible (5 % slower on a simulated H200, n
 * = 32768, 2150 MiB): a kernel for several tiles rounds differently on GPUs. */
static void update(context ctx, const factorization *f, step s, inverse *W)
{
    view A = f->V;
    bool has_own_tasks = !s.is_left_looking || runtime_is_reproducible();
    int64_t k = s.k, next = has_own_tasks ? k + 1 : -1; /* −1: no tile has its own task */
    int64_t urgent = s.is_left_looking ? s.urgency : critical(s.urgency - 1);
    (void)W;
    for (int64_t n = own_column(A, s.first); n < s.last; n = own_column(A, n + 1))
        for (int64_t i = own_row(A, n); i < A.nt;) {
            tile_range C = tiles_from(A, i, n);
            if (n <= next + 1 && i <= next + 1)
                C.count = 1;
            if (i == next) /* A(next,next) -= L(next,k) * L(next,k)^H, since i >= n >= k + 1 */
                insert_herk(ctx, urgent, 'C', f->uplo, -1, at(A, next, k), 1, at(A, next, next));
            else /* A(i,n) -= L(i,k) * L(n,k)^H for the tiles i of C */
                insert_herk_gemm(ctx, priority_at(s, distance_of_update(A, k, i, n)), f->uplo,
                                 (tile_range){A, i, k, C.count}, at(A, n, k), C);
            i = own_row(A, i + C.count);
        }
}

static int submit_again(const operation_again *o, startile_request *r)
{
    return submit_potrf(o->uplo, o->written, r);
}

int submit_potrf(char uplo, startile_matrix *A, startile_request *request)
{
    uplo = capital(uplo);
    if (!is_one_of(uplo, "LU"))
        return -1;
    if (A == NULL || !has_square_tiles(A))
        return -2;
    if (request == NULL)
        return -3;
    if (verify_again(request, &(operation_again){.submit = submit_again,
                                                 .written = A,
                                                 .uplo = uplo,
                                                 .reads_written = true}))
        return 0;
    view L = view_of(A, uplo == 'L' ? 'N' : 'C');
    factorization f = {"potrf", panel, update, A, L, L.nt, .uplo = uplo, .is_triangular = true};
    verification v = verify_potrf(context_of(request), L);
    if (factor_blocked(begin_factorization(context_of(request)), POTRF, &f))
        verify_potrf_end(context_of(request), &v, L);
    return 0;
}
