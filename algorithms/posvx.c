/* Solution by Cholesky with condition number, refinement and bounds of the errors (LAPACK xPOSVX).
 */
#include "algorithms.h"
#include "blocking.h"
#include "library/library.h"

#include <float.h>

/* Returns 0 or −i for the i-th wrong argument of posvx. */
static int check_arguments(char uplo, const startile_matrix *A, const startile_matrix *F,
                           const startile_matrix *B, startile_matrix *X, const double *rcond,
                           const double *ferr, const double *berr, const startile_request *request)
{
    double ignored;
    /* porfs has the same matrices. Without a request it only checks, and returns −8. */
    int wrong = submit_porfs(uplo, A, F, B, X, &ignored, &ignored, NULL);
    return wrong != -8       ? wrong
           : rcond == NULL   ? -6
           : ferr == NULL    ? -7
           : berr == NULL    ? -8
           : request == NULL ? -9
                             : 0;
}

int64_t startile_posvx_async(char uplo, const startile_matrix *A, startile_matrix *F,
                             const startile_matrix *B, startile_matrix *X, double *rcond,
                             double *ferr, double *berr, startile_request *request)
{
    if (request != NULL && library_unusable_after_fork())
        return STARTILE_ERROR_STARPU;
    int wrong = check_arguments(uplo, A, F, B, X, rcond, ferr, berr, request);
    if (wrong != 0)
        return wrong;
    submit_lanhe('1', uplo, A, rcond, request); /* rcond := ‖A‖, until pocon ends */
    submit_lacpy(uplo, A, F, request);          /* F := A */
    submit_potrf(uplo, F, request);             /* F := L, A = L L^H */
    estimate_rcond_by_cholesky(context_of(request), uplo, F, rcond, rcond, NULL);
    submit_lacpy('G', B, X, request); /* X := A^-1 B */
    submit_potrs(uplo, F, X, request);
    submit_porfs(uplo, A, F, B, X, ferr, berr, request);
    return 0;
}

/* Returns LAPACK's info n + 1 if rcond is below eps, else 0. */
static int64_t info_of(const startile_matrix *A, double rcond)
{
    startile_shape a = startile_matrix_shape(A);
    bool is_single = a.dtype == STARTILE_S || a.dtype == STARTILE_C;
    return rcond < (is_single ? FLT_EPSILON : DBL_EPSILON) / 2 ? a.n + 1 : 0;
}

BLOCKING_RETURNING(code != 0 ? code : info_of(A, *rcond), posvx,
                   (char uplo, const startile_matrix *A, startile_matrix *F,
                    const startile_matrix *B, startile_matrix *X, double *rcond, double *ferr,
                    double *berr),
                   uplo, A, F, B, X, rcond, ferr, berr)
