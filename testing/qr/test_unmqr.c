/* Tests of unmqr, unmlq, ungqr, unglq against LAPACK: sides, transposes, shapes, fewer reflectors,
 * tilings of C and A. */
#include "check.h"
#include "generate.h"
#include "qr.h"
#include "reference.h"
#include "triangles.h"

#include <ctype.h>

enum { NB = 8 };

/* The first k of LAPACK's reflectors of a random matrix. */
struct reflectors {
    struct qr qr;     /* all reflectors */
    struct array tau; /* of the first k */
};

static struct reflectors reflectors_new(enum factorization factorization, int64_t m, int64_t n,
                                        int64_t k)
{
    struct array A = generate_general(&random_general, dtype, m, n, 1);
    struct reflectors r = {lapack_qr(A, factorization), array_new(dtype, k, 1, 0)};
    for (int64_t j = 0; j < k; j++)
        set(r.tau, j, 0, get(r.qr.tau, j, 0));
    array_free(A);
    return r;
}

static void reflectors_free(struct reflectors r)
{
    qr_free(r.qr);
    array_free(r.tau);
}

/* Returns the matrix with poison in the elements that Q does not depend on: the triangle, and the
 * reflectors behind the first k. */
static struct array reflectors_only(struct reflectors r)
{
    struct array V = array_copy(r.qr.F);
    for (int64_t j = 0; j < V.n; j++)
        for (int64_t i = 0; i < V.m; i++) {
            int64_t reflector = r.qr.factorization == QR ? j : i,
                    along = r.qr.factorization == QR ? i : j;
            if (reflector >= r.tau.m || along <= reflector)
                array_poison(array_part(V, i, j, 1, 1), 'G');
        }
    return V;
}

/* Returns T for the reflectors in S, computed by the library. */
static struct test_matrix triangles_of(const struct test_matrix *S, struct reflectors r,
                                       enum way way)
{
    struct test_matrix T = triangles_new(S->A, r.tau.m, way);
    /* upper-case and lower-case letters alternate */
    char storev = r.qr.factorization == QR ? "Cc"[r.tau.m % 2] : "Rr"[r.tau.m % 2];
    require_info(startile_reflectors_from_lapack(storev, S->A, r.tau.a, reflectors_of(T.A)), 0);
    return T;
}

/* -- products -------------------------------------------------------------------------------- */

/* Tile shape of C. */
struct cut {
    int64_t mb, nb;
};

/* Calls unmqr or unmlq: C := op(Q) C or C op(Q). */
static void multiply(enum factorization factorization, char side, char trans,
                     const struct test_matrix *S, const struct test_matrix *T,
                     const struct test_matrix *C)
{
    require_info(factorization == QR ? startile_unmqr(side, trans, S->A, reflectors_of(T->A), C->A)
                                     : startile_unmlq(side, trans, S->A, reflectors_of(T->A), C->A),
                 0);
}

/* Multiplies a random C by the Q of r and compares the product with LAPACK's. C has
 * `free_dimension` columns (side 'L') or rows (side 'R'). side and trans may be lower-case letters.
 */
static void check_multiply(struct reflectors r, char side, char trans, int64_t free_dimension,
                           enum way way, struct tiling t, struct cut cut)
{
    bool left = toupper(side) == 'L';
    int64_t order = r.qr.factorization == QR ? r.qr.F.m : r.qr.F.n;
    struct array C =
        array_new_random(dtype, left ? order : free_dimension, left ? free_dimension : order, 2);
    struct array D = array_copy(C), V = reflectors_only(r), V_before = array_copy(V);
    struct test_matrix S = test_matrix_new(V, way, 'G', t.mb, t.nb), T = triangles_of(&S, r, way);
    struct test_matrix B = test_matrix_new(C, way, 'G', cut.mb, cut.nb);
    multiply(r.qr.factorization, side, trans, &S, &T, &B);
    triangles_end(&T, r.tau);
    test_matrices_finish(&S, &B);
    require(is_same(V, V_before));
    char upper_trans = toupper(trans) == 'N' ? 'N' : 'C';
    if (r.qr.factorization == QR)
        lapack(D)->unmqr(left ? 'L' : 'R', upper_trans, r.qr.F, r.tau, D);
    else
        lapack(D)->unmlq(left ? 'L' : 'R', upper_trans, r.qr.F, r.tau, D);
    check_product(C, D, order);
    arrays_free(C, D, V, V_before);
}

/* Returns a tile shape for C. Unless `any_height`, the height is a multiple of A's tile width, or
 * more than all rows, as Q from the left needs it. */
static struct cut cut_of(int which, bool any_height, int64_t rows)
{
    static const int64_t widths[] = {3, NB, 1, 20};
    const int64_t heights[] = {any_height ? 5 : NB, rows + 3, any_height ? 3 : 2 * NB, 3 * NB};
    return (struct cut){heights[which % 4], widths[which / 4 % 4]};
}

/* Returns the valid letters of trans for the type, in upper and lower case. */
static const char *transposes(void)
{
    return dtype < STARTILE_C ? "NCTnct" : "NCnc";
}

/* Checks products with the first k of min(m, n) reflectors from both sides, with all letters of
 * trans. Tiles and dimensions depend on the case, counted from `variant`. */
static void check_sides(enum factorization factorization, int64_t m, int64_t n, int64_t k,
                        int variant)
{
    static const int64_t free_dimensions[] = {0, 1, 5, NB, NB + 3, 20};
    struct reflectors r = reflectors_new(factorization, m, n, k);
    int64_t order = factorization == QR ? m : n;
    for (int side = 0; side < 2; side++)
        for (const char *trans = transposes(); *trans != '\0'; trans++, variant++) {
            if (is_left_out(variant))
                continue;
            char letter = variant % 2 ? "LR"[side] : "lr"[side];
            int64_t free_dimension = free_dimensions[variant % 6],
                    rows = side == 0 ? order : free_dimension;
            struct tiling t = tiling_of(variant % TILINGS, m, NB);
            struct cut cut = cut_of(variant, side == 1, rows);
            enum way way = (enum way)(variant % WAYS);
            in_case("%s, side %c, trans %c, %d reflectors of a %d × %d matrix, %s, C with %d %s in "
                    "tiles of %d × %d, %s",
                    factorization == QR ? "unmqr" : "unmlq", letter, *trans, (int)k, (int)m, (int)n,
                    t.name, (int)free_dimension, side == 0 ? "columns" : "rows", (int)cut.mb,
                    (int)cut.nb, way_names[way]);
            check_multiply(r, letter, *trans, free_dimension, way, t, cut);
        }
    reflectors_free(r);
}

/* Checks products with all reflectors of a matrix, and with fewer: none, one, numbers at tile
 * boundaries and next to them. */
static void check_counts(enum factorization factorization)
{
    static const int64_t shapes[][2] = {{1, 1},   {2, 5},   {5, 2},   {NB, NB}, {NB + 1, NB - 1},
                                        {35, 35}, {60, 21}, {21, 60}, {90, 3},  {3, 90},
                                        {0, 0},   {7, 0},   {0, 7}};
    static const int64_t counts[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB, 3 * NB + 2, 1000};
    for (int s = 0; s < 13; s++)
        for (int c = 0; c < 8; c++) {
            int64_t m = shapes[s][0], n = shapes[s][1], most = m < n ? m : n;
            random_seed((uint64_t)(10 * s + c));
            /* the last count stands for all reflectors */
            if (counts[c] <= most || c == 7)
                check_sides(factorization, m, n, counts[c] < most ? counts[c] : most, s + c);
        }
}

static void test_unmqr(void)
{
    check_counts(QR);
    check_report("unmqr");
}

static void test_unmlq(void)
{
    check_counts(LQ);
    check_report("unmlq");
}

/* Tests every tile shape of A with every tile shape of C. */
static void test_tilings_of_C(void)
{
    enum { M = 5 * NB + 3, N = 3 * NB + 1, FREE_DIMENSION = 11 };
    random_seed(1);
    for (int factorization = QR; factorization <= LQ; factorization++) {
        int64_t m = factorization == QR ? M : N, n = factorization == QR ? N : M;
        struct reflectors r = reflectors_new((enum factorization)factorization, m, n, N);
        for (int t = 0; t < TILINGS; t++)
            for (int c = 0; c < 16; c++) {
                char side = "LR"[(c + t) % 2], trans = "NC"[c / 2 % 2];
                struct cut cut = cut_of(c, side == 'R', side == 'L' ? M : FREE_DIMENSION);
                in_case("%s by %c %c, tiling %d, C in tiles of %d × %d",
                        factorization == QR ? "unmqr" : "unmlq", side, trans, t, (int)cut.mb,
                        (int)cut.nb);
                check_multiply(r, side, trans, FREE_DIMENSION, (enum way)((c + t) % WAYS),
                               tiling_of(t, m, NB), cut);
            }
        reflectors_free(r);
    }
    check_report("tilings of C");
}

/* -- with the library's own factors ------------------------------------------------------------ */

/* Checks Qᴴ A = R and Q Qᴴ A = A (QR), or A Qᴴ = L and A Qᴴ Q = A (LQ), with the T factorization
 * the library's factorization, whose tiles may be on different workers. */
static void check_library_factors(enum factorization factorization, int64_t m, int64_t n,
                                  enum way way, struct tiling t)
{
    struct array A = generate_general(&random_general, dtype, m, n, 0);
    struct array C = array_copy(A), D = array_copy(A), R = array_copy(A);
    struct qr f = qr_new(A, factorization);
    struct test_matrix S = test_matrix_new(f.F, way, 'G', t.mb, t.nb);
    struct test_matrix T = triangles_new(S.A, f.tau.m, way),
                       B = test_matrix_new(C, way, 'G', t.mb, 5),
                       E = test_matrix_new(D, way, 'G', t.mb, 5);
    char side = factorization == QR ? 'L' : 'R';
    require_info(factorization == QR ? startile_geqrf(S.A, reflectors_of(T.A))
                                     : startile_gelqf(S.A, reflectors_of(T.A)),
                 0);
    require_info(startile_reflectors_to_lapack(reflectors_of(T.A), f.tau.a), 0);
    multiply(factorization, side, 'C', &S, &T, &B);
    multiply(factorization, side, 'C', &S, &T, &E);
    multiply(factorization, side, 'N', &S, &T, &E);
    triangles_end(&T, f.tau);
    test_matrices_finish(&S, &B, &E);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            bool in_triangle = factorization == QR ? i <= j : i >= j;
            set(R, i, j, in_triangle ? get(f.F, i, j) : 0);
        }
    check_product(C, R, factorization == QR ? m : n);
    check_product(D, A, factorization == QR ? m : n);
    qr_free(f);
    arrays_free(A, C, D, R);
}

static void test_library_factors(void)
{
    static const int64_t shapes[][2] = {{50, 50}, {90, 20}, {20, 90}, {33, 8}, {8, 33}, {1, 4}};
    for (int factorization = QR; factorization <= LQ; factorization++)
        for (int s = 0; s < 6; s++)
            for (int t = 0; t < TILINGS; t++)
                for (int w = 0; w < WAYS; w++) {
                    int64_t m = shapes[s][0], n = shapes[s][1];
                    struct tiling tiling = tiling_of(t, m, NB);
                    in_case("Qᴴ times the matrix, %s, %d × %d, %s, %s",
                            factorization_names[factorization], (int)m, (int)n, tiling.name,
                            way_names[w]);
                    random_seed((uint64_t)s);
                    check_library_factors((enum factorization)factorization, m, n, (enum way)w,
                                          tiling);
                }
    check_report("own factors");
}

/* -- Q itself -------------------------------------------------------------------------------- */

/* Checks Q's first n columns (QR, m ≥ n ≥ k) or first m rows (LQ, n ≥ m ≥ k) from k reflectors. */
static void check_generate(enum factorization factorization, int64_t m, int64_t n, int64_t k,
                           enum way way, struct tiling t)
{
    struct reflectors r = reflectors_new(factorization, m, n, k);
    struct array V = reflectors_only(r), D = array_copy(V);
    struct test_matrix S = test_matrix_new(V, way, 'G', t.mb, t.nb), T = triangles_of(&S, r, way);
    require_info(factorization == QR ? startile_ungqr(S.A, reflectors_of(T.A))
                                     : startile_unglq(S.A, reflectors_of(T.A)),
                 0);
    triangles_end(&T, r.tau);
    test_matrix_finish(&S);
    if (factorization == QR)
        lapack(D)->ungqr(D, r.tau);
    else
        lapack(D)->unglq(D, r.tau);
    check_product(V, D, factorization == QR ? m : n);
    arrays_free(V, D);
    reflectors_free(r);
}

static void check_generates(enum factorization factorization)
{
    static const int64_t shapes[][2] = {{1, 1},   {5, 2},  {NB, NB}, {NB + 1, NB - 1}, {35, 35},
                                        {60, 21}, {90, 3}, {0, 0},   {7, 0},           {150, 40}};
    static const int64_t counts[] = {0, 1, NB - 1, NB, NB + 1, 2 * NB, 3 * NB + 2, 1000};
    for (int s = 0; s < 10; s++)
        for (int c = 0; c < 8; c++)
            for (int t = 0; t < TILINGS; t++) {
                int64_t longer = shapes[s][0], shorter = shapes[s][1];
                int64_t k = counts[c] < shorter ? counts[c] : shorter;
                int64_t m = factorization == QR ? longer : shorter,
                        n = factorization == QR ? shorter : longer;
                enum way way = (enum way)((s + c + t) % WAYS);
                struct tiling tiling = tiling_of(t, m, NB);
                in_case("%s, %d of %d × %d, %s, %s", factorization == QR ? "ungqr" : "unglq",
                        (int)k, (int)m, (int)n, tiling.name, way_names[way]);
                random_seed((uint64_t)(10 * s + c));
                /* the last count stands for all reflectors */
                if (counts[c] <= shorter || c == 7)
                    check_generate(factorization, m, n, k, way, tiling);
            }
}

static void test_ungqr(void)
{
    check_generates(QR);
    check_report("ungqr");
}

static void test_unglq(void)
{
    check_generates(LQ);
    check_report("unglq");
}

/* -- typed entries ----------------------------------------------------------------------------- */

/* Checks a product by the typed entry against LAPACK's. side and trans are capital letters. */
static void check_typed_multiply(struct reflectors r, char side, char trans, int64_t free_dimension)
{
    int64_t order = r.qr.factorization == QR ? r.qr.F.m : r.qr.F.n, k = r.tau.m;
    bool left = side == 'L';
    struct array C =
        array_new_random(dtype, left ? order : free_dimension, left ? free_dimension : order, 2);
    struct array D = array_copy(C), V = reflectors_only(r), V_before = array_copy(V);
    const struct reference *typed = lapack(C);
    char letter = trans == 'N' ? 'N' : dtype < STARTILE_C ? 'T' : 'C';
    require_info((r.qr.factorization == QR ? typed->typed_unmqr : typed->typed_unmlq)(
                     side, letter, C.m, C.n, k, V.a, V.ld, r.tau.a, C.a, C.ld),
                 0);
    (r.qr.factorization == QR ? typed->unmqr : typed->unmlq)(side, trans, r.qr.F, r.tau, D);
    require(has_borders_intact(C) && is_same(V, V_before));
    check_product(C, D, order);
    arrays_free(C, D, V, V_before);
}

/* Checks Q by the typed entry against LAPACK's. */
static void check_typed_generate(struct reflectors r)
{
    struct array Q = reflectors_only(r), D = array_copy(Q);
    const struct reference *typed = lapack(Q);
    require_info((r.qr.factorization == QR ? typed->typed_ungqr : typed->typed_unglq)(
                     Q.m, Q.n, r.tau.m, Q.a, Q.ld, r.tau.a),
                 0);
    (r.qr.factorization == QR ? typed->ungqr : typed->unglq)(D, r.tau);
    require(has_borders_intact(Q));
    check_product(Q, D, r.qr.factorization == QR ? Q.m : Q.n);
    arrays_free(Q, D);
}

static void test_typed_entries(void)
{
    static const int64_t shapes[][3] = {{1, 1, 1},     {9, 4, 4},     {9, 4, 2},    {9, 4, 0},
                                        {7, 7, 7},     {200, 70, 70}, {200, 70, 5}, {150, 150, 150},
                                        {300, 20, 20}, {5, 0, 0}};
    for (int s = 0; s < 10; s++)
        for (int factorization = QR; factorization <= LQ; factorization++) {
            int64_t longer = shapes[s][0], shorter = shapes[s][1], k = shapes[s][2];
            random_seed((uint64_t)s);
            struct reflectors r = reflectors_new((enum factorization)factorization,
                                                 factorization == QR ? longer : shorter,
                                                 factorization == QR ? shorter : longer, k);
            for (int c = 0; c < 4; c++) {
                in_case("typed product by %c %c, %s, %d of %d × %d", "LR"[c % 2], "NC"[c / 2],
                        factorization_names[factorization], (int)k, (int)r.qr.F.m, (int)r.qr.F.n);
                check_typed_multiply(r, "LR"[c % 2], "NC"[c / 2], 11);
            }
            in_case("typed Q, %s, %d of %d × %d", factorization_names[factorization], (int)k,
                    (int)r.qr.F.m, (int)r.qr.F.n);
            check_typed_generate(r);
            reflectors_free(r);
        }
    check_report("typed entries");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "unmqr", test_unmqr, test_unmlq, test_tilings_of_C,
                      test_library_factors, test_ungqr, test_unglq, test_typed_entries);
}
