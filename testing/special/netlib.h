/*
 * Reference LAPACK on reference BLAS (netlib), loaded from their files into a namespace of their
 * own, apart from the LAPACK that the program is linked with.
 */
#ifndef TESTING_NETLIB_H
#define TESTING_NETLIB_H

#include "problem.h"

/* Loads the libraries and prints their files. Returns false if they are not installed; fails the
 * program if one of them is not netlib's. */
bool netlib_open(void);

/* Call LAPACK's routine of this name, with its results in the problem. letter is uplo, trans or
 * norm; trans is 'N' or 'C', also for real types. */
typedef void netlib_routine(const char *name, struct problem *p);
netlib_routine netlib_triangle; /* potrf, potri, lauum */
netlib_routine netlib_trtri;
netlib_routine netlib_po_solve; /* potrs, posv */
netlib_routine netlib_getrf;
netlib_routine netlib_getrs;
netlib_routine netlib_gesv;
netlib_routine netlib_getri;
netlib_routine netlib_qr; /* geqrf, gelqf */
netlib_routine netlib_gels;
netlib_routine netlib_condition; /* gecon, pocon; rcond := −7 if there is no estimate */

#endif
