/* Tests the C names of one type, LETTER, against the Fortran names of the machine's ScaLAPACK. */
#include "c_names.h"
#include "startile_scalapack.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined TYPE_s
#define LETTER s
typedef float element, real;
#elif defined TYPE_d
#define LETTER d
typedef double element, real;
#elif defined TYPE_c
#define LETTER c
#define IS_COMPLEX
typedef startile_cfloat element;
typedef float real;
#else
#define LETTER z
#define IS_COMPLEX
typedef startile_cdouble element;
typedef double real;
#endif

#define PASTE(a, b, c) a##b##c
#define NAMED(a, b, c) PASTE(a, b, c)
#define OURS(name) NAMED(startile_p, LETTER, name)
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
#define THEIRS(name) machine_routine(g, "p" TEXT_OF(LETTER) name "_")
#ifdef IS_COMPLEX
#define OURS_UNITARY(name) NAMED(startile_p, LETTER, un##name)
#define THEIRS_UNITARY(name) THEIRS("un" name)
#define HERMITIAN_NORM THEIRS("lanhe")
#define ADJOINT 'C'
#define ADJOINT_TEXT "C"
#else
#define OURS_UNITARY(name) NAMED(startile_p, LETTER, or ##name)
#define THEIRS_UNITARY(name) THEIRS("or" name)
#define HERMITIAN_NORM THEIRS("lansy")
#define ADJOINT 'T'
#define ADJOINT_TEXT "T"
#endif

enum { WORK = 1 << 12, LOCAL = 64 };
static const char type = TEXT_OF(LETTER)[0];
static const int one = 1, order = ORDER, width = WIDTH, length = WORK;

/* A distributed array, one copy per side (startile, reference). */
struct array {
    int desc[9], elements;
    element *ours, *theirs;
};

/* Returns how many of n rows (columns), in blocks, process row (column) `mine` owns, as ScaLAPACK's
 * NUMROC. */
static int extent(int n, int block, int mine, int processes)
{
    int total = 0;
    for (int k = mine; k * block < n; k += processes)
        total += (k + 1) * block <= n ? block : n - k * block;
    return total;
}

/* Returns an m × n array in blocks of mb × nb, the same on both sides. Its elements are real and
 * symmetric in their indices, pseudo-random, with `diagonal` added on the diagonal. */
static struct array new_blocks(const struct grid *g, int m, int n, int mb, int nb, double diagonal)
{
    int rows = extent(m, mb, g->row, g->p), columns = extent(n, nb, g->col, g->q), lld = rows + 1;
    struct array x = {{1, g->context, m, n, mb, nb, 0, 0, lld}, lld * columns, NULL, NULL};
    x.ours = calloc((size_t)x.elements + 1, sizeof(element));
    x.theirs = calloc((size_t)x.elements + 1, sizeof(element));
    for (int e = 0; e < x.elements; e++) {
        int i = e % lld, j = e / lld;
        int gi = (i / mb * g->p + g->row) * mb + i % mb;
        int gj = (j / nb * g->q + g->col) * nb + j % nb;
        double wave = 43758.5453 * sin(1 + (gi < gj ? gi : gj) * 12.9898 + (gi + gj) * 78.233);
        if (i < rows)
            x.ours[e] = x.theirs[e] =
                (element)(wave - floor(wave) - 0.5 + (gi == gj ? diagonal : 0));
    }
    return x;
}

/* Returns an array in square blocks, as new_blocks(). */
static struct array new_array(const struct grid *g, int m, int n, double diagonal)
{
    return new_blocks(g, m, n, BLOCK, BLOCK, diagonal);
}

static void free_array(struct array x)
{
    free(x.ours);
    free(x.theirs);
}

/* Requires both sides to be equal up to rounding, and then makes them equal. */
static void compare(const struct grid *g, struct array x, const char *what)
{
    const double bound = sizeof(real) == sizeof(float) ? 1e-3 : 1e-11;
    double worst = 0, largest = 1;
    for (int e = 0; e < x.elements; e++) {
        double difference = cabs((double _Complex)(x.ours[e] - x.theirs[e]));
        worst = difference <= worst ? worst : difference;
        largest = fmax(largest, cabs((double _Complex)x.theirs[e]));
    }
    expect(g, worst <= bound * largest, type, what);
    memcpy(x.ours, x.theirs, (size_t)x.elements * sizeof(element));
}

/* A submatrix argument, the whole array: of the C names, and of the Fortran names */
#define MATRIX(x) (x).ours, 1, 1, (x).desc
#define THEIR_MATRIX(x) (x).theirs, &one, &one, (x).desc
#define CHAR_LENGTH ((size_t)1)

typedef real norm_function();

/* Checks rcond, an estimate of 1/(norm · inverse): the estimate of the inverse's norm must be at
 * most `inverse`, up to 1 %, and more than a third of it. */
static void expect_estimate(const struct grid *g, real rcond, real norm, real inverse,
                            const char *what)
{
    double ratio = (double)rcond * (double)norm * (double)inverse;
    expect(g, ratio > 0.99 && ratio < 3, type, what);
}

/* Runs the routines of Cholesky on both sides, and compares results and info. */
static void test_cholesky(const struct grid *g)
{
    struct array A = new_array(g, ORDER, ORDER, ORDER), B = new_array(g, ORDER, WIDTH, 0);
    real sums[WORK], rcond = 0, norm = ORDER;
    int info, status = OURS(potrf)('L', ORDER, MATRIX(A));
    THEIRS("potrf")("L", &order, THEIR_MATRIX(A), &info, CHAR_LENGTH);
    expect(g, status == 0 && info == 0, type, "info of potrf");
    compare(g, A, "potrf");
    status = OURS(potrs)('L', ORDER, WIDTH, MATRIX(A), MATRIX(B));
    THEIRS("potrs")("L", &order, &width, THEIR_MATRIX(A), THEIR_MATRIX(B), &info, CHAR_LENGTH);
    expect(g, status == 0, type, "info of potrs");
    compare(g, B, "potrs");
    status = OURS(pocon)('L', ORDER, MATRIX(A), norm, &rcond);
    expect(g, status == 0, type, "info of pocon");
    status = OURS(potri)('L', ORDER, MATRIX(A));
    THEIRS("potri")("L", &order, THEIR_MATRIX(A), &info, CHAR_LENGTH);
    expect(g, status == 0, type, "info of potri");
    compare(g, A, "potri");
    expect_estimate(g, rcond, norm,
                    ((norm_function *)HERMITIAN_NORM)("1", "L", &order, THEIR_MATRIX(A), sums,
                                                      CHAR_LENGTH, CHAR_LENGTH),
                    "pocon");
    free_array(A);
    A = new_array(g, ORDER, ORDER, ORDER);
    status = OURS(posv)('U', ORDER, WIDTH, MATRIX(A), MATRIX(B));
    THEIRS("posv")("U", &order, &width, THEIR_MATRIX(A), THEIR_MATRIX(B), &info, CHAR_LENGTH);
    expect(g, status == 0, type, "info of posv");
    compare(g, A, "posv's A");
    compare(g, B, "posv's B");
    status = OURS(trtri)('U', 'N', ORDER, MATRIX(A));
    THEIRS("trtri")("U", "N", &order, THEIR_MATRIX(A), &info, CHAR_LENGTH, CHAR_LENGTH);
    expect(g, status == 0, type, "info of trtri");
    compare(g, A, "trtri");
    free_array(A);
    A = new_array(g, ORDER, ORDER, 0.5); /* not positive definite */
    status = OURS(potrf)('L', ORDER, MATRIX(A));
    THEIRS("potrf")("L", &order, THEIR_MATRIX(A), &info, CHAR_LENGTH);
    expect(g, status > 0 && status == info, type, "info of the failing minor");
    expect(g, OURS(potrf)('X', ORDER, MATRIX(A)) == -1, type, "wrong uplo");
    expect(g, OURS(potrs)('L', ORDER, -1, MATRIX(A), MATRIX(B)) == -3, type, "wrong nrhs");
    free_array(A);
    free_array(B);
}

/* Runs the routines of LU on both sides, and compares results and info. */
static void test_lu(const struct grid *g)
{
    struct array A = new_array(g, ORDER, ORDER, 1), B = new_array(g, ORDER, WIDTH, 0);
    element work[WORK];
    real sums[WORK], rcond = 0, norm = ORDER;
    /* The pivots of a process' rows must be the same on both sides. */
    int info, iwork[WORK], rows = extent(ORDER, BLOCK, g->row, g->p), ipiv[LOCAL], reference[LOCAL];
    int status = OURS(getrf)(ORDER, ORDER, MATRIX(A), ipiv);
    THEIRS("getrf")(&order, &order, THEIR_MATRIX(A), reference, &info);
    expect(g, status == 0 && info == 0, type, "info of getrf");
    expect(g, memcmp(ipiv, reference, (size_t)rows * sizeof(int)) == 0, type, "pivots of getrf");
    compare(g, A, "getrf");
    status = OURS(getrs)('T', ORDER, WIDTH, MATRIX(A), ipiv, MATRIX(B));
    THEIRS("getrs")
    ("T", &order, &width, THEIR_MATRIX(A), reference, THEIR_MATRIX(B), &info, CHAR_LENGTH);
    expect(g, status == 0, type, "info of getrs");
    compare(g, B, "getrs");
    status = OURS(gecon)('1', ORDER, MATRIX(A), norm, &rcond);
    expect(g, status == 0, type, "info of gecon");
    status = OURS(getri)(ORDER, MATRIX(A), ipiv);
    THEIRS("getri")(&order, THEIR_MATRIX(A), reference, work, &length, iwork, &length, &info);
    expect(g, status == 0, type, "info of getri");
    compare(g, A, "getri");
    expect_estimate(
        g, rcond, norm,
        ((norm_function *)THEIRS("lange"))("1", &order, &order, THEIR_MATRIX(A), sums, CHAR_LENGTH),
        "gecon");
    free_array(A);
    A = new_array(g, ORDER, ORDER, 1);
    status = OURS(gesv)(ORDER, WIDTH, MATRIX(A), ipiv, MATRIX(B));
    THEIRS("gesv")(&order, &width, THEIR_MATRIX(A), reference, THEIR_MATRIX(B), &info);
    expect(g, status == 0, type, "info of gesv");
    expect(g, memcmp(ipiv, reference, (size_t)rows * sizeof(int)) == 0, type, "pivots of gesv");
    compare(g, A, "gesv's A");
    compare(g, B, "gesv's B");
    free_array(A);
    free_array(B);
}

/* Runs the routines of QR on both sides, and compares results and info. */
static void test_qr(const struct grid *g)
{
    struct array A = new_array(g, ORDER, ORDER, 1), B = new_array(g, ORDER, WIDTH, 0);
    element work[WORK], ours[LOCAL] = {0}, theirs[LOCAL] = {0};
    int info, status = OURS(geqrf)(ORDER, ORDER, MATRIX(A), ours);
    THEIRS("geqrf")(&order, &order, THEIR_MATRIX(A), theirs, work, &length, &info);
    expect(g, status == 0, type, "info of geqrf");
    compare(g, A, "geqrf");
    status = OURS_UNITARY(mqr)('L', ADJOINT, ORDER, WIDTH, ORDER, MATRIX(A), ours, MATRIX(B));
    THEIRS_UNITARY("mqr")
    ("L", ADJOINT_TEXT, &order, &width, &order, THEIR_MATRIX(A), theirs, THEIR_MATRIX(B), work,
     &length, &info, CHAR_LENGTH, CHAR_LENGTH);
    expect(g, status == 0, type, "info of mqr");
    compare(g, B, "mqr");
    status = OURS_UNITARY(gqr)(ORDER, ORDER, ORDER, MATRIX(A), ours);
    THEIRS_UNITARY("gqr")
    (&order, &order, &order, THEIR_MATRIX(A), theirs, work, &length, &info);
    expect(g, status == 0, type, "info of gqr");
    compare(g, A, "gqr");
    free_array(A);
    A = new_array(g, ORDER, ORDER, 1);
    status = OURS(gelqf)(ORDER, ORDER, MATRIX(A), ours);
    THEIRS("gelqf")(&order, &order, THEIR_MATRIX(A), theirs, work, &length, &info);
    expect(g, status == 0, type, "info of gelqf");
    compare(g, A, "gelqf");
    free_array(A);
    A = new_array(g, ORDER, ORDER, 1);
    status = OURS(gels)('N', ORDER, ORDER, WIDTH, MATRIX(A), MATRIX(B));
    THEIRS("gels")
    ("N", &order, &order, &width, THEIR_MATRIX(A), THEIR_MATRIX(B), work, &length, &info,
     CHAR_LENGTH);
    expect(g, status == 0, type, "info of gels");
    compare(g, B, "gels");
    free_array(A);
    free_array(B);
}

/* Tests blocks that are not square. */
static void test_rectangular_blocks(const struct grid *g)
{
    struct array A = new_blocks(g, ORDER, ORDER, BLOCK, BLOCK / 2, 1);
    element work[WORK], ours[LOCAL] = {0}, theirs[LOCAL] = {0};
    int info, status = OURS(geqrf)(ORDER, ORDER, MATRIX(A), ours);
    THEIRS("geqrf")(&order, &order, THEIR_MATRIX(A), theirs, work, &length, &info);
    expect(g, status == 0, type, "info of geqrf in rectangular blocks");
    compare(g, A, "geqrf in rectangular blocks");
    free_array(A);
}

void NAMED(test_c_names_, LETTER, )(const struct grid *g)
{
    test_cholesky(g);
    test_lu(g);
    test_qr(g);
    test_rectangular_blocks(g);
}
