/*
 * mpirun -n P -x LD_PRELOAD=libstartile_scalapack.so test_scalapack LIBRARY TYPE p q ORDER: tests
 * the preloaded symbols against those of the machine's ScaLAPACK, LIBRARY, on submatrices of arrays
 * that begin anywhere in the grid. Both must leave the same values in all arrays. Prints its counts
 * as ScaLAPACK's own tests do.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void any_function();

enum { NB = 8, OURS = 0, REFERENCE = 1, SIDES = 2, WORK = 1 << 16 };

static void *machine;
static char type;
static int context, p, q, row, col, passed, failed;

/* -- symbols ----------------------------------------------------------------------------------- */

/* Returns the library's symbol. Ends the program if it is missing. */
static any_function *symbol(void *library, const char *name)
{
    union {
        void *object;
        any_function *function;
    } found = {dlsym(library, name)};
    if (found.object == NULL) {
        fprintf(stderr, "no %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return found.function;
}

/* Returns the number of real numbers in an element. */
static int parts(void)
{
    return type == 'c' || type == 'z' ? 2 : 1;
}

/* Returns a function of the machine's BLACS. */
static any_function *blacs(const char *name)
{
    return symbol(machine, name);
}

/* Returns the routine of the type, preloaded (OURS) or the machine's (REFERENCE): potrf is
 * pdpotrf_, mqr is pdormqr_ or pzunmqr_. */
static any_function *routine(const char *name, int side)
{
    char text[16];
    bool is_unitary = strcmp(name, "gqr") == 0 || strcmp(name, "mqr") == 0;
    const char *kind = !is_unitary ? "" : parts() == 2 ? "un" : "or";
    if (strcmp(name, "gst") == 0 || strcmp(name, "ngst") == 0)
        kind = parts() == 2 ? "he" : "sy";
    snprintf(text, sizeof text, "p%c%s%s_", type, kind, name);
    return symbol(side == OURS ? RTLD_DEFAULT : machine, text);
}

/* Calls the routine of both sides; the arguments name the side s. */
#define call_both(name, ...)                                                                       \
    for (int s = 0; s < SIDES; s++)                                                                \
    routine(name, s)(__VA_ARGS__)

/* -- results ----------------------------------------------------------------------------------- */

/* Counts one test, and prints `what` if it failed. */
static void expect(bool is_right, const char *what)
{
    if (is_right)
        passed++;
    else
        failed++;
    if (!is_right)
        fprintf(stderr, "process (%d, %d) of %d x %d, %c: %s\n", row, col, p, q, type, what);
}

static bool is_single(void)
{
    return type == 's' || type == 'c';
}

/* Returns the bytes of an element. */
static size_t element_size(void)
{
    return (size_t)parts() * (is_single() ? sizeof(float) : sizeof(double));
}

/* Return and set number i of an array of real numbers; a complex element is two of them. */
static double real_at(const char *x, int64_t i)
{
    return is_single() ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void set_real_at(char *x, int64_t i, double value)
{
    if (is_single())
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Requires n elements of both sides to be equal up to rounding, and then makes them equal. */
static void compare(char *x[SIDES], int64_t n, const char *what)
{
    double worst = 0, largest = 0;
    for (int64_t i = 0; i < n * parts(); i++) {
        double a = real_at(x[OURS], i), b = real_at(x[REFERENCE], i);
        worst = fabs(a - b) <= worst ? worst : fabs(a - b);
        largest = fmax(largest, fabs(b));
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    expect(worst <= (is_single() ? 2e-3 : 1e-10) * largest, what);
    memcpy(x[OURS], x[REFERENCE], (size_t)n * element_size());
}

/* Requires both sides to return the same info. */
static void compare_info(const int info[SIDES], const char *what)
{
    expect(info[OURS] == info[REFERENCE], what);
}

/* -- distributed arrays ------------------------------------------------------------------------ */

/* A distributed array, one copy per side (startile, reference). */
struct array {
    int desc[9];
    int64_t elements;
    char *a[SIDES];
};

/* Returns how many of n rows (columns) in blocks of nb process row (column) `at` owns, counted from
 * the one that has the first block. (ScaLAPACK NUMROC) */
static int extent(int n, int nb, int at, int processes)
{
    int total = 0;
    for (int k = at; k * nb < n; k += processes)
        total += (k + 1) * nb <= n ? nb : n - k * nb;
    return total;
}

/* Returns an m × n array, the same on both sides. The first block is on process (rsrc, csrc).
 * Elements are symmetric in their indices, pseudo-random, with `diagonal` added on the diagonal. */
static struct array new_array(int m, int n, int rsrc, int csrc, double diagonal)
{
    int mine = (row - rsrc + p) % p, column = (col - csrc + q) % q;
    int rows = extent(m, NB, mine, p), columns = extent(n, NB, column, q), lld = rows + 2;
    struct array x = {{1, context, m, n, NB, NB, rsrc, csrc, lld}, (int64_t)lld * columns, {NULL}};
    for (int s = 0; s < SIDES; s++)
        x.a[s] = calloc((size_t)x.elements + 1, element_size());
    for (int64_t e = 0; e < x.elements; e++) {
        int i = (int)(e % lld), j = (int)(e / lld);
        int gi = (i / NB * p + mine) * NB + i % NB, gj = (j / NB * q + column) * NB + j % NB;
        int low = gi < gj ? gi : gj, high = gi + gj - low;
        double wave = 43758.5453 * sin(1 + low * 12.9898 + high * 78.233);
        double value = wave - floor(wave) - 0.5 + (gi == gj) * diagonal;
        for (int s = 0; s < SIDES && i < rows; s++)
            set_real_at(x.a[s], e * parts(), value);
    }
    return x;
}

static void free_array(struct array x)
{
    free(x.a[OURS]);
    free(x.a[REFERENCE]);
}

/* Position of submatrices: at (at, at), from 1, of an array that begins on process (rsrc, csrc). */
struct place {
    int at, rsrc, csrc;
};

/* Returns an array that contains an m × n submatrix at the place, and 3 more rows and columns. */
static struct array array_around(struct place x, int m, int n, double diagonal)
{
    return new_array(x.at - 1 + m + 3, x.at - 1 + n + 3, x.rsrc, x.csrc, diagonal);
}

/* -- tests ------------------------------------------------------------------------------------- */

/* Tests Cholesky, solves and inverses on submatrices at place x. */
static void test_cholesky(int n, int nrhs, struct place x, const char *uplo)
{
    struct array A = array_around(x, n, n, n), B = array_around(x, n, nrhs, 0);
    int info[SIDES], at = x.at;
    call_both("potrf", uplo, &n, A.a[s], &at, &at, A.desc, &info[s], (size_t)1);
    compare_info(info, "potrf's info");
    compare(A.a, A.elements, "potrf");
    call_both("potrs", uplo, &n, &nrhs, A.a[s], &at, &at, A.desc, B.a[s], &at, &at, B.desc,
              &info[s], (size_t)1);
    compare(B.a, B.elements, "potrs");
    call_both("potri", uplo, &n, A.a[s], &at, &at, A.desc, &info[s], (size_t)1);
    compare(A.a, A.elements, "potri");
    free_array(A);
    A = array_around(x, n, n, n);
    call_both("posv", uplo, &n, &nrhs, A.a[s], &at, &at, A.desc, B.a[s], &at, &at, B.desc, &info[s],
              (size_t)1);
    compare(A.a, A.elements, "posv's A");
    compare(B.a, B.elements, "posv's B");
    call_both("trtri", uplo, "N", &n, A.a[s], &at, &at, A.desc, &info[s], (size_t)1, (size_t)1);
    compare_info(info, "trtri's info");
    compare(A.a, A.elements, "trtri");
    free_array(A);
    A = array_around(x, n, n, 0.5); /* not positive definite */
    call_both("potrf", uplo, &n, A.a[s], &at, &at, A.desc, &info[s], (size_t)1);
    compare_info(info, "info of a matrix that is not positive definite");
    expect(info[OURS] > 0, "info > 0 of a matrix that is not positive definite");
    free_array(A);
    free_array(B);
}

/* Tests the reduction of generalized eigenproblems, and triangular systems, on submatrices at place
 * x. */
static void test_reduction(int n, int nrhs, struct place x, const char *uplo)
{
    struct array F = array_around(x, n, n, n), B = array_around(x, n, nrhs, 0);
    int info[SIDES], at = x.at, lwork = WORK;
    char *work = calloc(WORK, element_size());
    double scales[SIDES] = {0, 0};
    call_both("potrf", uplo, &n, F.a[s], &at, &at, F.desc, &info[s], (size_t)1);
    memcpy(F.a[OURS], F.a[REFERENCE], (size_t)F.elements * element_size());
    for (int itype = 1; itype <= 3; itype++) {
        struct array A = array_around(x, n, n, 0);
        call_both("gst", &itype, uplo, &n, A.a[s], &at, &at, A.desc, F.a[s], &at, &at, F.desc,
                  &scales[s], &info[s], (size_t)1);
        compare_info(info, "sygst's info");
        expect(real_at((char *)scales, 0) == 1, "sygst's scale");
        compare(A.a, A.elements, "sygst");
        free_array(A);
        A = array_around(x, n, n, 0);
        call_both("ngst", &itype, uplo, &n, A.a[s], &at, &at, A.desc, F.a[s], &at, &at, F.desc,
                  &scales[s], work, &lwork, &info[s], (size_t)1);
        compare_info(info, "syngst's info");
        compare(A.a, A.elements, "syngst");
        free_array(A);
    }
    compare(F.a, F.elements, "sygst's B");
    for (const char *trans = "NTC"; *trans != '\0'; trans++) {
        call_both("trtrs", uplo, trans, "N", &n, &nrhs, F.a[s], &at, &at, F.desc, B.a[s], &at, &at,
                  B.desc, &info[s], (size_t)1, (size_t)1, (size_t)1);
        compare_info(info, "trtrs's info");
        compare(B.a, B.elements, "trtrs");
    }
    free_array(F);
    free_array(B);
    free(work);
}

/* Compares the pivots of k rows, or columns, from `at` on only, because the reference also writes
 * other elements. The array begins on process row (column) `source`; this process is in `mine`. */
static void compare_pivots(int *ipiv[SIDES], int k, int at, int source, int mine, int processes)
{
    bool is_same = true;
    for (int i = at - 1; i < at - 1 + k; i++) {
        int own = i / NB / processes * NB + i % NB;
        if ((i / NB + source) % processes == mine)
            is_same = is_same && ipiv[OURS][own] == ipiv[REFERENCE][own];
    }
    expect(is_same, "pivots");
}

/* Tests LU, and for m = n solves and the inverse on submatrices at place x. */
static void test_lu(int m, int n, int nrhs, struct place x)
{
    struct array A = array_around(x, m, n, 0), B = array_around(x, n, nrhs, 0);
    int info[SIDES], at = x.at, length = m + x.at + 2 * NB, lwork = WORK, liwork = WORK;
    int *ipiv[SIDES] = {calloc((size_t)length, sizeof(int)), calloc((size_t)length, sizeof(int))};
    char *work = calloc(WORK, element_size());
    int *iwork = calloc(WORK, sizeof(int));
    call_both("getrf", &m, &n, A.a[s], &at, &at, A.desc, ipiv[s], &info[s]);
    compare_info(info, "getrf's info");
    compare_pivots(ipiv, m < n ? m : n, at, x.rsrc, row, p);
    compare(A.a, A.elements, "getrf");
    for (const char *trans = "NTC"; *trans != '\0' && m == n; trans++) {
        call_both("getrs", trans, &n, &nrhs, A.a[s], &at, &at, A.desc, ipiv[s], B.a[s], &at, &at,
                  B.desc, &info[s], (size_t)1);
        compare(B.a, B.elements, "getrs");
    }
    for (int s = 0; s < SIDES && m == n; s++)
        routine("getri", s)(&n, A.a[s], &at, &at, A.desc, ipiv[s], work, &lwork, iwork, &liwork,
                            &info[s]);
    compare_info(info, "getri's info");
    compare(A.a, A.elements, "getri");
    free_array(A);
    A = array_around(x, n, n, 0);
    for (int s = 0; s < SIDES && m == n; s++)
        routine("gesv", s)(&n, &nrhs, A.a[s], &at, &at, A.desc, ipiv[s], B.a[s], &at, &at, B.desc,
                           &info[s]);
    compare_pivots(ipiv, m < n ? m : n, at, x.rsrc, row, p);
    compare(A.a, A.elements, "gesv's A");
    compare(B.a, B.elements, "gesv's B");
    free_array(A);
    free_array(B);
    free(ipiv[OURS]);
    free(ipiv[REFERENCE]);
    free(work);
    free(iwork);
}

/* Tests QR, LQ and least squares on submatrices at place x. */
static void test_qr(int m, int n, int nrhs, struct place x)
{
    struct array A = array_around(x, m, n, 0), B = array_around(x, m > n ? m : n, nrhs, 0);
    int info[SIDES], at = x.at, length = m + n + x.at + 2 * NB, lwork = WORK;
    char *tau[SIDES] = {calloc((size_t)length, element_size()),
                        calloc((size_t)length, element_size())};
    char *work = calloc(WORK, element_size());
    call_both("geqrf", &m, &n, A.a[s], &at, &at, A.desc, tau[s], work, &lwork, &info[s]);
    compare_info(info, "geqrf's info");
    compare(A.a, A.elements, "geqrf");
    compare(tau, length, "tau");
    free_array(A);
    A = array_around(x, m, n, 0);
    call_both("gelqf", &m, &n, A.a[s], &at, &at, A.desc, tau[s], work, &lwork, &info[s]);
    compare_info(info, "gelqf's info");
    compare(A.a, A.elements, "gelqf");
    compare(tau, length, "tau of gelqf");
    free_array(A);
    A = array_around(x, m, n, 0);
    call_both("gels", "N", &m, &n, &nrhs, A.a[s], &at, &at, A.desc, B.a[s], &at, &at, B.desc, work,
              &lwork, &info[s], (size_t)1);
    compare_info(info, "gels's info");
    if (m <= n) /* for m > n the rows below the solution differ */
        compare(B.a, B.elements, "gels");
    free_array(A);
    free_array(B);
    free(tau[OURS]);
    free(tau[REFERENCE]);
    free(work);
}

/* Tests QR with column pivoting on submatrices at place x and one column behind it. */
static void test_column_pivoting(int m, int n, struct place x)
{
    int info[SIDES], at = x.at, length = n + at + 2 * NB, lwork = WORK;
    int *ipiv[SIDES] = {calloc((size_t)length, sizeof(int)), calloc((size_t)length, sizeof(int))};
    char *tau[SIDES] = {calloc((size_t)length, element_size()),
                        calloc((size_t)length, element_size())};
    char *work = calloc(WORK, element_size()), *rwork = calloc(WORK, sizeof(double));
    for (int column = at; column <= at + 1; column++) {
        struct array A = array_around(x, m, n, 0);
        for (int s = 0; s < SIDES; s++)
            if (parts() == 2)
                routine("geqpf", s)(&m, &n, A.a[s], &at, &column, A.desc, ipiv[s], tau[s], work,
                                    &lwork, rwork, &lwork, &info[s]);
            else
                routine("geqpf", s)(&m, &n, A.a[s], &at, &column, A.desc, ipiv[s], tau[s], work,
                                    &lwork, &info[s]);
        compare_info(info, "geqpf's info");
        compare_pivots(ipiv, n, column, x.csrc, col, q);
        compare(A.a, A.elements, "geqpf");
        compare(tau, length, "tau of geqpf");
        free_array(A);
    }
    for (int s = 0; s < SIDES; s++) {
        free(ipiv[s]);
        free(tau[s]);
    }
    free(work);
    free(rwork);
}

/* Tests products of Q from row and column at + 1 on, as PxORMTR calls PxORMQR: Q is that of rows
 * at + 1 … m of an m × n matrix. C is multiplied from the left and, with as many columns, from the
 * right. */
static void test_q_in_a_block(int m, int n, struct place x)
{
    struct array A = array_around(x, m, n, 0), C = array_around(x, m, m, 0);
    int info[SIDES], at = x.at, next = at + 1, order = m - 1, length = n + at + 2 * NB;
    int lwork = WORK;
    char *tau = calloc((size_t)length, element_size()), *work = calloc(WORK, element_size());
    call_both("geqrf", &order, &n, A.a[s], &next, &at, A.desc, tau, work, &lwork, &info[s]);
    memcpy(A.a[OURS], A.a[REFERENCE], (size_t)A.elements * element_size());
    for (int i = 0; i < 2; i++) {
        const int *row = i == 0 ? &next : &at, *column = i == 0 ? &at : &next;
        call_both("mqr", i == 0 ? "L" : "R", "N", i == 0 ? &order : &m, i == 0 ? &m : &order, &n,
                  A.a[s], &next, &at, A.desc, tau, C.a[s], row, column, C.desc, work, &lwork,
                  &info[s], (size_t)1, (size_t)1);
        compare_info(info, "mqr's info in a block");
        compare(C.a, C.elements, i == 0 ? "product from row 2" : "product from column 2");
    }
    free_array(A);
    free_array(C);
    free(tau);
    free(work);
}

/* Tests the Q of an m × n matrix: products from both sides with matrices of m × width and width ×
 * m, and the first n columns of Q by n and by n − NB reflectors. */
static void test_q(int m, int n, int width, struct place x)
{
    struct array A = array_around(x, m, n, 0), C = array_around(x, m, width, 0),
                 D = array_around(x, width, m, 0);
    int info[SIDES], at = x.at, length = n + x.at + 2 * NB, lwork = WORK;
    char *tau = calloc((size_t)length, element_size()), *work = calloc(WORK, element_size());
    const char *trans = parts() == 2 ? "NC" : "NT";
    call_both("geqrf", &m, &n, A.a[s], &at, &at, A.desc, tau, work, &lwork, &info[s]);
    memcpy(A.a[OURS], A.a[REFERENCE], (size_t)A.elements * element_size());
    for (int i = 0; i < 4; i++) {
        struct array *X = i < 2 ? &C : &D;
        call_both("mqr", i < 2 ? "L" : "R", trans + i % 2, i < 2 ? &m : &width, i < 2 ? &width : &m,
                  &n, A.a[s], &at, &at, A.desc, tau, X->a[s], &at, &at, X->desc, work, &lwork,
                  &info[s], (size_t)1, (size_t)1);
        compare_info(info, "mqr's info");
        compare(X->a, X->elements, i < 2 ? "product from the left" : "product from the right");
    }
    for (int k = n - NB; k <= n; k += NB) {
        struct array Q = array_around(x, m, n, 0);
        memcpy(Q.a[OURS], A.a[OURS], (size_t)A.elements * element_size());
        memcpy(Q.a[REFERENCE], A.a[REFERENCE], (size_t)A.elements * element_size());
        call_both("gqr", &m, &n, &k, Q.a[s], &at, &at, Q.desc, tau, work, &lwork, &info[s]);
        compare_info(info, "gqr's info");
        compare(Q.a, Q.elements, "gqr");
        free_array(Q);
    }
    free_array(A);
    free_array(C);
    free_array(D);
    free(tau);
    free(work);
}

/* Tests pocon and gecon on A = n I + (1 … 1)ᵀ (1 … 1), whose 1-norm is 2 n and whose inverse has
 * the norm `inverse`. The estimate of that may be up to three times too small. */
static void test_condition(int n)
{
    struct array A = new_array(n, n, 0, 0, 0);
    int info, one = 1, lwork = WORK;
    int *ipiv = calloc((size_t)n + 2 * NB, sizeof(int));
    char *work = calloc(WORK, element_size()),
         *iwork = calloc(WORK, element_size()); /* iwork: IWORK or RWORK */
    double anorm = 2 * n, inverse = (1 + (n - 2) / (2.0 * n)) / n, ratio[2];
    char norm[sizeof(double)], found[sizeof(double)];
    set_real_at(norm, 0, anorm);
    for (int is_lu = 0; is_lu < 2; is_lu++) {
        for (int64_t e = 0; e < A.elements; e++) {
            int i = (int)(e % A.desc[8]), j = (int)(e / A.desc[8]);
            int gi = (i / NB * p + row) * NB + i % NB, gj = (j / NB * q + col) * NB + j % NB;
            set_real_at(A.a[OURS], e * parts(), 1 + (gi == gj) * n);
        }
        if (is_lu == 0) {
            routine("potrf", OURS)("L", &n, A.a[OURS], &one, &one, A.desc, &info, (size_t)1);
            routine("pocon", OURS)("L", &n, A.a[OURS], &one, &one, A.desc, norm, found, work,
                                   &lwork, iwork, &lwork, &info, (size_t)1);
        } else {
            routine("getrf", OURS)(&n, &n, A.a[OURS], &one, &one, A.desc, ipiv, &info);
            routine("gecon", OURS)("1", &n, A.a[OURS], &one, &one, A.desc, norm, found, work,
                                   &lwork, iwork, &lwork, &info, (size_t)1);
        }
        ratio[is_lu] = real_at(found, 0) * anorm * inverse;
        expect(info == 0, "info of the estimator is 0");
        expect(ratio[is_lu] > 0.99 && ratio[is_lu] < 3,
               is_lu == 0 ? "rcond of pocon" : "rcond of gecon");
    }
    free_array(A);
    free(ipiv);
    free(work);
    free(iwork);
}

/* Checks calls that go to the machine's ScaLAPACK: wrong arguments, on all processes or on one; n =
 * 0 and nrhs = 0; submatrices that begin inside a block; workspace queries; short workspaces. */
static void test_forwarded(int n)
{
    struct array A = new_array(n, n, 0, 0, n);
    int info[SIDES], one = 1, two = 2, minus = -1, none = 0, lld = A.desc[8], query = -1, lwork = 1;
    int *ipiv = calloc((size_t)n + 2 * NB, sizeof(int));
    char *work[SIDES] = {calloc(WORK, element_size()), calloc(WORK, element_size())};
    char *tau = calloc((size_t)n + 2 * NB, element_size());
    call_both("potrf", "X", &n, A.a[s], &one, &one, A.desc, &info[s], (size_t)1);
    compare_info(info, "info for a wrong uplo");
    call_both("potrf", "L", &minus, A.a[s], &one, &one, A.desc, &info[s], (size_t)1);
    compare_info(info, "info for n < 0");
    A.desc[8] = row == 0 && col == 0 ? 0 : lld;
    call_both("potrf", "L", &n, A.a[s], &one, &one, A.desc, &info[s], (size_t)1);
    compare_info(info, "info for a short LLD on one process");
    expect(info[OURS] < 0, "info < 0 for a short LLD on one process");
    A.desc[8] = lld;
    A.desc[2] = row == 0 && col == 0 ? n + NB : n;
    call_both("potrf", "L", &n, A.a[s], &one, &one, A.desc, &info[s], (size_t)1);
    compare_info(info, "info for an M_ that differs between processes");
    expect(info[OURS] < 0, "info < 0 for an M_ that differs between processes");
    A.desc[2] = n;
    for (int i = 0; i < 2; i++) {
        call_both("gesv", i == 0 ? &none : &n, i == 1 ? &none : &n, A.a[s], &one, &one, A.desc,
                  ipiv, A.a[s], &one, &one, A.desc, &info[s]);
        compare_info(info, i == 0 ? "info of gesv, n = 0" : "info of gesv, nrhs = 0");
    }
    call_both("potrf", "L", &n, A.a[s], &two, &two, A.desc, &info[s], (size_t)1);
    compare_info(info, "info for a submatrix that begins inside a block");
    call_both("geqrf", &n, &n, A.a[s], &one, &one, A.desc, tau, work[s], &query, &info[s]);
    compare_info(info, "info of a workspace query");
    compare(work, 1, "workspace size that a query returns");
    call_both("geqrf", &n, &n, A.a[s], &one, &one, A.desc, tau, work[s], &lwork, &info[s]);
    compare_info(info, "info for a short workspace");
    expect(info[OURS] < 0, "info < 0 for a short workspace");
    free_array(A);
    free(work[OURS]);
    free(work[REFERENCE]);
    free(tau);
    free(ipiv);
}

/* Initializes MPI by MPI_Init(), or with the level that the text names. */
static void initialize_mpi(const char *text)
{
    int provided = MPI_THREAD_MULTIPLE, level;
    if (text == NULL)
        MPI_Init(NULL, NULL);
    else
        MPI_Init_thread(NULL, NULL,
                        strcmp(text, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                                        : MPI_THREAD_FUNNELED,
                        &provided);
    MPI_Query_thread(&level);
    expect(level == MPI_THREAD_MULTIPLE, "the thread level is MPI_THREAD_MULTIPLE");
    expect(provided == level, "the provided thread level is the thread level");
}

/* Arguments: the machine's ScaLAPACK, type, p, q, order of the processes, thread level (optional)
 */
int main(int argc, char **argv)
{
    int rank, counts[2], total[2];
    if (argc < 6)
        return 2;
    initialize_mpi(argv[6]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    machine = dlopen(argv[1], RTLD_NOW);
    type = argv[2][0];
    p = atoi(argv[3]);
    q = atoi(argv[4]);
    blacs("Cblacs_get")(-1, 0, &context);
    blacs("Cblacs_gridinit")(&context, argv[5], p, q);
    blacs("Cblacs_gridinfo")(context, &p, &q, &row, &col);
    const struct place places[] = {{1, 0, 0}, {1, p - 1, q - 1}, {1 + NB, 0, q - 1}};
    for (int x = 0; x < 3; x++) {
        test_cholesky(50, 9, places[x], x == 1 ? "U" : "L");
        test_reduction(50, 9, places[x], x == 1 ? "U" : "L");
        test_lu(50, 50, 9, places[x]);
        test_lu(60, 30, 9, places[x]);
        test_qr(50, 50, 9, places[x]);
        test_qr(60, 30, 9, places[x]);
        test_qr(30, 60, 9, places[x]);
        test_column_pivoting(50, 50, places[x]);
        test_column_pivoting(60, 30, places[x]);
        test_column_pivoting(30, 60, places[x]);
        test_q(60, 30, 9, places[x]);
        test_q_in_a_block(60, 30, places[x]);
    }
    test_condition(60);
    test_forwarded(40);
    counts[0] = passed;
    counts[1] = failed;
    MPI_Allreduce(counts, total, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d tests completed and passed\n 0 tests skipped\n %d tests completed and failed\n",
               total[0], total[1]);
    blacs("Cblacs_gridexit")(context);
    MPI_Finalize();
    return failed != 0;
}
