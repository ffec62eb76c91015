/*
 * The tasks of QR, LQ, least squares and reduction trees, as in test_dag.c: each finds the block
 * columns that it reads finished and is there once and in its place; nothing beyond that orders
 * them.
 */
#include "dag.h"

#include <stdlib.h>

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_of(int64_t n)
{
    return (n + NB - 1) / NB;
}

/* Panels of a factorization of A. */
static int64_t panels_of(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    return blocks_of(min(s.m, s.n));
}

static bool is_triangle(tile t, const startile_matrix *T, int64_t k)
{
    return t.A == T && t.i == 0 && t.j == k;
}

/* -- by panels --------------------------------------------------------------------------------- */

/* One panel, and its reflector on each block column to its right. */
static void read_panels(struct reader *in, const startile_matrix *A, const startile_matrix *T,
                        int64_t m, int64_t nt, int64_t panels)
{
    for (int64_t k = 0; k < panels; k++) {
        int64_t row = k * NB;
        const struct record *r = next_of(in, GEQRF);
        require(is_column(r->column_written, A, k, row, m - row) && is_triangle(r->written, T, k));
        for (int64_t j = k + 1; j < nt; j++) {
            r = next_of(in, LARFB);
            require(r->trans == 'C' && is_triangle(r->read[0], T, k));
            require(is_column(r->column_read[0], A, k, row, m - row));
            require(is_column(r->column_written, A, j, row, m - row));
        }
    }
}

static void test_geqrf(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t rows = 0; rows <= 12; rows += rows < 5 ? 1 : 7)
            for (int64_t columns = 0; columns <= 12; columns += columns < 5 ? 1 : 7) {
                in_case("geqrf, %d × %d blocks, shape %d", (int)rows, (int)columns, shape);
                startile_matrix *A = shaped(shape, rows, columns), *T = fake_triangles(A);
                struct reader in = {0};
                recorder_reset();
                require(startile_geqrf_async(A, T, fake_request()) == 0);
                int64_t panels = panels_of(A);
                read_panels(&in, A, T, elements(rows), columns, panels);
                read_tiles(&in, HOME, A);
                check_homes(A);
                require(in.at == record_count);
                /* panel, update of the next one, and so on; the last of a wide matrix has one more
                 */
                require(longest_chain() == (panels == 0 ? 0 : 2 * panels - (columns == panels)));
                startile_matrix_destroy(A);
                startile_matrix_destroy(T);
            }
}

/* A panel waits for one update of the step before, that of its own block column. */
static void test_look_ahead(void **state)
{
    (void)state;
    enum { NT = 7 };
    for (int shape = 0; shape < SHAPES; shape++) {
        in_case("look-ahead, shape %d", shape);
        startile_matrix *A = shaped(shape, NT, NT), *T = fake_triangles(A);
        recorder_reset();
        require(startile_geqrf_async(A, T, fake_request()) == 0);
        for (int p = 0; p < record_count; p++) {
            int64_t k = records[p].column_written.j;
            int updates = 0;
            for (int u = 0; u < p && records[p].kind == GEQRF; u++)
                updates += records[u].kind == LARFB && records[u].read[0].j == k - 1 &&
                           depends(&records[p], &records[u]);
            require(records[p].kind != GEQRF || updates == (k > 0));
        }
        startile_matrix_destroy(A);
        startile_matrix_destroy(T);
    }
}

static int64_t priority_of(enum kind kind, int64_t j, int64_t k)
{
    for (int r = 0; r < record_count; r++)
        if (records[r].kind == kind && records[r].column_written.j == j &&
            records[r].column_written.row == k * NB)
            return records[r].priority;
    require(!"no such task");
    return 0;
}

static void test_priorities(void **state)
{
    (void)state;
    enum { NT = 7 };
    in_case("priorities of geqrf");
    startile_matrix *A = shaped(2, NT, NT), *T = fake_triangles(A);
    recorder_reset();
    require(startile_geqrf_async(A, T, fake_request()) == 0);
    for (int workers = 1; workers <= 3; workers++)
        check_priorities(workers);
    /* what leads to the next panel goes before its rivals, and is critical */
    for (int64_t k = 0; k + 1 < NT; k++) {
        int64_t next = priority_of(LARFB, k + 1, k);
        require(priority_of(GEQRF, k, k) > next && next > priority_of(GEQRF, k + 1, k + 1));
        require(next >= CRITICAL);
        for (int64_t j = k + 2; j < NT; j++)
            require(CRITICAL > priority_of(LARFB, j, k));
    }
    startile_matrix_destroy(A);
    startile_matrix_destroy(T);
}

/* -- transposition ---------------------------------------------------------------------------- */

/* B := Aᴴ for an m × n matrix A: every block of A's tile width once, in any order. */
static void read_transpose(struct reader *in, const startile_matrix *A, const startile_matrix *B,
                           int64_t m, int64_t n)
{
    bool seen[DAG_TILES][DAG_TILES] = {{false}};
    for (int64_t t = 0; t < blocks_of(m) * blocks_of(n); t++) {
        const struct record *r = next_of(in, TRANSPOSE);
        column from = r->column_read[0], to = r->column_written;
        int64_t i = to.j, j = from.j;
        require(is_column(from, A, j, i * NB, min(NB, m - i * NB)));
        require(is_column(to, B, i, j * NB, min(NB, n - j * NB)));
        require(!seen[i][j]);
        seen[i][j] = true;
    }
}

/* The matrix that the next transposition writes. */
static const startile_matrix *transposed_next(const struct reader *in)
{
    return in->at < record_count ? records[in->at].column_written.A : NULL;
}

static void test_gelqf(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t rows = 1; rows <= 4; rows++)
            for (int64_t columns = 1; columns <= 4; columns++) {
                in_case("gelqf, %d × %d blocks, shape %d", (int)rows, (int)columns, shape);
                int64_t m = elements(rows), n = elements(columns);
                startile_matrix *A = shaped(shape, rows, columns), *T = fake_triangles(A);
                struct reader in = {0};
                recorder_reset();
                require(startile_gelqf_async(A, T, fake_request()) == 0);
                const startile_matrix *F = transposed_next(&in);
                require(F != NULL && F != A);
                read_transpose(&in, A, F, m, n);
                read_panels(&in, F, T, n, rows, panels_of(A));
                read_transpose(&in, F, A, n, m);
                read_tiles(&in, HOME, A);
                check_homes(A);
                require(next_of(&in, FORGET_MATRIX)->forgotten == F && in.at == record_count);
                startile_matrix_destroy(A);
                startile_matrix_destroy(T);
            }
}

/* T from elsewhere: one triangle a panel, each by itself, from columns or from rows. */
static void test_larft(void **state)
{
    (void)state;
    enum { ROWS = 5, COLUMNS = 3 };
    startile_complex tau[COLUMNS * NB] = {0};
    for (int by_rows = 0; by_rows < 2; by_rows++)
        for (int shape = 0; shape < SHAPES; shape++) {
            in_case("larft, %s, shape %d", by_rows ? "rows" : "columns", shape);
            int64_t m = elements(ROWS), n = elements(COLUMNS);
            startile_matrix *A =
                by_rows ? shaped(shape, COLUMNS, ROWS) : shaped(shape, ROWS, COLUMNS);
            startile_matrix *T = fake_triangles(A);
            const startile_matrix *F = A;
            struct reader in = {0};
            recorder_reset();
            require(startile_reflectors_from_lapack(by_rows ? 'R' : 'C', A, tau, T) == 0);
            if (by_rows) {
                F = transposed_next(&in);
                read_transpose(&in, A, F, n, m);
            }
            for (int64_t k = 0; k < COLUMNS; k++) {
                const struct record *r = next_of(&in, LARFT);
                require(is_column(r->column_read[0], F, k, k * NB, m - k * NB));
                require(is_triangle(r->written, T, k));
            }
            require(by_rows || longest_chain() == 1);
            require(count_of(FORGET_MATRIX) == by_rows && in.at + by_rows == record_count);
            startile_matrix_destroy(A);
            startile_matrix_destroy(T);
        }
}

/* -- products with Q --------------------------------------------------------------------------- */

/* C := op(Q) C: the block reflectors from the first on ('C') or from the last, on nt block columns
 * of C. */
static void read_apply(struct reader *in, char trans, const startile_matrix *A,
                       const startile_matrix *T, const startile_matrix *C, int64_t m,
                       int64_t panels, int64_t nt)
{
    for (int64_t step = 0; step < panels; step++) {
        int64_t k = trans == 'C' ? step : panels - 1 - step, row = k * NB;
        for (int64_t j = 0; j < nt; j++) {
            const struct record *r = next_of(in, LARFB);
            require(r->trans == trans && is_triangle(r->read[0], T, k));
            require(is_column(r->column_read[0], A, k, row, m - row));
            require(is_column(r->column_written, C, j, row, m - row));
        }
    }
}

static char other(char trans)
{
    return trans == 'N' ? 'C' : 'N';
}

/* Q of a tall A of rows × columns blocks by QR, or of its transpose by LQ, with T of as many
 * triangles as `reflectors`. */
static void check_unmqr(bool lq, char side, char trans, int shape, int64_t rows, int64_t columns,
                        int64_t reflectors)
{
    enum { OTHERS = 3 };
    bool left = side == 'L';
    int64_t m = elements(rows), n = elements(columns), others = elements(OTHERS);
    startile_matrix *A = lq ? shaped(shape, columns, rows) : shaped(shape, rows, columns);
    startile_matrix *T = fake_matrix(STARTILE_Z, NB, elements(reflectors), NB, NB);
    startile_matrix *C = left ? shaped(shape, rows, OTHERS) : shaped(shape, OTHERS, rows);
    const startile_matrix *F = A, *X = C;
    struct reader in = {0};
    recorder_reset();
    require((lq ? startile_unmlq_async : startile_unmqr_async)(side, trans, A, T, C,
                                                               fake_request()) == 0);
    if (lq) {
        F = transposed_next(&in);
        read_transpose(&in, A, F, n, m);
    }
    if (!left) {
        X = transposed_next(&in);
        read_transpose(&in, C, X, others, m);
    }
    /* each of the two turns op(Q) round */
    read_apply(&in, lq != !left ? other(trans) : trans, F, T, X, m, reflectors, OTHERS);
    if (!left)
        read_transpose(&in, X, C, m, others);
    /* block columns of C are independent of one another */
    require(lq || !left || longest_chain() == reflectors);
    read_tiles(&in, HOME, C);
    check_homes(C);
    while (in.at < record_count)
        next_of(&in, FORGET_MATRIX);
    require(count_of(FORGET_MATRIX) == lq + !left);
    startile_matrix_destroy(A);
    startile_matrix_destroy(T);
    startile_matrix_destroy(C);
}

static void test_unmqr(void **state)
{
    (void)state;
    for (int lq = 0; lq < 2; lq++)
        for (int side = 0; side < 2; side++)
            for (int trans = 0; trans < 2; trans++)
                for (int shape = 0; shape < SHAPES; shape++)
                    for (int64_t rows = 1; rows <= 5; rows++)
                        for (int64_t reflectors = 0; reflectors <= rows; reflectors++) {
                            in_case("%s %c %c, %d blocks, %d reflectors, shape %d",
                                    lq ? "unmlq" : "unmqr", "LR"[side], "NC"[trans], (int)rows,
                                    (int)reflectors, shape);
                            check_unmqr(lq, "LR"[side], "NC"[trans], shape, rows, rows, reflectors);
                        }
}

/* -- Q itself -------------------------------------------------------------------------------- */

static void read_identity(struct reader *in, const startile_matrix *A, int64_t mt, int64_t j)
{
    for (int64_t i = 0; i < mt; i++) {
        const struct record *r = next_of(in, LASET);
        require(r->written.A == A && r->written.i == i && r->written.j == j);
        require(r->uplo == 'G' && r->alpha == 0 && r->beta == 1);
    }
}

/* From the last panel on: its reflectors leave, columns of the identity take their place, and the
 * block reflector works on these and on those to their right. */
static void read_generate(struct reader *in, const startile_matrix *A, const startile_matrix *T,
                          startile_shape s, int64_t panels)
{
    for (int64_t j = panels; j < s.nt; j++)
        read_identity(in, A, s.mt, j);
    for (int64_t k = panels - 1; k >= 0; k--) {
        int64_t row = k * NB;
        const struct record *r = next_of(in, COPY);
        const startile_matrix *V = r->column_written.A;
        require(V != A && is_column(r->column_read[0], A, k, row, s.m - row) && r->uplo == 'G');
        require(is_column(r->column_written, V, 0, 0, s.m - row));
        read_identity(in, A, s.mt, k);
        for (int64_t j = k; j < s.nt; j++) {
            r = next_of(in, LARFB);
            require(r->trans == 'N' && is_triangle(r->read[0], T, k));
            require(is_column(r->column_read[0], V, 0, 0, s.m - row));
            require(is_column(r->column_written, A, j, row, s.m - row));
        }
        require(next_of(in, FORGET_MATRIX)->forgotten == V);
    }
}

static void test_ungqr(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t rows = 0; rows <= 5; rows++)
            for (int64_t columns = 0; columns <= rows; columns++)
                for (int64_t reflectors = 0; reflectors <= columns; reflectors++) {
                    in_case("ungqr, %d × %d blocks, %d reflectors, shape %d", (int)rows,
                            (int)columns, (int)reflectors, shape);
                    startile_matrix *A = shaped(shape, rows, columns);
                    startile_matrix *T = fake_matrix(STARTILE_Z, NB, elements(reflectors), NB, NB);
                    struct reader in = {0};
                    recorder_reset();
                    require(startile_ungqr_async(A, T, fake_request()) == 0);
                    read_generate(&in, A, T, startile_matrix_shape(A), reflectors);
                    read_tiles(&in, HOME, A);
                    check_homes(A);
                    require(in.at == record_count);
                    startile_matrix_destroy(A);
                    startile_matrix_destroy(T);
                }
}

static void test_unglq(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= 4; rows++)
        for (int64_t columns = rows; columns <= 5; columns++) {
            in_case("unglq, %d × %d blocks", (int)rows, (int)columns);
            int64_t m = elements(rows), n = elements(columns);
            startile_matrix *A = shaped(0, rows, columns);
            startile_matrix *T = fake_matrix(STARTILE_Z, NB, m, NB, NB);
            struct reader in = {0};
            recorder_reset();
            require(startile_unglq_async(A, T, fake_request()) == 0);
            const startile_matrix *F = transposed_next(&in);
            read_transpose(&in, A, F, m, n);
            read_generate(&in, F, T, (startile_shape){STARTILE_Z, n, m, n, NB, 1, rows}, rows);
            read_transpose(&in, F, A, n, m);
            read_tiles(&in, HOME, A);
            check_homes(A);
            require(next_of(&in, FORGET_MATRIX)->forgotten == F && in.at == record_count);
            startile_matrix_destroy(A);
            startile_matrix_destroy(T);
        }
}

/* -- least squares ---------------------------------------------------------------------------- */

/* B is written by nothing before the zero check of the factor, and by the sweeps of the triangle
 * and Q in the right order after. */
static void check_gels(char trans, int shape, int64_t rows, int64_t columns)
{
    startile_matrix *A = shaped(shape, rows, columns);
    startile_matrix *B = shaped(shape, rows > columns ? rows : columns, 2);
    bool wide = rows < columns, tall = (trans == 'N') != wide;
    int zero_check = -1, solved = 0, applied = -1, scaled = 0, scaled_back = 0;
    recorder_reset();
    require(startile_gels_async(trans, A, B, fake_request()) == 0);
    for (int i = 0; i < record_count; i++) {
        const struct record *r = &records[i];
        bool writes_B = r->column_written.A == B || r->also_written.A == B;
        zero_check = r->kind == ZERO_CHECK ? i : zero_check;
        require(!writes_B || r->gate == BEHIND_GATE);
        require(!writes_B || r->kind != SUBSTITUTION ||
                (r->uplo == 'U' && r->diag == 'N' && r->trans == (tall ? 'N' : 'C')));
        solved += writes_B && r->kind == SUBSTITUTION;
        if (writes_B && r->kind == LASCL) {
            scaled += r->up == B && r->down == NULL && solved == 0 && applied < 0;
            scaled_back += r->up == A && r->down == B && r->column_written.row == 0;
        }
        /* Qᴴ goes before the triangle of a tall problem, Q behind that of a wide one */
        if (writes_B && (r->kind == LARFB || r->kind == TPMQRT)) {
            require(r->trans == (tall ? 'C' : 'N'));
            require(tall ? solved == 0 : solved > 0);
            applied = i;
        }
    }
    require(zero_check >= 0 && applied > zero_check && count_of(ZERO_CHECK) == min(rows, columns));
    require(solved == 2 * min(rows, columns));
    require(scaled == 2 && scaled_back == 2);
    check_homes(A);
    check_homes(B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

static void test_gels(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {3, 3}, {4, 2}, {2, 4}, {6, 1}, {1, 6}, {12, 2}};
    for (int s = 0; s < 7; s++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int trans = 0; trans < 2; trans++) {
                in_case("gels %c, %d × %d blocks, shape %d", "NC"[trans], (int)shapes[s][0],
                        (int)shapes[s][1], shape);
                check_gels("NC"[trans], shape, shapes[s][0], shapes[s][1]);
            }
}

/* -- trees ------------------------------------------------------------------------------------- */

enum { TREES = 3 };
static const char *const tree_names[] = {"flat", "binary", "greedy"};

/* Of one block column: what has become of its rows of tiles. */
struct elimination {
    const startile_matrix *A;
    int64_t k, mb;
    bool has_triangle[DAG_TILES], is_gone[DAG_TILES];
    int joins;
};

/* The row of tiles that a part of A, or of the triangles beside it, lies in. */
static int64_t row_of_tiles(const struct elimination *e, column c)
{
    return c.row / (c.A == e->A ? e->mb : NB);
}

static bool is_of_column(const struct record *r, const struct elimination *e)
{
    return (r->kind == GEQRF || r->kind == TPQRT) && r->written.j == e->k;
}

static void check_elimination(const struct record *r, struct elimination *e)
{
    if (r->kind == GEQRF) {
        int64_t i = row_of_tiles(e, r->column_written);
        require(!e->has_triangle[i] && !e->is_gone[i]);
        e->has_triangle[i] = true;
        return;
    }
    int64_t top = row_of_tiles(e, r->column_written), bottom = row_of_tiles(e, r->also_written);
    require(top < bottom && e->has_triangle[top] && !e->is_gone[top] && !e->is_gone[bottom]);
    /* two triangles, or a triangle and a tile as it is */
    require(e->has_triangle[bottom] == (r->uplo == 'U'));
    e->is_gone[bottom] = true;
    e->joins++;
}

/* Each tile of a block column is eliminated once, by one that is still there; the topmost stays. */
static void check_eliminations(const startile_matrix *A)
{
    startile_shape s = startile_matrix_shape(A);
    for (int64_t k = 0; k < panels_of(A); k++) {
        struct elimination e = {.A = A, .k = k, .mb = s.mb};
        int64_t top = k * NB / s.mb;
        for (int i = 0; i < record_count; i++)
            if (is_of_column(&records[i], &e))
                check_elimination(&records[i], &e);
        require(e.joins == s.mt - 1 - top && e.has_triangle[top] && !e.is_gone[top]);
        for (int64_t i = top + 1; i < s.mt; i++)
            require(e.is_gone[i]);
    }
}

/* The task, LARFB or TPMQRT, that does to block column j what `r` did to its own. */
static int find_update(const struct record *r, const startile_matrix *C, int64_t j, char trans)
{
    int found = -1;
    for (int i = 0; i < record_count; i++) {
        const struct record *u = &records[i];
        bool is_it = u->kind == (r->kind == GEQRF ? LARFB : TPMQRT) && u->trans == trans &&
                     u->read[0].A == r->written.A && u->read[0].i == r->written.i &&
                     u->read[0].j == r->written.j && u->column_written.A == C &&
                     u->column_written.j == j;
        require(!is_it || found < 0);
        found = is_it ? i : found;
    }
    return found;
}

static bool same_rows(column a, column b)
{
    return a.row == b.row && a.rows == b.rows;
}

/* The update has the reflectors, and works on the rows, of the elimination. */
static void check_update(const struct record *u, const struct record *r, int64_t k, int64_t mb)
{
    column V = r->kind == GEQRF ? r->column_written : r->also_written, read = u->column_read[0];
    require(read.A == V.A && read.j == V.j && same_rows(read, V) && u->uplo == r->uplo);
    if (r->kind == GEQRF) {
        require(same_rows(u->column_written, V));
        return;
    }
    int64_t top = r->column_written.row / NB, first = top * mb > k * NB ? top * mb : k * NB;
    require(u->column_written.row == first && u->column_written.rows == r->column_written.rows);
    int64_t bottom = r->uplo == 'G' ? V.row : V.row / NB * mb;
    require(u->also_written.A == u->column_written.A && u->also_written.j == u->column_written.j);
    require(u->also_written.row == bottom && u->also_written.rows == V.rows);
}

/* Tasks on one block column, in the order in which a factorization has them. */
struct sequence {
    int task[4 * DAG_TILES * DAG_TILES], count;
};

/* Where they touch the same rows they come in this order, or backwards. */
static void check_order(const struct sequence *s, bool forward)
{
    for (int a = 0; a < s->count; a++)
        for (int b = a + 1; b < s->count; b++)
            if (depends(&records[s->task[a]], &records[s->task[b]]))
                require((s->task[a] < s->task[b]) == forward);
}

/* Every elimination of block column k among the first `factored` records is there for block column
 * j of C, behind them. */
static void add_updates(struct sequence *s, const startile_matrix *A, int64_t k,
                        const startile_matrix *C, int64_t j, char trans, int factored)
{
    struct elimination e = {.k = k};
    for (int i = 0; i < factored; i++)
        if (is_of_column(&records[i], &e)) {
            int u = find_update(&records[i], C, j, trans);
            require(u > i);
            check_update(&records[u], &records[i], k, startile_matrix_shape(A).mb);
            s->task[s->count++] = u;
        }
}

/* The updates of a block column, those of the first step first, and then its own eliminations. */
static void check_column(const startile_matrix *A, int64_t j)
{
    struct sequence s = {.count = 0};
    struct elimination own = {.k = j};
    for (int64_t k = 0; k < j && k < panels_of(A); k++)
        add_updates(&s, A, k, A, j, 'C', record_count);
    for (int i = 0; i < record_count; i++)
        if (is_of_column(&records[i], &own))
            s.task[s.count++] = i;
    check_order(&s, true);
}

static startile_tree *submit_tree(startile_tree_kind kind, startile_matrix *A)
{
    startile_tree *tree;
    require(startile_tree_create(&tree, A, kind) == 0);
    recorder_reset();
    require(startile_geqrf_tree_async(A, tree, fake_request()) == 0);
    return tree;
}

static void test_trees(void **state)
{
    (void)state;
    for (int kind = 0; kind < TREES; kind++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int64_t rows = 0; rows <= 9; rows += rows < 6 ? 1 : 3)
                for (int64_t columns = 0; columns <= 6; columns += columns < 4 ? 1 : 2) {
                    in_case("%s tree, %d × %d blocks, shape %d", tree_names[kind], (int)rows,
                            (int)columns, shape);
                    startile_matrix *A = shaped(shape, rows, columns);
                    startile_tree *tree = submit_tree((startile_tree_kind)kind, A);
                    check_eliminations(A);
                    for (int64_t j = 0; j < columns; j++)
                        check_column(A, j);
                    check_homes(A);
                    startile_tree_destroy(tree);
                    startile_matrix_destroy(A);
                }
}

static int levels(int64_t leaves)
{
    int count = 0;
    for (; leaves > 1; leaves = (leaves + 1) / 2)
        count++;
    return count;
}

static int chain_of(startile_tree_kind kind, int64_t rows, int64_t columns)
{
    startile_matrix *A = shaped(0, rows, columns);
    startile_tree *tree = submit_tree(kind, A);
    int chain = longest_chain();
    startile_tree_destroy(tree);
    startile_matrix_destroy(A);
    return chain;
}

/* One block column: a tile's factorization, its triangle set beside it, the joins one after the
 * other, the triangle put back. */
static void test_depth(void **state)
{
    (void)state;
    enum { BESIDE = 3 };
    for (int64_t rows = 1; rows <= 16; rows++) {
        in_case("depth of trees over %d rows of tiles", (int)rows);
        require(chain_of(STARTILE_TREE_FLAT, rows, 1) == BESIDE + rows - 1);
        require(chain_of(STARTILE_TREE_BINARY, rows, 1) == BESIDE + levels(rows));
        require(chain_of(STARTILE_TREE_GREEDY, rows, 1) == BESIDE + levels(rows));
    }
    for (int64_t rows = 2; rows <= 12; rows++)
        for (int64_t columns = 2; columns <= 6; columns++) {
            in_case("depth of trees over %d × %d tiles", (int)rows, (int)columns);
            require(chain_of(STARTILE_TREE_GREEDY, rows, columns) <=
                    chain_of(STARTILE_TREE_FLAT, rows, columns));
        }
}

/* op(Q) C takes the eliminations in their order ('C') or backwards, on every block column of C;
 * from the right, on its transpose. */
static void check_unmqr_tree(startile_tree_kind kind, char side, char trans, int64_t rows,
                             int64_t columns)
{
    enum { OTHERS = 2 };
    startile_matrix *A = shaped(0, rows, columns);
    startile_matrix *C = side == 'L' ? shaped(0, rows, OTHERS) : shaped(0, OTHERS, rows);
    startile_tree *tree = submit_tree(kind, A);
    int factored = record_count;
    require(startile_unmqr_tree_async(side, trans, A, tree, C, fake_request()) == 0);
    const startile_matrix *X = side == 'L' ? C : records[factored].column_written.A;
    char applied = side == 'L' ? trans : other(trans);
    for (int64_t j = 0; j < OTHERS; j++) {
        struct sequence s = {.count = 0};
        for (int64_t k = 0; k < panels_of(A); k++)
            add_updates(&s, A, k, X, j, applied, factored);
        require(s.count > 0);
        check_order(&s, applied == 'C');
    }
    require(count_of(TRANSPOSE) == (side == 'L' ? 0 : 2 * OTHERS * rows));
    check_homes(C);
    startile_tree_destroy(tree);
    startile_matrix_destroy(A);
    startile_matrix_destroy(C);
}

static void test_unmqr_tree(void **state)
{
    (void)state;
    for (int kind = 0; kind < TREES; kind++)
        for (int64_t rows = 1; rows <= 7; rows += 2)
            for (int64_t columns = 1; columns <= 3; columns++)
                for (int c = 0; c < 4; c++) {
                    in_case("unmqr_tree %c %c, %s, %d × %d blocks", "LR"[c % 2], "NC"[c / 2],
                            tree_names[kind], (int)rows, (int)columns);
                    check_unmqr_tree((startile_tree_kind)kind, "LR"[c % 2], "NC"[c / 2], rows,
                                     columns);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_geqrf),      cmocka_unit_test(test_look_ahead),
        cmocka_unit_test(test_priorities), cmocka_unit_test(test_gelqf),
        cmocka_unit_test(test_larft),      cmocka_unit_test(test_unmqr),
        cmocka_unit_test(test_ungqr),      cmocka_unit_test(test_unglq),
        cmocka_unit_test(test_gels),       cmocka_unit_test(test_trees),
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_unmqr_tree),
    };
    return cmocka_run_group_tests_name("dag of QR", tests, NULL, NULL) != 0;
}
