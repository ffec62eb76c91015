/* ScaLAPACK's routines as functions for all types: the element type is the first argument,
 * ScaLAPACK's arguments follow. */
#ifndef ROUTINES_H
#define ROUTINES_H

#include "scalapack.h"

/* Type of the length that Fortran passes for each character argument, after all other arguments */
typedef size_t length;

/* -- cholesky.c -- */

void potrf(startile_dtype t, const char *uplo, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, integer *info, length uplo_length);
void potri(startile_dtype t, const char *uplo, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, integer *info, length uplo_length);
void trtri(startile_dtype t, const char *uplo, const char *diag, const integer *n, void *a,
           const integer *ia, const integer *ja, const integer *desca, integer *info,
           length uplo_length, length diag_length);
void potrs(startile_dtype t, const char *uplo, const integer *n, const integer *nrhs, void *a,
           const integer *ia, const integer *ja, const integer *desca, void *b, const integer *ib,
           const integer *jb, const integer *descb, integer *info, length uplo_length);
void posv(startile_dtype t, const char *uplo, const integer *n, const integer *nrhs, void *a,
          const integer *ia, const integer *ja, const integer *desca, void *b, const integer *ib,
          const integer *jb, const integer *descb, integer *info, length uplo_length);
void pocon(startile_dtype t, const char *uplo, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, const void *anorm, void *rcond, void *work,
           const integer *lwork, void *more, const integer *lmore, integer *info,
           length uplo_length);

/* -- lu.c -- */

void getrf(startile_dtype t, const integer *m, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, integer *ipiv, integer *info);
void getrs(startile_dtype t, const char *trans, const integer *n, const integer *nrhs, void *a,
           const integer *ia, const integer *ja, const integer *desca, const integer *ipiv, void *b,
           const integer *ib, const integer *jb, const integer *descb, integer *info,
           length trans_length);
void gesv(startile_dtype t, const integer *n, const integer *nrhs, void *a, const integer *ia,
          const integer *ja, const integer *desca, integer *ipiv, void *b, const integer *ib,
          const integer *jb, const integer *descb, integer *info);
void getri(startile_dtype t, const integer *n, void *a, const integer *ia, const integer *ja,
           const integer *desca, const integer *ipiv, void *work, const integer *lwork,
           integer *iwork, const integer *liwork, integer *info);
void gecon(startile_dtype t, const char *norm, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, const void *anorm, void *rcond, void *work,
           const integer *lwork, void *more, const integer *lmore, integer *info,
           length norm_length);

/* -- qr.c -- */

void geqrf(startile_dtype t, const integer *m, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, void *tau, void *work, const integer *lwork,
           integer *info);
void gelqf(startile_dtype t, const integer *m, const integer *n, void *a, const integer *ia,
           const integer *ja, const integer *desca, void *tau, void *work, const integer *lwork,
           integer *info);
void gqr(startile_dtype t, const integer *m, const integer *n, const integer *k, void *a,
         const integer *ia, const integer *ja, const integer *desca, const void *tau, void *work,
         const integer *lwork, integer *info);
void mqr(startile_dtype t, const char *side, const char *trans, const integer *m, const integer *n,
         const integer *k, void *a, const integer *ia, const integer *ja, const integer *desca,
         const void *tau, void *c, const integer *ic, const integer *jc, const integer *descc,
         void *work, const integer *lwork, integer *info, length side_length, length trans_length);
void gels(startile_dtype t, const char *trans, const integer *m, const integer *n,
          const integer *nrhs, void *a, const integer *ia, const integer *ja, const integer *desca,
          void *b, const integer *ib, const integer *jb, const integer *descb, void *work,
          const integer *lwork, integer *info, length trans_length);

#endif
