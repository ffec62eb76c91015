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

struct record records[MOST_RECORDS];
int record_count;

static struct inverse inverses[MOST_RECORDS];

void recorder_reset(void)
{
    record_count = 0;
}

int count_of(enum kind kind)
{
    int count = 0;
    for (int r = 0; r < record_count; r++)
        count += records[r].kind == kind;
    return count;
}

static void add(struct record r)
{
    if (record_count == MOST_RECORDS)
        abort();
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

void insert_trsm_inverse(startile_request *r, int64_t priority, char uplo, tile T, inverse *W,
                         tile B)
{
    (void)r;
    add((struct record){.kind = TRSM,
                        .priority = priority,
                        .written = B,
                        .read = {T},
                        .side = 'R',
                        .uplo = uplo,
                        .diag = 'N',
                        .alpha = 1,
                        .W = W,
                        .by_inverse = true});
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

void forget(inverse *W)
{
    if (W != NULL)
        add((struct record){.kind = FORGET, .W = W});
}

void insert_send_home(startile_request *r, tile A)
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
