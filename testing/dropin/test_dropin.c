/*
 * Tests libstartile_lapack against the machine's LAPACK: every symbol with the same arguments,
 * right and wrong. Both libraries are loaded with local scope, so that their symbols do not mix;
 * both call this program's xerbla_. Also compiled for STARTILE_ILP64.
 */
#include "check.h"
#include "dropin_call.h"
#include "reference.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const uplos[] = {"L", "u"}, *const diags[] = {"N", "u"},
                         *const sides[] = {"l", "R"}, *const norms[] = {"1", "o", "I"};
static const char *const real_trans[] = {"n", "T"}, *const complex_trans[] = {"N", "c"},
                         *const all_trans[] = {"N", "t", "C"};

/* Returns the number of values of a letter argument; *letter := value i. */
static int letters_of(const struct symbol *s, char kind, int i, char *letter)
{
    bool is_real = dtype < STARTILE_C, all = s->id == T_GETRS || s->id == T_TRTRS;
    const char *const *list = kind == 'u'   ? uplos
                              : kind == 'd' ? diags
                              : kind == 's' ? sides
                              : kind == 'o' ? norms
                              : all         ? all_trans
                              : is_real     ? real_trans
                                            : complex_trans;
    /* OpenBLAS 0.3.21's trtrs refuses small letters as UPLO and DIAG */
    *letter = s->id == T_TRTRS ? (char)toupper((unsigned char)list[i][0]) : list[i][0];
    return kind == 'o' || (kind == 't' && all) ? 3 : 2;
}

/* Sets the letters to the combination with index `combination`. Returns false if there is no
 * combination with this index. */
static bool set_letters(struct arguments *x, const struct symbol *s, int combination)
{
    for (const char *k = s->arguments; *k != '\0'; k++)
        if (strchr("utdso", *k) != NULL) {
            char letter;
            int count = letters_of(s, *k, 0, &letter);
            letters_of(s, *k, combination % count, &letter);
            *letter_of(x, *k) = letter;
            combination /= count;
        }
    return combination == 0;
}

/* Calls `body` for several shapes; for symbols without m, k is the number of right-hand sides. */
static void for_shapes(const struct symbol *s, void (*body)(const struct symbol *, int64_t m,
                                                            int64_t n, int64_t k, int pad))
{
    static const int64_t squares[] = {0, 1, 2, 3, 5, 6, 7, 8, 10, 15, 16, 17, 35, 50};
    static const int64_t shapes[][3] = {{0, 4, 0},   {4, 0, 0},    {1, 1, 1},    {7, 4, 4},
                                        {4, 7, 4},   {16, 5, 3},   {5, 16, 5},   {17, 17, 16},
                                        {35, 16, 7}, {16, 35, 16}, {40, 33, 33}, {33, 40, 2}};
    /* Aasen's method with its shortest band has tiles of order 1, whose tasks take long for more
     * rows */
    int of_squares = strchr(s->arguments, 'h') == NULL ? 14 : 12;
    if (strchr(s->arguments, 'm') == NULL)
        for (int i = 0; i < of_squares; i++)
            for (int64_t nrhs = 0; nrhs < (strchr(s->arguments, 'r') != NULL ? 4 : 1); nrhs += 3)
                body(s, squares[i], squares[i], nrhs, (int)nrhs + i % 2);
    else
        for (int i = 0; i < 12; i++)
            body(s, shapes[i][0], shapes[i][1], shapes[i][2], i % 3);
}

/* -- results ---------------------------------------------------------------------------------- */

/* Returns whether both workspace sizes are equal. Accepts any size of at least 1 for 64-bit
 * integers, for which the LAPACK behind the drop-in has other block sizes or is missing. */
static bool is_same_size(startile_complex ours, startile_complex machines)
{
#ifdef STARTILE_ILP64
    (void)machines;
    return creal(ours) >= 1;
#else
    return ours == machines;
#endif
}

/* Requires WORK(1), after a successful call with LWORK and without empty dimensions, to be the
 * result of a workspace query, as documented. (Reference code returns the used size if LWORK is
 * short.) */
static void require_optimal_work(const struct symbol *s, struct arguments *x, struct arguments *y)
{
    if (strchr(s->arguments, 'L') == NULL || x->info != 0)
        return;
    *integer_of(y, 'L') = -1;
    call_machine(s, y);
    bool is_empty = x->m == 0 || x->n == 0 || (strchr(s->arguments, 'k') != NULL && x->k == 0);
    require(is_same_size(get(x->work, 0, 0), get(y->work, 0, 0)) || is_empty);
}

/* Compares the results of both libraries for this shape and all combinations of letters. */
static void compare(const struct symbol *s, int64_t m, int64_t n, int64_t k, int pad)
{
    for (int combination = 0;; combination++) {
        struct arguments x = arguments_new(s, m, n, k, pad);
        if (!set_letters(&x, s, combination)) {
            arguments_free(&x);
            return;
        }
        in_case("%s, %d × %d, k or nrhs %d, %s", s->name, (int)m, (int)n, (int)k,
                letters_as_text(&x, s));
        /* shortest and long workspace alternate */
        if (arguments_fit(&x, s)) {
            arguments_fill(&x, s, combination % 2 == 0);
            struct arguments y = arguments_copy(&x, s);
            call_startile(s, &x);
            call_machine(s, &y);
            /* without right-hand sides the reference gesv factors A, OpenBLAS's does not */
            if (s->id == T_GESV && k == 0)
                require(x.info == 0 && (n == 0 || x.ipiv[0] == n));
            else
                require_same_results(s, &x, &y);
            require_optimal_work(s, &x, &y);
            arguments_free(&y);
        }
        arguments_free(&x);
    }
}

/* Returns whether nobody solves the problem: gelsy needs a CPU worker, and the library with 64-bit
 * integers has no machine's LAPACK that takes its place. */
static bool is_unserved(const struct symbol *s)
{
#ifdef STARTILE_ILP64
    return s->id == T_GELSY && backend == GPU;
#else
    (void)s;
    return false;
#endif
}

static void test_results(void)
{
    static const char *const tiles[] = {"4", "7", "16"};
    for (int t = 0; t < 3; t++) {
        setenv("STARTILE_NB", tiles[t], 1);
        for (const struct symbol *s = symbols; s->arguments != NULL; s++)
            if (!is_unserved(s))
                for_shapes(s, compare);
    }
    setenv("STARTILE_NB", "7", 1);
}

/* -- wrong arguments -------------------------------------------------------------------------- */

/* Replaces the argument of this kind by an invalid value. Returns false if the argument has no
 * invalid value. */
static bool spoil(struct arguments *x, char kind)
{
    char *letter = letter_of(x, kind);
    int32_t *integer = integer_of(x, kind);
    if (letter != NULL)
        *letter = 'X';
    else if (kind == 'v')
        set(x->anorm, 0, 0, -1);
    else if (integer != NULL && strchr("lbc", kind) != NULL)
        *integer -= 1;
    else if (integer != NULL && strchr("LH", kind) != NULL)
        *integer = 0;
    else if (integer != NULL)
        *integer = -1;
    return letter != NULL || integer != NULL || kind == 'v';
}

/* Spoils the arguments of the kinds `first` and `second`, which may be equal, and requires the same
 * report to XERBLA as from LAPACK, and untouched operands. */
static void compare_wrong(const struct symbol *s, char first, char second)
{
    struct arguments x = arguments_new(s, 6, 6, 5, 0);
    set_letters(&x, s, 0);
    in_case("%s, wrong: %c %c", s->name, first, second);
    arguments_fill(&x, s, true);
    bool spoilt = spoil(&x, first) && spoil(&x, second);
    if (spoilt) {
        struct arguments y = arguments_copy(&x, s);
        struct xerbla ours, machines;
        xerbla_reset();
        call_startile(s, &x);
        ours = xerbla_last;
        xerbla_reset();
        call_machine(s, &y);
        machines = xerbla_last;
        /* OpenBLAS's getrs does not write info */
        bool is_trtrs = s->id == T_TRTRS && second == 'd' && first != 'd';
        require(x.info == y.info || (s->id == T_GETRS && y.info == -77) || is_trtrs);
        require(x.info < 0 && ours.calls == 1 && ours.position == -x.info);
        require(strcmp(ours.name, s->upper_name) == 0 && ours.length == strlen(s->upper_name));
        /* OpenBLAS 0.3.21's trtrs reports a wrong DIAG before a wrong UPLO or TRANS */
        require(is_trtrs ? ours.position == (first == 'u' ? 1 : 2)
                         : machines.position == ours.position);
        require_untouched(s, &x, &y);
        arguments_free(&y);
    }
    arguments_free(&x);
}

/* Tests single wrong arguments and pairs of them: the reported position must agree. */
static void test_wrong_arguments(void)
{
    for (const struct symbol *s = symbols; s->arguments != NULL; s++)
        for (const char *first = s->arguments; *first != '\0'; first++)
            for (const char *second = first; *second != '\0'; second++)
                compare_wrong(s, *first, *second);
}

/* -- workspace -------------------------------------------------------------------------------- */

/* Tests the query of LTB for order n: the result is the machine's, or the LTB of tiles of order
 * 500. */
static void query_band(const struct symbol *s, const struct arguments *x, int n)
{
    for (int nb = 1; nb <= 500; nb += 499) {
        setenv("STARTILE_NB", nb == 1 ? "1" : "500", 1);
        struct arguments ours = arguments_copy(x, s), machines = arguments_copy(x, s);
        in_case("%s, LTB = -1, tiles of order %d", s->name, nb);
        *integer_of(&ours, 'H') = *integer_of(&machines, 'H') = -1;
        call_startile(s, &ours);
        call_machine(s, &machines);
        require_info(ours.info, 0);
        double band = creal(get(ours.tb, 0, 0)), least = 1501.0 * n;
        if (nb == 1)
            require(is_same_size(band, get(machines.tb, 0, 0)));
        else
            require(band >= least && band <= 1.00001 * least);
        arguments_free(&ours);
        arguments_free(&machines);
    }
    setenv("STARTILE_NB", "7", 1);
}

/* Tests workspace queries for shapes without allocated matrices: the result equals the machine's
 * and suffices. */
static void test_queries(void)
{
    enum { N = 40000 };
    for (const struct symbol *s = symbols; s->arguments != NULL; s++) {
        if (strchr(s->arguments, 'L') == NULL)
            continue;
        in_case("%s, LWORK = -1", s->name);
        struct arguments x = arguments_new(s, 10, 10, 10, 0);
        set_letters(&x, s, 0);
        arguments_fill(&x, s, true);
        *integer_of(&x, 'L') = -1;
        struct arguments large = arguments_copy(&x, s);
        arguments_enlarge(&large, N);
        if (strchr(s->arguments, 'H') != NULL)
            query_band(s, &large, N);
        struct arguments y = arguments_copy(&large, s);
        call_startile(s, &large);
        call_machine(s, &y);
        require_info(large.info, 0);
        require(is_same_size(get(large.work, 0, 0), get(y.work, 0, 0)));
        require(creal(get(large.work, 0, 0)) >= N);
        require(is_same(large.A, x.A));
        arguments_free(&x);
        arguments_free(&y);
        arguments_free(&large);
    }
}

/* -- zeros, NaN ------------------------------------------------------------------------------- */

/* Compares info for a zero or a NaN, `value`, at position `place` of the diagonal. */
static void compare_spoilt(const struct symbol *s, int64_t place, double value)
{
    enum { N = 20 };
    struct arguments x = arguments_new(s, N, N, 2, 1);
    set_letters(&x, s, (int)place % 2);
    in_case("%s with %g at %d", s->name, value, (int)place);
    arguments_fill(&x, s, false);
    for (int64_t i = 0; i < N; i++) {
        bool is_general = s->content == GENERAL || s->content == REFLECTORS;
        if (isnan(value) || (!is_general && s->content != INDEFINITE))
            break;
        set(x.A, i, place, 0); /* a zero column gives a zero pivot */
        if (s->content == INDEFINITE)
            set(x.A, place, i, 0);
    }
    if (s->content != GENERAL || isnan(value))
        set(x.A, place, place, value);
    struct arguments y = arguments_copy(&x, s), before = arguments_copy(&x, s);
    call_startile(s, &x);
    call_machine(s, &y);
    /* OpenBLAS's potrf accepts a NaN pivot, the reference does not */
    require_info(x.info, s->content == DEFINITE && isnan(value) ? place + 1 : y.info);
    if (value == 0 && s->content != REFLECTORS && s->content != LDL_FACTORS)
        require(x.info != 0 || strchr("lg", s->name[1]) != NULL);
    if (s->id == T_POSV || s->id == T_GESV || s->id == T_SYSV || s->id == T_HESV)
        require(x.info == 0 || is_same(x.B, before.B));
    if (s->id == T_GETRF && value == 0)
        require_same_results(s, &x, &y);
    if (isnan(value) && s->id == T_GETRF)
        require(has_nan(x.A, 'G') == has_nan(y.A, 'G'));
    arguments_free(&x);
    arguments_free(&y);
    arguments_free(&before);
}

/* Tests info > 0 of the routines that have it. */
static void test_info(void)
{
    static const int with_info[] = {T_POTRF, T_POSV,  T_POTRI, T_TRTRI, T_TRTRS,
                                    T_GETRF, T_GESV,  T_GETRI, T_GELS,  T_SYTRF,
                                    T_SYSV,  T_SYTRI, T_HETRF, T_HESV,  T_HETRI};
    for (const struct symbol *s = symbols; s->arguments != NULL; s++)
        for (int i = 0; i < (int)(sizeof with_info / sizeof *with_info); i++)
            for (int64_t place = 0; s->id == with_info[i] && place < 20; place += 3) {
                compare_spoilt(s, place, 0);
                /* NaN in a general matrix only for getrf: the choice of pivots is then undefined,
                 * and is not compared */
                if (s->content == DEFINITE || s->id == T_GETRF)
                    compare_spoilt(s, place, NAN);
            }
}

/* -- imaginary parts of diagonals ------------------------------------------------------------- */

/* Requires a real diagonal of startile's result. LAPACK's may keep the input's imaginary parts,
 * which are not compared. */
static void compare_with_imaginary_diagonal(const struct symbol *s, int64_t n, int letters)
{
    struct arguments x = arguments_new(s, n, n, 0, 1);
    set_letters(&x, s, letters);
    in_case("%s with i on the diagonal, n %d, %s", s->name, (int)n, letters_as_text(&x, s));
    arguments_fill(&x, s, false);
    for (int64_t k = 0; k < n; k++)
        set(x.A, k, k, get(x.A, k, k) + 0.5 * I);
    struct arguments y = arguments_copy(&x, s);
    call_startile(s, &x);
    call_machine(s, &y);
    for (int64_t k = 0; k < n; k++) {
        require(cimag(get(x.A, k, k)) == 0);
        set(y.A, k, k, creal(get(y.A, k, k)));
    }
    require_same_results(s, &x, &y);
    arguments_free(&x);
    arguments_free(&y);
}

/* Tests imaginary parts on the diagonal, for complex types only. Orders are small, because LAPACK
 * ignores the imaginary parts only within its blocks of at least 32 columns. */
static void test_imaginary_diagonals(void)
{
    for (const struct symbol *s = symbols; s->arguments != NULL && dtype >= STARTILE_C; s++)
        for (int64_t n = 1; n <= 25 && (s->id == T_LAUUM || s->id == T_POTRI || s->id == T_SYGST);
             n += 6)
            for (int letters = 0; letters < 2; letters++)
                compare_with_imaginary_diagonal(s, n, letters);
}

/* Tests pstrf of X X^H for a random X with `rank` columns: LAPACK's rank and pivots. */
static void compare_deficient(const struct symbol *s, int64_t rank)
{
    enum { N = 25 };
    struct arguments x = arguments_new(s, N, N, 0, 1);
    set_letters(&x, s, (int)rank % 2);
    in_case("%s, rank %d, %s", s->name, (int)rank, letters_as_text(&x, s));
    arguments_fill(&x, s, false);
    struct array X = array_new_random(dtype, N, max(rank, 1), 0);
    array_fill(x.A, 0);
    if (rank > 0)
        lapack(X)->gemm('N', 'C', 1, X, X, 0, x.A);
    struct arguments y = arguments_copy(&x, s);
    call_startile(s, &x);
    call_machine(s, &y);
    require_info(x.info, 1);
    require_info(y.info, 1);
    require_info(x.rank, rank);
    require_info(y.rank, rank);
    for (int64_t k = 0; k < rank; k++)
        require_info(x.ipiv[k], y.ipiv[k]);
    arguments_free(&x);
    arguments_free(&y);
    array_free(X);
}

static void test_deficient(void)
{
    const struct symbol *s = symbols;
    while (s->id != T_PSTRF)
        s++;
    for (int64_t rank = 0; rank < 20; rank += 3)
        compare_deficient(s, rank);
}

/* Tests that gels returns X = 0 for A = 0. */
static void test_gels_of_zeros(void)
{
    const struct symbol *s = symbols;
    while (s->id != T_GELS)
        s++;
    for (int letters = 0; letters < 2; letters++) {
        struct arguments x = arguments_new(s, 20, 9, 3, 1);
        set_letters(&x, s, letters);
        in_case("%s of zeros, %s", s->name, letters_as_text(&x, s));
        arguments_fill(&x, s, false);
        for (int64_t j = 0; j < x.A.n; j++)
            for (int64_t i = 0; i < x.A.m; i++)
                set(x.A, i, j, 0);
        call_startile(s, &x);
        require_info(x.info, 0);
        for (int64_t j = 0; j < x.B.n; j++)
            for (int64_t i = 0; i < x.B.m; i++)
                require(get(x.B, i, j) == 0);
        require(has_borders_intact(x.B));
        arguments_free(&x);
    }
}

/* Tests gelsy with `distinct` different columns, which are repeated, or with A = 0: the rank is
 * that number, and X is LAPACK's solution. */
static void test_gelsy_of_low_rank(void)
{
    const struct symbol *s = symbols;
    while (s->id != T_GELSY)
        s++;
    if (is_unserved(s))
        return;
    for (int32_t distinct = 0; distinct < 9; distinct += 2) {
        struct arguments x = arguments_new(s, 20, 9, 3, 1);
        in_case("%s, rank %d", s->name, (int)distinct);
        arguments_fill(&x, s, false);
        for (int64_t j = distinct; j < x.A.n; j++)
            for (int64_t i = 0; i < x.A.m; i++)
                set(x.A, i, j, distinct == 0 ? 0 : get(x.A, i, j - distinct));
        struct arguments y = arguments_copy(&x, s);
        call_startile(s, &x);
        call_machine(s, &y);
        require_info(x.info, 0);
        require_info(x.rank, distinct);
        require_info(y.rank, distinct);
        for (int64_t j = 0; j < x.B.n; j++)
            for (int64_t i = 0; i < x.A.n; i++)
                require(cabs(get(x.B, i, j) - get(y.B, i, j)) <= 1e3 * unit_roundoff(dtype));
        require(has_borders_intact(x.A) && has_borders_intact(x.B));
        arguments_free(&x);
        arguments_free(&y);
    }
}

/* -- solvers in mixed precision, for types of double precision ------------------------------- */

#ifdef STARTILE_ILP64
typedef int64_t our_integer;
#else
typedef int32_t our_integer;
#endif

/* Calls DSGESV (uplo 'G') or DSPOSV for order n, or ZCGESV or ZCPOSV. Returns info. */
static our_integer call_mixed(char uplo, our_integer n, our_integer nrhs, struct array A,
                              struct array B, struct array X, our_integer *iter)
{
    static const char *const names[2][2] = {{"dsgesv", "zcgesv"}, {"dsposv", "zcposv"}};
    our_integer lda = (our_integer)A.ld, ldb = (our_integer)B.ld, ldx = (our_integer)X.ld, info = 7;
    our_integer *ipiv = calloc((size_t)max(1, n) + 1, sizeof *ipiv);
    fortran_function *f = startile_symbol(names[uplo != 'G'][dtype == STARTILE_Z]);
    double work[1];
    float swork[2];
    if (uplo == 'G' && dtype == STARTILE_D)
        ((void (*)(our_integer *, our_integer *, void *, our_integer *, our_integer *, void *,
                   our_integer *, void *, our_integer *, void *, void *, our_integer *,
                   our_integer *))f)(&n, &nrhs, A.a, &lda, ipiv, B.a, &ldb, X.a, &ldx, work, swork,
                                     iter, &info);
    else if (uplo == 'G')
        ((void (*)(our_integer *, our_integer *, void *, our_integer *, our_integer *, void *,
                   our_integer *, void *, our_integer *, void *, void *, double *, our_integer *,
                   our_integer *))f)(&n, &nrhs, A.a, &lda, ipiv, B.a, &ldb, X.a, &ldx, work, swork,
                                     work, iter, &info);
    else if (dtype == STARTILE_D)
        ((void (*)(char *, our_integer *, our_integer *, void *, our_integer *, void *,
                   our_integer *, void *, our_integer *, void *, void *, our_integer *,
                   our_integer *, size_t))f)(&uplo, &n, &nrhs, A.a, &lda, B.a, &ldb, X.a, &ldx,
                                             work, swork, iter, &info, 1);
    else
        ((void (*)(char *, our_integer *, our_integer *, void *, our_integer *, void *,
                   our_integer *, void *, our_integer *, void *, void *, double *, our_integer *,
                   our_integer *, size_t))f)(&uplo, &n, &nrhs, A.a, &lda, B.a, &ldb, X.a, &ldx,
                                             work, swork, work, iter, &info, 1);
    for (our_integer k = 0; k < n && uplo == 'G' && info == 0; k++)
        require(ipiv[k] > k && ipiv[k] <= n);
    free(ipiv);
    return info;
}

/* Tests the solutions, info of a singular matrix, and a wrong argument. */
static void test_mixed(void)
{
    for (const char *uplo = "GLU"; *uplo != '\0' && (dtype == STARTILE_D || dtype == STARTILE_Z);
         uplo++) {
        enum { N = 40 };
        our_integer iter = -99;
        struct array A = array_new_random(dtype, N, N, 1), B = array_new_random(dtype, N, 3, 2),
                     X = array_new(dtype, N, 3, 0);
        for (int64_t j = 0; j < N; j++)
            for (int64_t i = 0; i <= j; i++)
                set(A, i, j, i == j ? 20 + N : conj(get(A, j, i)));
        in_case("mixed precision, %c", *uplo);
        require_info(call_mixed(*uplo, N, 3, A, B, X, &iter), 0);
        require(iter >= 0);
        require_below(solution_residual(A, X, B), 30);
        set(A, 0, 0, 0);
        for (int64_t i = 0; i < N; i++)
            set(A, i, 0, 0), set(A, 0, i, 0);
        require_info(call_mixed(*uplo, N, 3, A, B, X, &iter), 1);
        require(iter < 0);
        xerbla_reset();
        call_mixed(*uplo, -1, 3, A, B, X, &iter);
        require_info(xerbla_last.calls, 1);
        require_info(xerbla_last.position, *uplo == 'G' ? 1 : 2);
        arrays_free(A, B, X);
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    setenv(backend == GPU ? "STARPU_NCPU" : "STARPU_NCUDA", "0", 1);
    setenv("STARTILE_LAPACK_MIN", "0", 1);
    symbols_load();
    return run_group("dropin", test_results, test_wrong_arguments, test_queries, test_info,
                     test_imaginary_diagonals, test_deficient, test_gels_of_zeros,
                     test_gelsy_of_low_rank, test_mixed) != 0;
}
