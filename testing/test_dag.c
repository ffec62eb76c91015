/*
 * The algorithms' tasks, without running StarPU. Since StarPU's order of conflicting tasks is that
 * of submission, an algorithm is right when its tasks, in the order recorded, each find the tiles
 * that they read finished and apply every update once and in its place; and it is parallel when
 * nothing beyond that orders them.
 */
#include "dag.h"

#include <complex.h>
#include <stdlib.h>

static startile_matrix *oblong(startile_dtype dtype, int64_t rows, int64_t columns)
{
    return fake_matrix(dtype, elements(rows), elements(columns), NB, NB);
}

/* Tile t is element (i, j) of the matrix A seen through op. */
static bool is_tile(tile t, const startile_matrix *A, char op, int64_t i, int64_t j)
{
    return t.A == A && t.op == op && t.i == (op == 'N' ? i : j) && t.j == (op == 'N' ? j : i);
}

static int64_t seen_row(tile t)
{
    return t.op == 'N' ? t.i : t.j;
}

static int64_t seen_column(tile t)
{
    return t.op == 'N' ? t.j : t.i;
}

/* What has happened to the tiles of one matrix, by the position in which they are seen. */
struct progress {
    int updates[DAG_TILES][DAG_TILES];
    bool solved[DAG_TILES][DAG_TILES];
    bool home[DAG_TILES][DAG_TILES];
};

/* -- Cholesky ------------------------------------------------------------------------------------
 */

static const startile_dtype types[] = {STARTILE_D, STARTILE_Z};

static char conjugate(startile_dtype dtype)
{
    return dtype == STARTILE_Z ? 'C' : 'T';
}

static void check_potrf_task(const struct record *r, char uplo, const startile_matrix *A,
                             struct progress *p, inverse *W[])
{
    char op = uplo == 'L' ? 'N' : conjugate(startile_matrix_shape(A).dtype);
    char turned = uplo == 'L' ? 'C' : 'N';
    int64_t m = seen_row(r->written), n = seen_column(r->written), nt = startile_matrix_shape(A).nt;
    if (r->kind == FORGET)
        return;
    require(is_tile(r->written, A, op, m, n) && m >= n);
    switch (r->kind) {
    case POTRF:
        require(m == n && p->updates[m][m] == m && !p->solved[m][m] && r->uplo == uplo);
        require(r->want_inverse == (m + 1 < nt));
        W[m] = r->W;
        p->solved[m][m] = true;
        break;
    case TRSM:
        require(m > n && p->updates[m][n] == n && !p->solved[m][n] && p->solved[n][n]);
        require(r->read[0].i == n && r->read[0].j == n && r->read[0].op == turned);
        require(r->side == 'R' && r->uplo == uplo && r->diag == 'N' && r->alpha == 1);
        require(!r->by_inverse || r->W == W[n]);
        p->solved[m][n] = true;
        break;
    case HERK: {
        int k = p->updates[m][n]++;
        require(m == n && k < n && is_tile(r->read[0], A, op, n, k) && p->solved[n][k]);
        require(r->op == 'C' && r->uplo == uplo && r->alpha == -1 && r->beta == 1);
        break;
    }
    case GEMM: {
        int k = p->updates[m][n]++;
        require(m > n && k < n);
        require(is_tile(r->read[0], A, op, m, k) && p->solved[m][k]);
        require(is_tile(r->read[1], A, turned, k, n) && p->solved[n][k]);
        require(r->alpha == -1 && r->beta == 1);
        break;
    }
    case HOME:
        require(p->solved[m][n] && !p->home[m][n]);
        p->home[m][n] = true;
        break;
    default:
        require(!"a task that has no place in a Cholesky factorization");
    }
}

static void check_potrf(char uplo, startile_dtype dtype, int64_t nt)
{
    struct progress p = {0};
    inverse *W[DAG_TILES] = {NULL};
    int forgotten[DAG_TILES] = {0};
    startile_matrix *A = square(dtype, nt);
    recorder_reset();
    require(startile_potrf_async(uplo, A, fake_request()) == 0);
    require(count_of(POTRF) == nt);
    require(count_of(TRSM) == nt * (nt - 1) / 2);
    require(count_of(HERK) == nt * (nt - 1) / 2);
    require(count_of(GEMM) == nt * (nt - 1) * (nt - 2) / 6);
    for (int i = 0; i < record_count; i++) {
        struct record r = records[i];
        check_potrf_task(&r, uplo, A, &p, W);
        if (r.kind == FORGET)
            for (int64_t k = 0; k < nt; k++)
                forgotten[k] += W[k] == r.W;
        if (r.kind == TRSM)
            require(forgotten[seen_column(r.written)] == 0);
    }
    for (int64_t n = 0; n < nt; n++) {
        require(forgotten[n] == (n + 1 < nt));
        for (int64_t m = n; m < nt; m++)
            require(p.solved[m][n] && p.home[m][n]);
    }
    startile_matrix_destroy(A);
}

static void test_potrf(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 9; nt++)
        for (int u = 0; u < 2; u++)
            for (int t = 0; t < 2; t++)
                for (recorder_tiles = 1; recorder_tiles <= 4; recorder_tiles++) {
                    in_case("potrf %c, %d tiles, %d at a time, type %d", "LU"[u], (int)nt,
                            (int)recorder_tiles, types[t]);
                    check_potrf("LU"[u], types[t], nt);
                }
    recorder_tiles = 1;
}

/* -- dependences and priorities
 * -------------------------------------------------------------------- */

/* potrf, trsm, herk of each step but the last, and nothing else, is the critical path. */
static void test_potrf_chain(void **state)
{
    (void)state;
    for (int64_t nt = 1; nt <= 8; nt++) {
        in_case("longest chain of potrf, %d tiles", (int)nt);
        startile_matrix *A = square(STARTILE_Z, nt);
        recorder_reset();
        require(startile_potrf_async('L', A, fake_request()) == 0);
        require(longest_chain() == 3 * (nt - 1) + 1);
        startile_matrix_destroy(A);
    }
}

static int64_t priority_of(enum kind kind, int64_t m, int64_t n, int update)
{
    for (int r = 0; r < record_count; r++)
        if (records[r].kind == kind && seen_row(records[r].written) == m &&
            seen_column(records[r].written) == n && update-- == 0)
            return records[r].priority;
    require(!"no such task");
    return 0;
}

static void test_potrf_priorities(void **state)
{
    (void)state;
    for (int u = 0; u < 2; u++) {
        enum { NT = 7 };
        in_case("priorities of potrf %c", "LU"[u]);
        startile_matrix *A = square(STARTILE_Z, NT);
        recorder_reset();
        require(startile_potrf_async("LU"[u], A, fake_request()) == 0);
        for (int workers = 1; workers <= 3; workers++)
            check_priorities(workers);
        /* along the critical path no task may have to wait for its successors' rivals */
        for (int64_t k = 0; k + 1 < NT; k++) {
            int64_t potrf = priority_of(POTRF, k, k, 0), trsm = priority_of(TRSM, k + 1, k, 0);
            int64_t herk = priority_of(HERK, k + 1, k + 1, (int)k);
            require(potrf > trsm && trsm >= herk && herk > priority_of(POTRF, k + 1, k + 1, 0));
            for (int64_t m = k + 2; m < NT; m++)
                require(herk > priority_of(GEMM, m, k + 1, (int)k) &&
                        trsm > priority_of(TRSM, m, k, 0));
        }
        startile_matrix_destroy(A);
    }
}

/* -- triangular solves
 * ----------------------------------------------------------------------------- */

struct solve {
    char side, uplo, trans, diag;
    startile_complex alpha;
    const startile_matrix *A, *B;
};

/* One task of op(A) X = alpha B, or X op(A) = alpha B. k: the index along A; c: the other of B. */
static void check_solve_task(const struct record *r, struct solve s, struct progress *p)
{
    bool left = s.side == 'L';
    tile t = r->written;
    int64_t m = left ? t.i : t.j, c = left ? t.j : t.i, nt = startile_matrix_shape(s.A).nt;
    require(t.A == s.B);
    if (r->kind == HOME) {
        require(p->solved[m][c] && !p->home[m][c]);
        p->home[m][c] = true;
        return;
    }
    /* op(A) is lower: row k of X hangs on those above; column k on those to the right */
    bool lower = (s.uplo == 'L') == (s.trans == 'N');
    bool ascending = lower == left;
    int64_t before = ascending ? m : nt - 1 - m;
    /* as B is seen transposed, so is A: left = (op(A) tile)ᵀ */
    char expected_op = t.op == 'N' ? s.trans : compose(t.op, s.trans);
    startile_complex alpha = t.op == 'C' ? conj(s.alpha) : s.alpha;
    startile_complex scale = p->updates[m][c] == 0 ? alpha : 1;

    if (r->kind == TRSM) {
        require(p->updates[m][c] == before && !p->solved[m][c]);
        require(r->read[0].A == s.A && r->read[0].i == m && r->read[0].j == m);
        require(r->read[0].op == expected_op && r->uplo == s.uplo && r->diag == s.diag);
        require(r->side == 'L' && r->alpha == scale);
        p->solved[m][c] = true;
        return;
    }
    require(r->kind == GEMM);
    int64_t k = ascending ? p->updates[m][c] : nt - 1 - p->updates[m][c];
    /* op(A)(m, k) for the left side, op(A)(k, m) for the right */
    bool by_rows = left == (s.trans == 'N');
    tile a = r->read[0], x = r->read[1];
    require(k != m && p->updates[m][c] < before && !p->solved[m][c]);
    require(a.A == s.A && a.op == expected_op);
    require(a.i == (by_rows ? m : k) && a.j == (by_rows ? k : m));
    require(s.uplo == 'L' ? a.i > a.j : a.i < a.j);
    require(x.A == s.B && x.op == t.op && (left ? x.i : x.j) == k && (left ? x.j : x.i) == c);
    require(p->solved[k][c] && r->alpha == -1 && r->beta == scale);
    p->updates[m][c]++;
}

static void check_trsm(struct solve s, int64_t nt, int64_t columns)
{
    struct progress p = {0};
    recorder_reset();
    require(startile_trsm_async(s.side, s.uplo, s.trans, s.diag, s.alpha, s.A,
                                (startile_matrix *)s.B, fake_request()) == 0);
    require(count_of(TRSM) == nt * columns);
    require(count_of(GEMM) == nt * (nt - 1) / 2 * columns);
    for (int r = 0; r < record_count; r++) {
        require(!records[r].after_info);
        check_solve_task(&records[r], s, &p);
    }
    for (int64_t m = 0; m < nt; m++)
        for (int64_t c = 0; c < columns; c++)
            require(p.solved[m][c] && p.home[m][c]);
}

static void test_trsm(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 5; nt++)
        for (int64_t columns = 0; columns <= 3; columns++)
            for (const char *side = "LR"; *side != '\0'; side++)
                for (const char *uplo = "LU"; *uplo != '\0'; uplo++)
                    for (const char *trans = "NTC"; *trans != '\0'; trans++) {
                        in_case("trsm %c%c%c, %d tiles, %d columns", *side, *uplo, *trans, (int)nt,
                                (int)columns);
                        startile_matrix *A = square(STARTILE_Z, nt);
                        startile_matrix *B = *side == 'L' ? oblong(STARTILE_Z, nt, columns)
                                                          : oblong(STARTILE_Z, columns, nt);
                        check_trsm((struct solve){*side, *uplo, *trans, nt % 2 ? 'N' : 'U',
                                                  0.5 + 2 * I, A, B},
                                   nt, columns);
                        startile_matrix_destroy(A);
                        startile_matrix_destroy(B);
                    }
}

/* Two solves, one after the other; only the first tasks on B have to wait for the factorization. */
static void test_potrs(void **state)
{
    (void)state;
    enum { COLUMNS = 2 };
    for (int64_t nt = 0; nt <= 5; nt++)
        for (int u = 0; u < 2; u++)
            for (int posv = 0; posv < 2; posv++) {
                in_case("%s %c, %d tiles", posv ? "posv" : "potrs", "LU"[u], (int)nt);
                char uplo = "LU"[u];
                startile_matrix *A = square(STARTILE_Z, nt), *B = oblong(STARTILE_Z, nt, COLUMNS);
                struct progress p[2] = {{.updates = {{0}}}, {.updates = {{0}}}};
                recorder_reset();
                require((posv ? startile_posv_async(uplo, A, B, fake_request())
                              : startile_potrs_async(uplo, A, B, fake_request())) == 0);
                int waits = 0, sweep = 0, tasks = 0;
                for (int i = 0; i < record_count; i++) {
                    const struct record *r = &records[i];
                    if (r->written.A != B)
                        continue;
                    if (r->kind != HOME)
                        sweep = tasks++ >= COLUMNS * nt * (nt + 1) / 2;
                    struct solve s = {'L', uplo, (uplo == 'L') == (sweep == 0) ? 'N' : 'C', 'N', 1,
                                      A,   B};
                    check_solve_task(r, s, &p[sweep]);
                    waits += r->after_info;
                    /* whatever does not wait itself must come after a task on B that does */
                    require(!r->after_info || (sweep == 0 && r->kind == TRSM &&
                                               p[0].updates[r->written.i][r->written.j] == 0));
                }
                require(waits == (nt > 0 ? COLUMNS : 0));
                require(tasks == COLUMNS * nt * (nt + 1));
                require(count_of(POTRF) == (posv ? nt : 0));
                for (int64_t m = 0; m < nt; m++)
                    for (int64_t c = 0; c < COLUMNS; c++)
                        require(p[0].solved[m][c] && p[1].solved[m][c] && p[1].home[m][c]);
                startile_matrix_destroy(A);
                startile_matrix_destroy(B);
            }
}

/* -- gemm, herk
 * ------------------------------------------------------------------------------------ */

static startile_matrix *factor_of(char trans, int64_t rows, int64_t columns)
{
    return trans == 'N' ? oblong(STARTILE_Z, rows, columns) : oblong(STARTILE_Z, columns, rows);
}

static void check_gemm(char transa, char transb, int64_t mt, int64_t nt, int64_t kt,
                       startile_complex alpha)
{
    in_case("gemm %c%c, %d × %d × %d tiles, alpha %g", transa, transb, (int)mt, (int)nt, (int)kt,
            creal(alpha));
    startile_matrix *A = factor_of(transa, mt, kt), *B = factor_of(transb, kt, nt);
    startile_matrix *C = oblong(STARTILE_Z, mt, nt);
    int updates[DAG_TILES][DAG_TILES] = {{0}};
    int64_t last[DAG_TILES][DAG_TILES];
    recorder_reset();
    require(startile_gemm_async(transa, transb, alpha, A, B, 0.25, C, fake_request()) == 0);
    require(count_of(GEMM) == (alpha == 0 ? 0 : mt * nt * kt));
    require(count_of(SCALE_GEMM) == (alpha == 0 || kt == 0 ? mt * nt : 0));
    for (int i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        int64_t m = r->written.i, n = r->written.j;
        require(is_tile(r->written, C, 'N', m, n));
        if (r->kind == HOME) {
            require(updates[m][n] == (alpha == 0 || kt == 0 ? 1 : kt));
            continue;
        }
        int k = updates[m][n]++;
        require(r->beta == (k == 0 ? 0.25 : 1));
        if (r->kind == SCALE_GEMM)
            continue;
        require(is_tile(r->read[0], A, transa, m, k) && is_tile(r->read[1], B, transb, k, n));
        require(r->alpha == alpha);
        /* what has more sums before it is begun first */
        require(k == 0 || r->priority < last[m][n]);
        last[m][n] = r->priority;
    }
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_matrix_destroy(C);
}

static void test_gemm(void **state)
{
    (void)state;
    static const int64_t shapes[][3] = {{3, 2, 4}, {1, 1, 1}, {2, 5, 1}, {4, 3, 0}, {0, 2, 3}};
    for (int s = 0; s < 5; s++)
        for (const char *a = "NTC"; *a != '\0'; a++)
            for (const char *b = "NTC"; *b != '\0'; b++) {
                check_gemm(*a, *b, shapes[s][0], shapes[s][1], shapes[s][2], 2);
                check_gemm(*a, *b, shapes[s][0], shapes[s][1], shapes[s][2], 0);
            }
}

static void check_herk(bool hermitian, char uplo, char trans, int64_t nt, int64_t kt, double alpha)
{
    in_case("%s %c%c, %d × %d tiles, alpha %g", hermitian ? "herk" : "syrk", uplo, trans, (int)nt,
            (int)kt, alpha);
    char op = hermitian ? 'C' : 'T', seen = uplo == 'L' ? 'N' : op;
    startile_matrix *A = factor_of(trans, nt, kt), *C = square(STARTILE_Z, nt);
    int updates[DAG_TILES][DAG_TILES] = {{0}};
    recorder_reset();
    require((hermitian ? startile_herk_async(uplo, trans, alpha, A, 0.25, C, fake_request())
                       : startile_syrk_async(uplo, trans, alpha, A, 0.25, C, fake_request())) == 0);
    bool scaling = alpha == 0 || kt == 0;
    require(count_of(HERK) == (scaling ? 0 : nt * kt));
    require(count_of(GEMM) == (scaling ? 0 : nt * (nt - 1) / 2 * kt));
    require(count_of(SCALE_HERK) == (scaling ? nt : 0));
    require(count_of(SCALE_GEMM) == (scaling ? nt * (nt - 1) / 2 : 0));
    for (int i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        int64_t m = seen_row(r->written), n = seen_column(r->written);
        require(is_tile(r->written, C, seen, m, n) && m >= n);
        if (r->kind == HOME) {
            require(updates[m][n] == (scaling ? 1 : kt));
            continue;
        }
        int k = updates[m][n]++;
        require(r->beta == (k == 0 ? 0.25 : 1));
        if (scaling)
            continue;
        require(r->alpha == alpha && is_tile(r->read[0], A, trans, m, k));
        if (r->kind == HERK)
            require(m == n && r->op == op && r->uplo == uplo);
        else
            require(m > n && is_tile(r->read[1], A, compose(op, trans), k, n));
    }
    startile_matrix_destroy(A);
    startile_matrix_destroy(C);
}

static void test_herk(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 4; nt++)
        for (int64_t kt = 0; kt <= 3; kt++)
            for (int u = 0; u < 2; u++)
                for (int h = 0; h < 2; h++)
                    for (int transposed = 0; transposed < 2; transposed++)
                        for (int alpha = 0; alpha < 2; alpha++)
                            check_herk(h, "LU"[u], transposed ? (h ? 'C' : 'T') : 'N', nt, kt,
                                       alpha);
}

/* -- fill, copy, norms
 * ----------------------------------------------------------------------------- */

/* Each tile of the triangle once, those on the diagonal cut. */
static void test_laset_and_lacpy(void **state)
{
    (void)state;
    enum { MT = 4, NT = 3 };
    for (const char *uplo = "LUG"; *uplo != '\0'; uplo++)
        for (int copy = 0; copy < 2; copy++) {
            in_case("%s %c", copy ? "lacpy" : "laset", *uplo);
            startile_matrix *A = oblong(STARTILE_D, MT, NT), *B = oblong(STARTILE_D, MT, NT);
            int written[MT][NT] = {{0}};
            recorder_reset();
            require((copy ? startile_lacpy_async(*uplo, B, A, fake_request())
                          : startile_laset_async(*uplo, 1, 2, A, fake_request())) == 0);
            for (int i = 0; i < record_count; i++) {
                const struct record *r = &records[i];
                if (!is_task(r))
                    continue;
                require(r->kind == (copy ? LACPY : LASET) && r->written.A == A);
                require(r->uplo == (r->written.i == r->written.j ? *uplo : 'G'));
                require(!copy || (r->read[0].A == B && r->read[0].i == r->written.i &&
                                  r->read[0].j == r->written.j));
                written[r->written.i][r->written.j]++;
            }
            for (int i = 0; i < MT; i++)
                for (int j = 0; j < NT; j++)
                    require(written[i][j] == (*uplo == 'G' || (*uplo == 'L' ? i >= j : i <= j)));
            startile_matrix_destroy(A);
            startile_matrix_destroy(B);
        }
}

static void test_lange(void **state)
{
    (void)state;
    for (const char *norm = "M1OIFE"; *norm != '\0'; norm++) {
        in_case("lange %c", *norm);
        startile_matrix *A = oblong(STARTILE_D, 4, 3);
        double value;
        recorder_reset();
        require(startile_lange_async(*norm, A, &value, fake_request()) == 0);
        require(record_count == 12);
        for (int r = 0; r < 12; r++)
            require(records[r].kind == LANGE && records[r].weight == 1 &&
                    records[r].part ==
                        (*norm == 'I' ? records[r].written.i : records[r].written.j));
        startile_matrix_destroy(A);
    }
}

/* A tile beside the diagonal stands for its mirror image too: twice in 'F', in a row and in a
 * column for the sums. */
static void test_lansy(void **state)
{
    (void)state;
    enum { NT = 4 };
    for (const char *norm = "M1IF"; *norm != '\0'; norm++)
        for (int u = 0; u < 2; u++) {
            bool sums = *norm == '1' || *norm == 'I';
            in_case("lansy %c%c", *norm, "LU"[u]);
            startile_matrix *A = square(STARTILE_D, NT);
            double value;
            recorder_reset();
            require(startile_lansy_async(*norm, "LU"[u], A, &value, fake_request()) == 0);
            require(count_of(LANSY) == NT);
            require(count_of(LANGE) == (sums ? 2 : 1) * NT * (NT - 1) / 2);
            for (int i = 0; i < record_count; i++) {
                const struct record *r = &records[i];
                int64_t m = r->written.i, n = r->written.j;
                if (r->kind == LANSY) {
                    require(m == n && r->part == m);
                    continue;
                }
                require(u == 0 ? m > n : m < n);
                if (sums) /* column sums go to the column's part, row sums to the row's */
                    require(r->weight == 1 && r->part == (r->norm == '1' ? n : m));
                else
                    require(r->norm == *norm && (*norm != 'F' || r->weight == 2));
            }
            startile_matrix_destroy(A);
        }
}

/* -- triangles ------------------------------------------------------------------------------------
 */

/* Every tile a number: A's by its place, lower as seen, and the temporaries'. */
struct numbers {
    const startile_matrix *A, *W;
    double a[DAG_TILES][DAG_TILES], w;
};

static double *number(struct numbers *x, tile t)
{
    if (t.A != x->A) {
        x->W = t.A;
        return &x->w;
    }
    return t.i > t.j ? &x->a[t.i][t.j] : &x->a[t.j][t.i];
}

/* The tasks in the order of their submission; of real numbers, each is its own transpose. */
static void execute(struct numbers *x)
{
    for (const struct record *r = records; r < records + record_count; r++) {
        if (!is_task(r) || r->kind == ZERO_CHECK)
            continue;
        double *c = number(x, r->written), alpha = creal(r->alpha), beta = creal(r->beta);
        double a = r->read[0].A != NULL ? *number(x, r->read[0]) : 0;
        double b = r->read[1].A != NULL ? *number(x, r->read[1]) : 0;
        switch (r->kind) {
        case TRSM:
            *c *= alpha / a;
            break;
        case TRMM:
            *c *= alpha * a;
            break;
        case GEMM:
            *c = alpha * a * b + beta * *c;
            break;
        case HERK:
            *c = alpha * a * a + beta * *c;
            break;
        case TRTRI:
            *c = 1 / *c;
            break;
        case LASET:
            *c = 0;
            break;
        case LACPY:
            *c = a;
            break;
        case REAL_DIAGONAL:
            require(r->written.A != x->A);
            break;
        default:
            require(!"a task of trtri or lauum");
        }
    }
}

static void fill(struct numbers *x, const startile_matrix *A, int64_t nt)
{
    *x = (struct numbers){.A = A};
    for (int64_t i = 0; i < nt; i++)
        for (int64_t j = 0; j <= i; j++)
            x->a[i][j] = i == j ? 2 + (double)i : 1 / (double)(3 * i + j + 1);
}

static void test_triangles(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 6; nt++)
        for (int u = 0; u < 2; u++) {
            in_case("trtri and lauum %c, %d tiles", "LU"[u], (int)nt);
            startile_matrix *A = square(STARTILE_D, nt);
            struct numbers before, x;
            fill(&before, A, nt);
            fill(&x, A, nt);
            recorder_reset();
            require(startile_trtri_async("LU"[u], 'N', A, fake_request()) == 0);
            require(count_of(ZERO_CHECK) == nt);
            for (int i = 0; i < record_count; i++)
                require(records[i].kind == HOME
                            ? records[i].gate == NO_GATE
                            : records[i].gate == (i < nt ? OPENS_GATE : BEHIND_GATE));
            require(count_of(TRTRI) == nt);
            check_homes(A);
            execute(&x);
            for (int64_t i = 0; i < nt; i++)
                for (int64_t j = 0; j <= i; j++) {
                    double sum = i == j ? -1 : 0;
                    for (int64_t k = j; k <= i; k++)
                        sum += before.a[i][k] * x.a[k][j];
                    require(sum < 1e-13 && sum > -1e-13);
                }
            fill(&x, A, nt);
            recorder_reset();
            require(startile_lauum_async("LU"[u], A, fake_request()) == 0);
            check_homes(A);
            execute(&x);
            for (int64_t i = 0; i < nt; i++)
                for (int64_t j = 0; j <= i; j++) {
                    double sum = -x.a[i][j];
                    for (int64_t k = i; k < nt; k++)
                        sum += before.a[k][i] * before.a[k][j];
                    require(sum < 1e-13 && sum > -1e-13);
                }
            startile_matrix_destroy(A);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_potrf),
        cmocka_unit_test(test_potrf_chain),
        cmocka_unit_test(test_potrf_priorities),
        cmocka_unit_test(test_trsm),
        cmocka_unit_test(test_potrs),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_herk),
        cmocka_unit_test(test_laset_and_lacpy),
        cmocka_unit_test(test_lange),
        cmocka_unit_test(test_lansy),
        cmocka_unit_test(test_triangles),
    };
    return cmocka_run_group_tests_name("dag", tests, NULL, NULL) != 0;
}
