/* Inf, NaN and the ends of the range in small matrices: info and results beside reference LAPACK's. */
#include "check.h"
#include "generate.h"
#include "netlib.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NRHS = 2, MOST = 64 };

/* -- inputs -------------------------------------------------------------------------------------- */

/* An element that is planted, or a power of two that everything is multiplied by. */
enum plant { PLUS_INF, MINUS_INF, QUIET_NAN, LARGEST, SMALLEST_NORMAL, SMALLEST, ZERO, PLANTS };
static const char *const plant_names[PLANTS] = {"+Inf",     "-Inf",     "NaN", "largest",
                                                "smallest", "denormal", "zero"};

static bool is_single(void)
{
    return dtype == STARTILE_S || dtype == STARTILE_C;
}

static double value_of(enum plant plant)
{
    const double values[2][PLANTS] = {
        {INFINITY, -INFINITY, NAN, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0},
        {INFINITY, -INFINITY, NAN, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 0}};
    return values[is_single()][plant];
}

/* In a complex matrix, off its diagonal, every other element gets it as its imaginary part. */
static void put(struct array A, int64_t i, int64_t j, double value)
{
    startile_complex old = get(A, i, j);
    bool imaginary = dtype >= STARTILE_C && i != j && (i + j) % 2 == 1;
    set(A, i, j, imaginary ? CMPLX(creal(old), value) : CMPLX(value, cimag(old)));
    if (i == j || value == 0)
        set(A, i, j, value);
}

static void scale(struct array A, int power)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex z = get(A, i, j);
            set(A, i, j, CMPLX(ldexp(creal(z), power), ldexp(cimag(z), power)));
        }
}

/* -- routines ---------------------------------------------------------------------------------- */

/* What a routine is given, and what it leaves there. */
struct problem {
    char letter; /* uplo, trans or norm */
    struct array A, B;
    int64_t ipiv[MOST], info;
    double anorm, rcond;
};

typedef void run(struct problem *p, int64_t nb);

/* Parts of A that hold a result: 'G' all, 'T' the triangle named by the letter, 0 nothing. */
struct routine {
    const char *name, *letters;
    char kind; /* of A: 'P' positive definite, 'C' its factor, 'G' general, 'F' factors of LU */
    char result;
    bool has_B;
    run *ours, *netlibs;
    const char *shapes; /* 's' square, 't' tall, 'w' wide */
};

static startile_matrix *wrap(struct array A, int64_t mb, int64_t nb)
{
    startile_matrix *M;
    require_info(startile_matrix_wrap(&M, A.dtype, A.m, A.n, A.a, A.ld, mb, nb), 0);
    return M;
}

static void our_triangle(struct problem *p, int64_t nb, int64_t (*routine)(char, startile_matrix *))
{
    startile_matrix *A = wrap(p->A, nb, nb);
    p->info = routine(p->letter, A);
    startile_matrix_destroy(A);
}

static int64_t trtri(char uplo, startile_matrix *A)
{
    return startile_trtri(uplo, 'N', A);
}

static void our_potrf(struct problem *p, int64_t nb) { our_triangle(p, nb, startile_potrf); }
static void our_potri(struct problem *p, int64_t nb) { our_triangle(p, nb, startile_potri); }
static void our_trtri(struct problem *p, int64_t nb) { our_triangle(p, nb, trtri); }
static void our_lauum(struct problem *p, int64_t nb) { our_triangle(p, nb, startile_lauum); }
static void potrf(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_potrf(p->letter, p->A); }
static void potri(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_potri(p->letter, p->A); }
static void trtri_(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_trtri(p->letter, p->A); }
static void lauum(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_lauum(p->letter, p->A); }
static void potrs(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_potrs(p->letter, p->A, p->B); }
static void posv(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_posv(p->letter, p->A, p->B); }
static void getrf(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_getrf(p->A, p->ipiv); }
static void getrs(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_getrs(p->letter, p->A, p->ipiv, p->B); }
static void gesv(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_gesv(p->A, p->ipiv, p->B); }
static void getri(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_getri(p->A, p->ipiv); }
static void geqrf(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_geqrf(p->A, p->B); }
static void gelqf(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_gelqf(p->A, p->B); }
static void gels(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_gels(p->letter, p->A, p->B); }
static void gecon(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_gecon(p->letter, p->A, p->anorm, &p->rcond); }
static void pocon(struct problem *p, int64_t nb) { (void)nb; p->info = netlib_pocon(p->letter, p->A, p->anorm, &p->rcond); }

static void our_potrs(struct problem *p, int64_t nb)
{
    startile_matrix *A = wrap(p->A, nb, nb), *B = wrap(p->B, nb, nb);
    p->info = startile_potrs(p->letter, A, B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

static void our_posv(struct problem *p, int64_t nb)
{
    startile_matrix *A = wrap(p->A, nb, nb), *B = wrap(p->B, nb, nb);
    p->info = startile_posv(p->letter, A, B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

enum lu { GETRF, GETRS, GESV, GETRI };

static void our_lu(struct problem *p, int64_t nb, enum lu what)
{
    bool has_B = what == GETRS || what == GESV;
    startile_matrix *A = wrap(p->A, nb, nb), *B = has_B ? wrap(p->B, nb, nb) : NULL;
    startile_pivots *P;
    require_info(startile_pivots_create(&P, A), 0);
    if (what == GETRS || what == GETRI)
        require_info(startile_pivots_from_lapack(P, p->ipiv), 0);
    p->info = what == GETRF   ? startile_getrf(A, P)
              : what == GETRS ? startile_getrs(p->letter, A, P, B)
              : what == GESV  ? startile_gesv(A, P, B, 0)
                              : startile_getri(A, P);
    require_info(startile_pivots_to_lapack(P, p->ipiv), 0);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
    startile_pivots_destroy(P);
}

static void our_getrf(struct problem *p, int64_t nb) { our_lu(p, nb, GETRF); }
static void our_getrs(struct problem *p, int64_t nb) { our_lu(p, nb, GETRS); }
static void our_gesv(struct problem *p, int64_t nb) { our_lu(p, nb, GESV); }
static void our_getri(struct problem *p, int64_t nb) { our_lu(p, nb, GETRI); }

static void our_qr(struct problem *p, int64_t nb,
                   int64_t (*routine)(startile_matrix *, startile_matrix *))
{
    startile_matrix *A = wrap(p->A, nb, nb), *T;
    require_info(startile_reflectors_create(&T, A), 0);
    p->info = routine(A, T);
    require_info(startile_reflectors_to_lapack(T, p->B.a), 0);
    startile_matrix_destroy(A);
    startile_matrix_destroy(T);
}

static void our_geqrf(struct problem *p, int64_t nb) { our_qr(p, nb, startile_geqrf); }
static void our_gelqf(struct problem *p, int64_t nb) { our_qr(p, nb, startile_gelqf); }

static void our_gels(struct problem *p, int64_t nb)
{
    startile_matrix *A = wrap(p->A, nb, nb), *B = wrap(p->B, nb, nb);
    p->info = startile_gels(p->letter, A, B);
    startile_matrix_destroy(A);
    startile_matrix_destroy(B);
}

static void our_gecon(struct problem *p, int64_t nb)
{
    startile_matrix *A = wrap(p->A, nb, nb);
    p->info = startile_gecon(p->letter, A, p->anorm, &p->rcond);
    startile_matrix_destroy(A);
}

static void our_pocon(struct problem *p, int64_t nb)
{
    startile_matrix *A = wrap(p->A, nb, nb);
    p->info = startile_pocon(p->letter, A, p->anorm, &p->rcond);
    startile_matrix_destroy(A);
}

static const struct routine routines[] = {
    {"potrf", "LU", 'P', 'T', false, our_potrf, potrf, "s"},
    {"posv", "LU", 'P', 'T', true, our_posv, posv, "s"},
    {"potrs", "LU", 'C', 0, true, our_potrs, potrs, "s"},
    {"potri", "LU", 'C', 'T', false, our_potri, potri, "s"},
    {"trtri", "LU", 'C', 'T', false, our_trtri, trtri_, "s"},
    {"lauum", "LU", 'C', 'T', false, our_lauum, lauum, "s"},
    {"pocon", "LU", 'C', 0, false, our_pocon, pocon, "s"},
    {"getrf", "-", 'G', 'G', false, our_getrf, getrf, "stw"},
    {"gesv", "-", 'G', 'G', true, our_gesv, gesv, "s"},
    {"getrs", "NC", 'F', 0, true, our_getrs, getrs, "s"},
    {"getri", "-", 'F', 'G', false, our_getri, getri, "s"},
    {"gecon", "1I", 'F', 0, false, our_gecon, gecon, "s"},
    {"geqrf", "-", 'G', 'G', false, our_geqrf, geqrf, "stw"},
    {"gelqf", "-", 'G', 'G', false, our_gelqf, gelqf, "stw"},
    {"gels", "NC", 'G', 0, true, our_gels, gels, "stw"},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

/* -- comparison --------------------------------------------------------------------------------- */

enum difference { NONE, INFO, PIVOTS, FINITE, CLASS, VALUE, RCOND, DIFFERENCES };
static const char *const difference_names[] = {"none", "info", "pivots", "finite or not", "Inf or NaN", "value", "rcond"};

/* 0 finite, 1 infinite, 2 NaN */
static int class_of(startile_complex z)
{
    if (isnan(creal(z)) || isnan(cimag(z)))
        return 2;
    return isinf(creal(z)) || isinf(cimag(z)) ? 1 : 0;
}

static bool inside(char part, int64_t i, int64_t j)
{
    return part == 'G' || (part == 'L' ? i >= j : i <= j);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What one rounding of an element may change, where all are subnormal. */
static double precision;

static bool near_all(char part, struct array X, struct array Y, int64_t m, int64_t n)
{
    double largest = 0, apart = 0, least = is_single() ? FLT_MIN : DBL_MIN;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            startile_complex x = get(X, i, j), y = get(Y, i, j);
            if (!inside(part, i, j) || class_of(x) != 0 || class_of(y) != 0)
                continue;
            largest = larger(largest, larger(fabs(creal(y)), fabs(cimag(y))));
            apart = larger(apart, larger(fabs(creal(x) - creal(y)), fabs(cimag(x) - cimag(y))));
        }
    return apart <= 1e4 * precision * largest || apart <= least;
}

static bool has_classes_of(char part, struct array X, struct array Y, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (inside(part, i, j) && class_of(get(X, i, j)) != class_of(get(Y, i, j)))
                return false;
    return true;
}

static bool is_all_finite(char part, struct array X, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (inside(part, i, j) && class_of(get(X, i, j)) != 0)
                return false;
    return true;
}

static enum difference compare_part(bool by_element, char part, struct array X, struct array Y,
                                    int64_t m, int64_t n)
{
    bool finite = is_all_finite(part, X, m, n);
    if (by_element && !has_classes_of(part, X, Y, m, n))
        return CLASS;
    if (finite != is_all_finite(part, Y, m, n))
        return FINITE;
    return (by_element || finite) && !near_all(part, X, Y, m, n) ? VALUE : NONE;
}

static enum difference compare_A(const struct routine *r, const struct problem *ours,
                                 const struct problem *theirs)
{
    bool fails = r->kind == 'P' && ours->info > 0;
    int64_t m = fails ? ours->info - 1 : ours->A.m, n = fails ? m : ours->A.n;
    char part = r->result == 'T' ? ours->letter : 'G';
    enum difference d = r->result == 0 ? NONE : compare_part(r->kind == 'P', part, ours->A, theirs->A, m, n);
    bool is_lu = strcmp(r->name, "getrf") == 0 || strcmp(r->name, "gesv") == 0;
    if (d != NONE && !(d == VALUE && is_lu))
        return d;
    for (int64_t i = 0; is_lu && is_all_finite(part, ours->A, m, n) && i < (m < n ? m : n); i++)
        if (ours->ipiv[i] != theirs->ipiv[i])
            return PIVOTS;
    return d;
}

/* A failed gels leaves B as it was, LAPACK's scaled or multiplied by Q. */
static enum difference compare_B(const struct routine *r, const struct problem *ours,
                                 const struct problem *theirs)
{
    int64_t m = ours->B.m;
    if (strcmp(r->name, "gels") == 0)
        m = ours->info > 0 ? 0 : ours->letter == 'N' ? ours->A.n : ours->A.m;
    enum difference d = NONE;
    for (int64_t j = 0; j < ours->B.n && d == NONE; j++)
        d = compare_part(false, 'G', array_part(ours->B, 0, j, m, 1), array_part(theirs->B, 0, j, m, 1), m, 1);
    return d;
}

static enum difference compare(const struct routine *r, const struct problem *ours,
                               const struct problem *theirs)
{
    if (ours->info != theirs->info)
        return INFO;
    enum difference d = compare_A(r, ours, theirs);
    if (d == NONE && ours->B.memory != NULL)
        d = compare_B(r, ours, theirs);
    if (d == NONE && strstr(r->name, "con") != NULL) {
        double a = ours->rcond, b = theirs->rcond;
        if (isnan(a) != isnan(b) || (a == 0) != (b == 0) || fabs(a - b) > 0.7 * larger(a, b))
            d = RCOND;
    }
    return d;
}

/* -- running ------------------------------------------------------------------------------------ */

static struct problem problem_copy(const struct problem *p)
{
    struct problem q = *p;
    q.A = array_copy(p->A);
    if (p->B.memory != NULL)
        q.B = array_copy(p->B);
    return q;
}

static void problem_free(struct problem *p)
{
    array_free(p->A);
    if (p->B.memory != NULL)
        array_free(p->B);
}

static struct problem problem_new(const struct routine *r, char letter, int64_t m, int64_t n)
{
    struct problem p = {.letter = letter, .anorm = 1};
    random_seed((uint64_t)(m + n));
    if (r->kind == 'P' || r->kind == 'C') {
        p.A = generate(&well_conditioned, dtype, n, 1);
        if (r->kind == 'C')
            require_info(netlib_potrf(letter, p.A), 0);
    } else {
        p.A = array_new(dtype, m, n, 1);
        array_random(p.A);
        if (r->kind == 'F')
            require_info(netlib_getrf(p.A, p.ipiv), 0);
    }
    int64_t most = m > n ? m : n, least = m < n ? m : n;
    if (r->has_B)
        p.B = array_new(dtype, most, NRHS, 1);
    else if (strstr("geqrf gelqf", r->name) != NULL)
        p.B = array_new(dtype, least, 1, 0);
    if (p.B.memory != NULL)
        array_random(p.B);
    return p;
}

static int counts[ROUTINES][PLANTS + 8][DIFFERENCES];
static int cases;
static bool verbose;

static void check_case(int routine, int plant, const struct problem *p, const char *what)
{
    const struct routine *r = &routines[routine];
    static const int64_t tiles[] = {8, 16, 32};
    struct problem theirs = problem_copy(p);
    double largest = 0;
    for (int64_t j = 0; j < p->A.n; j++)
        for (int64_t i = 0; i < p->A.m; i++)
            largest = larger(largest, cabs(get(p->A, i, j)));
    precision = larger(unit_roundoff(dtype), value_of(SMALLEST) / largest);
    r->netlibs(&theirs, 0);
    int64_t most = p->A.m > p->A.n ? p->A.m : p->A.n;
    for (int t = 0; t < 3; t++) {
        if (t > 0 && most <= tiles[t - 1])
            continue;
        struct problem ours = problem_copy(p);
        r->ours(&ours, tiles[t]);
        enum difference d = compare(r, &ours, &theirs);
        counts[routine][plant][d]++;
        cases++;
        if (d != NONE && verbose)
            printf("DIFF %s %c %dx%d nb %d %s: %s, info %d and LAPACK's %d finite %d %d rcond %g %g\n", r->name, p->letter,
                   (int)p->A.m, (int)p->A.n, (int)tiles[t], what, difference_names[d],
                   (int)ours.info, (int)theirs.info, is_all_finite('G', r->result ? ours.A : ours.B, r->result ? ours.A.m : ours.B.m, r->result ? ours.A.n : ours.B.n), is_all_finite('G', r->result ? theirs.A : theirs.B, r->result ? ours.A.m : ours.B.m, r->result ? ours.A.n : ours.B.n), ours.rcond, theirs.rcond);
        problem_free(&ours);
    }
    problem_free(&theirs);
}

static void plant_in(int routine, const struct problem *base, bool in_B, int64_t i, int64_t j)
{
    for (int v = 0; v < PLANTS; v++) {
        char what[80];
        struct problem p = problem_copy(base);
        struct array X = in_B ? p.B : p.A;
        put(X, i, j, value_of((enum plant)v));
        snprintf(what, sizeof what, "%s in %c (%d,%d)", plant_names[v], in_B ? 'B' : 'A', (int)i,
                 (int)j);
        check_case(routine, v, &p, what);
        problem_free(&p);
    }
}

/* Every position of a small matrix; of a larger one some in each tile. */
static void plant_everywhere(int routine, const struct problem *base)
{
    const struct routine *r = &routines[routine];
    struct array A = base->A;
    int64_t step = A.m * A.n <= 64 ? 1 : 17;
    char part = r->kind == 'P' || r->kind == 'C' ? base->letter : 'G';
    for (int64_t at = 0; at < A.m * A.n; at += step)
        if (inside(part, at % A.m, at / A.m))
            plant_in(routine, base, false, at % A.m, at / A.m);
    for (int64_t i = 0; r->has_B && i < base->B.m; i += step == 1 ? 1 : 5)
        plant_in(routine, base, true, i, 1);
}

static void scale_all(int routine, const struct problem *base)
{
    int top = is_single() ? 127 : 1023, bottom = is_single() ? -125 : -1021;
    const int powers[] = {top, top - 2, top - 8, bottom + 8, bottom, bottom - 8, bottom - 30};
    for (int s = 0; s < 7; s++) {
        char what[80];
        struct problem p = problem_copy(base);
        scale(p.A, powers[s]);
        snprintf(what, sizeof what, "A scaled by 2^%d", powers[s]);
        check_case(routine, PLANTS + s, &p, what);
        if (p.B.memory != NULL) {
            scale(p.B, powers[s]);
            snprintf(what, sizeof what, "A and B scaled by 2^%d", powers[s]);
            check_case(routine, PLANTS + s, &p, what);
        }
        problem_free(&p);
    }
    struct problem p = problem_copy(base);
    for (int64_t j = 0; j < p.A.n; j++)
        for (int64_t i = 0; i < p.A.m; i++)
            set(p.A, i, j, 0);
    check_case(routine, ZERO, &p, "A = 0");
    problem_free(&p);
}

static void check_routine(int routine)
{
    static const int64_t orders[] = {1, 5, 21, 40};
    const struct routine *r = &routines[routine];
    for (const char *letter = r->letters; *letter != '\0'; letter++)
        for (const char *shape = r->shapes; *shape != '\0'; shape++)
            for (int o = 0; o < 4; o++) {
                int64_t n = orders[o], m = *shape == 't' ? n + 9 : *shape == 'w' ? (n + 1) / 2 : n;
                struct problem base = problem_new(r, *letter, m, n);
                plant_everywhere(routine, &base);
                scale_all(routine, &base);
                problem_free(&base);
            }
}

static void test_all(void **state)
{
    (void)state;
    for (int r = 0; r < ROUTINES; r++) {
        check_routine(r);
        for (int v = 0; v < PLANTS + 7; v++)
            for (int d = 1; d < DIFFERENCES; d++)
                if (counts[r][v][d] > 0)
                    printf("SUM %s, %s%d: %s: %d\n", routines[r].name, v < PLANTS ? plant_names[v] : "scaled", v,
                           difference_names[d], counts[r][v][d]);
    }
    printf("%d cases\n", cases);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
    };
    verbose = getenv("VERBOSE") != NULL;
    setbuf(stdout, NULL);
    if (!netlib_open())
        check_skip("reference LAPACK is not installed");
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("special values", tests, NULL, NULL));
}
