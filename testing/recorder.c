#include "recorder.h"

#include <stdlib.h>

struct startile_matrix {
    startile_shape shape;
};

struct startile_request {
    int unused;
};

struct inverse {
    int unused;
};

struct norm_parts {
    char norm;
};

struct startile_pivots {
    int64_t m, count, nb;
};

struct candidates {
    int unused;
};

struct norm_estimate {
    int unused;
};

struct record records[MOST_RECORDS];
int64_t recorder_tiles = 1;
int record_count;

static struct inverse inverses[MOST_RECORDS], upper_inverses[MOST_RECORDS];
static struct candidates all_candidates[MOST_RECORDS];

/* Matrices that records name. */
static startile_matrix *forgotten[MOST_RECORDS];
static int forgotten_count;

void recorder_reset(void)
{
    while (forgotten_count > 0)
        free(forgotten[--forgotten_count]);
    record_count = 0;
}

int count_of(enum kind kind)
{
    int count = 0;
    for (int r = 0; r < record_count; r++)
        count += records[r].kind == kind;
    return count;
}

static enum gate gate;

static void add(struct record r)
{
    if (record_count == MOST_RECORDS)
        abort();
    r.gate = gate;
    records[record_count++] = r;
}

startile_matrix *fake_matrix(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    startile_matrix *A = malloc(sizeof *A);
    if (A == NULL)
        abort();
    A->shape = (startile_shape){dtype, m, n, mb, nb, (m + mb - 1) / mb, (n + nb - 1) / nb};
    return A;
}

startile_pivots *fake_pivots(const startile_matrix *A)
{
    startile_pivots *P = malloc(sizeof *P);
    if (P == NULL)
        abort();
    const startile_shape *s = &A->shape;
    *P = (startile_pivots){s->m, s->m < s->n ? s->m : s->n, s->nb};
    return P;
}

startile_request *fake_request(void)
{
    static startile_request request;
    return &request;
}

/* -- what codelets/ offers beside tasks; as simple as can be ----------------------------------- */

startile_shape startile_matrix_shape(const startile_matrix *A)
{
    return A == NULL ? (startile_shape){0} : A->shape;
}

int startile_matrix_wrap(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n, void *a,
                         int64_t lda, int64_t mb, int64_t nb)
{
    (void)a;
    if (lda < m)
        return -6;
    *A = fake_matrix(dtype, m, n, mb, nb);
    return 0;
}

int startile_matrix_create(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                           int64_t mb, int64_t nb)
{
    *A = fake_matrix(dtype, m, n, mb, nb);
    return 0;
}

void startile_matrix_destroy(startile_matrix *A)
{
    free(A);
}

startile_request *request_start(void)
{
    return fake_request();
}

int64_t request_finish(startile_request *r, int result)
{
    (void)r;
    return result;
}

char capital(char c)
{
    return c;
}

void begin_factorization(startile_request *r)
{
    (void)r;
}

bool is_one_of(char c, const char *letters)
{
    for (; *letters != '\0'; letters++)
        if (c == *letters)
            return true;
    return false;
}

bool same_tiles(int64_t n, int64_t nb1, int64_t nb2)
{
    return nb1 == nb2 || (n <= nb1 && n <= nb2);
}

bool has_square_tiles(const startile_matrix *A)
{
    return A->shape.m == A->shape.n && same_tiles(A->shape.m, A->shape.mb, A->shape.nb);
}

bool has_whole_blocks(const startile_matrix *A, int64_t nb)
{
    return A->shape.mb % nb == 0 || A->shape.mb >= A->shape.m;
}

int64_t pivots_first_row(const startile_pivots *P, int64_t k)
{
    return k * P->nb;
}

int64_t pivots_panels(const startile_pivots *P)
{
    return (P->count + P->nb - 1) / P->nb;
}

bool pivots_fit(const startile_pivots *P, const startile_matrix *A)
{
    (void)P, (void)A;
    return true;
}

void request_fail(startile_request *r, int64_t code)
{
    (void)r, (void)code;
}

bool has_capacity(startile_request *r, const startile_matrix *A, int64_t rows, int64_t columns)
{
    (void)r, (void)A, (void)rows, (void)columns;
    return true;
}

bool has_capacity_for_copy(startile_request *r, const startile_matrix *A, int64_t columns)
{
    (void)r, (void)A, (void)columns;
    return true;
}

int64_t columns_at_a_time(const startile_matrix *A, int64_t first, int64_t rows,
                          bool has_whole_panels)
{
    (void)rows, (void)has_whole_panels;
    return startile_matrix_shape(A).nt - first;
}

void open_gate(startile_request *r)
{
    (void)r;
    gate = OPENS_GATE;
}

void behind_gate(startile_request *r)
{
    (void)r;
    gate = BEHIND_GATE;
}

void past_gate(startile_request *r)
{
    (void)r;
    gate = NO_GATE;
}

void hint_idle(tile A)
{
    (void)A;
}

bool reflectors_fit(const startile_matrix *T, const startile_matrix *A)
{
    (void)T, (void)A;
    return true;
}

int reflectors_set_tau(startile_matrix *T, const void *tau)
{
    (void)T, (void)tau;
    return 0;
}

int startile_reflectors_to_lapack(startile_matrix *T, void *tau)
{
    (void)T, (void)tau;
    return 0;
}

int startile_tile_shape(const char *routine, startile_dtype dtype, int64_t m, int64_t n,
                        int64_t *mb, int64_t *nb)
{
    (void)routine, (void)dtype, (void)m, (void)n;
    *mb = *nb = 0;
    return 0;
}

int startile_pivots_create(startile_pivots **P, const startile_matrix *A)
{
    *P = fake_pivots(A);
    return 0;
}

void startile_pivots_destroy(startile_pivots *P)
{
    free(P);
}

int startile_pivots_to_lapack(startile_pivots *P, int64_t *ipiv)
{
    (void)P, (void)ipiv;
    return 0;
}

int startile_pivots_from_lapack(startile_pivots *P, const int64_t *ipiv)
{
    (void)P, (void)ipiv;
    return 0;
}

startile_matrix *fake_triangles(const startile_matrix *A)
{
    const startile_shape *s = &A->shape;
    return fake_matrix(s->dtype, s->nb, s->m < s->n ? s->m : s->n, s->nb, s->nb);
}

/* Two rows a column: so a few tiles make a tree. */
int64_t leaf_rows(int64_t n)
{
    return 2 * n;
}

startile_matrix *temporary(startile_request *r, const startile_matrix *A, int64_t m, int64_t n,
                           int64_t mb, int64_t nb)
{
    (void)r;
    return fake_matrix(A->shape.dtype, m, n, mb, nb);
}

bool is_complex(const startile_matrix *A)
{
    return A->shape.dtype == STARTILE_C || A->shape.dtype == STARTILE_Z;
}

view view_of(const startile_matrix *A, char op)
{
    startile_shape s = A->shape;
    if (op == 'N')
        return (view){A, 'N', s.mt, s.nt};
    return (view){A, is_complex(A) ? op : 'T', s.nt, s.mt};
}

char compose(char op, char seen)
{
    if (op == 'N')
        return seen;
    return seen == 'N' ? op : 'N';
}

/* -- tasks ---------------------------------------------------------------------------------------
 */

void insert_gemm(startile_request *r, int64_t priority, startile_complex alpha, tile A, tile B,
                 startile_complex beta, tile C)
{
    (void)r;
    add((struct record){.kind = A.A == NULL ? SCALE_GEMM : GEMM,
                        .priority = priority,
                        .written = C,
                        .read = {A, B},
                        .alpha = alpha,
                        .beta = beta});
}

void insert_herk(startile_request *r, int64_t priority, char op, char uplo, startile_complex alpha,
                 tile A, startile_complex beta, tile C)
{
    (void)r;
    add((struct record){.kind = A.A == NULL ? SCALE_HERK : HERK,
                        .priority = priority,
                        .written = C,
                        .read = {A},
                        .op = op,
                        .uplo = uplo,
                        .alpha = alpha,
                        .beta = beta});
}

void insert_trsm(startile_request *r, int64_t priority, char side, char uplo, char diag,
                 startile_complex alpha, tile T, tile B, bool after_info)
{
    (void)r;
    add((struct record){.kind = TRSM,
                        .priority = priority,
                        .written = B,
                        .read = {T},
                        .side = side,
                        .uplo = uplo,
                        .diag = diag,
                        .alpha = alpha,
                        .after_info = after_info});
}

void insert_trmm(startile_request *r, int64_t priority, char side, char uplo,
                 startile_complex alpha, tile W, tile B)
{
    (void)r;
    add((struct record){.kind = TRMM,
                        .priority = priority,
                        .written = B,
                        .read = {W},
                        .side = side,
                        .uplo = uplo,
                        .alpha = alpha});
}

void insert_trtri(startile_request *r, int64_t priority, char uplo, char diag, tile T)
{
    (void)r;
    add((struct record){
        .kind = TRTRI, .priority = priority, .written = T, .uplo = uplo, .diag = diag});
}

/* as many as that are in one task */
tile_range tiles_from(view V, int64_t i, int64_t j)
{
    return (tile_range){V, i, j, V.mt - i < recorder_tiles ? V.mt - i : recorder_tiles};
}

void insert_trsm_inverse(startile_request *r, int64_t priority, char uplo, tile T, inverse *W,
                         tile_range B)
{
    (void)r;
    for (int64_t i = B.i; i < B.i + B.count; i++)
        add((struct record){.kind = TRSM,
                            .priority = priority,
                            .written = at(B.A, i, B.j),
                            .read = {T},
                            .side = 'R',
                            .uplo = uplo,
                            .diag = 'N',
                            .alpha = 1,
                            .W = W,
                            .by_inverse = true});
}

void insert_herk_gemm(startile_request *r, int64_t priority, char uplo, tile_range A, tile B,
                      tile_range C)
{
    if (A.count != C.count)
        abort();
    for (int64_t q = 0; q < C.count; q++) {
        tile a = at(A.A, A.i + q, A.j), c = at(C.A, C.i + q, C.j);
        if (C.i + q == C.j)
            insert_herk(r, priority, 'C', uplo, -1, a, 1, c);
        else
            insert_gemm(r, priority, -1, a, tile_op('C', B), 1, c);
    }
}

inverse *insert_potrf(startile_request *r, int64_t priority, char uplo, tile A, bool want_inverse)
{
    (void)r;
    inverse *W = want_inverse ? &inverses[record_count] : NULL;
    add((struct record){.kind = POTRF,
                        .priority = priority,
                        .written = A,
                        .uplo = uplo,
                        .W = W,
                        .want_inverse = want_inverse});
    return W;
}

inverse *insert_getrf(startile_request *r, int64_t priority, column A, startile_pivots *P,
                      int64_t k, bool want_inverse)
{
    (void)r;
    inverse *W = want_inverse ? &inverses[record_count] : NULL;
    add((struct record){.kind = GETRF,
                        .priority = priority,
                        .column_written = A,
                        .P = P,
                        .first = k,
                        .last = k + 1,
                        .writes_pivots = true,
                        .W = W,
                        .want_inverse = want_inverse});
    return W;
}

void insert_getrf_nopiv(startile_request *r, int64_t priority, column A, int64_t n, inverse **WL,
                        inverse **WU)
{
    (void)r;
    *WL = &inverses[record_count];
    *WU = &upper_inverses[record_count];
    add((struct record){.kind = GETRF_NOPIV,
                        .priority = priority,
                        .column_written = {A.A, A.j, A.row, n},
                        .n = n,
                        .W = *WL,
                        .upper_W = *WU});
}

void insert_trsm_column(startile_request *r, int64_t priority, column T, int64_t n, inverse *W,
                        column B)
{
    (void)r;
    if (B.rows > 0)
        add((struct record){.kind = TRSM_COLUMN,
                            .priority = priority,
                            .column_written = B,
                            .column_read = {{T.A, T.j, T.row, n}},
                            .n = n,
                            .W = W});
}

void insert_laswp(startile_request *r, int64_t priority, const startile_pivots *P, int64_t first,
                  int64_t last, bool inverse, column B, const tile *after)
{
    (void)r;
    (void)after;
    add((struct record){.kind = LASWP,
                        .priority = priority,
                        .column_written = B,
                        .P = P,
                        .first = first,
                        .last = last,
                        .backwards = inverse});
}

void insert_lapmt(startile_request *r, int64_t priority, const startile_pivots *P, int64_t k,
                  startile_matrix *A, int64_t i)
{
    (void)r;
    add((struct record){.kind = LAPMT,
                        .priority = priority,
                        .written = {A, i, k, 'N'},
                        .P = P,
                        .first = k,
                        .last = k + 1});
}

static void add_substitution(enum kind kind, int64_t priority, const startile_pivots *P, int64_t k,
                             const substitution *s, column B)
{
    struct record record = {.kind = kind,
                            .priority = priority,
                            .column_written = B,
                            .column_read = {s->T},
                            .P = P,
                            .first = k,
                            .last = k + 1,
                            .uplo = s->uplo,
                            .trans = s->trans,
                            .diag = s->diag,
                            .n = s->n,
                            .W = s->W};
    if (s->after != NULL)
        record.read[0] = *s->after;
    add(record);
}

void insert_substitution(startile_request *r, int64_t priority, const substitution *s, column B)
{
    (void)r;
    add_substitution(SUBSTITUTION, priority, NULL, 0, s, B);
}

void insert_update(startile_request *r, int64_t priority, const startile_pivots *P, int64_t k,
                   const substitution *s, column B)
{
    (void)r;
    add_substitution(UPDATE, priority, P, k, s, B);
}

void insert_gemm_column(startile_request *r, int64_t priority, column A, column B, column C)
{
    (void)r;
    add((struct record){
        .kind = GEMM_COLUMN, .priority = priority, .column_written = C, .column_read = {A, B}});
}

void insert_geadd(startile_request *r, startile_complex alpha, tile A, startile_complex beta,
                  tile B)
{
    (void)r;
    add((struct record){.kind = GEADD, .written = B, .read = {A}, .alpha = alpha, .beta = beta});
}

void insert_geqrf(startile_request *r, int64_t priority, column A, tile T)
{
    (void)r;
    add((struct record){.kind = GEQRF, .priority = priority, .column_written = A, .written = T});
}

void insert_larft(startile_request *r, column V, tile T)
{
    (void)r;
    add((struct record){.kind = LARFT, .column_read = {V}, .written = T});
}

void insert_larfb(startile_request *r, int64_t priority, char trans, column V, tile T, column C)
{
    (void)r;
    add((struct record){.kind = LARFB,
                        .priority = priority,
                        .trans = trans,
                        .column_read = {V},
                        .read = {T},
                        .column_written = C});
}

void insert_tpqrt(startile_request *r, int64_t priority, char uplo, column R, column B, tile T)
{
    (void)r;
    add((struct record){.kind = TPQRT,
                        .priority = priority,
                        .uplo = uplo,
                        .column_written = R,
                        .also_written = B,
                        .written = T});
}

void insert_tpmqrt(startile_request *r, int64_t priority, char uplo, char trans, column V, tile T,
                   column A, column B)
{
    (void)r;
    add((struct record){.kind = TPMQRT,
                        .priority = priority,
                        .uplo = uplo,
                        .trans = trans,
                        .column_read = {V},
                        .read = {T},
                        .column_written = A,
                        .also_written = B});
}

void insert_transpose(startile_request *r, column A, column B)
{
    (void)r;
    add((struct record){.kind = TRANSPOSE, .column_read = {A}, .column_written = B});
}

void insert_copy(startile_request *r, int64_t priority, char uplo, column A, column B)
{
    (void)r;
    add((struct record){
        .kind = COPY, .priority = priority, .uplo = uplo, .column_read = {A}, .column_written = B});
}

struct magnitude {
    const startile_matrix *of;
};

magnitude *magnitude_begin(startile_request *r)
{
    static magnitude all[2];
    static int next;
    (void)r;
    next = 1 - next;
    return &all[next];
}

void forget_magnitude(magnitude *x)
{
    (void)x;
}

void insert_largest(startile_request *r, column A, magnitude *x)
{
    (void)r;
    x->of = A.A;
    add((struct record){.kind = LARGEST, .column_read = {A}});
}

void insert_lascl(startile_request *r, const magnitude *up, const magnitude *down, column A)
{
    (void)r;
    add((struct record){.kind = LASCL,
                        .column_written = A,
                        .up = up == NULL ? NULL : up->of,
                        .down = down == NULL ? NULL : down->of});
}

candidates *insert_select(startile_request *r, int64_t priority, column A, int64_t n)
{
    (void)r;
    candidates *c = &all_candidates[record_count];
    add((struct record){
        .kind = SELECT, .priority = priority, .column_read = {A}, .n = n, .winners = c});
    return c;
}

void insert_match(startile_request *r, int64_t priority, candidates *winners, candidates *losers)
{
    (void)r;
    add((struct record){.kind = MATCH, .priority = priority, .winners = winners, .losers = losers});
}

void insert_order(startile_request *r, int64_t priority, candidates *winners, startile_pivots *P,
                  int64_t k)
{
    (void)r;
    add((struct record){.kind = ORDER,
                        .priority = priority,
                        .winners = winners,
                        .P = P,
                        .first = k,
                        .last = k + 1,
                        .writes_pivots = true});
}

void forget_candidates(candidates *c)
{
    add((struct record){.kind = FORGET_CANDIDATES, .winners = c});
}

void insert_first_zero(startile_request *r, const startile_matrix *U, int64_t k,
                       const magnitude *largest)
{
    (void)r;
    (void)largest;
    int64_t row = k * U->shape.nb / U->shape.mb;
    add((struct record){.kind = ZERO_CHECK, .read = {{U, row, k, 'N'}}});
}

void begin_step(startile_request *r, int64_t step)
{
    (void)r;
    (void)step;
}

void end_steps(startile_request *r)
{
    (void)r;
}

void next_stage(startile_request *r)
{
    (void)r;
    add((struct record){.kind = STAGE});
}

/* It stays until the records go, which name it. */
void forget_matrix(startile_matrix *A)
{
    if (A == NULL)
        return;
    add((struct record){.kind = FORGET_MATRIX, .forgotten = A});
    forgotten[forgotten_count++] = A;
}

static void add_step(char step, tile v)
{
    add((struct record){.kind = ESTIMATE, .written = v, .step = step});
}

norm_estimate *estimate_begin(startile_request *r, tile v)
{
    static norm_estimate e;
    (void)r;
    add_step('0', v);
    return &e;
}

void insert_sign(startile_request *r, norm_estimate *e, tile v)
{
    (void)r, (void)e;
    add_step('s', v);
}

void insert_unit(startile_request *r, norm_estimate *e, tile v)
{
    (void)r, (void)e;
    add_step('u', v);
}

void insert_alternating(startile_request *r, norm_estimate *e, tile v)
{
    (void)r, (void)e;
    add_step('a', v);
}

void insert_rcond(startile_request *r, norm_estimate *e, tile v, double anorm, double *rcond)
{
    (void)r, (void)e;
    add_step('e', v);
    *rcond = anorm;
}

void forget(inverse *W)
{
    if (W != NULL)
        add((struct record){.kind = FORGET, .W = W});
}

void return_to_host(startile_request *r, tile A)
{
    (void)r;
    add((struct record){.kind = HOME, .written = A});
}

void insert_laset(startile_request *r, char uplo, startile_complex offdiag, startile_complex diag,
                  tile A)
{
    (void)r;
    add((struct record){.kind = LASET, .written = A, .uplo = uplo, .alpha = offdiag, .beta = diag});
}

void insert_lacpy(startile_request *r, char uplo, tile A, tile B)
{
    (void)r;
    add((struct record){.kind = LACPY, .written = B, .read = {A}, .uplo = uplo});
}

void insert_real_diagonal(startile_request *r, tile A)
{
    (void)r;
    add((struct record){.kind = REAL_DIAGONAL, .written = A});
}

void insert_random(startile_request *r, char kind, uint64_t seed, double bump, tile A)
{
    (void)r, (void)seed, (void)bump;
    add((struct record){.kind = RANDOM, .written = A, .op = kind});
}

norm_parts *norm_begin(startile_request *r, char norm, const startile_matrix *A)
{
    static norm_parts parts;
    (void)r, (void)A;
    parts.norm = norm;
    return &parts;
}

void insert_lange(startile_request *r, char norm, double weight, tile A, norm_parts *parts,
                  int64_t p)
{
    (void)r, (void)parts;
    add((struct record){.kind = LANGE, .written = A, .norm = norm, .weight = weight, .part = p});
}

void insert_lansy(startile_request *r, char norm, char uplo, bool hermitian, tile A,
                  norm_parts *parts, int64_t p)
{
    (void)r, (void)parts, (void)hermitian;
    add((struct record){.kind = LANSY, .written = A, .norm = norm, .uplo = uplo, .part = p});
}

void insert_norm_end(startile_request *r, norm_parts *parts, double *value)
{
    (void)r, (void)parts;
    *value = 0;
}
