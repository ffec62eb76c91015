/* Random calls of the routines on matrices, with all descriptors of algorithms/routine_list.h. */
#include "pool.h"
#include "random.h"
#include "startile_mixed.h"
#include "startile_testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the arguments, named as in the list ------------------------------------------------------ */

static char uplo, side, trans, transa, transb, diag, norm, kind;
static startile_matrix *A, *B, *C, *F, *X, *band;
static startile_reflectors *T;
static startile_pivots *P, *band_pivots;
static startile_permutation *permutation;
static startile_symmetric_pivots *symmetric_pivots;
static startile_tree *tree;
static const double *anorm;
static double norm_of_a, bump, least_rcond, tol, number, *rcond, *value, *logabsdet, *logdet,
    forward[64], backward[64], *ferr, *berr, *estimate;
static startile_complex alpha, beta, offdiag, unit, *sign;
static uint64_t seed;
static int64_t found_rank, max_rank, *rank, found_inertia[3], *inertia;
static int itype, refine;
static startile_mixed_options chosen, *options;
static startile_mixed_result found = {.size = sizeof found}, *result;

#define ROUTINE(name, parameters, ...)                                                             \
    static int64_t call_##name(void)                                                               \
    {                                                                                              \
        return startile_##name(__VA_ARGS__);                                                       \
    }
#include "routine_list.h"
#undef ROUTINE
#define ROUTINE(name, parameters, ...) {#name, #__VA_ARGS__, call_##name, 0},
static struct routine list[] = {
#include "routine_list.h"
};
enum { ROUTINES = sizeof list / sizeof *list };

/* -- descriptors ------------------------------------------------------------------------------ */

/* Matrices that fit together: A is m × n, right-hand sides have max(m, n) rows. */
enum { FAMILIES = 5, COPIES = 3 };
static struct family {
    startile_dtype dtype;
    startile_matrix *A[COPIES], *B[COPIES];
    startile_reflectors *T;
    startile_pivots *P, *band_pivots;
    startile_permutation *permutation;
    startile_symmetric_pivots *symmetric_pivots;
    startile_tree *tree;
} family[FAMILIES];
static bool exists;
static struct pool pool;
static int64_t largest_info;

/* Ends the program: without descriptors there is nothing to test. */
static void require_made(int status)
{
    if (status != 0) {
        printf("a descriptor cannot be made: %s\n", startile_strerror(status));
        exit(1);
    }
}

static startile_matrix *wrap(startile_dtype dtype, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    startile_matrix *M;
    int64_t ld = (m > 1 ? m : 1) + draw(3);
    require_made(startile_matrix_wrap(
        &M, dtype, m, n, pool_allocate(&pool, dtype, false, m, n, ld, 0, 1), ld, mb, nb));
    return M;
}

static void destroy_all(void)
{
    for (int f = 0; f < FAMILIES && exists; f++) {
        for (int i = 0; i < COPIES; i++) {
            startile_matrix_destroy(family[f].A[i]);
            startile_matrix_destroy(family[f].B[i]);
        }
        startile_reflectors_destroy(family[f].T);
        startile_pivots_destroy(family[f].P);
        startile_pivots_destroy(family[f].band_pivots);
        startile_permutation_destroy(family[f].permutation);
        startile_symmetric_pivots_destroy(family[f].symmetric_pivots);
        startile_tree_destroy(family[f].tree);
    }
    pool_clear(&pool);
    exists = false;
}

/* Makes the families: square and tall matrices, in square tiles and whole block columns, and a wide
 * matrix. */
static void make_all(void)
{
    int64_t n = draw_one_of(10) ? 0 : 1 + draw(16), nb = 3 + draw(5), nrhs = draw(7);
    int64_t tall = 2 * n + draw(4);
    const int64_t m[FAMILIES] = {n, n, tall, tall, n}, columns[FAMILIES] = {n, n, n, n, tall};
    startile_dtype dtype = (startile_dtype)draw(4);
    destroy_all();
    exists = true;
    for (int f = 0; f < FAMILIES; f++) {
        struct family *all = &family[f];
        bool has_tiles = f == 0 || f == 2;
        int64_t rows = m[f] > columns[f] ? m[f] : columns[f];
        int64_t mb = has_tiles  ? nb
                     : m[f] > 1 ? m[f]
                                : 1,
                b_mb = has_tiles  ? nb
                       : rows > 1 ? rows
                                  : 1;
        all->dtype = draw_one_of(8) ? (startile_dtype)draw(4) : dtype;
        for (int i = 0; i < COPIES; i++) {
            all->A[i] = wrap(all->dtype, m[f], columns[f], mb, nb);
            all->B[i] = wrap(all->dtype, rows, nrhs, b_mb, nb);
        }
        require_made(startile_reflectors_create(&all->T, all->A[0]));
        require_made(startile_pivots_create(&all->P, all->A[0]));
        require_made(startile_pivots_create(&all->band_pivots, all->A[0]));
        require_made(startile_permutation_create(&all->permutation, all->A[0]));
        require_made(startile_symmetric_pivots_create(&all->symmetric_pivots, all->A[0]));
        require_made(startile_tree_create(&all->tree, all->A[0], (startile_tree_kind)draw(3)));
    }
    largest_info = 2 * tall + 1;
}

/* -- a call ----------------------------------------------------------------------------------- */

/* Returns a matrix of the family, right-hand sides for all names but A, mostly. No two arguments of
 * a call are the same matrix. */
static startile_matrix *draw_matrix(const struct family *all, char name)
{
    static const char names[] = "ABCX";
    int i = (int)(strchr(names, name) - names) % COPIES;
    const struct family *other = draw_one_of(20) ? &family[draw(FAMILIES)] : all;
    bool is_square = draw_one_of(name == 'A' ? 20 : 3) == (name != 'A');
    if (name == 'X')
        return draw_one_of(40) ? NULL : all->B[2]; /* C is not an argument with X */
    return draw_one_of(40) ? NULL : is_square ? other->A[i] : other->B[i];
}

static void draw_values(startile_dtype dtype)
{
    const struct family *all = &family[draw(FAMILIES)];
    const char *adjoint = dtype < STARTILE_C ? "NT" : "NC";
    uplo = draw_letter(draw_one_of(2) ? "LU" : "LUG");
    side = draw_letter("LR");
    trans = draw_letter(draw_one_of(2) ? adjoint : "NTC");
    transa = draw_letter("NTC");
    transb = draw_letter("NTC");
    diag = draw_letter("NU");
    norm = draw_letter("1OIFM");
    kind = draw_letter("GSH");
    P = draw_one_of(10) ? NULL : all->P;
    band_pivots = draw_one_of(10) ? NULL : all->band_pivots;
    permutation = draw_one_of(10) ? NULL : all->permutation;
    symmetric_pivots = draw_one_of(10) ? NULL : all->symmetric_pivots;
    tree = draw_one_of(10) ? NULL : all->tree;
    T = draw_one_of(10) ? NULL : all->T;
    norm_of_a = draw_one_of(10) ? NAN : (double)draw(3);
    anorm = draw_one_of(10) ? NULL : &norm_of_a;
    alpha = (double)draw(3) - 1;
    beta = draw_one_of(10) ? NAN : (double)draw(3) - 1;
    offdiag = (double)draw(3);
    bump = (double)draw(20);
    tol = draw_one_of(10) ? NAN : (double)draw(3) - 1;
    seed = (uint64_t)draw(1000);
    max_rank = draw(40) - 1;
    itype = (int)draw(3) + 1 - (int)draw_one_of(10);
    refine = (int)draw(3) - (int)draw_one_of(10);
    ferr = draw_one_of(40) ? NULL : forward;
    berr = draw_one_of(40) ? NULL : backward;
    least_rcond = (double)draw(3) - 1;
    estimate = draw_one_of(2) ? NULL : &number;
    rank = draw_one_of(40) ? NULL : &found_rank;
    inertia = draw_one_of(40) ? NULL : found_inertia;
    sign = draw_one_of(40) ? NULL : &unit;
    value = rcond = logabsdet = logdet = draw_one_of(40) ? NULL : &number;
    chosen = (startile_mixed_options){
        .size = sizeof chosen, .tolerance = (double)draw(3), .max_iterations = (int)draw(32)};
    options = draw_one_of(2) ? NULL : &chosen;
    result = draw_one_of(40) ? NULL : &found;
}

/* Draws all arguments, with pivots, T and tree of the same family in most calls. */
static void draw_arguments(void)
{
    const struct family *all = &family[draw(FAMILIES)];
    draw_values(all->dtype);
    A = draw_matrix(all, 'A');
    B = draw_matrix(all, 'B');
    C = draw_matrix(all, 'C');
    X = draw_matrix(all, 'X');
    band = draw_one_of(40) ? NULL : draw_one_of(20) ? all->B[0] : all->A[2];
    F = draw_one_of(40) ? NULL : draw_one_of(20) ? all->B[0] : all->A[1];
    if (!draw_one_of(8)) {
        P = all->P;
        band_pivots = all->band_pivots;
        permutation = all->permutation;
        symmetric_pivots = all->symmetric_pivots;
        tree = all->tree;
        T = all->T;
    }
    char *const letters[] = {&uplo, &side, &trans, &transa, &transb, &diag, &norm, &kind};
    if (draw_one_of(10))
        *letters[draw(8)] = "X*\0@"[draw(4)];
}

static bool is_one_of(char letter, const char *letters)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

/* Returns whether the argument that the text begins with is wrong in every call. */
static bool is_wrong(const char *text)
{
    return is_argument(text, "A")                  ? A == NULL
           : is_argument(text, "B")                ? B == NULL
           : is_argument(text, "C")                ? C == NULL
           : is_argument(text, "X")                ? X == NULL
           : is_argument(text, "F")                ? F == NULL
           : is_argument(text, "T")                ? T == NULL
           : is_argument(text, "band")             ? band == NULL
           : is_argument(text, "band_pivots")      ? band_pivots == NULL
           : is_argument(text, "tree")             ? tree == NULL
           : is_argument(text, "permutation")      ? permutation == NULL
           : is_argument(text, "symmetric_pivots") ? symmetric_pivots == NULL
           : is_argument(text, "rcond")            ? rcond == NULL
           : is_argument(text, "value")            ? value == NULL
           : is_argument(text, "rank")             ? rank == NULL
           : is_argument(text, "inertia")          ? inertia == NULL
           : is_argument(text, "sign")             ? sign == NULL
           : is_argument(text, "logdet")           ? logdet == NULL
           : is_argument(text, "anorm")            ? anorm == NULL
           : is_argument(text, "itype")            ? itype < 1
           : is_argument(text, "uplo")             ? !is_one_of(uplo, "LlUuGg")
           : is_argument(text, "side")             ? !is_one_of(side, "LlRr")
           : is_argument(text, "trans")            ? !is_one_of(trans, "NnTtCc")
           : is_argument(text, "transa")           ? !is_one_of(transa, "NnTtCc")
           : is_argument(text, "transb")           ? !is_one_of(transb, "NnTtCc")
           : is_argument(text, "norm")             ? !is_one_of(norm, "1OoIiFfEeMm")
                                                   : false;
}

/* Returns whether the routine may return info > 0. */
static bool has_info(const char *name)
{
    static const char *const without[] = {"potrs", "getrs", "lauum",    "podet",   "porfs",
                                          "sytrs", "hetrs", "sytrs_aa", "hetrs_aa"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strcmp(name, without[i]) == 0)
            return false;
    return strncmp(name, "po", 2) == 0 || strcmp(name, "pstrf") == 0 ||
           strncmp(name, "sytr", 4) == 0 || strncmp(name, "hetr", 4) == 0 ||
           strncmp(name, "sysv", 4) == 0 || strncmp(name, "hesv", 4) == 0 ||
           strncmp(name, "getr", 4) == 0 || strncmp(name, "gesv", 4) == 0 ||
           strncmp(name, "trtr", 4) == 0 || strncmp(name, "gels", 4) == 0;
}

bool call_matrices(long call)
{
    if (call % 200 == 0 || !exists) /* rarely enough that solves find factors */
        make_all();
    struct routine *routine = &list[draw(ROUTINES)];
    draw_arguments();
    int wrong = 0, position = 1;
    for (const char *t = routine->arguments; t != NULL && wrong == 0;
         t = next_argument(t), position++)
        wrong = is_wrong(t) ? position : 0;
    return has_fault(&pool, routine, call, routine->run(), wrong,
                     has_info(routine->name) && strcmp(routine->name, "pocon") != 0 ? largest_info
                                                                                    : 0);
}

int finish_matrices(void)
{
    destroy_all();
    return never_succeeded(list, ROUTINES);
}
