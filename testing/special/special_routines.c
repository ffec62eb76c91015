#include "special_routines.h"
#include "check.h"
#include "netlib.h"
#include "objects.h"
#include "reference.h"

#include <stddef.h>

/* Calls a routine of the library on a triangle of A. */
static void our_triangle(struct problem *p, int64_t nb, int64_t (*routine)(char, startile_matrix *))
{
    startile_matrix *A = array_wrapped(p->A, nb, nb);
    p->info = routine(p->letter, A);
    startile_matrix_destroy(A);
}

/* Calls trtri for a diagonal that is stored. */
static int64_t trtri(char uplo, startile_matrix *A)
{
    return startile_trtri(uplo, 'N', A);
}

static void our_potrf(struct problem *p, int64_t nb)
{
    our_triangle(p, nb, startile_potrf);
}

static void our_potri(struct problem *p, int64_t nb)
{
    our_triangle(p, nb, startile_potri);
}

static void our_trtri(struct problem *p, int64_t nb)
{
    our_triangle(p, nb, trtri);
}

static void our_lauum(struct problem *p, int64_t nb)
{
    our_triangle(p, nb, startile_lauum);
}

static void netlibs_potrf(struct problem *p)
{
    p->info = netlib_potrf(p->letter, p->A);
}

static void netlibs_potri(struct problem *p)
{
    p->info = netlib_potri(p->letter, p->A);
}

static void netlibs_trtri(struct problem *p)
{
    p->info = netlib_trtri(p->letter, p->A);
}

static void netlibs_lauum(struct problem *p)
{
    p->info = netlib_lauum(p->letter, p->A);
}

static void netlibs_potrs(struct problem *p)
{
    p->info = netlib_potrs(p->letter, p->A, p->B);
}

static void netlibs_posv(struct problem *p)
{
    p->info = netlib_posv(p->letter, p->A, p->B);
}

static void netlibs_getrf(struct problem *p)
{
    p->info = netlib_getrf(p->A, p->ipiv);
}

static void netlibs_getrs(struct problem *p)
{
    p->info = netlib_getrs(p->letter, p->A, p->ipiv, p->B);
}

static void netlibs_gesv(struct problem *p)
{
    p->info = netlib_gesv(p->A, p->ipiv, p->B);
}

static void netlibs_getri(struct problem *p)
{
    p->info = netlib_getri(p->A, p->ipiv);
}

static void netlibs_geqrf(struct problem *p)
{
    p->info = netlib_geqrf(p->A, p->B);
}

static void netlibs_gelqf(struct problem *p)
{
    p->info = netlib_gelqf(p->A, p->B);
}

static void netlibs_gels(struct problem *p)
{
    p->info = netlib_gels(p->letter, p->A, p->B);
}

static void netlibs_gecon(struct problem *p)
{
    p->info = netlib_gecon(p->letter, p->A, p->anorm, &p->rcond);
}

static void netlibs_pocon(struct problem *p)
{
    p->info = netlib_pocon(p->letter, p->A, p->anorm, &p->rcond);
}

static void our_potrs(struct problem *p, int64_t nb)
{
    startile_matrix *A = array_wrapped(p->A, nb, nb), *B = array_wrapped(p->B, nb, nb);
    p->info = startile_potrs(p->letter, A, B);
    matrices_destroy(A, B);
}

static void our_posv(struct problem *p, int64_t nb)
{
    startile_matrix *A = array_wrapped(p->A, nb, nb), *B = array_wrapped(p->B, nb, nb);
    p->info = startile_posv(p->letter, A, B);
    matrices_destroy(A, B);
}

enum lu { GETRF, GETRS, GESV, GETRI };

static void our_lu(struct problem *p, int64_t nb, enum lu routine)
{
    bool has_B = routine == GETRS || routine == GESV;
    startile_matrix *A = array_wrapped(p->A, nb, nb),
                    *B = has_B ? array_wrapped(p->B, nb, nb) : NULL;
    startile_pivots *P = pivots_created(A);
    if (routine == GETRS || routine == GETRI)
        require_info(startile_pivots_from_lapack(P, p->ipiv), 0);
    p->info = routine == GETRF   ? startile_getrf(A, P)
              : routine == GETRS ? startile_getrs(p->letter, A, P, B)
              : routine == GESV  ? startile_gesv(A, P, B, 0)
                                 : startile_getri(A, P);
    require_info(startile_pivots_to_lapack(P, p->ipiv), 0);
    matrices_destroy(A, B);
    startile_pivots_destroy(P);
}

static void our_getrf(struct problem *p, int64_t nb)
{
    our_lu(p, nb, GETRF);
}

static void our_getrs(struct problem *p, int64_t nb)
{
    our_lu(p, nb, GETRS);
}

static void our_gesv(struct problem *p, int64_t nb)
{
    our_lu(p, nb, GESV);
}

static void our_getri(struct problem *p, int64_t nb)
{
    our_lu(p, nb, GETRI);
}

static void our_qr(struct problem *p, int64_t nb,
                   int64_t (*routine)(startile_matrix *, startile_matrix *))
{
    startile_matrix *A = array_wrapped(p->A, nb, nb), *T;
    T = reflectors_created(A);
    p->info = routine(A, T);
    require_info(startile_reflectors_to_lapack(T, p->B.a), 0);
    matrices_destroy(A, T);
}

static void our_geqrf(struct problem *p, int64_t nb)
{
    our_qr(p, nb, startile_geqrf);
}

static void our_gelqf(struct problem *p, int64_t nb)
{
    our_qr(p, nb, startile_gelqf);
}

static void our_gels(struct problem *p, int64_t nb)
{
    startile_matrix *A = array_wrapped(p->A, nb, nb), *B = array_wrapped(p->B, nb, nb);
    p->info = startile_gels(p->letter, A, B);
    matrices_destroy(A, B);
}

static void our_gecon(struct problem *p, int64_t nb)
{
    startile_matrix *A = array_wrapped(p->A, nb, nb);
    p->info = startile_gecon(p->letter, A, p->anorm, &p->rcond);
    startile_matrix_destroy(A);
}

static void our_pocon(struct problem *p, int64_t nb)
{
    startile_matrix *A = array_wrapped(p->A, nb, nb);
    p->info = startile_pocon(p->letter, A, p->anorm, &p->rcond);
    startile_matrix_destroy(A);
}

static void typed_potrf(struct problem *p)
{
    p->info = lapack(p->A)->typed_potrf(p->letter, p->A.n, p->A.a, p->A.ld);
}

static void typed_potri(struct problem *p)
{
    p->info = lapack(p->A)->typed_potri(p->letter, p->A.n, p->A.a, p->A.ld);
}

static void typed_trtri(struct problem *p)
{
    p->info = lapack(p->A)->typed_trtri(p->letter, 'N', p->A.n, p->A.a, p->A.ld);
}

static void typed_posv(struct problem *p)
{
    p->info = lapack(p->A)->typed_posv(p->letter, p->A.n, p->B.n, p->A.a, p->A.ld, p->B.a, p->B.ld);
}

static void typed_getrf(struct problem *p)
{
    p->info = lapack(p->A)->typed_getrf(p->A.m, p->A.n, p->A.a, p->A.ld, p->ipiv);
}

static void typed_gesv(struct problem *p)
{
    p->info = lapack(p->A)->typed_gesv(p->A.n, p->B.n, p->A.a, p->A.ld, p->ipiv, p->B.a, p->B.ld);
}

static void typed_getri(struct problem *p)
{
    p->info = lapack(p->A)->typed_getri(p->A.n, p->A.a, p->A.ld, p->ipiv);
}

static void typed_geqrf(struct problem *p)
{
    p->info = lapack(p->A)->typed_geqrf(p->A.m, p->A.n, p->A.a, p->A.ld, p->B.a);
}

static void typed_gels(struct problem *p)
{
    char trans = p->letter == 'C' && p->A.dtype < STARTILE_C ? 'T' : p->letter;
    p->info =
        lapack(p->A)->typed_gels(trans, p->A.m, p->A.n, p->B.n, p->A.a, p->A.ld, p->B.a, p->B.ld);
}

const struct routine routines[ROUTINES] = {
    {"potrf", "LU", 'P', 'T', false, our_potrf, typed_potrf, netlibs_potrf, "s"},
    {"posv", "LU", 'P', 'T', true, our_posv, typed_posv, netlibs_posv, "s"},
    {"potrs", "LU", 'C', 0, true, our_potrs, NULL, netlibs_potrs, "s"},
    {"potri", "LU", 'C', 'T', false, our_potri, typed_potri, netlibs_potri, "s"},
    {"trtri", "LU", 'C', 'T', false, our_trtri, typed_trtri, netlibs_trtri, "s"},
    {"lauum", "LU", 'C', 'T', false, our_lauum, NULL, netlibs_lauum, "s"},
    {"pocon", "LU", 'C', 0, false, our_pocon, NULL, netlibs_pocon, "s"},
    {"getrf", "-", 'G', 'G', false, our_getrf, typed_getrf, netlibs_getrf, "stw"},
    {"gesv", "-", 'G', 'G', true, our_gesv, typed_gesv, netlibs_gesv, "s"},
    {"getrs", "NC", 'F', 0, true, our_getrs, NULL, netlibs_getrs, "s"},
    {"getri", "-", 'F', 'G', false, our_getri, typed_getri, netlibs_getri, "s"},
    {"gecon", "1I", 'F', 0, false, our_gecon, NULL, netlibs_gecon, "s"},
    {"geqrf", "-", 'G', 'G', false, our_geqrf, typed_geqrf, netlibs_geqrf, "stw"},
    {"gelqf", "-", 'G', 'G', false, our_gelqf, NULL, netlibs_gelqf, "stw"},
    {"gels", "NC", 'G', 0, true, our_gels, typed_gels, netlibs_gels, "stw"},
};
