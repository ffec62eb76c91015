/*
 * Reference LAPACK on reference BLAS (netlib), loaded from their files into a namespace of their
 * own, apart from the LAPACK that the program is linked with.
 */
#ifndef TESTING_NETLIB_H
#define TESTING_NETLIB_H

#include "array.h"

/* Loads the libraries and prints their files. Returns false if they are not installed; fails the
 * program if one of them is not netlib's. */
bool netlib_open(void);

/* Call LAPACK's routine of the same name, with its in-place results; ipiv is 1-based. All return
 * info. */
int netlib_potrf(char uplo, struct array A);
int netlib_potrs(char uplo, struct array A, struct array B);
int netlib_posv(char uplo, struct array A, struct array B);
int netlib_potri(char uplo, struct array A);
int netlib_trtri(char uplo, struct array A);
int netlib_lauum(char uplo, struct array A);
int netlib_getrf(struct array A, int64_t *ipiv);
int netlib_getrs(char trans, struct array A, const int64_t *ipiv, struct array B);
int netlib_gesv(struct array A, int64_t *ipiv, struct array B);
int netlib_getri(struct array A, const int64_t *ipiv);
/* tau is a column of min(m, n) elements. */
int netlib_geqrf(struct array A, struct array tau);
int netlib_gelqf(struct array A, struct array tau);
/* trans is 'N' or 'C', also for real types. */
int netlib_gels(char trans, struct array A, struct array B);
int netlib_gecon(char norm, struct array A, double anorm, double *rcond);
int netlib_pocon(char uplo, struct array A, double anorm, double *rcond);

#endif
