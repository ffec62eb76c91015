/*
 * Solves a general system to double precision with a factorization in single precision, and prints
 * the certificate: the errors of the solution, which the solver computes.
 */
#include <startile.h>
#include <startile_mixed.h>
#include <startile_testing.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 1000, nrhs = 3, seed_of_a = 1, seed_of_b = 2 };

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "mixed: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Returns ‖B − A·X‖ / (‖A‖·‖X‖) in the ∞-norm. Overwrites B, and generates A again. */
static double backward_error(startile_matrix *A, startile_matrix *X, startile_matrix *B)
{
    double a, x, r;
    require(startile_random('G', seed_of_a, 0, A), "random");
    require(startile_gemm('N', 'N', -1, A, X, 1, B), "gemm");
    require(startile_lange('I', A, &a), "lange");
    require(startile_lange('I', X, &x), "lange");
    require(startile_lange('I', B, &r), "lange");
    return r / (a * x);
}

int main(void)
{
    startile_matrix *A, *B, *X;
    startile_pivots *P;
    startile_mixed_options options = {.size = sizeof options,
                                      .certificate = 1}; /* all other fields: the defaults */
    startile_mixed_result certificate = {.size = sizeof certificate};
    require(startile_init(NULL), "init");
    require(startile_matrix_create_for(&A, "gesv_mixed", STARTILE_D, n, n), "create");
    startile_shape s = startile_matrix_shape(A);
    require(startile_matrix_create(&B, STARTILE_D, n, nrhs, s.mb, s.nb), "create");
    /* startile_gemm() below needs rows of X in tiles as high as tiles of A are wide. */
    require(startile_matrix_create(&X, STARTILE_D, n, nrhs, s.nb, s.nb), "create");
    require(startile_pivots_create(&P, A), "pivots");
    require(startile_random('G', seed_of_a, 0, A), "random");
    require(startile_random('G', seed_of_b, 0, B), "random");

    require(startile_gesv_mixed(A, P, B, X, &options, &certificate), "gesv_mixed");
    double error = backward_error(A, X, B);
    printf("%s, %d steps\n"
           "certificate: backward error %.1e, componentwise %.1e, estimated error of x %.1e\n"
           "backward error computed again: %.1e\n",
           certificate.iterations >= 0 ? "refined" : "factored in double precision",
           certificate.iterations, certificate.backward, certificate.componentwise,
           certificate.forward, error);

    startile_pivots_destroy(P);
    startile_matrix_destroy(X);
    startile_matrix_destroy(B);
    startile_matrix_destroy(A);
    startile_finalize();
    return certificate.iterations >= 0 && certificate.backward < 1e-14 && error < 1e-14 ? 0 : 1;
}
