/*
 * Tests wrong arguments of the routines of routine_list.h: the asynchronous and the blocking
 * routine return −i for the first wrong argument i, submit nothing and write nothing. All routines
 * are called with NULL and with wrong letters; the table `unsuitable` has the operands that do not
 * fit.
 */
#include "check.h"
#include "objects.h"
#include "startile_mixed.h"
#include "startile_testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- arguments, named as in the list ----------------------------------------------------------- */

enum { N = 12, NB = 4, NRHS = 5 };

static char uplo, side, trans, transa, transb, diag, norm, kind;
static void *A, *B, *C, *F, *X, *T, *P, *band, *band_pivots, *permutation, *symmetric_pivots, *tree;
static const double *anorm;
static double number, norm_of_a = 1, *rcond, *value, *logabsdet, *logdet, *ferr, *berr;
static const double bump = 1, least_rcond = 0;
static double *const estimate = NULL;
static int64_t a_rank = -7, *rank, *inertia;
static int64_t numbers_of_inertia[3];
static startile_complex unit, *sign;
static const startile_complex alpha = 1, beta = 1, offdiag = 0;
static const uint64_t seed = 1;
static double tol;
static int64_t max_rank;
static int itype, refine;
static const startile_mixed_options *const options = NULL;
static startile_mixed_result *const result = NULL;
static startile_request *request, *r;

/* Matrices are 12 × 12 in tiles of 4 × 4 unless their name says more. */
static void *square, *another, *tall, *tall_too, *rectangle, *rectangular_tiles, *other_tiles,
    *other_type, *small, *straddling, *wide, *too_many_tiles, *triangles, *triangles_of_rectangle,
    *triangles_of_type, *narrow_triangles, *wide_triangles, *long_triangles, *pivots,
    *pivots_of_band, *pivots_of_rectangle, *columns, *a_permutation, *permutation_of_rectangle,
    *some_symmetric_pivots, *symmetric_pivots_of_rectangle, *symmetric_pivots_of_upper, *a_tree,
    *tree_of_rectangle, *none;

static const struct {
    const char *name;
    void **value;
} operands[] = {
    {"A", &A},
    {"B", &B},
    {"C", &C},
    {"F", &F},
    {"X", &X},
    {"T", &T},
    {"P", &P},
    {"band", &band},
    {"band_pivots", &band_pivots},
    {"tree", &tree},
    {"permutation", &permutation},
    {"symmetric_pivots", &symmetric_pivots},
    {"NULL", &none},
    {"square", &square},
    {"another", &another},
    {"tall", &tall},
    {"rectangle", &rectangle},
    {"rectangular_tiles", &rectangular_tiles},
    {"other_tiles", &other_tiles},
    {"other_type", &other_type},
    {"small", &small},
    {"straddling", &straddling},
    {"wide", &wide},
    {"too_many_tiles", &too_many_tiles},
    {"triangles_of_rectangle", &triangles_of_rectangle},
    {"triangles_of_type", &triangles_of_type},
    {"narrow_triangles", &narrow_triangles},
    {"wide_triangles", &wide_triangles},
    {"long_triangles", &long_triangles},
    {"pivots_of_rectangle", &pivots_of_rectangle},
    {"tree_of_rectangle", &tree_of_rectangle},
    {"permutation_of_rectangle", &permutation_of_rectangle},
    {"symmetric_pivots_of_rectangle", &symmetric_pivots_of_rectangle},
    {"symmetric_pivots_of_upper", &symmetric_pivots_of_upper},
};
enum { OPERANDS = sizeof operands / sizeof *operands };

static const struct {
    const char *name;
    char *value, valid;
} letters[] = {
    {"uplo", &uplo, 'L'},     {"side", &side, 'L'},     {"trans", &trans, 'N'},
    {"transa", &transa, 'N'}, {"transb", &transb, 'N'}, {"diag", &diag, 'N'},
    {"norm", &norm, '1'},     {"kind", &kind, 'G'},
};
enum { LETTERS = sizeof letters / sizeof *letters };

/* Results that the routines write; NULL is wrong. */
static const struct {
    const char *name;
    double **value;
} numbers[] = {
    {"anorm", (double **)&anorm}, {"rcond", &rcond}, {"value", &value}, {"logabsdet", &logabsdet},
    {"logdet", &logdet},          {"ferr", &ferr},   {"berr", &berr}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* -- routines ---------------------------------------------------------------------------------- */

struct routine {
    const char *name, *arguments;
    int64_t (*submit)(void), (*run)(void);
};

#define ROUTINE(name, parameters, ...)                                                             \
    static int64_t submit_##name(void)                                                             \
    {                                                                                              \
        return startile_##name##_async(__VA_ARGS__, r);                                            \
    }                                                                                              \
    static int64_t run_##name(void)                                                                \
    {                                                                                              \
        return startile_##name(__VA_ARGS__);                                                       \
    }
#include "routine_list.h"
#undef ROUTINE
#define ROUTINE(name, parameters, ...) {#name, #__VA_ARGS__, submit_##name, run_##name},
static const struct routine routines[] = {
#include "routine_list.h"
};
enum { ROUTINES = sizeof routines / sizeof *routines };

/* Returns the position of the word in the list, from 1, or 0. Spaces or commas separate the words.
 */
static int position_in(const char *list, const char *word, size_t length)
{
    int position = 1;
    for (const char *t = list; *t != '\0'; position++) {
        size_t end = strcspn(t, ", ");
        if (end == length && strncmp(t, word, length) == 0)
            return position;
        t += end + strspn(t + end, ", ");
    }
    return 0;
}

static bool is_one_of(const char *name, const char *list)
{
    return position_in(list, name, strlen(name)) != 0;
}

/* Sets arguments that fit the routine. */
static void set_valid(const struct routine *routine)
{
    for (int i = 0; i < LETTERS; i++)
        *letters[i].value = letters[i].valid;
    for (int i = 0; i < NUMBERS; i++)
        *numbers[i].value = &number;
    A = square, F = another, T = triangles, P = pivots, band = another,
    band_pivots = pivots_of_band, tree = a_tree;
    B = is_one_of(routine->name, "lacpy hegst") ? another : tall;
    permutation = a_permutation, symmetric_pivots = some_symmetric_pivots;
    if (is_one_of(routine->name, "geqp3 geqp3_random geqp3_rank gelsy"))
        A = columns;
    C = is_one_of(routine->name, "herk syrk") ? another : tall_too;
    X = tall_too;
    anorm = &norm_of_a, itype = 1, refine = 0, sign = &unit, rank = &a_rank, r = request;
    inertia = numbers_of_inertia;
    tol = 0.5, max_rank = 3;
}

/* Sets the argument to the value with this name: an operand, a letter or a number. */
static void set_argument(const char *name, const char *text)
{
    for (int i = 0; i < LETTERS; i++)
        if (strcmp(name, letters[i].name) == 0)
            *letters[i].value = *text;
    for (int i = 0; i < OPERANDS; i++)
        for (int j = 0; j < OPERANDS; j++)
            if (strcmp(name, operands[i].name) == 0 && strcmp(text, operands[j].name) == 0)
                *operands[i].value = *operands[j].value;
    for (int i = 0; i < NUMBERS; i++)
        if (strcmp(name, numbers[i].name) == 0)
            *numbers[i].value = NULL;
    if (strcmp(name, "sign") == 0)
        sign = NULL;
    if (strcmp(name, "inertia") == 0)
        inertia = NULL;
    if (strcmp(name, "rank") == 0)
        rank = NULL;
    if (strcmp(name, "itype") == 0)
        itype = (int)strtod(text, NULL);
    if (strcmp(name, "refine") == 0)
        refine = (int)strtod(text, NULL);
    if (strcmp(name, "tol") == 0)
        tol = strtod(text, NULL);
    if (strcmp(name, "max_rank") == 0)
        max_rank = (int64_t)strtod(text, NULL);
}

/* Requires both forms to return −position. */
static void require_wrong(const struct routine *routine, int position)
{
    require_info(routine->submit(), -position);
    require_info(routine->run(), -position);
}

/* -- operands that do not fit ------------------------------------------------------------------ */

/* For each of the routines: `argument` is wrong with each of these values, after the assignments
 * `with`. */
static const struct {
    const char *routines, *argument, *values, *with;
} unsuitable[] = {
    {"potrf pstrf sytrf hetrf sytrs hetrs sysv hesv sycon hecon sytri hetri "
     "sytrf_aa hetrf_aa sytrs_aa hetrs_aa sysv_aa hesv_aa "
     "sydet hedet heinertia potrs posv lauum potri trtri hegst porfs syrfs herfs "
     "potrf_update potrf_downdate pocon "
     "posv_mixed "
     "herk "
     "syrk "
     "trsm trtrs trmm hemm symm lansy lanhe",
     "uplo", "G", ""},
    {"gecon", "norm", "F M", ""},
    {"hegst", "itype", "0 4 -1", ""},
    {"lauum potri trtri hegst podet pocon potrf pstrf sytrf hetrf sytrs hetrs sysv hesv sycon "
     "sytrf_aa hetrf_aa sytrs_aa hetrs_aa sysv_aa hesv_aa "
     "hecon sytri hetri sydet hedet heinertia potrs posv potrf_update potrf_downdate "
     "porfs syrfs herfs "
     "trsm trtrs "
     "trmm "
     "hemm symm "
     "lansy lanhe",
     "A", "tall rectangle rectangular_tiles", ""},
    {"laset", "A", "rectangular_tiles", ""},
    {"random", "A", "rectangle tall", "kind=S"},
    {"random", "A", "rectangle tall", "kind=H"},
    {"lacpy", "B", "A other_type small rectangle wide", ""},
    {"gemm", "B", "other_type small other_tiles", ""},
    {"gemm", "B", "rectangular_tiles", "transb=T"},
    {"gemm", "B", "tall", "transb=C"},
    {"gemm", "C", "A B square", ""},
    {"gemm", "C", "other_type tall small other_tiles rectangular_tiles", "B=A"},
    {"herk syrk", "C", "A rectangle rectangular_tiles other_tiles other_type small tall", ""},
    {"herk", "C", "another", "A=tall trans=C"},
    {"trsm trtrs trmm", "B", "A other_type small other_tiles", ""},
    {"trsm trmm", "B", "tall rectangular_tiles", "side=R"},
    {"hemm symm", "B", "other_type small", ""},
    {"hemm symm", "B", "rectangular_tiles", "side=R"},
    {"hemm symm", "C", "A B rectangle", ""},
    {"potrs posv potrf_update potrf_downdate", "B", "A other_type small other_tiles", ""},
    {"hegst", "B", "A other_type small other_tiles rectangular_tiles tall", ""},
    {"getrf getrf_tntpiv getrf_nopiv getrs gesv getri gecon gedet geqrf unmqr ungqr gels", "A",
     "straddling", ""},
    {"getrf_nopiv", "A", "too_many_tiles", ""},
    {"getrs gesv getri gecon gedet", "A", "rectangle", ""},
    {"getrf getrf_tntpiv getrs gesv getri", "P", "pivots_of_rectangle", ""},
    {"getrf getrf_tntpiv", "P", "P", "A=rectangle"},
    {"getrf getrf_tntpiv getrs getri", "P", "P", "A=small"},
    {"getrf getrf_tntpiv", "P", "P", "A=other_tiles"},
    {"getrs gesv", "B", "A small other_type", ""},
    {"getrs", "B", "other_tiles", ""},
    {"getrs", "B", "straddling", "trans=C P=NULL"},
    {"gesv", "refine", "-1 11 -2147483648", ""},
    {"geqp3_rank", "tol", "-1 nan", ""},
    {"geqp3_rank", "max_rank", "-1 -9e18", ""},
    {"geqp3 geqp3_random geqp3_rank gelsy", "A", "square", ""},
    {"geqp3 geqp3_random geqp3_rank gelsy pstrf", "permutation", "permutation_of_rectangle", ""},
    {"sytrf hetrf sytrs hetrs sysv hesv sycon hecon sytri hetri sydet hedet heinertia "
     "syrfs herfs",
     "symmetric_pivots", "symmetric_pivots_of_rectangle", ""},
    {"sytrs hetrs syrfs herfs sycon hecon sytri hetri sydet hedet heinertia", "symmetric_pivots",
     "symmetric_pivots_of_upper", ""},
    {"porfs syrfs herfs", "F", "A other_type small other_tiles rectangular_tiles tall", ""},
    {"porfs syrfs herfs", "B", "A F other_type small other_tiles", ""},
    {"porfs syrfs herfs", "X", "A F B other_type small other_tiles wide", ""},
    {"sytrs hetrs sysv hesv", "B", "A other_type small other_tiles", ""},
    {"sytrf_aa hetrf_aa sytrs_aa hetrs_aa sysv_aa hesv_aa", "P", "pivots_of_rectangle", ""},
    {"sytrf_aa hetrf_aa sytrs_aa hetrs_aa sysv_aa hesv_aa", "band",
     "A tall rectangular_tiles other_tiles other_type small", ""},
    {"sytrf_aa hetrf_aa sytrs_aa hetrs_aa sysv_aa hesv_aa", "band_pivots", "P pivots_of_rectangle",
     ""},
    {"sytrs_aa hetrs_aa sysv_aa hesv_aa", "B", "A band other_type small other_tiles", ""},
    {"geqrf geqp3 geqp3_random geqp3_rank gelqf unmqr unmlq", "T",
     "triangles_of_type narrow_triangles wide_triangles long_triangles", ""},
    {"geqrf geqp3 geqp3_random geqp3_rank gelqf", "T", "triangles_of_rectangle", ""},
    {"geqrf gelqf ungqr", "T", "T", "A=rectangle"},
    {"ungqr", "T", "T", "A=other_tiles"},
    {"ungqr unglq", "T", "T", "A=other_type"},
    {"unglq", "T", "T", "A=wide"},
    {"ungqr", "A", "wide", ""},
    {"unglq", "A", "rectangle", ""},
    {"unmqr unmlq", "C", "A small wide other_type", ""},
    {"unmqr unmqr_tree", "C", "other_tiles", ""},
    {"unmqr unmlq", "C", "small tall rectangle", "side=R"},
    {"gels", "B", "A small other_type other_tiles", ""},
    {"gelsy", "B", "A small other_type other_tiles", ""},
    {"gels", "B", "small", "trans=C"},
    {"geqrf_tree unmqr_tree", "tree", "tree_of_rectangle", ""},
    {"geqrf_tree", "tree", "tree", "A=small"},
    {"geqrf_tree", "tree", "tree", "A=other_type"},
    {"unmqr_tree", "C", "A small other_type", ""},
    {"unmqr_tree", "C", "tall rectangle", "side=R"},
};

/* Copies the next word of the list, which ends at one of `ends`; returns what follows it. */
static const char *next_word(const char *list, const char *ends, char *word)
{
    size_t length = strcspn(list, ends);
    memcpy(word, list, length);
    word[length] = '\0';
    return list[length] == '\0' ? list + length : list + length + 1;
}

static void check_unsuitable(const struct routine *routine, const char *argument,
                             const char *values, const char *with)
{
    char word[64], name[64];
    int position = position_in(routine->arguments, argument, strlen(argument));
    require(position > 0);
    while (*values != '\0') {
        values = next_word(values, " ", word);
        in_case("%s(%s), %s = %s, %s", routine->name, routine->arguments, argument, word, with);
        set_valid(routine);
        char value_of_other[64];
        for (const char *t = with; *t != '\0';) {
            t = next_word(next_word(t, "=", name), " ", value_of_other);
            set_argument(name, value_of_other);
        }
        set_argument(argument, word);
        require_wrong(routine, position);
    }
}

static void test_unsuitable(void)
{
    for (size_t u = 0; u < sizeof unsuitable / sizeof *unsuitable; u++)
        for (int f = 0; f < ROUTINES; f++)
            if (is_one_of(routines[f].name, unsuitable[u].routines))
                check_unsuitable(&routines[f], unsuitable[u].argument, unsuitable[u].values,
                                 unsuitable[u].with);
}

static bool is_mixed(const struct routine *routine)
{
    return is_one_of(routine->name, "gesv_mixed posv_mixed gels_mixed");
}

/* Tests the letters that are wrong for complex types only, and matrices in single precision. */
static void test_types(void)
{
    for (int f = 0; f < ROUTINES && is_single(dtype); f++)
        if (is_mixed(&routines[f]))
            check_unsuitable(&routines[f], "A", "square", "");
    for (int f = 0; f < ROUTINES && dtype >= STARTILE_C; f++)
        if (is_one_of(routines[f].name, "unmqr unmlq unmqr_tree gels herk"))
            check_unsuitable(&routines[f], "trans", "T", "");
        else if (is_one_of(routines[f].name, "syrk"))
            check_unsuitable(&routines[f], "trans", "C", "");
}

/* -- NULL and wrong letters -------------------------------------------------------------------- */

/* Returns whether the argument may be NULL or has no wrong value. */
static bool has_no_wrong_value(const struct routine *routine, const char *argument)
{
    return is_one_of(argument, "alpha beta offdiag seed bump least_rcond estimate tol max_rank "
                               "options result refine") ||
           (is_one_of(routine->name, "laset") && is_one_of(argument, "diag")) ||
           (is_one_of(routine->name, "getrs getri gedet") && is_one_of(argument, "P"));
}

/* Makes the arguments of the routine wrong, from the one at `first` to the one at `last`. */
static void spoil(const struct routine *routine, int first, int last)
{
    char name[64];
    const char *t = routine->arguments;
    for (int i = 1; *t != '\0'; i++) {
        t = next_word(t, ",", name);
        t += strspn(t, " ");
        if (i >= first && i <= last && !has_no_wrong_value(routine, name))
            set_argument(name, is_one_of(name, "uplo side trans transa transb diag norm kind")
                                   ? "X"
                                   : "NULL");
    }
}

/* Calls each routine with each argument wrong, then with all after it wrong, too. */
static void test_each_argument(void)
{
    char name[64];
    for (int f = 0; f < ROUTINES; f++) {
        const struct routine *routine = &routines[f];
        int position = 1;
        if (is_mixed(routine) && is_single(dtype))
            continue;
        for (const char *t = routine->arguments; *t != '\0'; position++) {
            t = next_word(t, ",", name);
            t += strspn(t, " ");
            if (has_no_wrong_value(routine, name))
                continue;
            for (int last = position; last <= 9; last += 9 - position) {
                in_case("%s(%s), %s is wrong%s", routine->name, routine->arguments, name,
                        last > position ? ", and all after it" : "");
                set_valid(routine);
                spoil(routine, position, last);
                require_wrong(routine, position);
            }
        }
        in_case("%s(%s, r), r = NULL", routine->name, routine->arguments);
        set_valid(routine);
        r = NULL;
        require_info(routine->submit(), -position);
    }
}

/* -- operands ---------------------------------------------------------------------------------- */

static struct array memory, before;

static int set_up(void **state)
{
    (void)state;
    startile_pivots *made[2];
    startile_tree *trees[2];
    startile_permutation *permutations[2];
    startile_symmetric_pivots *symmetric[3];
    static const int64_t identity[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    startile_dtype type = (startile_dtype)((dtype + 1) % 4);
    memory = array_new_random(dtype, N, N, 1);
    before = array_copy(memory);
    startile_matrix *M = matrix_wrapped(dtype, N, N, memory.a, memory.ld, NB, NB);
    square = M;
    another = matrix_created(dtype, N, N, NB, NB);
    tall = matrix_created(dtype, N, NRHS, NB, NB);
    tall_too = matrix_created(dtype, N, NRHS, NB, NB);
    rectangle = matrix_created(dtype, N, 10, NB, NB);
    wide = matrix_created(dtype, 10, N, NB, NB);
    rectangular_tiles = matrix_created(dtype, N, N, NB, 3);
    other_tiles = matrix_created(dtype, N, N, 5, 5);
    straddling = matrix_created(dtype, N, N, 5, 3); /* the tiles cut diagonal blocks */
    columns = matrix_created(dtype, N, N, N, NB);
    other_type = matrix_created(type, N, N, NB, NB);
    small = matrix_created(dtype, 8, 8, NB, NB);
    too_many_tiles = matrix_created(dtype, 1025, 2, 1, 1); /* at most 1024 tile rows are allowed */
    M = reflectors_created(square);
    triangles = M;
    M = reflectors_created(rectangle);
    triangles_of_rectangle = M;
    triangles_of_type = matrix_created(type, NB, N, NB, NB);
    narrow_triangles = matrix_created(dtype, NB - 1, N, NB - 1, NB - 1);
    wide_triangles = matrix_created(dtype, NB + 1, N, NB + 1, NB + 1);
    long_triangles = matrix_created(dtype, NB, N + 1, NB, NB);
    for (int i = 0; i < 2; i++) {
        made[i] = pivots_created(i == 0 ? square : rectangle);
        require_info(
            startile_tree_create(&trees[i], i == 0 ? square : rectangle, STARTILE_TREE_FLAT), 0);
    }
    pivots = made[0], pivots_of_rectangle = made[1];
    startile_pivots *of_band = pivots_created(another);
    pivots_of_band = of_band;
    a_tree = trees[0], tree_of_rectangle = trees[1];
    for (int i = 0; i < 2; i++) {
        startile_matrix *shape = i == 0 ? square : rectangle;
        require_info(startile_permutation_create(&permutations[i], shape), 0);
        require_info(startile_symmetric_pivots_create(&symmetric[i], shape), 0);
    }
    require_info(startile_symmetric_pivots_create(&symmetric[2], square), 0);
    require_info(startile_symmetric_pivots_from_lapack(symmetric[0], 'L', identity), 0);
    require_info(startile_symmetric_pivots_from_lapack(symmetric[2], 'U', identity), 0);
    a_permutation = permutations[0], permutation_of_rectangle = permutations[1];
    some_symmetric_pivots = symmetric[0], symmetric_pivots_of_rectangle = symmetric[1];
    symmetric_pivots_of_upper = symmetric[2];
    request = request_created();
    number = -7, unit = 7;
    return 0;
}

/* Requires that nothing was submitted or written. */
static int tear_down(void **state)
{
    (void)state;
    int done = 0;
    int64_t ipiv[N];
    in_case("after the wrong calls");
    require_info(startile_request_test(request, &done), 0);
    require(done == 1 && number == -7 && a_rank == -7 && unit == 7);
    require_info(startile_request_wait(request), 0);
    startile_request_destroy(request);
    void *all[] = {square,
                   another,
                   tall,
                   tall_too,
                   rectangle,
                   wide,
                   other_tiles,
                   rectangular_tiles,
                   straddling,
                   other_type,
                   columns,
                   small,
                   too_many_tiles,
                   triangles,
                   narrow_triangles,
                   wide_triangles,
                   long_triangles,
                   triangles_of_type,
                   triangles_of_rectangle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        startile_matrix_destroy(all[i]);
    startile_permutation_destroy(a_permutation);
    startile_permutation_destroy(permutation_of_rectangle);
    startile_symmetric_pivots_destroy(some_symmetric_pivots);
    startile_symmetric_pivots_destroy(symmetric_pivots_of_rectangle);
    startile_symmetric_pivots_destroy(symmetric_pivots_of_upper);
    startile_tree_destroy(a_tree);
    startile_tree_destroy(tree_of_rectangle);
    require_info(startile_pivots_to_lapack(pivots, ipiv), 0);
    for (int64_t k = 0; k < N; k++)
        require_info(ipiv[k], k + 1);
    startile_pivots_destroy(pivots);
    startile_pivots_destroy(pivots_of_rectangle);
    startile_pivots_destroy(pivots_of_band);
    require(is_same(memory, before));
    arrays_free(memory, before);
    return 0;
}

/* Tests that each routine has a tile shape, of the same height and width if it needs square tiles.
 */
static void test_tile_shapes(void)
{
    for (int i = 0; i < ROUTINES; i++) {
        const char *name = routines[i].name;
        int64_t mb = 0, nb = 0;
        in_case("%s", name);
        require_info(startile_tile_shape(name, dtype, 3000, 1500, &mb, &nb), 0);
        require(mb > 0 && nb > 0);
        require(mb == nb || strncmp(name, "ge", 2) == 0 || strncmp(name, "un", 2) == 0);
    }
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    return check_finish(run_group_between(set_up, tear_down, "arguments of routines",
                                          test_each_argument, test_unsuitable, test_types,
                                          test_tile_shapes));
}
