/* Tests of gels: tall and wide matrices, transposes, numbers of right-hand sides, tiles, consistent
 * and inconsistent systems, matrices without full rank. */
#include "check.h"
#include "generate_qr.h"
#include "qr.h"
#include "reference.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>

enum { NB = 8 };

/* Bound on our residual / LAPACK's residual. It is above 1 because for small systems LAPACK's is a
 * few roundoffs, or nearly 0 by chance. */
static const double times = 4;

/* Shape of op(A): m rows, n columns. trans: 'N' or 'C'. */
struct problem {
    char trans;
    int64_t m, n;
};

/* Returns the shape of op(A) for any letter of trans. */
static struct problem problem_of(char trans, struct array A)
{
    bool untransposed = toupper(trans) == 'N';
    return (struct problem){untransposed ? 'N' : 'C', untransposed ? A.m : A.n,
                            untransposed ? A.n : A.m};
}

/* Returns B with random right-hand sides in its first rows; consistent: op(A) X for a random X. The
 * other rows, which the solution may take, are NaN. */
static struct array right_hand_sides(struct problem p, struct array A, int64_t nrhs,
                                     bool consistent)
{
    int64_t rows = p.m > p.n ? p.m : p.n;
    struct array B = array_new(dtype, rows, nrhs, 2), X = array_new(dtype, p.n, nrhs, 0);
    struct array sides = array_part(B, 0, 0, p.m, nrhs);
    array_random(X);
    array_random(sides);
    if (consistent && p.m > 0 && nrhs > 0)
        lapack(A)->gemm(p.trans, 'N', 1, A, X, 0, sides);
    array_free(X);
    return B;
}

/* X: B after a call of gels. Requires in each column that the rows below the solution have the
 * 2-norm of the residual, up to roundoffs of ‖A‖_F ‖x‖₂ + ‖b‖₂. */
static void check_residual_rows(struct problem p, struct array A, struct array X, struct array B)
{
    double norm_A = lapack(A)->lange('F', A);
    for (int64_t j = 0; j < B.n; j++) {
        struct array r = array_new_rows(array_part(B, 0, j, p.m, 1), p.m);
        struct array x = array_part(X, 0, j, p.n, 1),
                     residual_rows = array_part(X, p.n, j, p.m - p.n, 1);
        double scale = norm_A * lapack(x)->lange('F', x) + lapack(r)->lange('F', r);
        lapack(A)->gemm(p.trans, 'N', -1, A, x, 1, r);
        double error = lapack(r)->lange('F', r);
        error -= p.m == p.n ? 0 : lapack(residual_rows)->lange('F', residual_rows);
        check_componentwise(fabs(error) / (scale * (double)p.m * unit_roundoff(dtype)));
        array_free(r);
    }
}

/* Requires ‖X − Z‖₁ / (‖Z‖₁ (m + n) eps) < 30 κ for LAPACK's solution Z, or < 30 κ² for an
 * inconsistent system with m > n (Higham 2002, theorems 20.1 and 21.1). */
static void check_against_lapack(struct problem p, struct array A, struct array X, struct array Z,
                                 bool consistent)
{
    double kappa = condition(A), norm = lapack(Z)->lange('1', Z);
    double second_kappa = consistent || p.m <= p.n ? 1 : kappa;
    struct array D = array_copy(X);
    for (int64_t j = 0; j < X.n; j++)
        for (int64_t i = 0; i < X.m; i++)
            set(D, i, j, get(X, i, j) - get(Z, i, j));
    double error = lapack(D)->lange('1', D) / (norm * unit_roundoff(dtype) * (double)(p.m + p.n));
    require_below(error, 30 * kappa * second_kappa);
    array_free(D);
}

/* Checks `solved`, which is B after a call of gels, against LAPACK's solution. */
static void check_answer(struct problem p, struct array A, struct array B, struct array solved,
                         bool consistent)
{
    struct array F = array_copy(A), lapacks = array_copy(B), sides = array_new_rows(B, p.m);
    require_info(lapack(A)->gels(p.trans, F, lapacks), 0);
    struct array X = array_new_rows(solved, p.n), Z = array_new_rows(lapacks, p.n);
    int64_t most = p.m > p.n ? p.m : p.n;
    double unit = 1 / (double)most;
    if (p.m <= p.n || consistent)
        check_residual(qrt16(p.trans, A, X, sides), qrt16(p.trans, A, Z, sides), times,
                       roundings(most), unit);
    if (p.m >= p.n) {
        check_residual(qrt17(p.trans, A, X, sides), qrt17(p.trans, A, Z, sides), times,
                       roundings(most), unit);
        check_residual_rows(p, A, solved, sides);
    } else {
        check_residual(qrt14(p.trans, A, X), qrt14(p.trans, A, Z), times, roundings(most), unit);
    }
    check_against_lapack(p, A, X, Z, consistent);
    arrays_free(F, lapacks, sides, X, Z);
}

/* Tile shapes of A, and of B: mb × nb. */
struct cuts {
    struct tiling A;
    int64_t mb, nb;
};

/* Runs gels: A := its factors, B := the solution. Returns info. */
static int64_t solve(char trans, struct array A, struct array B, enum way way, struct cuts cuts)
{
    struct test_matrix S = test_matrix_new(A, way, 'G', cuts.A.mb, cuts.A.nb);
    struct test_matrix Y = test_matrix_new(B, way, 'G', cuts.mb, cuts.nb);
    int64_t info = startile_gels(trans, S.A, Y.A);
    test_matrices_finish(&S, &Y);
    return info;
}

/* Solves with nrhs right-hand sides and checks the solution. With GPUs most calls are left out. */
static void solve_and_check(char trans, struct array A, int64_t nrhs, bool consistent, enum way way,
                            struct cuts cuts)
{
    static int cases;
    if (is_left_out(cases++))
        return;
    struct problem p = problem_of(trans, A);
    struct array B = right_hand_sides(p, A, nrhs, consistent);
    struct array F = array_copy(A), solved = array_copy(B);
    require_info(solve(trans, F, solved, way, cuts), 0);
    if (p.m > 0 && p.n > 0 && nrhs > 0)
        check_answer(p, A, B, solved, consistent);
    arrays_free(B, F, solved);
}

/* Returns tile shapes of A and B. B's tile height must be a multiple of A's tile width, or at least
 * all rows. `height` selects A's tile height (all rows if that is not allowed), once or three times
 * A's tile width, or more than all rows. */
static struct cuts cuts_of(int tiling, int height, int64_t m, int64_t n, int64_t nb)
{
    static const int64_t widths[] = {1, 3, NB, 20};
    int64_t most = m > n ? m : n;
    struct tiling t = tiling_of(tiling % TILINGS, m, nb);
    bool fits = t.mb % nb == 0 || t.mb >= most;
    const int64_t heights[] = {fits ? t.mb : most, nb, 3 * nb, most + 2};
    return (struct cuts){t, heights[height % 4], widths[(tiling + height) % 4]};
}

/* Returns the valid letters of trans for the type. */
static const char *transposes(void)
{
    return dtype < STARTILE_C ? "NTCntc" : "NCnc";
}

static void test_shapes(void)
{
    static const int64_t shapes[][2] = {
        {1, 1},    {2, 1},           {1, 2},    {5, 3},   {3, 5},   {NB, NB}, {NB + 1, NB - 1},
        {NB, 30},  {50, 50},         {50, 20},  {20, 50}, {100, 1}, {1, 100}, {2 * NB + 3, 2 * NB},
        {10, 100}, {9 * NB, 2 * NB}, {200, 30}, {30, 200}};
    static const int64_t columns[] = {0, 1, 5, NB + 3};
    int variant = 0;
    for (int s = 0; s < 18; s++)
        for (int c = 0; c < 4; c++)
            for (const char *trans = transposes(); *trans != '\0'; trans++, variant++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct cuts cuts = cuts_of(variant, variant / 4, m, n, NB);
                bool consistent = variant / 2 % 2;
                in_case("%c, %d × %d, nrhs %d, %s, B's tiles %d × %d, %s, %s", *trans, (int)m,
                        (int)n, (int)columns[c], cuts.A.name, (int)cuts.mb, (int)cuts.nb,
                        way_names[variant % WAYS], consistent ? "consistent" : "inconsistent");
                random_seed((uint64_t)(10 * s + c));
                struct array A = generate_general(&random_general, dtype, m, n, 1);
                solve_and_check(*trans, A, columns[c], consistent, (enum way)(variant % WAYS),
                                cuts);
                array_free(A);
            }
    check_report("shapes");
}

/* Tests every tiling of A with every tile height of B; some matrices are tall enough for a tree. */
static void test_tilings(void)
{
    static const int64_t shapes[][2] = {{100, 30}, {30, 100}, {600, 11}};
    for (int s = 0; s < 3; s++)
        for (int t = 0; t < TILINGS; t++)
            for (int h = 0; h < 4; h++)
                for (int trans = 0; trans < 2; trans++) {
                    int64_t m = shapes[s][0], n = shapes[s][1];
                    struct cuts cuts = cuts_of(t, h, m, n, NB);
                    in_case("%c, %d × %d, %s, B's tiles %d high", "NC"[trans], (int)m, (int)n,
                            cuts.A.name, (int)cuts.mb);
                    random_seed((uint64_t)s);
                    struct array A = generate_general(&random_general, dtype, m, n, 1);
                    solve_and_check("NC"[trans], A, 5, h % 2, (enum way)((t + h) % WAYS), cuts);
                    array_free(A);
                }
    check_report("tilings");
}

/* Tests many tile rows and few columns, for which the library may use a tree. */
static void test_tall(void)
{
    static const int64_t heights[] = {NB, 2 * NB, 4 * NB, 100 * NB};
    static const int64_t shapes[][2] = {{500, 5}, {500, NB}, {503, NB + 3}, {1000, 3 * NB}};
    for (int s = 0; s < 4; s++)
        for (int h = 0; h < 4; h++)
            for (int consistent = 0; consistent < 2; consistent++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                struct cuts cuts = {{"tall", heights[h], NB}, heights[h], 2};
                enum way way = (enum way)((s + h) % WAYS);
                in_case("%d × %d in tiles of %d × %d, %s, consistent %d", (int)m, (int)n,
                        (int)heights[h], NB, way_names[way], consistent);
                random_seed((uint64_t)(s + h));
                struct array A = generate_general(&random_general, dtype, m, n, 1);
                solve_and_check('N', A, 3, consistent, way, cuts);
                /* for the transpose, gels finds the solution of least norm */
                struct array H = array_new_op('C', A);
                solve_and_check('C', A, 3, consistent, way, cuts);
                solve_and_check('N', H, 3, consistent, way, cuts_of(h, s, n, m, NB));
                arrays_free(H, A);
            }
    check_report("tall");
}

/* Tests the tile shape that the library recommends: several tile rows (a tree) on CPUs, one on
 * GPUs. */
static void test_library_tiles(void)
{
    static const int64_t shapes[][2] = {{60, 60}, {700, 40}, {40, 700}, {5000, 30}};
    for (int s = 0; s < 4; s++)
        for (int way = WRAPPED; way <= CREATED; way++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            struct cuts cuts = {{"startile_tile_shape()'s", -1, -1}, -1, 2};
            in_case("startile_tile_shape of gels, %d × %d", (int)m, (int)n);
            require_info(startile_tile_shape("gels", dtype, m, n, &cuts.A.mb, &cuts.A.nb), 0);
            cuts.mb = m >= n ? cuts.A.mb : n;
            random_seed((uint64_t)s);
            struct array A = generate_general(&random_general, dtype, m, n, 1);
            solve_and_check('N', A, 3, false, (enum way)way, cuts);
            solve_and_check('C', A, 3, true, (enum way)way, cuts);
            array_free(A);
        }
    check_report("the library's tiles");
}

/* -- kinds ----------------------------------------------------------------------------------- */

/* Checks the residual of gels on A with consistent right-hand sides. It is small for any condition
 * of A; the solution may differ from LAPACK's. */
static void check_kind(char trans, struct array A)
{
    struct problem p = problem_of(trans, A);
    struct array B = right_hand_sides(p, A, 3, true), F = array_copy(A), G = array_copy(A);
    struct array solved = array_copy(B), lapacks = array_copy(B), sides = array_new_rows(B, p.m);
    require_info(solve(trans, F, solved, WRAPPED, cuts_of(1, 3, A.m, A.n, NB)), 0);
    require_info(lapack(A)->gels(p.trans, G, lapacks), 0);
    struct array X = array_new_rows(solved, p.n), Z = array_new_rows(lapacks, p.n);
    int64_t most = p.m > p.n ? p.m : p.n;
    check_residual(qrt16(p.trans, A, X, sides), qrt16(p.trans, A, Z, sides), times, roundings(most),
                   1 / (double)most);
    arrays_free(B, F, G, solved, lapacks, sides, X, Z);
}

/* Checks all matrices of the list, which ends with a NULL name, and their conjugate transposes. */
static void check_kinds(const struct general *kinds, int64_t m, int64_t n)
{
    for (const struct general *g = kinds; g->name != NULL; g++)
        for (int trans = 0; trans < 2; trans++) {
            in_case("%s, %d × %d, %c", g->name, (int)m, (int)n, "NC"[trans]);
            random_seed(8);
            struct array A = generate_general(g, dtype, m, n, 0), H = array_new_op('C', A);
            check_kind("NC"[trans], A);
            check_kind("NC"[trans], H);
            arrays_free(A, H);
        }
}

static void test_kinds(void)
{
    check_kinds(full_rank, 60, 25);
    check_kinds(full_rank, 30, 30);
    check_report("kinds");
}

/* -- rank-deficient matrices ------------------------------------------------------------------- */

/* Checks zero columns zeros[0 … count − 1], 1-based, in A, or in Aᴴ if A is wide: info is the index
 * of the first of them, as in LAPACK, and B keeps every bit. */
static void check_deficient(int64_t m, int64_t n, const int64_t *zeros, int count, int variant)
{
    bool tall = m >= n;
    char trans = "NC"[variant % 2];
    struct array A = generate_general(&random_general, dtype, m, n, 1), F, G;
    for (int z = 0; z < count; z++)
        for (int64_t i = 0; i < (tall ? m : n); i++)
            set(A, tall ? i : zeros[z] - 1, tall ? zeros[z] - 1 : i, 0);
    struct array B = right_hand_sides(problem_of(trans, A), A, 3, false), solved = array_copy(B);
    F = array_copy(A);
    G = array_copy(A);
    require_info(solve(trans, F, solved, (enum way)(variant % WAYS),
                       cuts_of(variant, variant / 4, m, n, NB)),
                 zeros[0]);
    require(is_same(solved, B));
    require_info(lapack(A)->gels(trans, G, solved), zeros[0]);
    arrays_free(A, B, F, G, solved);
}

static void test_deficient(void)
{
    static const int64_t shapes[][2] = {
        {3 * NB + 4, 3 * NB + 4}, {90, 3 * NB}, {3 * NB, 90}, {600, 11}, {11, 600}};
    static const int64_t zeros[][2] = {{1, 5}, {NB - 1, NB}, {NB, NB + 2}, {NB + 1, 11}, {11, 11}};
    for (int s = 0; s < 5; s++)
        for (int z = 0; z < 5; z++)
            for (int variant = 0; variant < 8; variant++) {
                in_case("%d × %d, zero column %d (from variant 4 on also %d), variant %d",
                        (int)shapes[s][0], (int)shapes[s][1], (int)zeros[z][0], (int)zeros[z][1],
                        variant);
                random_seed((uint64_t)z);
                check_deficient(shapes[s][0], shapes[s][1], zeros[z], 1 + variant / 4,
                                variant + s + z);
            }
}

/* Returns 2^power A. */
static struct array shifted(struct array A, int power)
{
    struct array S = array_new(A.dtype, A.m, A.n, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex z = get(A, i, j);
            set(S, i, j, CMPLX(ldexp(creal(z), power), ldexp(cimag(z), power)));
        }
    return S;
}

/* Checks that gels of 2^a A and 2^b B gives the solution for A and B times 2^(b−a), and the rows
 * below times 2^b, without intermediate overflow or underflow. */
static void check_shifted(char trans, int64_t m, int64_t n, int a, int b, struct cuts cuts)
{
    struct array A = generate_general(&random_general, dtype, m, n, 0);
    struct problem p = problem_of(trans, A);
    struct array B = right_hand_sides(p, A, 3, false), X = array_copy(B), F = array_copy(A);
    struct array G = shifted(A, a), Y = shifted(B, b);
    double kappa = condition(A);
    require_info(solve(trans, F, X, WRAPPED, cuts), 0);
    require_info(solve(trans, G, Y, WRAPPED, cuts), 0);
    struct array rescaled_X = shifted(array_part(Y, 0, 0, p.n, 3), a - b),
                 expected_X = array_new_rows(X, p.n);
    check_against_lapack(p, A, rescaled_X, expected_X, false);
    struct array rescaled_Y = shifted(Y, -b);
    /* residuals of the largest numbers may overflow */
    for (int64_t i = p.n; i < p.m && is_finite(Y); i++)
        for (int64_t j = 0; j < 3; j++)
            require_below(cabs(get(rescaled_Y, i, j) - get(X, i, j)),
                          1e3 * kappa * unit_roundoff(dtype));
    arrays_free(A, B, X, F, G, Y, rescaled_X, expected_X, rescaled_Y);
}

static void test_out_of_range(void)
{
    static const int64_t shapes[][2] = {{20, 20}, {40, 25}, {25, 40}, {300, 20}};
    /* scaled by 2^large, the largest elements are near overflow and their sums overflow; scaled by
     * 2^small, elements keep all bits */
    bool is_double = unit_roundoff(dtype) < 0x1p-30;
    int large = is_double ? 1023 : 127, small = is_double ? -1000 : -105;
    const int powers[][2] = {{large, large}, {large, large / 2}, {large / 2, large},
                             {small, small}, {small, small / 2}, {small / 2, small}};
    for (int s = 0; s < 4; s++)
        for (int q = 0; q < 6; q++)
            /* the capital letters only, which come first */
            for (const char *trans = transposes(); *trans >= 'A' && *trans <= 'Z'; trans++) {
                int64_t m = shapes[s][0], n = shapes[s][1];
                int a = powers[q][0], b = powers[q][1];
                in_case("%c, %d × %d, by 2^%d and 2^%d", *trans, (int)m, (int)n, a, b);
                check_shifted(*trans, m, n, a, b, cuts_of(s + q, q, m, n, NB));
            }
}

/* Tests A = 0, for which the solution is 0, as LAPACK's is. */
static void test_all_zero(void)
{
    static const int64_t shapes[][2] = {{20, 20}, {40, 10}, {10, 40}, {600, 11}};
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TILINGS; t++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            in_case("all zero, %d × %d, tiling %d", (int)m, (int)n, t);
            struct array A = array_new(dtype, m, n, 0);
            array_fill(A, 0);
            struct array B = right_hand_sides(problem_of('N', A), A, 2, false);
            struct array solved = array_copy(B);
            require_info(solve('N', A, solved, WRAPPED, cuts_of(t, t, m, n, NB)), 0);
            for (int64_t i = 0; i < 2 * n; i++)
                require(get(solved, i % n, i / n) == 0);
            arrays_free(A, B, solved);
        }
}

/* Tests NaN and infinity. A NaN does not count as a zero column, and the solution contains NaN.
 * Results with infinities differ among LAPACKs: the call only has to end. */
static void test_not_finite(void)
{
    static const int64_t shapes[][2] = {{30, 30}, {40, 20}, {20, 40}, {600, 11}};
    for (int s = 0; s < 4; s++)
        for (int variant = 0; variant < 8; variant++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            char trans = "NC"[variant % 2];
            in_case("NaN (from variant 4 on infinity) in %d × %d, %c, variant %d", (int)m, (int)n,
                    trans, variant);
            random_seed((uint64_t)s);
            struct array A = generate_general(&random_general, dtype, m, n, 0);
            struct problem p = problem_of(trans, A);
            struct array B = right_hand_sides(p, A, 2, false);
            set(A, variant, (variant + 3) % 9, variant < 4 ? NAN : INFINITY);
            int64_t info = solve(trans, A, B, WRAPPED, cuts_of(variant, variant / 4, m, n, NB));
            require(info >= 0 && (variant >= 4 || info == 0));
            require(variant >= 4 || !is_finite(array_part(B, 0, 0, p.n, 1)));
            arrays_free(A, B);
        }
}

/* Tests empty systems: without equations the solution of least norm is zero; without unknowns the
 * call succeeds. */
static void test_empty(void)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 7}, {7, 0}, {0, 30}, {30, 0}};
    for (int s = 0; s < 5; s++)
        for (int trans = 0; trans < 2; trans++) {
            int64_t m = shapes[s][0], n = shapes[s][1];
            in_case("%d × %d, %c", (int)m, (int)n, "NC"[trans]);
            struct array A = array_new(dtype, m, n, 0);
            struct problem p = problem_of("NC"[trans], A);
            struct array B = right_hand_sides(p, A, 3, false);
            struct cuts cuts = {{"", NB, NB}, NB, 2};
            require_info(solve("NC"[trans], A, B, WRAPPED, cuts), 0);
            for (int64_t j = 0; j < 3; j++)
                for (int64_t i = 0; i < B.m; i++)
                    require(get(B, i, j) == 0);
            arrays_free(A, B);
        }
}

/* Tests the typed entry with tall, wide and square shapes. B keeps its elements if A is
 * rank-deficient, unless A is zero. */
static void test_typed_entry(void)
{
    static const int64_t shapes[][2] = {{1, 1},    {7, 7},    {9, 4},     {4, 9},
                                        {300, 40}, {40, 300}, {5000, 20}, {20, 5000}};
    for (int s = 0; s < 8; s++)
        for (int t = 0; t < 2; t++)
            for (int nrhs = 0; nrhs < 3; nrhs++) {
                int64_t m = shapes[s][0], n = shapes[s][1], small = m < n ? m : n;
                char trans = "NC"[t], letter = t == 0 ? 'n' : dtype < STARTILE_C ? 't' : 'c';
                in_case("typed, %c, %d × %d, nrhs %d", trans, (int)m, (int)n, nrhs);
                random_seed((uint64_t)s);
                struct array A = generate_general(&random_general, dtype, m, n, 2), F, G;
                struct problem p = problem_of(trans, A);
                struct array B = right_hand_sides(p, A, nrhs, false), solved = array_copy(B);
                F = array_copy(A);
                require_info(
                    lapack(A)->typed_gels(letter, m, n, nrhs, F.a, F.ld, solved.a, solved.ld), 0);
                require(has_borders_intact(F) && has_borders_intact(solved));
                if (nrhs > 0)
                    check_answer(p, A, B, solved, false);
                G = array_copy(A);
                for (int64_t i = 0; i < m || i < n; i++)
                    set(G, m < n ? small - 1 : i, m < n ? i : small - 1, 0);
                array_free(solved);
                solved = array_copy(B);
                bool all_zero = m == 1 && n == 1;
                require_info(
                    lapack(A)->typed_gels(letter, m, n, nrhs, G.a, G.ld, solved.a, solved.ld),
                    nrhs > 0 && !all_zero ? small : 0);
                require(is_same(solved, B) || all_zero);
                arrays_free(A, B, F, G, solved);
            }
    check_report("typed entry");
}

int main(int argc, char **argv)
{
    return check_main(argc, argv, "gels", test_shapes, test_tilings, test_tall, test_library_tiles,
                      test_kinds, test_deficient, test_out_of_range, test_all_zero, test_not_finite,
                      test_empty, test_typed_entry);
}
