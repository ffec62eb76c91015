/*
 * Update and downdate of a Cholesky factor by a matrix of rank k, over block rows of R = Lᴴ or U.
 *
 * The update is the QR factorization of [R; Vᴴ]. The downdate is LINPACK's xCHDD for k columns at
 * once (Stewart, "The effects of rounding error on an algorithm for downdating a Cholesky
 * factorization", IMA J. Appl. Math. 23, 1979): with P = R⁻ᴴ V and Cᴴ C = I − Pᴴ P the columns of
 * [P; C] are orthonormal. A unitary Q for which Qᴴ [P; C] = [0; S] has
 *
 *     Qᴴ [R; 0] = [R₁; Z],  Sᴴ Z = [P; C]ᴴ [R; 0] = Vᴴ,  so  R₁ᴴ R₁ = Rᴴ R − V Vᴴ,
 *
 * because S is unitary. Q eliminates P from the last block row up, so that Z fills in from the
 * right and R₁ keeps its zeros, except in the diagonal blocks, which QR factorizations make
 * triangular again. If I − Pᴴ P is not positive definite, Rᴴ R − V Vᴴ is not either. Tasks that
 * change R wait until all of C is computed, so a failed downdate leaves R unchanged.
 *
 * On a grid all processes submit all tasks. The end of a step drops the copies that it has brought
 * to other processes.
 */
#include "algorithms.h"
#include "memory/tile_copies.h"

/* Block row j of R, which begins with the diagonal block. X is a temporary with that block and
 * zeros below its diagonal; if the factor is L, X has the whole row, in A's block columns. */
typedef struct {
    startile_matrix *A, *X;
    char uplo;
    int64_t j, rows;
} block_row;

static int64_t height(const startile_matrix *A, int64_t i)
{
    startile_shape a = startile_matrix_shape(A);
    return i + 1 < a.mt ? a.mb : a.m - i * a.mb;
}

static int64_t width(const startile_matrix *A, int64_t j)
{
    startile_shape a = startile_matrix_shape(A);
    return j + 1 < a.nt ? a.nb : a.n - j * a.nb;
}

/* Returns tile (i, j) of a matrix as rows of its block column. */
static column tile_as_column(const startile_matrix *A, int64_t i, int64_t j)
{
    return rows_of(A, j, i * startile_matrix_shape(A).mb, height(A, i));
}

static tile stored_tile(const startile_matrix *A, int64_t i, int64_t j)
{
    return at(view_of(A, 'N'), i, j);
}

/* Return block R(j,i) as a tile and as rows of a block column. */
static tile block_as_tile(const block_row *r, int64_t i)
{
    return r->uplo == 'L' ? stored_tile(r->X, 0, i)
           : i == r->j    ? stored_tile(r->X, 0, 0)
                          : stored_tile(r->A, r->j, i);
}

static column block_as_column(const block_row *r, int64_t i)
{
    tile t = block_as_tile(r, i);
    return tile_as_column(t.A, t.i, t.j);
}

/* Submits X := a copy of block row j, with zeros below the diagonal. */
static block_row read_row(context ctx, char uplo, startile_matrix *A, int64_t j)
{
    startile_shape a = startile_matrix_shape(A);
    block_row r = {.A = A, .uplo = uplo, .j = j, .rows = height(A, j)};
    startile_matrix *D = temporary_matrix(ctx, A, r.rows, r.rows, r.rows, r.rows);
    r.X = uplo == 'U' ? D : temporary_matrix(ctx, A, r.rows, a.n, r.rows, a.nb);
    if (D == NULL || r.X == NULL)
        return (block_row){.X = NULL};
    insert_laset(ctx, 'G', 0, 0, stored_tile(D, 0, 0));
    /* D := triangle of A(j,j) */
    insert_lacpy(ctx, uplo, stored_tile(A, j, j), stored_tile(D, 0, 0));
    if (uplo == 'L') {
        insert_transpose(ctx, 0, tile_as_column(D, 0, 0), block_as_column(&r, j)); /* X(j) := Dᴴ */
        for (int64_t i = j + 1; i < a.nt; i++) /* X(i) := A(i,j)ᴴ */
            insert_transpose(ctx, 0, tile_as_column(A, i, j), block_as_column(&r, i));
    }
    return r;
}

/* Submits A := block row j, with the signs of the rows changed so that the diagonal is positive. */
static void write_row(context ctx, const block_row *r)
{
    int64_t j = r->j, last = startile_matrix_shape(r->A).nt;
    tile diagonal = block_as_tile(r, j);
    for (int64_t i = j + 1; i < last; i++) { /* R(j,i) := sign(diag R(j,j)) * R(j,i) */
        insert_signed_rows(ctx, 'G', diagonal, block_as_tile(r, i), block_as_tile(r, i));
        if (r->uplo == 'L') /* A(i,j) := R(j,i)ᴴ */
            insert_transpose(ctx, 0, block_as_column(r, i), tile_as_column(r->A, i, j));
        return_to_host(ctx, r->uplo == 'L' ? stored_tile(r->A, i, j) : stored_tile(r->A, j, i));
    }
    if (r->uplo == 'U') { /* A(j,j) := sign(diag R(j,j)) * R(j,j) */
        insert_signed_rows(ctx, 'U', diagonal, diagonal, stored_tile(r->A, j, j));
    } else { /* A(j,j) := the conjugate transpose of that, from two temporaries */
        startile_matrix *D = temporary_matrix(ctx, r->A, r->rows, r->rows, r->rows, r->rows),
                        *E = temporary_matrix(ctx, r->A, r->rows, r->rows, r->rows, r->rows);
        if (D == NULL || E == NULL)
            return;
        insert_laset(ctx, 'G', 0, 0, stored_tile(D, 0, 0));
        insert_signed_rows(ctx, 'U', diagonal, diagonal, stored_tile(D, 0, 0));
        insert_transpose(ctx, 0, tile_as_column(D, 0, 0), tile_as_column(E, 0, 0));
        insert_lacpy(ctx, 'L', stored_tile(E, 0, 0), stored_tile(r->A, j, j));
    }
    return_to_host(ctx, stored_tile(r->A, j, j));
}

/* Returns a temporary of one n × n tile, or NULL. */
static startile_matrix *new_tile_of_order(context ctx, const startile_matrix *A, int64_t n)
{
    return temporary_matrix(ctx, A, n, n, n, n);
}

/* Submits R := the triangle of the QR factorization of [R; W], where W = Vᴴ. */
static void update(context ctx, char uplo, startile_matrix *A, const startile_matrix *W)
{
    startile_shape a = startile_matrix_shape(A), w = startile_matrix_shape(W);
    for (int64_t j = 0; j < a.nt; j++) {
        int64_t urgency = 2 * (a.nt - j);
        ctx = begin_paced_step(ctx, A, j);
        block_row r = read_row(ctx, uplo, A, j);
        if (r.X == NULL) {
            end_step(ctx);
            continue;
        }
        for (int64_t p = 0; p < w.mt; p++) {
            startile_matrix *T = new_tile_of_order(ctx, A, r.rows);
            if (T == NULL)
                return;
            column V = tile_as_column(W, p, j);
            /* [R(j,j); W(p,j)] := R and V of its QR factorization */
            insert_tpqrt(ctx, critical(urgency), 'G', block_as_column(&r, j), V,
                         stored_tile(T, 0, 0));
            for (int64_t i = j + 1; i < a.nt; i++) /* [R(j,i); W(p,i)] := Qᴴ [R(j,i); W(p,i)] */
                insert_tpmqrt(ctx, urgency, 'G', 'C', V, stored_tile(T, 0, 0),
                              block_as_column(&r, i), tile_as_column(W, p, i));
        }
        write_row(ctx, &r);
        end_step(ctx);
    }
}

/* Operands of a downdate */
typedef struct {
    startile_matrix *P, *C, *Z;
} downdate_blocks;

/* Submits the elimination of P(j,q) against C(q,q), applied to [Z; R(j,:)]. Returns false without
 * memory. */
static bool eliminate(context ctx, int64_t urgency, const downdate_blocks *b, const block_row *r,
                      int64_t q)
{
    int64_t j = r->j, columns = startile_matrix_shape(b->C).nt,
            last = startile_matrix_shape(r->A).nt;
    startile_matrix *T = new_tile_of_order(ctx, b->C, width(b->C, q));
    if (T == NULL)
        return false;
    column V = tile_as_column(b->P, j, q);
    tile t = stored_tile(T, 0, 0);
    /* [C(q,q); P(j,q)] := R and V of its QR factorization */
    insert_tpqrt(ctx, critical(urgency), 'G', tile_as_column(b->C, q, q), V, t);
    for (int64_t p = q + 1; p < columns; p++) /* [C(q,p); P(j,p)] := Qᴴ [C(q,p); P(j,p)] */
        insert_tpmqrt(ctx, critical(urgency), 'G', 'C', V, t, tile_as_column(b->C, q, p),
                      tile_as_column(b->P, j, p));
    for (int64_t i = j; i < last; i++) /* [Z(q,i); R(j,i)] := Qᴴ [Z(q,i); R(j,i)] */
        insert_tpmqrt(ctx, urgency, 'G', 'C', V, t, tile_as_column(b->Z, q, i),
                      block_as_column(r, i));
    return true;
}

/* Submits R(j,:) := Qᴴ R(j,:) for the Q of the QR factorization of R(j,j). */
static void make_triangular(context ctx, int64_t urgency, const block_row *r)
{
    startile_matrix *T = new_tile_of_order(ctx, r->A, r->rows);
    if (T == NULL)
        return;
    column V = block_as_column(r, r->j);
    insert_geqrf(ctx, critical(urgency), V, stored_tile(T, 0, 0)); /* R(j,j) := R and V */
    for (int64_t i = r->j + 1; i < startile_matrix_shape(r->A).nt; i++)
        insert_larfb(ctx, urgency, 'C', V, stored_tile(T, 0, 0), block_as_column(r, i));
}

/* Submits R := R₁ by unitary transformations that eliminate P. The tasks wait for the gate of ctx.
 */
static void downdate(context ctx, char uplo, startile_matrix *A, const downdate_blocks *b)
{
    int64_t steps = startile_matrix_shape(A).nt, columns = startile_matrix_shape(b->C).nt;
    for (int64_t s = 0; s < steps; s++) {
        int64_t urgency = 2 * (steps - s);
        ctx = begin_paced_step(ctx, A, s);
        block_row r = read_row(ctx, uplo, A, steps - 1 - s);
        bool is_complete = r.X != NULL;
        for (int64_t q = 0; q < columns && is_complete; q++)
            is_complete = eliminate(ctx, urgency, b, &r, q);
        if (is_complete) {
            make_triangular(ctx, urgency, &r);
            write_row(ctx, &r);
        }
        end_step(ctx);
    }
}

/* Submits P := R⁻ᴴ V and C := the upper Cholesky factor of I − Pᴴ P, which fails the request if
 * that is not positive definite; Z := 0. Returns false without memory. */
static bool prepare_downdate(context ctx, char uplo, const startile_matrix *A,
                             const startile_matrix *V, downdate_blocks *b)
{
    startile_shape a = startile_matrix_shape(A), v = startile_matrix_shape(V);
    *b = (downdate_blocks){.P = copy_of(ctx, V),
                           .C = temporary_matrix(ctx, V, v.n, v.n, v.nb, v.nb),
                           .Z = temporary_matrix(ctx, V, v.n, a.n, v.nb, a.nb)};
    if (b->P == NULL || b->C == NULL || b->Z == NULL)
        return false;
    solve_triangle(ctx, true, uplo, 'N', 1, view_of(A, uplo == 'L' ? 'N' : 'C'), view_of(b->P, 'N'),
                   a.nt, false);
    submit_laset('G', 0, 1, b->C, ctx.request);
    submit_herk('U', 'C', -1, b->P, 1, b->C, ctx.request); /* C := I − Pᴴ P */
    submit_potrf('U', b->C, ctx.request);
    return true;
}

static bool update_factor(context ctx, const plan *p)
{
    const startile_matrix *V = p->left.A;
    startile_shape a = startile_matrix_shape(p->A), v = startile_matrix_shape(V);
    startile_matrix *W = temporary_matrix(ctx, p->A, v.n, a.n, a.nb, a.nb);
    if (W == NULL)
        return false;
    transpose(ctx, V, W); /* W := Vᴴ */
    update(ctx, p->uplo, p->A, W);
    return true;
}

static bool downdate_factor(context ctx, const plan *p)
{
    const startile_matrix *V = p->left.A;
    downdate_blocks b;
    if (startile_matrix_shape(V).n == 0)
        return true;
    if (!prepare_downdate(ctx, p->uplo, p->A, V, &b))
        return false;
    /* the check reads each diagonal tile of C, and finds no zero */
    downdate(after_zero_check(ctx, b.C, NULL), p->uplo, p->A, &b);
    return true;
}

/* Checks the arguments, and completes and carries out the plan p. */
static int submit_change_of_rank_k(plan p, char uplo, startile_matrix *A, const startile_matrix *V,
                                   startile_request *request)
{
    uplo = capital(uplo);
    int wrong = check_hermitian_system(uplo, A, V, request);
    if (wrong != 0)
        return wrong;
    p.working_set = TILE_PRODUCTS;
    p.A = A;
    p.uplo = uplo;
    p.V = view_of(A, 'N');
    p.returns_tiles = true;
    p.left = view_of(V, 'N');
    submit_plan(&p, request);
    return 0;
}

int submit_potrf_update(char uplo, startile_matrix *A, const startile_matrix *V,
                        startile_request *request)
{
    plan p = {.name = "potrf_update", .submit = update_factor};
    return submit_change_of_rank_k(p, uplo, A, V, request);
}

int submit_potrf_downdate(char uplo, startile_matrix *A, const startile_matrix *V,
                          startile_request *request)
{
    plan p = {.name = "potrf_downdate", .submit = downdate_factor};
    return submit_change_of_rank_k(p, uplo, A, V, request);
}
