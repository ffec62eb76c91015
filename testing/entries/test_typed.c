/* Tests of the typed entries in a program that does not call startile_init(). */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sets the numbers of workers in the environment, because typed entries take no options. */
static void choose_backend(void)
{
    if (backend == CPU)
        setenv("STARPU_NCUDA", "0", 1);
    if (backend == GPU)
        setenv("STARPU_NCPU", "0", 1);
}

/* Tests that a call without workers returns an error, and that a later call with CPU workers works
 * (backend cpu). Runs in a child process, because StarPU, once started, runs until the process
 * ends. */
static void test_no_worker(void)
{
    in_case("no worker");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        double x = 4;
        setenv("STARPU_NCPU", "0", 1);
        setenv("STARPU_NCUDA", "0", 1);
        bool reported =
            reference[STARTILE_D]->typed_potrf('L', 1, &x, 1) == STARTILE_ERROR_NO_WORKER;
        /* the call works once there are workers; a child may not use CUDA after its parent */
        setenv("STARPU_NCPU", "1", 1);
        bool works = backend != CPU || reference[STARTILE_D]->typed_potrf('L', 1, &x, 1) == 0;
        _exit(reported && works && (backend != CPU || x == 2) ? 0 : 1);
    }
    int status = -1;
    require(waitpid(child, &status, 0) == child);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Tests that wrong arguments and empty problems do not start StarPU. */
static void test_nothing_to_do(void)
{
    double x = 4, y = -7;
    in_case("nothing to do");
    require_info(reference[dtype]->typed_potrf('X', 1, &x, 1), -1);
    require_info(reference[dtype]->typed_potrf('L', 1, &x, (int64_t)1 << 40), -4);
    require_info(reference[dtype]->typed_potrs('L', 1, 1, &x, (int64_t)1 << 40, &x, 1), -5);
    require_info(reference[dtype]->typed_posv('L', 1, 1, &x, 1, &x, (int64_t)1 << 40), -7);
    require_info(reference[dtype]->typed_potrf('L', 0, NULL, 1), 0);
    int64_t p = -7, rank = -7;
    require_info(reference[dtype]->typed_pstrf('X', 1, &x, 1, &p, &rank, 0), -1);
    require_info(reference[dtype]->typed_pstrf('L', -1, &x, 1, &p, &rank, 0), -2);
    require_info(reference[dtype]->typed_pstrf('L', 1, NULL, 1, &p, &rank, 0), -3);
    require_info(reference[dtype]->typed_pstrf('L', 1, &x, (int64_t)1 << 40, &p, &rank, 0), -4);
    require_info(reference[dtype]->typed_pstrf('L', 1, &x, 1, NULL, &rank, 0), -5);
    require_info(reference[dtype]->typed_pstrf('L', 1, &x, 1, &p, NULL, 0), -6);
    require(p == -7 && rank == -7);
    require_info(reference[dtype]->typed_pstrf('L', 0, NULL, 1, NULL, &rank, 0), 0);
    require(rank == 0);
    require_info(reference[dtype]->typed_sytrf('X', 1, &x, 1, &p), -1);
    require_info(reference[dtype]->typed_hetrf('L', -1, &x, 1, &p), -2);
    require_info(reference[dtype]->typed_sytrf('L', 1, NULL, 1, &p), -3);
    require_info(reference[dtype]->typed_hetrf('L', 1, &x, (int64_t)1 << 40, &p), -4);
    require_info(reference[dtype]->typed_sytrf('L', 1, &x, 1, NULL), -5);
    require_info(reference[dtype]->typed_hetrf('L', 0, NULL, 1, NULL), 0);
    require_info(reference[dtype]->typed_potrs('U', 0, 5, NULL, 1, NULL, 1), 0);
    require_info(reference[dtype]->typed_posv('U', 0, 5, NULL, 1, NULL, 1), 0);
    in_case("nothing to do in LU");
    require_info(reference[dtype]->typed_getrf(1, 1, &x, (int64_t)1 << 40, &p), -4);
    require_info(reference[dtype]->typed_getrs('N', 1, 1, &x, (int64_t)1 << 40, &p, &x, 1), -5);
    require_info(reference[dtype]->typed_gesv(1, 1, &x, 1, &p, &x, (int64_t)1 << 40), -7);
    require_info(reference[dtype]->typed_getri(1, &x, (int64_t)1 << 40, &p), -3);
    require_info(reference[dtype]->typed_gecon('1', 1, &x, (int64_t)1 << 40, 1, &x), -4);
    require_info(reference[dtype]->typed_getrf(0, 3, NULL, 1, NULL), 0);
    require_info(reference[dtype]->typed_getrf(3, 0, NULL, 3, NULL), 0);
    require_info(reference[dtype]->typed_getrs('T', 0, 5, NULL, 1, NULL, NULL, 1), 0);
    require_info(reference[dtype]->typed_gesv(0, 5, NULL, 1, NULL, NULL, 1), 0);
    require_info(reference[dtype]->typed_getri(0, NULL, 1, NULL), 0);
    require_info(reference[dtype]->typed_gecon('I', 0, NULL, 1, 0, &y), 0);
    require(p == -7 && x == 4);
    in_case("nothing to do in QR");
    y = -7;
    const int64_t large = (int64_t)1 << 40;
    const struct reference *typed = reference[dtype];
    require_info(typed->typed_geqrf(1, 1, &x, large, &y), -4);
    require_info(typed->typed_gelqf(1, 1, &x, large, &y), -4);
    require_info(typed->typed_geqp3(1, 1, &x, large, &p, &y), -4);
    require_info(typed->typed_geqp3(1, 1, &x, 1, NULL, &y), -5);
    require_info(typed->typed_geqp3(1, 1, &x, 1, &p, NULL), -6);
    require_info(typed->typed_geqp3_rank(1, 1, &x, 1, &p, NULL, 0, 1, &p), -6);
    require_info(typed->typed_geqp3_rank(1, 1, &x, 1, &p, &y, -1, 1, &p), -7);
    require_info(typed->typed_geqp3_rank(1, 1, &x, 1, &p, &y, 0, -1, &p), -8);
    require_info(typed->typed_geqp3_rank(1, 1, &x, 1, &p, &y, 0, 1, NULL), -9);
    require_info(typed->typed_unmqr('L', 'N', 1, 1, 1, &x, large, &y, &x, 1), -7);
    require_info(typed->typed_unmlq('L', 'N', 1, 1, 1, &x, 1, &y, &x, large), -10);
    require_info(typed->typed_ungqr(1, 1, 1, &x, large, &y), -5);
    require_info(typed->typed_unglq(1, 1, 1, &x, large, &y), -5);
    require_info(typed->typed_gels('N', 1, 1, 1, &x, large, &y, 1), -6);
    require_info(typed->typed_gels('N', 1, 1, 1, &x, 1, &y, large), -8);
    require_info(typed->typed_gelsy(1, 1, 1, &x, large, &y, 1, &p, 0, &p), -5);
    require_info(typed->typed_gelsy(1, 1, 1, &x, 1, &y, large, &p, 0, &p), -7);
    require_info(typed->typed_gelsy(1, 1, 1, &x, 1, &y, 1, NULL, 0, &p), -8);
    require_info(typed->typed_gelsy(1, 1, 1, &x, 1, &y, 1, &p, 0, NULL), -10);
    require_info(typed->typed_geqrf(0, 3, NULL, 1, NULL), 0);
    require_info(typed->typed_gelqf(3, 0, NULL, 3, NULL), 0);
    require_info(typed->typed_geqp3(3, 0, NULL, 3, NULL, NULL), 0);
    require_info(typed->typed_unmqr('L', 'N', 0, 3, 0, NULL, 1, NULL, NULL, 1), 0);
    require_info(typed->typed_unmlq('R', 'N', 3, 0, 0, NULL, 1, NULL, NULL, 3), 0);
    require_info(typed->typed_unmqr('L', 'N', 1, 1, 0, NULL, 1, NULL, &x, 1), 0);
    require_info(typed->typed_ungqr(3, 0, 0, NULL, 3, NULL), 0);
    require_info(typed->typed_unglq(0, 3, 0, NULL, 1, NULL), 0);
    require_info(typed->typed_gels('N', 0, 0, 5, NULL, 1, NULL, 1), 0);
    require_info(typed->typed_gels('N', 3, 1, 0, &x, 3, NULL, 3), 0);
    require_info(typed->typed_gelsy(3, 1, 0, &x, 3, NULL, 3, &p, 0, &p), 0);
    require(p == 0);
    require(x == 4 && y == -7);
    require(!starpu_is_initialized());
}

/* Solves one positive definite system with typed_posv and checks it. */
static void solve_one_definite(startile_dtype type, int64_t n)
{
    random_seed((uint64_t)n);
    struct array A = generate(&well_conditioned, type, n, 1), B = array_new_random(type, n, 2, 0);
    struct array T = array_copy(A), X = array_copy(B), R = array_copy(A), Z = array_copy(B);
    lapack(R)->potrf('U', R);
    lapack(R)->potrs('U', R, Z);
    require_info(reference[type]->typed_posv('U', n, 2, T.a, T.ld, X.a, X.ld), 0);
    check_factor('U', A, T, n);
    check_solution(A, X, Z, B);
    arrays_free(A, B, T, X, R, Z);
}

/* Tests that the first call with something to compute starts StarPU on the backend. */
static void test_first_call_starts(void)
{
    in_case("the first call");
    solve_one_definite(dtype, 30);
    require(starpu_is_initialized());
    require(backend == GPU || startile_cpu_workers() > 0);
    require(backend == CPU || startile_cuda_workers() > 0);
}

static void test_all_types(void)
{
    for (int type = STARTILE_S; type <= STARTILE_Z; type++) {
        in_case("type %d", type);
        solve_one_definite((startile_dtype)type, 150);
    }
}

/* Order of the systems whose solution several cores share in tiles of 256 or more */
enum { SHARED = 1100 };

/* Requires two estimates of a condition number to agree: both are by LAPACK's steps. */
static void check_rcond(double rcond, double expected)
{
    require_below(fabs(rcond / expected - 1), 0.01);
}

/* Solves with the Cholesky factors of A for nrhs right-hand sides, and checks pocon against rcond.
 */
static void solve_by_factor(char uplo, struct array A, int64_t nrhs, double rcond)
{
    int64_t n = A.n;
    struct array R = array_copy(A), B = array_new_random(A.dtype, n, nrhs, 1), X = array_copy(B),
                 Z = array_copy(B);
    require_info(lapack(R)->potrf(uplo, R), 0);
    lapack(R)->potrs(uplo, R, Z);
    require_info(reference[A.dtype]->typed_potrs(uplo, n, nrhs, R.a, R.ld, X.a, X.ld), 0);
    check_solution(A, X, Z, B);
    check_rcond(reference[A.dtype]->typed_pocon(uplo, n, R.a, R.ld, lapack(A)->lange('1', A)),
                rcond);
    arrays_free(R, B, X, Z);
}

/* Returns Aᵀ or Aᴴ; A for trans 'N'. */
static struct array transposed(char trans, struct array A)
{
    struct array T = array_copy(A);
    for (int64_t j = 0; j < A.n && trans != 'N'; j++)
        for (int64_t i = 0; i < A.n; i++)
            set(T, i, j, trans == 'C' ? conj(get(A, j, i)) : get(A, j, i));
    return T;
}

/* Solves with the LU factors f of A. */
static void solve_by_lu(char trans, struct array A, struct lu f, int64_t nrhs)
{
    struct array T = transposed(trans, A), B = array_new_random(A.dtype, A.n, nrhs, 1),
                 X = array_copy(B), Z = array_copy(B);
    lapack(A)->getrs(trans, f.F, f.ipiv, Z);
    require_info(
        reference[A.dtype]->typed_getrs(trans, A.n, nrhs, f.F.a, f.F.ld, f.ipiv, X.a, X.ld), 0);
    check_solution(T, X, Z, B);
    arrays_free(T, B, X, Z);
}

/* Solves by typed_gesv; f: LAPACK's factors of A. With a zero column in A instead, requires gesv to
 * leave B unchanged. */
static void solve_general(struct array A, struct lu f)
{
    int64_t n = A.n, *ipiv = pivots_new(n);
    struct array F = array_copy(A), B = array_new_random(A.dtype, n, 2, 1), X = array_copy(B),
                 Z = array_copy(B);
    lapack(A)->getrs('N', f.F, f.ipiv, Z);
    require_info(reference[A.dtype]->typed_gesv(n, 2, F.a, F.ld, ipiv, X.a, X.ld), 0);
    check_solution(A, X, Z, B);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            set(F, i, j, i == j && i != n / 2);
    array_free(X);
    X = array_copy(B);
    require_info(reference[A.dtype]->typed_gesv(n, 2, F.a, F.ld, ipiv, X.a, X.ld), n / 2 + 1);
    require(is_same(X, B));
    pivots_free(ipiv, n);
    arrays_free(F, B, X, Z);
}

/* Returns rcond by typed_gecon. */
static double typed_rcond(char norm, struct lu f, double anorm)
{
    float single = -7;
    double rcond = -7;
    bool is_single = f.F.dtype == STARTILE_S || f.F.dtype == STARTILE_C;
    require_info(reference[f.F.dtype]->typed_gecon(norm, f.F.n, f.F.a, f.F.ld, anorm,
                                                   is_single ? (void *)&single : &rcond),
                 0);
    return is_single ? (double)single : rcond;
}

/* Tests solves and condition numbers of matrices that several cores share. */
static void test_few_right_hand_sides(void)
{
    for (int type = STARTILE_S; type <= STARTILE_Z; type++) {
        in_case("few right-hand sides, type %d", type);
        random_seed(17);
        struct array A = generate(&well_conditioned, (startile_dtype)type, SHARED, 1);
        struct lu f = lapack_lu(A);
        double anorm = lapack(A)->lange('1', A), rcond = lapack(A)->gecon('1', f.F, anorm);
        solve_by_factor('L', A, 1, rcond);
        solve_by_factor('U', A, 3, rcond);
        lu_free(f);
        array_free(A);
        A = generate_general(&random_general, (startile_dtype)type, SHARED, SHARED, 1);
        f = lapack_lu(A);
        for (int i = 0; i < 3; i++)
            solve_by_lu("NTC"[i], A, f, 1 + i);
        solve_general(A, f);
        for (int i = 0; i < 2; i++) {
            anorm = lapack(A)->lange("1I"[i], A);
            check_rcond(typed_rcond("1I"[i], f, anorm), lapack(A)->gecon("1I"[i], f.F, anorm));
        }
        lu_free(f);
        array_free(A);
    }
}

/* Tests calls with n > 0 and no right-hand sides: A is factored, and B may be NULL. */
static void test_no_right_hand_side(void)
{
    in_case("nrhs 0");
    random_seed(9);
    struct array A = generate(&well_conditioned, dtype, 20, 0), T = array_copy(A);
    require_info(reference[dtype]->typed_posv('L', 20, 0, T.a, T.ld, NULL, 20), 0);
    check_factor('L', A, T, 20);
    require_info(reference[dtype]->typed_potrs('L', 20, 0, T.a, T.ld, NULL, 20), 0);
    arrays_free(A, T);
    A = generate_general(&random_general, dtype, 20, 20, 0);
    struct lu f = {array_copy(A), pivots_new(20), 0};
    require_info(reference[dtype]->typed_gesv(20, 0, f.F.a, f.F.ld, f.ipiv, NULL, 20), 0);
    check_lu(A, f, 2);
    require_info(reference[dtype]->typed_getrs('N', 20, 0, f.F.a, f.F.ld, f.ipiv, NULL, 20), 0);
    lu_free(f);
    array_free(A);
}

/* Tests that the program may also start the library: calls nest, and typed entries work afterwards.
 */
static void test_nesting(void)
{
    in_case("nesting");
    require_info(startile_init(NULL), 0);
    solve_one_definite(dtype, 40);
    startile_finalize();
    require(starpu_is_initialized());
    solve_one_definite(dtype, 40);
}

/* Tests that a call leaves a pageable array pageable, and one that the caller has page-locked
 * page-locked. */
static void test_page_locks(void)
{
    enum { N = 600 }; /* more than a MiB in single precision */
    in_case("page locks");
    require_info(startile_init(NULL), 0);
    random_seed(11);
    struct array A = generate(&well_conditioned, dtype, N, 0), T = array_copy(A), U = array_copy(A);
    size_t bytes = (size_t)N * N * element_size(dtype);
    require(T.ld == N);
    require_info(startile_pin(U.a, bytes), 0);
    require_info(reference[dtype]->typed_potrf('L', N, T.a, T.ld), 0);
    require_info(reference[dtype]->typed_potrf('L', N, U.a, U.ld), 0);
    /* startile_pin() fails for a page-locked array, and startile_unpin() for a pageable one */
    require_info(startile_unpin(U.a, bytes), 0);
    require_info(startile_pin(T.a, bytes), 0);
    require_info(startile_unpin(T.a, bytes), 0);
    check_factor('L', A, T, N);
    check_factor('L', A, U, N);
    arrays_free(A, T, U);
    startile_finalize();
}

/* Runs the tests. An exit handler stops the library. */
int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    choose_backend();
    return run_group("typed", test_no_worker, test_nothing_to_do, test_first_call_starts,
                     test_all_types, test_few_right_hand_sides, test_no_right_hand_side,
                     test_nesting, test_page_locks) != 0;
}
