/*
 * The tasks of LU and of what uses its factors, as in test_dag.c: each finds the block columns that
 * it reads finished and is there once and in its place; nothing beyond that orders them.
 */
#include "dag.h"

#include <complex.h>
#include <stdlib.h>

enum pivoting { PARTIAL, TOURNAMENT, NONE };
static const char *const names[] = {"getrf", "getrf_tntpiv", "getrf_nopiv"};

/* -- factorizations -------------------------------------------------------------------------- */

/* How far a factorization has come. */
struct progress {
    enum pivoting pivoting;
    const startile_matrix *A;
    const startile_pivots *P;
    int64_t panels, steps;      /* steps: panels that have been factored */
    int updates[DAG_TILES];     /* of each block column */
    int64_t moved[DAG_TILES];   /* panels whose interchanges a finished one has seen */
    inverse *W[DAG_TILES], *WU; /* of L's diagonal blocks; of the last one of U */
    int forgotten[DAG_TILES];
    bool home[DAG_TILES][DAG_TILES];
    /* of the panel under way */
    int64_t leaf_row; /* rows above are in a leaf */
    const candidates *playing[64];
    int players;
    bool is_ordered, is_on_top, has_block;
    bool has_ended;
};

static int find(const struct progress *p, const candidates *c)
{
    for (int i = 0; i < p->players; i++)
        if (p->playing[i] == c)
            return i;
    return -1;
}

/* Leaves cut the panel's rows from top to bottom; who has lost is out. */
static void check_tournament(const struct record *r, struct progress *p)
{
    int64_t k = p->steps, m = startile_matrix_shape(p->A).m, n = block_rows(p->A, k);
    column leaf = r->column_read[0];
    switch (r->kind) {
    case SELECT:
        require(p->updates[k] == k && !p->is_ordered && r->n == n);
        require(is_column(leaf, p->A, k, p->players == 0 ? k * NB : p->leaf_row, leaf.rows));
        require(leaf.rows >= n);
        p->leaf_row = leaf.row + leaf.rows;
        p->playing[p->players++] = r->winners;
        break;
    case MATCH: {
        int loser = find(p, r->losers);
        require(find(p, r->winners) >= 0 && loser >= 0 && r->winners != r->losers);
        p->playing[loser] = NULL;
        break;
    }
    case ORDER: {
        require(p->players > 0 && p->leaf_row == m && !p->is_ordered);
        int left = 0;
        for (int i = 0; i < p->players; i++)
            left += p->playing[i] != NULL;
        require(left == 1 && find(p, r->winners) >= 0);
        require(r->P == p->P && r->first == k && r->writes_pivots);
        p->is_ordered = true;
        break;
    }
    default:
        require(!"no task of a tournament");
    }
}

static void end_panel(struct progress *p)
{
    p->steps++;
    p->players = 0;
    p->is_ordered = p->is_on_top = p->has_block = false;
}

/* The panel itself, in one task or two. */
static void check_panel(const struct record *r, struct progress *p)
{
    int64_t k = p->steps, row = k * NB, n = block_rows(p->A, k);
    int64_t m = startile_matrix_shape(p->A).m, nt = startile_matrix_shape(p->A).nt;
    require(k < p->panels && p->updates[k] == k);
    require(p->pivoting != TOURNAMENT || p->is_on_top);
    if (r->kind == GETRF) {
        require(p->pivoting == PARTIAL && is_column(r->column_written, p->A, k, row, m - row));
        require(r->P == p->P && r->first == k && r->want_inverse == (k + 1 < nt));
        p->W[k] = r->W;
        end_panel(p);
    } else if (r->kind == GETRF_NOPIV) {
        require(p->pivoting != PARTIAL && !p->has_block);
        require(is_column(r->column_written, p->A, k, row, n) && r->n == n);
        p->W[k] = r->W;
        p->WU = r->upper_W;
        p->has_block = true;
        if (row + n == m)
            end_panel(p);
    } else {
        require(p->has_block && is_column(r->column_written, p->A, k, row + n, m - row - n));
        require(is_column(r->column_read[0], p->A, k, row, n) && r->W == p->WU);
        end_panel(p);
    }
}

/* Step k of the update of column j to its right. */
static void check_update(const struct record *r, struct progress *p)
{
    column B = r->column_written, T = r->column_read[0];
    int64_t k = T.j, row = k * NB, rows = startile_matrix_shape(p->A).m - row;
    require((r->kind == UPDATE) == (p->pivoting != NONE));
    require(r->kind != UPDATE || (r->P == p->P && r->first == k));
    require(k < p->steps && B.j > k && p->updates[B.j] == k);
    require(is_column(T, p->A, k, row, rows) && is_column(B, p->A, B.j, row, rows));
    require(r->uplo == 'L' && r->trans == 'N' && r->diag == 'U' && r->n == block_rows(p->A, k));
    require(r->W == p->W[k] && p->forgotten[k] == 0);
    p->updates[B.j]++;
}

/* Of the panel under way, or of finished columns to its left. */
static void check_laswp(const struct record *r, struct progress *p)
{
    column B = r->column_written;
    int64_t m = startile_matrix_shape(p->A).m, row = r->first * NB;
    require(r->P == p->P && !r->backwards && is_column(B, p->A, B.j, row, m - row));
    if (B.j == p->steps) {
        require(p->pivoting == TOURNAMENT && p->is_ordered && !p->is_on_top);
        require(r->first == B.j && r->last == B.j + 1);
        p->is_on_top = true;
        return;
    }
    require(B.j < p->steps && r->last <= p->steps && p->moved[B.j] == r->first);
    p->moved[B.j] = r->last;
}

static bool is_final(const struct progress *p, int64_t j)
{
    return j < p->panels ? j < p->steps && (p->pivoting == NONE || p->moved[j] == p->panels)
                         : p->updates[j] == p->panels;
}

static void check_task(const struct record *r, struct progress *p)
{
    require(!p->has_ended);
    switch (r->kind) {
    case SELECT:
    case MATCH:
    case ORDER:
        require(p->pivoting == TOURNAMENT);
        check_tournament(r, p);
        break;
    case GETRF:
    case GETRF_NOPIV:
    case TRSM_COLUMN:
        check_panel(r, p);
        break;
    case UPDATE:
    case SUBSTITUTION:
        check_update(r, p);
        break;
    case LASWP:
        check_laswp(r, p);
        break;
    case HOME:
        require(r->written.A == p->A && is_final(p, r->written.j));
        require(!p->home[r->written.i][r->written.j]);
        p->home[r->written.i][r->written.j] = true;
        break;
    case FORGET:
        for (int64_t k = 0; k < p->steps; k++)
            p->forgotten[k] += r->W == p->W[k];
        break;
    case FORGET_CANDIDATES:
        break;
    case STAGE:
        p->has_ended = true;
        break;
    default:
        require(!"a task that has no place in an LU factorization");
    }
}

static void submit(enum pivoting pivoting, startile_matrix *A, startile_pivots *P)
{
    recorder_reset();
    require((pivoting == PARTIAL      ? startile_getrf_async(A, P, fake_request())
             : pivoting == TOURNAMENT ? startile_getrf_tntpiv_async(A, P, fake_request())
                                      : startile_getrf_nopiv_async(A, fake_request())) == 0);
}

static void check_factorization(enum pivoting pivoting, int shape, int64_t rows, int64_t columns)
{
    startile_matrix *A = shaped(shape, rows, columns);
    startile_pivots *P = fake_pivots(A);
    startile_shape s = startile_matrix_shape(A);
    struct progress p = {.pivoting = pivoting, .A = A, .P = P, .panels = pivots_panels(P)};
    for (int64_t j = 0; j < s.nt; j++)
        p.moved[j] = j + 1;
    submit(pivoting, A, P);
    for (int i = 0; i < record_count; i++)
        check_task(&records[i], &p);
    require(p.steps == p.panels && p.has_ended);
    require(count_of(SELECT) == count_of(MATCH) + count_of(ORDER));
    require(count_of(FORGET_CANDIDATES) == count_of(SELECT));
    for (int64_t j = 0; j < s.nt; j++) {
        require(p.updates[j] == (j < p.panels ? j : p.panels));
        for (int64_t i = 0; i < s.mt; i++)
            require(p.home[i][j]);
    }
    for (int64_t k = 0; k < p.panels; k++)
        require(p.W[k] == NULL || p.forgotten[k] == 1);
    startile_matrix_destroy(A);
    free(P);
}

static void test_factorizations(void **state)
{
    (void)state;
    for (int pivoting = PARTIAL; pivoting <= NONE; pivoting++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int64_t rows = 0; rows <= 12; rows += rows < 5 ? 1 : 7)
                for (int64_t columns = 0; columns <= 12; columns += columns < 5 ? 1 : 7) {
                    in_case("%s, %d × %d blocks, shape %d", names[pivoting], (int)rows,
                            (int)columns, shape);
                    check_factorization((enum pivoting)pivoting, shape, rows, columns);
                }
}

/* The interchanges of L's columns are gathered: far fewer tasks than one a column and panel. */
static void test_interchanges_are_gathered(void **state)
{
    (void)state;
    enum { NT = 16 };
    in_case("getrf, 16 × 16 blocks");
    startile_matrix *A = shaped(2, NT, NT);
    startile_pivots *P = fake_pivots(A);
    submit(PARTIAL, A, P);
    require(count_of(LASWP) <= 2 * NT);
    startile_matrix_destroy(A);
    free(P);
}

/* Matches that a leaf's winner still has to play; every round halves the field. */
static int levels(int leaves)
{
    int count = 0;
    for (; leaves > 1; leaves = (leaves + 1) / 2)
        count++;
    return count;
}

/* Panel, update of the next one, and so on, and one interchange behind the last; without pivoting
 * the panel is two tasks. */
static void test_chains(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int64_t nt = 1; nt <= 8; nt++) {
            startile_matrix *A = shaped(shape, nt, nt);
            startile_pivots *P = fake_pivots(A);
            in_case("longest chain of getrf, %d blocks, shape %d", (int)nt, shape);
            submit(PARTIAL, A, P);
            require(longest_chain() == 2 * nt - 1 + (nt > 1));
            in_case("longest chain of getrf_nopiv, %d blocks, shape %d", (int)nt, shape);
            submit(NONE, A, P);
            require(longest_chain() == 3 * nt - 2);
            in_case("longest chain of getrf_tntpiv, %d blocks, shape %d", (int)nt, shape);
            submit(TOURNAMENT, A, P);
            int expected = nt > 1; /* the last interchange */
            for (int64_t k = 0; k < nt; k++) {
                int64_t height = leaf_rows(block_rows(A, k)), rows = elements(nt) - k * NB;
                int leaves = rows < 2 * height ? 1 : (int)(rows / height);
                /* leaf, matches, order, interchange, block, rows below, next update */
                expected += 1 + levels(leaves) + 2 + (k + 1 < nt ? 3 : 1);
            }
            require(longest_chain() <= expected);
            startile_matrix_destroy(A);
            free(P);
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
    for (int pivoting = PARTIAL; pivoting <= NONE; pivoting++) {
        in_case("priorities of %s", names[pivoting]);
        startile_matrix *A = shaped(2, NT, NT);
        startile_pivots *P = fake_pivots(A);
        submit((enum pivoting)pivoting, A, P);
        for (int workers = 1; workers <= 3; workers++)
            check_priorities(workers);
        /* what leads to the next panel goes before its rivals */
        enum kind panel = pivoting == PARTIAL ? GETRF : GETRF_NOPIV;
        enum kind update = pivoting == NONE ? SUBSTITUTION : UPDATE;
        for (int64_t k = 0; k + 1 < NT; k++) {
            int64_t next = priority_of(update, k + 1, k);
            require(priority_of(panel, k, k) > next && next > priority_of(panel, k + 1, k + 1));
            for (int64_t j = k + 2; j < NT; j++)
                require(next > priority_of(update, j, k));
        }
        startile_matrix_destroy(A);
        free(P);
    }
}

/* -- what uses the factors ------------------------------------------------------------------- */

/* A step of a sweep over block column j of B with the triangle uplo of A, from diagonal block
 * `first` on: down a lower triangle and up an upper one, or the other way round when transposed. */
static void read_sweep_step(struct reader *in, char uplo, char trans, const startile_matrix *A,
                            const startile_matrix *B, int64_t j, int64_t first, int64_t step,
                            bool waits)
{
    startile_shape s = startile_matrix_shape(A);
    bool forward = (uplo == 'L') == (trans == 'N');
    int64_t k = forward ? step : s.nt - 1 - (step - first), n = block_rows(A, k);
    int64_t top = uplo == 'L' ? k * NB : first * NB;
    int64_t rows = uplo == 'L' ? s.m - top : k * NB + n - top;
    const struct record *r = next_of(in, SUBSTITUTION);
    require(is_column(r->column_read[0], A, k, top, rows));
    require(is_column(r->column_written, B, j, top, rows));
    require(r->uplo == uplo && r->trans == trans && r->n == n);
    require(r->diag == (uplo == 'L' ? 'U' : 'N') && r->W == NULL);
    require(waits ? r->read[0].A == A && r->read[0].j == s.nt - 1 && r->read[0].i == s.mt - 1
                  : r->read[0].A == NULL);
}

static void read_sweep(struct reader *in, char uplo, char trans, const startile_matrix *A,
                       const startile_matrix *B, int64_t j, int64_t first)
{
    for (int64_t step = first; step < startile_matrix_shape(A).nt; step++)
        read_sweep_step(in, uplo, trans, A, B, j, first, step, false);
}

/* Each step for all nt block columns of B, before any goes on to the next. */
static void read_sweeps(struct reader *in, char uplo, char trans, const startile_matrix *A,
                        const startile_matrix *B, int64_t nt, bool waits)
{
    for (int64_t step = 0; step < startile_matrix_shape(A).nt; step++)
        for (int64_t j = 0; j < nt; j++) {
            bool is_first = waits && step == 0;
            require(is_first || j > 0 || records[in->at].priority < records[in->at - 1].priority);
            read_sweep_step(in, uplo, trans, A, B, j, 0, step, waits);
        }
}

static void read_interchanges(struct reader *in, const startile_pivots *P, bool backwards,
                              const startile_matrix *B, int64_t nt, int64_t m)
{
    for (int64_t j = 0; j < nt && P != NULL; j++) {
        const struct record *r = next_of(in, LASWP);
        require(r->P == P && r->first == 0 && r->last == pivots_panels(P));
        require(r->backwards == backwards);
        require(is_column(r->column_written, B, j, 0, m));
    }
}

/* Two sweeps, whose first tasks wait for the factorization's end. B has nt block columns; it may be
 * a temporary that is gone. */
static void read_solve(struct reader *in, char trans, const startile_matrix *A,
                       const startile_pivots *P, const startile_matrix *B, int64_t nt)
{
    bool plain = trans == 'N';
    int64_t m = startile_matrix_shape(A).m;
    if (plain)
        read_interchanges(in, P, false, B, nt, m);
    read_sweeps(in, plain ? 'L' : 'U', trans, A, B, nt, true);
    read_sweeps(in, plain ? 'U' : 'L', trans, A, B, nt, false);
    if (!plain)
        read_interchanges(in, P, true, B, nt, m);
}

static void test_getrs(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 5; nt++)
        for (const char *trans = "NTC"; *trans != '\0'; trans++)
            for (int shape = 0; shape < SHAPES; shape++)
                for (int with_pivots = 0; with_pivots < 2; with_pivots++) {
                    in_case("getrs %c, %d blocks, shape %d, pivots %d", *trans, (int)nt, shape,
                            with_pivots);
                    startile_matrix *A = shaped(shape, nt, nt), *B = shaped(1, nt, 3);
                    startile_pivots *P = with_pivots ? fake_pivots(A) : NULL;
                    struct reader in = {0};
                    recorder_reset();
                    require(startile_getrs_async(*trans, A, P, B, fake_request()) == 0);
                    read_solve(&in, *trans, A, P, B, startile_matrix_shape(B).nt);
                    check_homes(B);
                    read_tiles(&in, HOME, B);
                    require(in.at == record_count);
                    /* the block columns of B are independent of one another */
                    require(nt == 0 || longest_chain() == 2 * nt + with_pivots);
                    startile_matrix_destroy(A);
                    startile_matrix_destroy(B);
                    free(P);
                }
}

/* Copies, factorization, solve, then residual, solve and sum for each step. */
static void test_gesv(void **state)
{
    (void)state;
    enum { COLUMNS = 2 };
    for (int64_t nt = 1; nt <= 4; nt++)
        for (int refine = 0; refine <= 2; refine++)
            for (int shape = 0; shape < SHAPES; shape++) {
                in_case("gesv, %d blocks, %d steps, shape %d", (int)nt, refine, shape);
                startile_matrix *A = shaped(shape, nt, nt), *B = shaped(2, nt, COLUMNS);
                startile_pivots *P = fake_pivots(A);
                int64_t tiles = startile_matrix_shape(A).mt * nt;
                struct reader in = {0};
                recorder_reset();
                require(startile_gesv_async(A, P, B, refine, fake_request()) == 0);
                const startile_matrix *copy = NULL, *right = NULL, *residual = NULL;
                for (int64_t t = 0; t < (refine > 0 ? tiles : 0); t++) {
                    const struct record *r = next_of(&in, LACPY);
                    require(r->read[0].A == A && r->written.A != A);
                    copy = r->written.A;
                }
                for (int64_t t = 0; t < (refine > 0 ? COLUMNS : 0); t++) {
                    const struct record *r = next_of(&in, LACPY);
                    require(r->read[0].A == B && r->written.A != B);
                    right = r->written.A;
                }
                while (records[in.at].kind != STAGE)
                    in.at++;
                in.at++;
                require(count_of(GETRF) == nt && count_of(STAGE) == 1);
                read_solve(&in, 'N', A, P, B, COLUMNS);
                check_homes(A);
                check_homes(B);
                for (int step = 0; step < refine; step++) {
                    for (int64_t t = 0; t < COLUMNS; t++) {
                        const struct record *r = next_of(&in, LACPY);
                        require(r->read[0].A == right && r->written.A != B);
                        residual = r->written.A;
                    }
                    for (int64_t j = 0; j < COLUMNS; j++)
                        for (int64_t k = 0; k < nt; k++) {
                            const struct record *r = next_of(&in, GEMM_COLUMN);
                            require(is_column(r->column_read[0], copy, k, 0, elements(nt)));
                            require(is_column(r->column_read[1], B, j, k * NB, block_rows(A, k)));
                            require(is_column(r->column_written, residual, j, 0, elements(nt)));
                        }
                    read_solve(&in, 'N', A, P, residual, COLUMNS);
                    for (int64_t t = 0; t < COLUMNS; t++) {
                        const struct record *r = next_of(&in, GEADD);
                        require(r->written.A == B && r->read[0].A == residual);
                        require(r->alpha == 1 && r->beta == 1);
                    }
                }
                startile_matrix_destroy(A);
                startile_matrix_destroy(B);
                free(P);
            }
}

/* The zero check is first; block column j of the identity begins with its diagonal block; A is
 * overwritten when all of it has been read, and its columns go back from the last panel on. */
static void test_getri(void **state)
{
    (void)state;
    for (int64_t nt = 0; nt <= 5; nt++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int with_pivots = 0; with_pivots < 2; with_pivots++) {
                in_case("getri, %d blocks, shape %d, pivots %d", (int)nt, shape, with_pivots);
                startile_matrix *A = shaped(shape, nt, nt);
                startile_shape s = startile_matrix_shape(A);
                startile_pivots *P = with_pivots ? fake_pivots(A) : NULL;
                struct reader in = {0};
                recorder_reset();
                require(startile_getri_async(A, P, fake_request()) == 0);
                for (int64_t k = 0; k < nt; k++) {
                    const struct record *r = next_of(&in, ZERO_CHECK);
                    require(r->gate == OPENS_GATE && r->read[0].A == A && r->read[0].j == k);
                }
                const startile_matrix *X = nt > 0 ? records[in.at].written.A : NULL;
                require(nt == 0 || (X != A && X != NULL));
                for (int64_t j = 0; j < nt; j++) {
                    for (int64_t i = 0; i < s.mt; i++) {
                        const struct record *r = next_of(&in, LASET);
                        require(r->written.A == X && r->written.i == i && r->written.j == j);
                        require(r->uplo == 'G' && r->alpha == 0 && r->beta == 1);
                    }
                    read_sweep(&in, 'L', 'N', A, X, j, j);
                    read_sweep(&in, 'U', 'N', A, X, j, 0);
                }
                read_tiles(&in, GEADD, A);
                for (int64_t k = with_pivots ? nt - 1 : -1; k >= 0; k--)
                    for (int64_t i = 0; i < s.mt; i++) {
                        const struct record *r = next_of(&in, LAPMT);
                        require(r->P == P && r->first == k && r->written.i == i);
                    }
                check_homes(A);
                const startile_matrix *forgotten = next_of(&in, FORGET_MATRIX)->forgotten;
                require((nt == 0 || forgotten == X) && in.at == record_count);
                for (int i = 0; i < record_count; i++)
                    require(records[i].kind != GEADD || records[i].gate == BEHIND_GATE);
                startile_matrix_destroy(A);
                free(P);
            }
}

/* v := A⁻¹ v, or A⁻ᴴ v */
static void read_apply(struct reader *in, char trans, const startile_matrix *A,
                       const startile_matrix *v)
{
    bool plain = trans == 'N';
    read_sweep(in, plain ? 'L' : 'U', trans, A, v, 0, 0);
    read_sweep(in, plain ? 'U' : 'L', trans, A, v, 0, 0);
}

static void read_step(struct reader *in, char step, const startile_matrix *v)
{
    const struct record *r = next_of(in, ESTIMATE);
    require(r->step == step && r->written.A == v);
}

/* start A (sign A* unit A)⁺ alternating A end, with A and A* exchanged for the ∞-norm; at least two
 * rounds, which is what the estimator needs as a rule (Higham 2002, section 15.3). */
static void test_gecon(void **state)
{
    (void)state;
    for (int64_t nt = 1; nt <= 4; nt++)
        for (const char *norm = "1OI"; *norm != '\0'; norm++)
            for (int shape = 0; shape < SHAPES; shape++) {
                in_case("gecon %c, %d blocks, shape %d", *norm, (int)nt, shape);
                startile_matrix *A = shaped(shape, nt, nt);
                char trans = *norm == 'I' ? 'C' : 'N', other = *norm == 'I' ? 'N' : 'C';
                double rcond = -7;
                int rounds = 0;
                struct reader in = {0};
                recorder_reset();
                require(startile_gecon_async(*norm, A, 5, &rcond, fake_request()) == 0);
                const startile_matrix *v = records[0].written.A;
                read_step(&in, '0', v);
                read_apply(&in, trans, A, v);
                for (; records[in.at].step == 's'; rounds++) {
                    read_step(&in, 's', v);
                    read_apply(&in, other, A, v);
                    read_step(&in, 'u', v);
                    read_apply(&in, trans, A, v);
                }
                require(rounds >= 2 && rounds <= 5);
                read_step(&in, 'a', v);
                read_apply(&in, trans, A, v);
                read_step(&in, 'e', v);
                require(next_of(&in, FORGET_MATRIX)->forgotten == v && in.at == record_count);
                require(rcond == 5);
                startile_matrix_destroy(A);
            }
    in_case("gecon of nothing");
    startile_matrix *A = shaped(0, 0, 0);
    double rcond = -7;
    recorder_reset();
    require(startile_gecon_async('1', A, 0, &rcond, fake_request()) == 0);
    require(record_count == 0 && rcond == 1);
    startile_matrix_destroy(A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factorizations), cmocka_unit_test(test_interchanges_are_gathered),
        cmocka_unit_test(test_chains),         cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_getrs),          cmocka_unit_test(test_gesv),
        cmocka_unit_test(test_getri),          cmocka_unit_test(test_gecon),
    };
    return cmocka_run_group_tests_name("dag of LU", tests, NULL, NULL) != 0;
}
