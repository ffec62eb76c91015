/* Calls Fortran symbols described by tables: arguments, calls, comparisons. */
#include "dropin_call.h"

#include "check.h"
#include "reference.h"

#include <complex.h>
#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbol symbols[T_SYMBOLS + 1] = {
    {T_POTRF, DEFINITE, "unAli", "potrf", "", NULL, NULL},
    {T_PSTRF, DEFINITE, "unAlpyewi", "pstrf", "", NULL, NULL},
    {T_POTRS, TRIANGLE, "unrAlBbi", "potrs", "", NULL, NULL},
    {T_POTRI, TRIANGLE, "unAli", "potri", "", NULL, NULL},
    {T_POSV, DEFINITE, "unrAlBbi", "posv", "", NULL, NULL},
    {T_TRTRI, TRIANGLE, "udnAli", "trtri", "", NULL, NULL},
    {T_TRTRS, TRIANGLE, "utdnrAlBbi", "trtrs", "", NULL, NULL},
    {T_LAUUM, TRIANGLE, "unAli", "lauum", "", NULL, NULL},
    {T_SYGST, INDEFINITE, "zunAlBbi", "sygst", "", NULL, NULL},
    {T_POCON, TRIANGLE, "unAlvqwxi", "pocon", "", NULL, NULL},
    {T_GETRF, GENERAL, "mnAlpi", "getrf", "", NULL, NULL},
    {T_GETRS, LU_FACTORS, "tnrAlpBbi", "getrs", "", NULL, NULL},
    {T_GETRI, LU_FACTORS, "nAlpwLi", "getri", "", NULL, NULL},
    {T_GESV, GENERAL, "nrAlpBbi", "gesv", "", NULL, NULL},
    {T_GECON, LU_FACTORS, "onAlvqwxi", "gecon", "", NULL, NULL},
    {T_GEQRF, GENERAL, "mnAlTwLi", "geqrf", "", NULL, NULL},
    {T_GELQF, GENERAL, "mnAlTwLi", "gelqf", "", NULL, NULL},
    {T_GEQP3, GENERAL, "mnAlpTwLi", "geqp3", "", NULL, NULL},
    {T_ORGQR, REFLECTORS, "mnkAlTwLi", "orgqr", "", NULL, NULL},
    {T_ORGLQ, REFLECTORS, "mnkAlTwLi", "orglq", "", NULL, NULL},
    {T_ORMQR, REFLECTORS, "stmnkAlTCcwLi", "ormqr", "", NULL, NULL},
    {T_ORMLQ, REFLECTORS, "stmnkAlTCcwLi", "ormlq", "", NULL, NULL},
    {T_GELS, GENERAL, "tmnrAlBbwLi", "gels", "", NULL, NULL},
    {T_GELSY, GENERAL, "mnrAlBbpfywLi", "gelsy", "", NULL, NULL},
    {T_SYTRF, INDEFINITE, "unAlpwLi", "sytrf", "", NULL, NULL},
    {T_SYTRS, LDL_FACTORS, "unrAlpBbi", "sytrs", "", NULL, NULL},
    {T_SYTRS2, LDL_FACTORS, "unrAlpBbwi", "sytrs2", "", NULL, NULL},
    {T_SYTRI, LDL_FACTORS, "unAlpwi", "sytri", "", NULL, NULL},
    {T_SYSV, INDEFINITE, "unrAlpBbwLi", "sysv", "", NULL, NULL},
    {T_SYCON, LDL_FACTORS, "unAlpvqwxi", "sycon", "", NULL, NULL},
    {T_SYTRF_AA, INDEFINITE, "unAlhHpgwLi", "sytrf_aa_2stage", "", NULL, NULL},
    {T_SYTRS_AA, AASEN_FACTORS, "unrAlhHpgBbi", "sytrs_aa_2stage", "", NULL, NULL},
    {T_SYSV_AA, INDEFINITE, "unrAlhHpgBbwLi", "sysv_aa_2stage", "", NULL, NULL},
    {T_HETRF, INDEFINITE, "unAlpwLi", "hetrf", "", NULL, NULL},
    {T_HETRS, LDL_FACTORS, "unrAlpBbi", "hetrs", "", NULL, NULL},
    {T_HETRS2, LDL_FACTORS, "unrAlpBbwi", "hetrs2", "", NULL, NULL},
    {T_HETRI, LDL_FACTORS, "unAlpwi", "hetri", "", NULL, NULL},
    {T_HESV, INDEFINITE, "unrAlpBbwLi", "hesv", "", NULL, NULL},
    {T_HECON, LDL_FACTORS, "unAlpvqwi", "hecon", "", NULL, NULL},
    {T_HETRF_AA, INDEFINITE, "unAlhHpgwLi", "hetrf_aa_2stage", "", NULL, NULL},
    {T_HETRS_AA, AASEN_FACTORS, "unrAlhHpgBbi", "hetrs_aa_2stage", "", NULL, NULL},
    {T_HESV_AA, INDEFINITE, "unrAlhHpgBbwLi", "hesv_aa_2stage", "", NULL, NULL},
    {T_SYMBOLS, GENERAL, NULL, "", "", NULL, NULL},
};

/* -- the two libraries ------------------------------------------------------------------------ */

#ifdef STARTILE_ILP64
#define OUR_SUFFIX "_64_"
#else
#define OUR_SUFFIX "_"
#endif

/* Returns the library's function `name` with the suffix. Ends the program if it is missing. */
static fortran_function *load(void *library, const char *name, const char *suffix)
{
    char symbol[32];
    union {
        void *object;
        fortran_function *function;
    } found;
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    found.object = library == NULL ? NULL : dlsym(library, symbol);
    if (found.object == NULL) {
        fprintf(stderr, "no %s: %s\n", symbol, dlerror());
        exit(1);
    }
    return found.function;
}

void symbols_load(void)
{
    void *ours = dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *machines = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    if (dtype < STARTILE_C)
        symbols[T_HETRF].arguments = NULL;
    else
        symbols[T_SYCON].arguments = "unAlpvqwi"; /* without IWORK */
    for (struct symbol *s = symbols; s->arguments != NULL; s++) {
        bool is_unitary = strncmp(s->name, "or", 2) == 0 && dtype >= STARTILE_C;
        if (is_unitary)
            memcpy(s->name, "un", 2);
        if (s->id == T_SYGST && dtype >= STARTILE_C)
            memcpy(s->name, "he", 2);
        if (s->id == T_GEQP3 && dtype >= STARTILE_C)
            s->arguments = "mnAlpTwLxi"; /* with RWORK */
        if (s->id == T_GELSY && dtype >= STARTILE_C)
            s->arguments = "mnrAlBbpfywLxi";
        memmove(s->name + 1, s->name, strlen(s->name) + 1);
        s->name[0] = "sdcz"[dtype];
        snprintf(s->upper_name, sizeof s->upper_name, "%-6s", s->name);
        for (char *c = s->upper_name; *c != '\0'; c++)
            *c = (char)toupper((unsigned char)*c);
        s->ours = load(ours, s->name, OUR_SUFFIX);
        s->machines = load(machines, s->name, "_");
    }
}

fortran_function *startile_symbol(const char *name)
{
    return load(dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL), name, OUR_SUFFIX);
}

struct xerbla xerbla_last;

void xerbla_reset(void)
{
    xerbla_last = (struct xerbla){0};
}

static void record(const char *name, int position, size_t length)
{
    xerbla_last.calls++;
    xerbla_last.position = position;
    xerbla_last.length = length;
    snprintf(xerbla_last.name, sizeof xerbla_last.name, "%.*s", (int)length, name);
}

/* Replaces XERBLA for both libraries: records the call. */
__attribute__((visibility("default"))) void xerbla_(const char *name, const int32_t *position,
                                                    size_t length);
void xerbla_(const char *name, const int32_t *position, size_t length)
{
    record(name, *position, length);
}

#ifdef STARTILE_ILP64
__attribute__((visibility("default"))) void xerbla_64_(const char *name, const int64_t *position,
                                                       size_t length);
void xerbla_64_(const char *name, const int64_t *position, size_t length)
{
    record(name, (int)*position, length);
}
#endif

/* -- arguments -------------------------------------------------------------------------------- */

/* Returns whether the symbol has an argument of this kind, a letter of dropin_call.h. */
static bool has(const struct symbol *s, char kind)
{
    return strchr(s->arguments, kind) != NULL;
}

struct arguments arguments_new(const struct symbol *s, int64_t m, int64_t n, int64_t k, int pad)
{
    struct arguments x = {.m = (int32_t)m, .n = (int32_t)n, .k = (int32_t)k, .info = -77};
    x.nrhs = s->id == T_SYGST ? x.n : x.k;
    x.itype = 1 + (x.n + pad) % 3;
    x.lda = x.ldb = x.ldc = pad;
    if (!has(s, 'm'))
        x.m = x.n;
    return x;
}

static bool is_left(const struct arguments *x)
{
    return x->side == 'L' || x->side == 'l';
}

bool arguments_fit(const struct arguments *x, const struct symbol *s)
{
    switch (s->id) {
    case T_ORGQR:
        return x->m >= x->n && x->k <= x->n;
    case T_ORGLQ:
        return x->m <= x->n && x->k <= x->m;
    case T_ORMQR:
    case T_ORMLQ:
        return x->k <= (is_left(x) ? x->m : x->n);
    default:
        return true;
    }
}

/* Stores the number of rows and columns of A. */
static void shape_of(const struct arguments *x, const struct symbol *s, int64_t *rows,
                     int64_t *columns)
{
    int64_t order = is_left(x) ? x->m : x->n;
    bool is_product = has(s, 'C');
    *rows = !is_product ? x->m : s->id == T_ORMQR ? order : x->k;
    *columns = !is_product ? x->n : s->id == T_ORMQR ? x->k : order;
}

/* Returns the least LWORK that LAPACK documents. */
static int64_t shortest_work(const struct arguments *x, const struct symbol *s)
{
    int64_t k = min(x->m, x->n);
    switch (s->id) {
    case T_GELQF:
    case T_ORGLQ:
        return max(1, x->m);
    case T_GEQP3:
        return k == 0 ? 1 : dtype < STARTILE_C ? 3 * x->n + 1 : x->n + 1;
    case T_ORMQR:
    case T_ORMLQ:
        return max(1, is_left(x) ? x->n : x->m);
    case T_GELS:
        return max(1, k + max(k, x->nrhs));
    case T_SYTRF:
    case T_SYSV:
    case T_HETRF:
    case T_HESV:
        return 1;
    case T_GELSY:
        /* LAPACK accepts less for real types, which its call of xGEQP3 refuses */
        return dtype < STARTILE_C ? max(k + 3 * x->n + 1, 2 * k + x->nrhs)
                                  : k + max(2 * k, max(x->n + 1, k + x->nrhs));
    default:
        return max(1, x->n);
    }
}

/* Fills A with random elements, larger ones on the antidiagonal of a square A and on the diagonal
 * of another A. A is then well-conditioned, and LU of a square A interchanges rows. */
static void fill_general(struct array A)
{
    array_random(A);
    for (int64_t j = 0; j < min(A.m, A.n); j++) {
        int64_t i = A.m == A.n ? A.m - 1 - j : j;
        set(A, i, j, get(A, i, j) + 8 + (double)A.n / 4);
    }
}

/* Fills the triangle uplo of A: A is Hermitian and definite, or a well-conditioned triangle. The
 * other triangle is poison. */
static void fill_by_uplo(struct array A, char uplo, bool definite)
{
    array_random(A);
    for (int64_t j = 0; j < A.n; j++) {
        for (int64_t i = 0; i < A.n; i++)
            set(A, i, j, get(A, i, j) / (double)A.n);
        set(A, j, j, definite ? 4 + (double)j / 8 : 1 + creal(random_element(STARTILE_D)) / 2);
    }
    array_poison(A, uplo == 'L' || uplo == 'l' ? 'U' : 'L');
}

/* Fills the triangle uplo of A with that of a well-conditioned indefinite matrix. Bunch and
 * Kaufman's pivots of it have order 1, in rows j and n - 1 - j for even j < n/2, or 2, for odd j.
 * The other triangle is poison. */
static void fill_indefinite(struct array A, char uplo)
{
    double large = 8 + (double)A.n / 4;
    array_random(A);
    for (int64_t j = 0; j < A.n; j++) {
        int64_t opposite = A.n - 1 - j, is_odd = min(j, opposite) % 2;
        set(A, j, j, is_odd ? 0 : j < opposite ? large : -large);
        if (is_odd)
            set(A, opposite, j, large);
    }
    array_poison(A, uplo == 'L' || uplo == 'l' ? 'U' : 'L');
}

/* A := the factors of an indefinite matrix, ipiv := their pivots, by the machine's LAPACK. */
static void fill_ldl_factors(struct arguments *x, const struct symbol *s)
{
    fill_indefinite(x->A, x->uplo);
    x->lwork = 1;
    call_machine(&symbols[s->id >= T_HETRF ? T_HETRF : T_SYTRF], x);
    require_info(x->info, 0);
}

/* A := the factors of an indefinite matrix by Aasen's method of the machine's LAPACK. */
static void fill_aasen_factors(struct arguments *x, const struct symbol *s)
{
    fill_indefinite(x->A, x->uplo);
    x->lwork = (int32_t)max(1, 4 * x->n);
    call_machine(&symbols[s->id >= T_HETRF ? T_HETRF_AA : T_SYTRF_AA], x);
    require_info(x->info, 0);
}

/* Fills A with random elements, and overwrites its first k columns, or rows for LQ, with the
 * reflectors of a random matrix. x->tau := their tau. */
static void fill_reflectors(struct arguments *x, const struct symbol *s)
{
    bool by_rows = s->id == T_ORGLQ || s->id == T_ORMLQ;
    struct array A = x->A, R = array_new(dtype, by_rows ? x->k : A.m, by_rows ? A.n : x->k, 0);
    array_random(A);
    array_random(R);
    if (by_rows)
        lapack(R)->gelqf(R, x->tau);
    else
        lapack(R)->geqrf(R, x->tau);
    for (int64_t j = 0; j < R.n; j++)
        for (int64_t i = 0; i < R.m; i++)
            set(A, i, j, get(R, i, j));
    array_free(R);
}

/* A := the LU factors of a well-conditioned matrix, ipiv := their pivots. */
static void fill_factors(struct arguments *x)
{
    int64_t *ipiv = calloc((size_t)x->n + 1, sizeof *ipiv);
    require(ipiv != NULL);
    fill_general(x->A);
    lapack(x->A)->getrf(x->A, ipiv);
    for (int64_t i = 0; i < x->n; i++)
        x->ipiv[i] = (int32_t)ipiv[i];
    free(ipiv);
}

/* Returns whether B has as many rows as A has rows or columns, whichever are more. */
static bool is_least_squares(const struct symbol *s)
{
    return s->id == T_GELS || s->id == T_GELSY;
}

/* Allocates the arrays. x->lda is their padding before the call, and the leading dimension of A
 * after it. */
static void allocate(struct arguments *x, const struct symbol *s, bool shortest)
{
    int64_t rows, columns, longest = max(x->m, x->n), pad = x->lda;
    shape_of(x, s, &rows, &columns);
    x->A = array_new(dtype, rows, columns, pad);
    x->B = array_new(dtype, is_least_squares(s) ? longest : x->n, x->nrhs, pad);
    x->C = array_new(dtype, x->m, x->n, pad);
    x->lda = (int32_t)x->A.ld;
    x->ldb = (int32_t)x->B.ld;
    x->ldc = (int32_t)x->C.ld;
    x->tau = array_new(dtype, has(s, 'k') ? x->k : min(x->m, x->n), 1, 0);
    x->anorm = array_new(dtype < STARTILE_C ? dtype : dtype - STARTILE_C, 1, 1, 0);
    x->rcond = array_copy(x->anorm);
    x->tol = array_copy(x->anorm);
    set(x->anorm, 0, 0, 3); /* any norm */
    if (has(s, 'f'))
        set(x->rcond, 0, 0, 1e-3);
    set(x->tol, 0, 0, -1);
    x->lwork = (int32_t)((shortest ? 1 : 64) * shortest_work(x, s));
    x->work = array_new(dtype, has(s, 'L') ? x->lwork : 4 * longest + 1, 1, 0);
    x->ipiv = calloc((size_t)longest + 1, sizeof *x->ipiv);
    x->ipiv2 = calloc((size_t)longest + 1, sizeof *x->ipiv2);
    x->iwork = calloc((size_t)longest + 1, 2 * sizeof(double));
    require(x->ipiv != NULL && x->ipiv2 != NULL && x->iwork != NULL);
    /* for tiles of order 1, or 4 */
    x->ltb = (int32_t)max(1, (shortest ? 4 : 13) * x->n);
    x->tb = array_new(dtype, has(s, 'h') ? x->ltb : 1, 1, 0);
}

void arguments_fill(struct arguments *x, const struct symbol *s, bool shortest)
{
    random_seed((uint64_t)(31 * x->m + x->n));
    allocate(x, s, shortest);
    array_random(x->B);
    array_random(x->C);
    if (s->id == T_SYGST)
        fill_by_uplo(x->B, x->uplo, false);
    if (s->content == DEFINITE || s->content == TRIANGLE)
        fill_by_uplo(x->A, x->uplo, s->content == DEFINITE);
    else if (s->content == GENERAL)
        fill_general(x->A);
    else if (s->content == LU_FACTORS)
        fill_factors(x);
    else if (s->content == INDEFINITE)
        fill_indefinite(x->A, x->uplo);
    else if (s->content == LDL_FACTORS)
        fill_ldl_factors(x, s);
    else if (s->content == AASEN_FACTORS)
        fill_aasen_factors(x, s);
    else
        fill_reflectors(x, s);
    for (int32_t j = 0; j < x->n && (s->id == T_GEQP3 || s->id == T_GELSY); j++)
        /* some columns come first; for m = 0 LAPACK 3.11 then requires more than LWORK's least
         * value */
        x->ipiv[j] = x->m > 0 && j % 5 == 3;
}

struct arguments arguments_copy(const struct arguments *x, const struct symbol *s)
{
    struct arguments y = *x;
    (void)s;
    y.A = array_copy(x->A);
    y.B = array_copy(x->B);
    y.C = array_copy(x->C);
    y.tb = array_copy(x->tb);
    y.tau = array_copy(x->tau);
    y.work = array_copy(x->work);
    y.anorm = array_copy(x->anorm);
    y.rcond = array_copy(x->rcond);
    y.tol = array_copy(x->tol);
    size_t count = (size_t)max(x->A.m, x->A.n) + (size_t)max(x->C.m, x->C.n) + 1;
    y.ipiv = calloc(count, sizeof *y.ipiv);
    y.ipiv2 = calloc(count, sizeof *y.ipiv2);
    y.iwork = calloc(count, 2 * sizeof(double));
    require(y.ipiv != NULL && y.ipiv2 != NULL && y.iwork != NULL);
    memcpy(y.ipiv, x->ipiv, (size_t)max(x->C.m, x->C.n) * sizeof *y.ipiv);
    memcpy(y.ipiv2, x->ipiv2, (size_t)max(x->C.m, x->C.n) * sizeof *y.ipiv2);
    return y;
}

void arguments_free(struct arguments *x)
{
    struct array all[] = {x->A, x->B, x->C, x->tb, x->tau, x->work, x->anorm, x->rcond, x->tol};
    for (int i = 0; i < 9 && x->ipiv != NULL; i++)
        array_free(all[i]);
    free(x->ipiv);
    free(x->ipiv2);
    free(x->iwork);
}

void arguments_enlarge(struct arguments *x, int32_t n)
{
    x->m = x->n = x->k = x->nrhs = x->lda = x->ldb = x->ldc = n;
    x->ltb = 4 * n;
}

char *letter_of(struct arguments *x, char kind)
{
    switch (kind) {
    case 'u':
        return &x->uplo;
    case 't':
        return &x->trans;
    case 'd':
        return &x->diag;
    case 's':
        return &x->side;
    case 'o':
        return &x->norm_letter;
    default:
        return NULL;
    }
}

int32_t *integer_of(struct arguments *x, char kind)
{
    switch (kind) {
    case 'm':
        return &x->m;
    case 'n':
        return &x->n;
    case 'k':
        return &x->k;
    case 'r':
        return &x->nrhs;
    case 'l':
        return &x->lda;
    case 'b':
        return &x->ldb;
    case 'c':
        return &x->ldc;
    case 'L':
        return &x->lwork;
    case 'H':
        return &x->ltb;
    case 'z':
        return &x->itype;
    default:
        return NULL;
    }
}

const char *letters_as_text(const struct arguments *x, const struct symbol *s)
{
    static char words[80];
    struct arguments copy = *x;
    size_t at = 0;
    words[0] = '\0';
    for (const char *k = s->arguments; *k != '\0'; k++)
        if (letter_of(&copy, *k) != NULL)
            at += (size_t)snprintf(words + at, sizeof words - at, "%c ", *letter_of(&copy, *k));
    return words;
}

/* -- a call ----------------------------------------------------------------------------------- */

/* Returns the address of the argument of this kind. */
static void *address_of(struct arguments *x, char kind)
{
    switch (kind) {
    case 'A':
        return x->A.a;
    case 'B':
        return x->B.a;
    case 'C':
        return x->C.a;
    case 'h':
        return x->tb.a;
    case 'T':
        return x->tau.a;
    case 'w':
        return x->work.a;
    case 'v':
        return x->anorm.a;
    case 'q':
    case 'f':
        return x->rcond.a;
    case 'e':
        return x->tol.a;
    case 'y':
        return &x->rank;
    case 'p':
        return x->ipiv;
    case 'g':
        return x->ipiv2;
    case 'x':
        return x->iwork;
    case 'i':
        return &x->info;
    default:
        return letter_of(x, kind) != NULL ? (void *)letter_of(x, kind)
                                          : (void *)integer_of(x, kind);
    }
}

/* Maximum number of arguments of a call. The lengths of character arguments, at most two, follow
 * the addresses. */
enum { MOST_ARGUMENTS = 15 };

/* p := the addresses of the symbol's arguments, then ones, the lengths of its character arguments.
 */
static void find_addresses(const struct symbol *s, struct arguments *x, void *p[MOST_ARGUMENTS])
{
    size_t count = strlen(s->arguments);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        p[i] = i < count ? address_of(x, s->arguments[i]) : (void *)(uintptr_t)1;
}

/* Calls f with all of p; f ignores those behind its own arguments. */
static void call(fortran_function *f, void *p[MOST_ARGUMENTS])
{
    ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
               void *, void *, void *, void *, void *))f)(p[0], p[1], p[2], p[3], p[4], p[5], p[6],
                                                          p[7], p[8], p[9], p[10], p[11], p[12],
                                                          p[13], p[14]);
}

void call_machine(const struct symbol *s, struct arguments *x)
{
    void *p[MOST_ARGUMENTS];
    find_addresses(s, x, p);
    call(s->machines, p);
}

#ifndef STARTILE_ILP64
void call_startile(const struct symbol *s, struct arguments *x)
{
    void *p[MOST_ARGUMENTS];
    find_addresses(s, x, p);
    call(s->ours, p);
}
#else
/* widen() copies `count` integers at p to 64-bit integers, narrow() copies them back. */
static void widen(void *p, int64_t *wide, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        wide[i] = ((int32_t *)p)[i];
}

static void narrow(int64_t *wide, void *p, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        ((int32_t *)p)[i] = (int32_t)wide[i];
}

void call_startile(const struct symbol *s, struct arguments *x)
{
    void *p[MOST_ARGUMENTS], *narrow_p[MOST_ARGUMENTS];
    int64_t *wide[MOST_ARGUMENTS] = {NULL}, pivots = max(x->C.m, x->C.n);
    find_addresses(s, x, p);
    memcpy(narrow_p, p, sizeof p);
    for (size_t i = 0; s->arguments[i] != '\0'; i++) {
        char kind = s->arguments[i];
        int64_t count = kind == 'p' || kind == 'g'
                            ? pivots
                            : integer_of(x, kind) != NULL || kind == 'i' || kind == 'y';
        if (count == 0)
            continue;
        wide[i] = malloc((size_t)count * sizeof *wide[i]);
        require(wide[i] != NULL);
        widen(p[i], wide[i], count);
        p[i] = wide[i];
    }
    call(s->ours, p);
    for (size_t i = 0; s->arguments[i] != '\0'; i++)
        if (wide[i] != NULL)
            narrow(wide[i], narrow_p[i], strchr("pg", s->arguments[i]) != NULL ? pivots : 1);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        free(wide[i]);
}
#endif

/* -- comparisons ------------------------------------------------------------------------------ */

/* Requires the first `rows` rows of X and Y to be equal up to rounding. Where Y has a NaN, such as
 * poison, all bits must be equal. */
static void require_near(struct array X, struct array Y, int64_t rows)
{
    double scale = 0;
    for (int64_t j = 0; j < Y.n; j++)
        for (int64_t i = 0; i < rows; i++)
            scale = fmax(scale, cabs(get(Y, i, j)));
    for (int64_t j = 0; j < Y.n; j++)
        for (int64_t i = 0; i < rows; i++) {
            struct array x = array_part(X, i, j, 1, 1), y = array_part(Y, i, j, 1, 1);
            if (isnan(creal(get(Y, i, j))))
                require(memcmp(x.a, y.a, element_size(Y.dtype)) == 0);
            else
                require_below(cabs(get(X, i, j) - get(Y, i, j)),
                              (1 + scale) * 200 * (double)(Y.m + Y.n) * unit_roundoff(Y.dtype));
        }
    require(has_borders_intact(X));
}

/* Requires the vector v in work[n … 2n−1] after a condition estimate: ‖v‖₁ / ‖w‖₁ is about the
 * estimate of ‖A⁻¹‖, with ‖w‖₁ = 1, or 3 n/2 for the alternating w. */
static void require_null_vector(const struct arguments *x)
{
    double norm = 0, n = (double)x->n, bound = 0.001;
    for (int32_t i = 0; i < x->n; i++)
        norm += cabs(get(x->work, x->n + i, 0));
    double product = norm * creal(get(x->rcond, 0, 0)) * creal(get(x->anorm, 0, 0));
    require(fabs(product - 1) <= bound || fabs(product / (1.5 * n) - 1) <= bound);
}

/* Clears what Aasen's method leaves beside L, or U, in the triangle of A: with tiles of order nb it
 * stores L(i,j) in A(i,j-nb). */
static void clear_beside_factor(const struct arguments *x, int64_t nb)
{
    bool is_lower = x->uplo == 'L' || x->uplo == 'l';
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = j; i < x->n && i <= j + nb; i++)
            set(x->A, is_lower ? i : j, is_lower ? j : i, 0);
}

void require_same_results(const struct symbol *s, const struct arguments *x,
                          const struct arguments *y)
{
    bool is_transposed = s->id == T_GELS && x->trans != 'N' && x->trans != 'n';
    int64_t solution_rows = is_transposed ? x->m : x->n;
    require_info(x->info, y->info);
    if (has(s, 'h') && has(s, 'L')) {
        clear_beside_factor(x, (int64_t)creal(get(x->tb, 0, 0)));
        clear_beside_factor(y, (int64_t)creal(get(x->tb, 0, 0)));
    }
    /* after gels and gelsy, A and the rows of B below X depend on the implementation */
    if (!is_least_squares(s))
        require_near(x->A, y->A, y->A.m);
    if (has(s, 'y'))
        require_info(x->rank, y->rank);
    if (has(s, 'B'))
        require_near(x->B, y->B, is_least_squares(s) ? solution_rows : y->B.m);
    if (has(s, 'C'))
        require_near(x->C, y->C, y->C.m);
    if (has(s, 'T'))
        require_near(x->tau, y->tau, y->tau.m);
    int64_t pivots = s->id == T_GEQP3 || s->id == T_GELSY ? x->n : min(x->m, x->n);
    for (int64_t k = 0; k < pivots && has(s, 'p'); k++)
        require_info(x->ipiv[k], y->ipiv[k]);
    for (int64_t k = 0; k < pivots && has(s, 'g'); k++)
        require_info(x->ipiv2[k], y->ipiv2[k]);
    if (has(s, 'y'))
        require_info(x->rank, y->rank);
    if (has(s, 'q'))
        require_below(fabs(log(creal(get(x->rcond, 0, 0)) / creal(get(y->rcond, 0, 0)))), log(3));
    if ((s->id == T_POCON || s->id == T_GECON) && x->info == 0 && x->n > 0)
        require_null_vector(x);
}

void require_untouched(const struct symbol *s, const struct arguments *x, const struct arguments *y)
{
    (void)s;
    require(is_same(x->A, y->A) && is_same(x->B, y->B) && is_same(x->C, y->C));
    require(is_same(x->tau, y->tau) && is_same(x->rcond, y->rcond));
}
