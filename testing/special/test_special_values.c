/* Tests of Inf, NaN and the ends of the range in small matrices: info and results against reference
 * LAPACK. */
#include "check.h"
#include "generate.h"
#include "special_routines.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NRHS = 2 };

/* -- inputs --------------------------------------------------------------------------------------
 */

/* A value that a test puts into a matrix. */
enum plant { PLUS_INF, MINUS_INF, QUIET_NAN, LARGEST, SMALLEST_NORMAL, SMALLEST, ZERO, PLANTS };
/* One letter for each kind of case, used in the list of exceptions. */
static const char kind_letters[] = "+-?LNS0ud";
static const char *const kind_names[] = {
    "+Inf",     "-Inf", "NaN",       "largest",    "smallest normal",
    "smallest", "zero", "scaled up", "scaled down"};

/* Returns the value in the program's precision. */
static double value_of(enum plant plant)
{
    const double values[2][PLANTS] = {
        {INFINITY, -INFINITY, NAN, DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0},
        {INFINITY, -INFINITY, NAN, FLT_MAX, FLT_MIN, FLT_TRUE_MIN, 0}};
    return values[is_single(dtype)][plant];
}

/* Sets one part of element (i, j) to the value: the imaginary part in complex matrices if i + j is
 * odd, else the real part. The other part keeps its value; it becomes 0 on the diagonal or if the
 * value is 0. */
static void put(struct array A, int64_t i, int64_t j, double value)
{
    startile_complex old = get(A, i, j);
    bool imaginary = dtype >= STARTILE_C && i != j && (i + j) % 2 == 1;
    set(A, i, j, imaginary ? CMPLX(creal(old), value) : CMPLX(value, cimag(old)));
    if (i == j || value == 0)
        set(A, i, j, value);
}

/* A *= 2^power */
static void scale(struct array A, int power)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex z = get(A, i, j);
            set(A, i, j, CMPLX(ldexp(creal(z), power), ldexp(cimag(z), power)));
        }
}

/* -- comparison ---------------------------------------------------------------------------------
 */

enum difference { NONE, INFO, INFO_OR_NAN, PIVOTS, FINITE, CLASS, VALUE, RCOND, DIFFERENCES };
static const char *const difference_names[] = {
    "none",  "info", "LAPACK has info 2, startile NaN", "pivots", "finite or not", "Inf or NaN",
    "value", "rcond"};

/* Returns 0 for a finite z, 1 for an infinite one, 2 for NaN. */
static int class_of(startile_complex z)
{
    if (isnan(creal(z)) || isnan(cimag(z)))
        return 2;
    return isinf(creal(z)) || isinf(cimag(z)) ? 1 : 0;
}

/* Relative size of one rounding of A's largest element, set by check_case(): above the unit
 * roundoff if all elements are subnormal. */
static double precision;

static double precision_of(struct array A)
{
    double largest = 0;
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (class_of(get(A, i, j)) == 0)
                largest = fmax(largest, cabs(get(A, i, j)));
    return fmax(unit_roundoff(dtype), value_of(SMALLEST) / largest);
}

/* Returns whether X and Y, m × n, are equal up to rounding in those elements of the triangle `part`
 * that are finite in both. */
static bool are_near(char part, struct array X, struct array Y, int64_t m, int64_t n)
{
    double largest = 0, largest_difference = 0, least = is_single(dtype) ? FLT_MIN : DBL_MIN;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            startile_complex x = get(X, i, j), y = get(Y, i, j);
            if (!is_in_triangle(part, i, j) || class_of(x) != 0 || class_of(y) != 0)
                continue;
            largest = fmax(largest, fmax(fabs(creal(y)), fabs(cimag(y))));
            largest_difference = fmax(largest_difference,
                                      fmax(fabs(creal(x) - creal(y)), fabs(cimag(x) - cimag(y))));
        }
    return largest_difference <= 1e4 * precision * largest || largest_difference <= least;
}

/* Returns whether finite numbers, infinities and NaN are at the same positions in X and Y. */
static bool has_classes_of(char part, struct array X, struct array Y, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (is_in_triangle(part, i, j) && class_of(get(X, i, j)) != class_of(get(Y, i, j)))
                return false;
    return true;
}

/* Returns whether the elements of the triangle `part` of X, m × n, are finite. */
static bool is_all_finite(char part, struct array X, int64_t m, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (is_in_triangle(part, i, j) && class_of(get(X, i, j)) != 0)
                return false;
    return true;
}

/* Compares X with LAPACK's Y in the triangle `part`. by_element: infinity and NaN must be at the
 * same positions; otherwise both must be finite, or neither. */
static enum difference compare_part(bool by_element, char part, struct array X, struct array Y,
                                    int64_t m, int64_t n)
{
    bool finite = is_all_finite(part, X, m, n);
    if (by_element && !has_classes_of(part, X, Y, m, n))
        return CLASS;
    if (finite != is_all_finite(part, Y, m, n))
        return FINITE;
    return (by_element || finite) && !are_near(part, X, Y, m, n) ? VALUE : NONE;
}

/* Compares A, of a failed Cholesky factorization only the block before the failing minor. If LU
 * factors differ in their values, different pivots count as the reason. */
static enum difference compare_A(const struct routine *r, const struct problem *ours,
                                 const struct problem *theirs)
{
    bool fails = r->kind == 'P' && ours->info > 0;
    int64_t m = fails ? ours->info - 1 : ours->A.m, n = fails ? m : ours->A.n;
    char part = r->result == 'T' ? ours->letter : 'G';
    enum difference difference =
        r->result == 0 ? NONE : compare_part(r->kind == 'P', part, ours->A, theirs->A, m, n);
    bool is_lu = strcmp(r->name, "getrf") == 0 || strcmp(r->name, "gesv") == 0;
    if (difference != NONE && !(difference == VALUE && is_lu))
        return difference;
    for (int64_t i = 0; is_lu && is_all_finite(part, ours->A, m, n) && i < (m < n ? m : n); i++)
        if (ours->ipiv[i] != theirs->ipiv[i])
            return PIVOTS;
    return difference;
}

/* Compares B. Skips it after a failed gels: startile leaves B unchanged; LAPACK has scaled it or
 * multiplied it by Q. */
static enum difference compare_B(const struct routine *r, const struct problem *ours,
                                 const struct problem *theirs)
{
    int64_t m = ours->B.m;
    if (strcmp(r->name, "gels") == 0)
        m = ours->info > 0 ? 0 : ours->letter == 'N' ? ours->A.n : ours->A.m;
    enum difference difference = NONE;
    for (int64_t j = 0; j < ours->B.n && difference == NONE; j++)
        difference = compare_part(false, 'G', array_part(ours->B, 0, j, m, 1),
                                  array_part(theirs->B, 0, j, m, 1), m, 1);
    return difference;
}

/* Returns whether a gels that has info 2 in LAPACK has info 0 and a solution that is not finite in
 * the library, because the library multiplies zero columns of A, which LAPACK skips. */
static bool spreads_nan(const struct routine *r, const struct problem *ours,
                        const struct problem *theirs)
{
    return strcmp(r->name, "gels") == 0 && theirs->info == 2 && ours->info == 0 &&
           !is_all_finite('G', ours->B, 1, ours->B.n);
}

/* Returns the first difference of info, A, B and rcond. Estimates rcond may differ by a factor of
 * about 3. */
static enum difference compare(const struct routine *r, const struct problem *ours,
                               const struct problem *theirs)
{
    if (ours->info != theirs->info)
        return spreads_nan(r, ours, theirs) ? INFO_OR_NAN : INFO;
    enum difference difference = compare_A(r, ours, theirs);
    if (difference == NONE && ours->B.memory != NULL)
        difference = compare_B(r, ours, theirs);
    if (difference == NONE && strstr(r->name, "con") != NULL) {
        double a = ours->rcond, b = theirs->rcond;
        if (isnan(a) != isnan(b) || (a == 0) != (b == 0) || fabs(a - b) > 0.7 * fmax(a, b))
            difference = RCOND;
    }
    return difference;
}

/* -- known differences --------------------------------------------------------------------------
 */

/* A known difference from LAPACK; docs/special-values.md describes all of them. */
struct exception {
    const char *routines, *kinds; /* names of the routines, letters of the kinds */
    enum difference d;
    const char *types; /* letters of the types */
};

static const struct exception exceptions[] = {
    {"pocon", "+-?", RCOND, "sdcz"}, /* 0 where LAPACK has NaN */
    {"gecon", "?", RCOND, "sdcz"},
    {"gecon", "+-", RCOND, "cz"},
    {"gecon", "LNd", RCOND, "sc"}, /* 0 where the estimate overflows */
    {"gecon", "N", RCOND, "z"},
    {"getrf gesv", "L", FINITE, "sdcz"}, /* sums in another order */
    {"getrf gesv", "u", FINITE, "cz"},
    {"getrs getri", "L", FINITE, "sdcz"},
    {"getrs getri", "N", FINITE, "cz"},
    {"posv potrs", "u", FINITE, "c"},
    {"geqrf gelqf", "L", FINITE, "sdcz"}, /* block reflectors */
    {"gels", "+-", INFO_OR_NAN, "sdcz"},  /* NaN times zero columns */
    {NULL, NULL, NONE, NULL},
};

/* Returns the entry of `exceptions` for this difference, or NULL. */
static const struct exception *exception_for(int routine, int kind, enum difference d)
{
    for (const struct exception *e = exceptions; e->routines != NULL; e++)
        if (strstr(e->routines, routines[routine].name) != NULL && e->d == d &&
            strchr(e->kinds, kind_letters[kind]) != NULL && strchr(e->types, "sdcz"[dtype]) != NULL)
            return e;
    return NULL;
}

/* -- running ------------------------------------------------------------------------------------
 */

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

/* Returns random operands for the routine, with content of A as r->kind says. */
static struct problem problem_new(const struct routine *r, char letter, int64_t m, int64_t n)
{
    struct problem p = {.letter = letter, .anorm = 1};
    random_seed((uint64_t)(m + n));
    if (r->kind == 'P' || r->kind == 'C') {
        p.A = generate(&well_conditioned, dtype, n, 1);
        if (r->kind == 'C')
            netlib_triangle("potrf", &p);
    } else {
        p.A = array_new(dtype, m, n, 1);
        array_random(p.A);
        if (r->kind == 'F')
            netlib_getrf("getrf", &p);
    }
    require_info(p.info, 0);
    int64_t most = m > n ? m : n, least = m < n ? m : n;
    if (r->has_B)
        p.B = array_new(dtype, most, NRHS, 1);
    else if (strstr("geqrf gelqf", r->name) != NULL)
        p.B = array_new(dtype, least, 1, 0);
    if (p.B.memory != NULL)
        array_random(p.B);
    return p;
}

/* Kinds of cases: a value that is put in (enum plant), or all elements scaled. */
enum { SCALED_UP = PLANTS, SCALED_DOWN, KINDS };
static int counts[ROUTINES][KINDS][DIFFERENCES];
static int cases;

static void print_difference(const struct problem *ours, const struct problem *theirs, int64_t nb,
                             const char *name, const char *description, enum difference d)
{
    printf("%s %c, %d × %d, tiles of %d (0: typed entry), %s: %s; info %d, LAPACK's %d\n", name,
           ours->letter, (int)ours->A.m, (int)ours->A.n, (int)nb, description, difference_names[d],
           (int)ours->info, (int)theirs->info);
}

/* Runs the routine with tiles of nb × nb (nb = 0: the typed entry), counts the difference from
 * LAPACK, and prints it if it is not in `exceptions`. */
static void check_with_tiles(int routine, int kind, const struct problem *p,
                             const struct problem *theirs, int64_t nb, const char *description)
{
    const struct routine *r = &routines[routine];
    struct problem ours = problem_copy(p);
    if (nb > 0)
        r->ours(&ours, nb);
    else
        r->typed(&ours);
    enum difference d = compare(r, &ours, theirs);
    cases++;
    counts[routine][kind][d]++;
    if (d != NONE && exception_for(routine, kind, d) == NULL)
        print_difference(&ours, theirs, nb, r->name, description, d);
    problem_free(&ours);
}

/* Checks a case with all tile sizes that cut the matrix differently. If A has more than 8 rows or
 * columns, also checks the typed entry, if there is one. */
static void check_case(int routine, int kind, const struct problem *p, const char *description)
{
    static const int64_t tiles[] = {8, 16, 32};
    struct problem theirs = problem_copy(p);
    int64_t most = p->A.m > p->A.n ? p->A.m : p->A.n;
    in_case("%s, %s", routines[routine].name, description);
    precision = precision_of(p->A);
    routines[routine].netlibs(routines[routine].name, &theirs);
    for (int t = 0; t < 3 && (t == 0 || most > tiles[t - 1]); t++)
        check_with_tiles(routine, kind, p, &theirs, tiles[t], description);
    if (routines[routine].typed != NULL && most > 8)
        check_with_tiles(routine, kind, p, &theirs, 0, description);
    problem_free(&theirs);
}

/* Checks A or B with each value at (i, j). */
static void check_planted_at(int routine, const struct problem *base, bool in_B, int64_t i,
                             int64_t j)
{
    for (int v = 0; v < PLANTS; v++) {
        char description[80];
        struct problem p = problem_copy(base);
        struct array X = in_B ? p.B : p.A;
        put(X, i, j, value_of((enum plant)v));
        snprintf(description, sizeof description, "%s in %c (%d,%d)", kind_names[v],
                 in_B ? 'B' : 'A', (int)i, (int)j);
        check_case(routine, v, &p, description);
        problem_free(&p);
    }
}

/* Checks each value in all positions of a small A, or in every 3rd, 17th or 61st position of a
 * larger one; and in positions of B's column 1. */
static void check_planted(int routine, const struct problem *base)
{
    const struct routine *r = &routines[routine];
    struct array A = base->A;
    int64_t size = A.m * A.n, step = size <= 25 ? 1 : size <= 70 ? 3 : size <= 700 ? 17 : 61;
    char part = r->kind == 'P' || r->kind == 'C' ? base->letter : 'G';
    for (int64_t at = 0; at < size; at += step)
        if (is_in_triangle(part, at % A.m, at / A.m))
            check_planted_at(routine, base, false, at % A.m, at / A.m);
    for (int64_t i = 0; r->has_B && i < base->B.m; i += step <= 3 ? 1 : 7)
        check_planted_at(routine, base, true, i, 1);
}

/* Checks A, then A and B, multiplied by powers of 2 near the ends of the range. */
static void check_scaled(int routine, const struct problem *base)
{
    int top = is_single(dtype) ? 127 : 1023, bottom = is_single(dtype) ? -125 : -1021;
    const int powers[] = {top, top - 2, top - 8, bottom + 8, bottom, bottom - 8, bottom - 30};
    for (int s = 0; s < 7; s++) {
        char description[80];
        struct problem p = problem_copy(base);
        scale(p.A, powers[s]);
        snprintf(description, sizeof description, "A scaled by 2^%d", powers[s]);
        check_case(routine, s < 3 ? SCALED_UP : SCALED_DOWN, &p, description);
        if (p.B.memory != NULL) {
            scale(p.B, powers[s]);
            snprintf(description, sizeof description, "A and B scaled by 2^%d", powers[s]);
            check_case(routine, s < 3 ? SCALED_UP : SCALED_DOWN, &p, description);
        }
        problem_free(&p);
    }
}

/* Checks matrices A whose elements all have the same value. Omits finite nonzero values for QR: A
 * then has rank 1, and rounding decides which elements of R are zero. */
static void check_constant(int routine, const struct problem *base)
{
    /* geqrf, gelqf and gels */
    bool is_qr = strchr("ql", routines[routine].name[2]) != NULL;
    for (int v = 0; v < PLANTS; v++) {
        if (is_qr && (v == LARGEST || v == SMALLEST_NORMAL || v == SMALLEST))
            continue;
        char description[80];
        struct problem p = problem_copy(base);
        for (int64_t j = 0; j < p.A.n; j++)
            for (int64_t i = 0; i < p.A.m; i++)
                set(p.A, i, j, value_of((enum plant)v));
        snprintf(description, sizeof description, "%s in all of A", kind_names[v]);
        check_case(routine, v, &p, description);
        problem_free(&p);
    }
}

/* Checks one shape. Of four shapes in a row, which differ in their order, each type runs another
 * one.
 */
static void check_shape(int routine, char letter, char shape, int64_t n)
{
    static unsigned shapes_so_far;
    unsigned shape_index = shapes_so_far++;
    if ((shape_index + shape_index / 4) % 4 != dtype)
        return;
    int64_t m = shape == 't' ? n + 9 : shape == 'w' ? (n + 1) / 2 : n;
    struct problem base = problem_new(&routines[routine], letter, m, n);
    check_planted(routine, &base);
    check_scaled(routine, &base);
    if (routines[routine].kind == 'P' || routines[routine].kind == 'G')
        check_constant(routine, &base);
    problem_free(&base);
}

static void test_all(void)
{
    static const int64_t orders[] = {1, 5, 21, 40};
    for (int routine = 0; routine < ROUTINES; routine++)
        for (const char *letter = routines[routine].letters; *letter != '\0'; letter++)
            for (const char *shape = routines[routine].shapes; *shape != '\0'; shape++)
                for (int o = 0; o < 4; o++)
                    check_shape(routine, *letter, *shape, orders[o]);
}

/* Requires that every difference is in `exceptions`, and prints the entries that have not
 * occurred. */
static void test_differences_are_known(void)
{
    int differ = 0, unknown = 0;
    for (int r = 0; r < ROUTINES; r++)
        for (int k = 0; k < KINDS; k++)
            for (int d = NONE + 1; d < DIFFERENCES; d++) {
                const struct exception *e = exception_for(r, k, (enum difference)d);
                int count = counts[r][k][d];
                differ += count;
                unknown += e == NULL ? count : 0;
                if (count > 0)
                    printf("%s, %s: %s: %d%s\n", routines[r].name, kind_names[k],
                           difference_names[d], count, e == NULL ? ": UNKNOWN" : "");
                if (count == 0 && e != NULL)
                    printf("%s, %s: %s: listed, but did not occur\n", routines[r].name,
                           kind_names[k], difference_names[d]);
            }
    printf("%d cases, %d differ from LAPACK, %d of them unknown\n", cases, differ, unknown);
    require(unknown == 0);
}

int main(int argc, char **argv)
{
    if (!netlib_open())
        check_skip("reference LAPACK is not installed");
    return check_main(argc, argv, "special values", test_all, test_differences_are_known);
}
