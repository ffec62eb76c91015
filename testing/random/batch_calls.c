/* Random calls of the routines on batches. */
#include "pool.h"
#include "random.h"
#include "startile_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the arguments, named as in startile_batch.h ---------------------------------------------- */

static char uplo, side, trans, transa, transb, diag;
static startile_batch *A, *B, *C, *X, *Y, *ipiv, *jpvt, *info, *rank, *tau, *result, *factor, *sign,
    *logabsdet;
static startile_complex alpha, beta;
static double rcond;

/* The routines: name, arguments. */
#define ROUTINES                                                                                   \
    ROUTINE(potrf, uplo, A, info)                                                                  \
    ROUTINE(potrs, uplo, A, B)                                                                     \
    ROUTINE(posv, uplo, A, B, info)                                                                \
    ROUTINE(getrf, A, ipiv, info)                                                                  \
    ROUTINE(getrf_nopiv, A, info)                                                                  \
    ROUTINE(getrs, trans, A, ipiv, B)                                                              \
    ROUTINE(gesv, A, ipiv, B, info)                                                                \
    ROUTINE(getri, A, ipiv, info)                                                                  \
    ROUTINE(gedet, A, ipiv, sign, logabsdet)                                                       \
    ROUTINE(podet, A, logabsdet)                                                                   \
    ROUTINE(geqrf, A, tau)                                                                         \
    ROUTINE(geqp3, A, jpvt, tau)                                                                   \
    ROUTINE(unmqr, side, trans, A, tau, C)                                                         \
    ROUTINE(gels, trans, A, B, info)                                                               \
    ROUTINE(gelsy, A, B, rcond, rank)                                                              \
    ROUTINE(gemm, transa, transb, alpha, A, B, beta, C)                                            \
    ROUTINE(trsm, side, uplo, trans, diag, alpha, A, B)                                            \
    ROUTINE(nrm2, X, result)                                                                       \
    ROUTINE(asum, X, result)                                                                       \
    ROUTINE(iamax, X, info)                                                                        \
    ROUTINE(dot, X, Y, result)                                                                     \
    ROUTINE(dotc, X, Y, result)                                                                    \
    ROUTINE(scal, factor, X)                                                                       \
    ROUTINE(axpy, factor, X, Y)

#define ROUTINE(name, ...)                                                                         \
    static int64_t call_##name(void)                                                               \
    {                                                                                              \
        return startile_##name##_batch(__VA_ARGS__);                                               \
    }
ROUTINES
#undef ROUTINE
#define ROUTINE(name, ...) {#name, #__VA_ARGS__, call_##name, 0},
static struct routine list[] = {ROUTINES};
enum { LIST = sizeof list / sizeof *list };

/* -- descriptors ------------------------------------------------------------------------------ */

/* Batches that fit together: A is m × n, B has max(m, n) rows, X and Y are vectors. results[0] is
 * real, results[1] of the batches' type. */
enum { FAMILIES = 3, COPIES = 3, OTHERS = 10 };
enum { IPIV, JPVT, INFO, TAU, FACTOR, RESULT, REAL_RESULT, SECOND_REAL_RESULT, VECTOR_X, VECTOR_Y };
static struct family {
    startile_batch *A[COPIES], *B[COPIES], *other[OTHERS];
} family[FAMILIES];
static bool exists;
static struct pool pool;
static int64_t count, per_task;

static void require_made(int status)
{
    if (status != 0) {
        printf("a batch cannot be made: %s\n", startile_strerror(status));
        exit(1);
    }
}

/* Makes a batch of the family, whose first one is `like`: at a constant stride, at addresses, or in
 * memory of the library. */
static startile_batch *make(startile_dtype dtype, int64_t m, int64_t n, const startile_batch *like)
{
    startile_batch *b;
    int64_t ld = (m > 1 ? m : 1) + draw(3), stride = (n > 0 ? n : 1) * ld + draw(3);
    int64_t form = draw(4);
    if (form == 0) {
        require_made(startile_batch_create(&b, dtype, count, m, n, per_task, like));
        return b;
    }
    char *a = pool_allocate(&pool, dtype, false, m, n, ld, stride, count);
    static const int64_t of_type[] = {4, 8, 8, 16};
    void *each[8];
    for (int64_t q = 0; q < count; q++)
        each[q] = a + q * stride * of_type[dtype];
    if (form == 1)
        require_made(
            startile_batch_wrap_pointers(&b, dtype, count, m, n, each, ld, per_task, like));
    else
        require_made(startile_batch_wrap(&b, dtype, count, m, n, a, ld, stride, per_task, like));
    return b;
}

static startile_batch *make_integers(int64_t m, const startile_batch *like)
{
    startile_batch *b;
    int64_t stride = (m > 1 ? m : 1) + draw(2);
    int64_t *a = pool_allocate(&pool, STARTILE_D, true, m, 1, stride, stride, count);
    require_made(startile_batch_wrap_integers(&b, count, m, a, stride, per_task, like));
    return b;
}

static void destroy_all(void)
{
    for (int f = 0; f < FAMILIES && exists; f++) {
        for (int i = COPIES - 1; i >= 0; i--) {
            startile_batch_destroy(family[f].A[i]);
            startile_batch_destroy(family[f].B[i]);
        }
        for (int i = 0; i < OTHERS; i++)
            startile_batch_destroy(family[f].other[i]);
    }
    pool_clear(&pool);
    exists = false;
}

/* Makes families of square, tall and wide matrices. */
static void make_all(void)
{
    int64_t n = draw_one_of(10) ? 0 : 1 + draw(12), tall = n + draw(6), nrhs = draw(5);
    const int64_t m[FAMILIES] = {n, tall, n}, columns[FAMILIES] = {n, n, tall};
    startile_dtype dtype = (startile_dtype)draw(4), real = dtype % 2 == 0 ? STARTILE_S : STARTILE_D;
    destroy_all();
    exists = true;
    count = draw(6);
    per_task = draw(3);
    for (int f = 0; f < FAMILIES; f++) {
        struct family *all = &family[f];
        const startile_batch *like = NULL;
        for (int i = 0; i < COPIES; i++) {
            all->A[i] = make(dtype, m[f], columns[f], like);
            like = all->A[0];
            all->B[i] = make(dtype, m[f] > columns[f] ? m[f] : columns[f], nrhs, like);
        }
        int64_t smaller = m[f] < columns[f] ? m[f] : columns[f];
        all->other[IPIV] = make_integers(smaller, like);
        all->other[JPVT] = make_integers(columns[f], like);
        all->other[INFO] = make_integers(1, like);
        all->other[TAU] = make(dtype, smaller, 1, like);
        all->other[FACTOR] = make(dtype, 1, 1, like);
        all->other[RESULT] = make(dtype, 1, 1, like);
        all->other[REAL_RESULT] = make(real, 1, 1, like);
        all->other[SECOND_REAL_RESULT] = make(real, 1, 1, like);
        all->other[VECTOR_X] = make(dtype, 1, n, like);
        all->other[VECTOR_Y] = make(dtype, 1, n, like);
    }
}

/* -- a call ----------------------------------------------------------------------------------- */

/* Returns the batch, or NULL or another batch in some calls. */
static startile_batch *draw_batch(startile_batch *usual, startile_batch *other)
{
    return draw_one_of(40) ? NULL : draw_one_of(15) ? other : usual;
}

static void draw_arguments(void)
{
    struct family *all = &family[draw(FAMILIES)], *one = &family[draw(FAMILIES)];
    bool has_matrices = draw_one_of(3); /* B and C like A, for products */
    uplo = draw_letter("LU");
    side = draw_letter("LR");
    trans = draw_letter("NTC");
    transa = draw_letter("NTC");
    transb = draw_letter("NTC");
    diag = draw_letter("NU");
    char *const letters[] = {&uplo, &side, &trans, &transa, &transb, &diag};
    if (draw_one_of(10))
        *letters[draw(6)] = "X*\0@"[draw(4)];
    alpha = (double)draw(3) - 1;
    beta = (double)draw(3) - 1;
    A = draw_batch(all->A[0], one->B[0]);
    B = draw_batch(has_matrices ? all->A[1] : all->B[1], one->A[1]);
    C = draw_batch(has_matrices ? all->A[2] : all->B[2], one->A[2]);
    X = draw_batch(all->other[VECTOR_X], all->A[1]);
    Y = draw_batch(all->other[VECTOR_Y], all->A[2]);
    ipiv = draw_batch(all->other[IPIV], all->other[INFO] == info ? NULL : one->other[IPIV]);
    info = draw_batch(all->other[INFO], one->other[FACTOR]);
    jpvt = draw_batch(all->other[JPVT], one->other[INFO]);
    rank = draw_batch(all->other[INFO], one->other[JPVT]);
    rcond = (double)draw(3) / 2 - 0.5;
    tau = draw_batch(all->other[TAU], one->other[RESULT]);
    factor = draw_batch(all->other[FACTOR], one->other[TAU]);
    sign = draw_batch(all->other[RESULT], one->other[TAU]);
    logabsdet = draw_batch(all->other[SECOND_REAL_RESULT], one->other[INFO]);
    result = draw_batch(all->other[draw_one_of(2) ? RESULT : REAL_RESULT], one->other[INFO]);
}

/* Returns whether the argument that the text begins with is wrong in every call. */
static bool is_wrong(const char *text)
{
    const struct {
        const char *name;
        const void *batch;
    } batches[] = {{"A", A},
                   {"B", B},
                   {"C", C},
                   {"X", X},
                   {"Y", Y},
                   {"jpvt", jpvt},
                   {"info", info},
                   {"rank", rank},
                   {"tau", tau},
                   {"result", result},
                   {"factor", factor},
                   {"sign", sign},
                   {"logabsdet", logabsdet}};
    const struct {
        const char *name, *right;
        char letter;
    } letters[] = {{"uplo", "LlUu", uplo},       {"side", "LlRr", side},
                   {"trans", "NnTtCc", trans},   {"transa", "NnTtCc", transa},
                   {"transb", "NnTtCc", transb}, {"diag", "NnUu", diag}};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (is_argument(text, batches[i].name))
            return batches[i].batch == NULL;
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (is_argument(text, letters[i].name))
            return letters[i].letter == '\0' || strchr(letters[i].right, letters[i].letter) == NULL;
    return false;
}

bool call_batches(long call)
{
    if (call % 50 == 0 || !exists)
        make_all();
    struct routine *routine = &list[draw(LIST)];
    draw_arguments();
    int wrong = 0, position = 1;
    for (const char *t = routine->arguments; t != NULL && wrong == 0;
         t = next_argument(t), position++)
        wrong = is_wrong(t) ? position : 0;
    bool has_info =
        strstr(routine->arguments, "info") != NULL && strcmp(routine->name, "iamax") != 0;
    return has_fault(&pool, routine, call, routine->run(), wrong, has_info ? count : 0);
}

int finish_batches(void)
{
    destroy_all();
    return never_succeeded(list, LIST);
}
