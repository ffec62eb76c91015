#include "special_routines.h"
#include "check.h"
#include "objects.h"
#include "reference.h"
#include "triangles.h"

#include <stddef.h>

/* Define our_NAME(), which calls the library with A, or with A and B, in tiles. */
#define OURS_ON_A(name, call)                                                                      \
    static void our_##name(struct problem *p, int64_t nb)                                          \
    {                                                                                              \
        startile_matrix *A = array_wrapped(p->A, nb, nb);                                          \
        p->info = call;                                                                            \
        startile_matrix_destroy(A);                                                                \
    }
#define OURS_ON_A_AND_B(name, call)                                                                \
    static void our_##name(struct problem *p, int64_t nb)                                          \
    {                                                                                              \
        startile_matrix *A = array_wrapped(p->A, nb, nb), *B = array_wrapped(p->B, nb, nb);        \
        p->info = call;                                                                            \
        matrices_destroy(A, B);                                                                    \
    }
OURS_ON_A(potrf, startile_potrf(p->letter, A))
OURS_ON_A(potri, startile_potri(p->letter, A))
OURS_ON_A(trtri, startile_trtri(p->letter, 'N', A))
OURS_ON_A(lauum, startile_lauum(p->letter, A))
OURS_ON_A(gecon, startile_gecon(p->letter, A, &p->anorm, &p->rcond))
OURS_ON_A(pocon, startile_pocon(p->letter, A, &p->anorm, &p->rcond))
OURS_ON_A_AND_B(potrs, startile_potrs(p->letter, A, B))
OURS_ON_A_AND_B(posv, startile_posv(p->letter, A, B))
OURS_ON_A_AND_B(gels, startile_gels(p->letter, A, B))

/* Defines our_NAME() for routines of LU; has_factors: A holds the factors, and ipiv the
 * interchanges. */
#define OURS_WITH_PIVOTS(name, has_B, has_factors, call)                                           \
    static void our_##name(struct problem *p, int64_t nb)                                          \
    {                                                                                              \
        startile_matrix *A = array_wrapped(p->A, nb, nb);                                          \
        startile_matrix *B = has_B ? array_wrapped(p->B, nb, nb) : NULL;                           \
        startile_pivots *P = pivots_created(A);                                                    \
        if (has_factors)                                                                           \
            require_info(startile_pivots_from_lapack(P, p->ipiv), 0);                              \
        p->info = call;                                                                            \
        require_info(startile_pivots_to_lapack(P, p->ipiv), 0);                                    \
        matrices_destroy(A, B);                                                                    \
        startile_pivots_destroy(P);                                                                \
    }
OURS_WITH_PIVOTS(getrf, false, false, startile_getrf(A, P))
OURS_WITH_PIVOTS(getrs, true, true, startile_getrs(p->letter, A, P, B))
OURS_WITH_PIVOTS(gesv, true, false, startile_gesv(A, P, B, 0))
OURS_WITH_PIVOTS(getri, false, true, startile_getri(A, P))

#define OURS_OF_QR(name)                                                                           \
    static void our_##name(struct problem *p, int64_t nb)                                          \
    {                                                                                              \
        startile_matrix *A = array_wrapped(p->A, nb, nb), *T = reflectors_created(A);              \
        p->info = startile_##name(A, reflectors_of(T));                                            \
        require_info(startile_reflectors_to_lapack(reflectors_of(T), p->B.a), 0);                  \
        matrices_destroy(A, T);                                                                    \
    }
OURS_OF_QR(geqrf)
OURS_OF_QR(gelqf)

/* Defines typed_NAME(), which calls the entry with LAPACK's arguments. */
#define TYPED(name, ...)                                                                           \
    static void typed_##name(struct problem *p)                                                    \
    {                                                                                              \
        const struct array A = p->A, B = p->B;                                                     \
        (void)B;                                                                                   \
        p->info = lapack(A)->typed_##name(__VA_ARGS__);                                            \
    }
TYPED(potrf, p->letter, A.n, A.a, A.ld)
TYPED(potri, p->letter, A.n, A.a, A.ld)
TYPED(trtri, p->letter, 'N', A.n, A.a, A.ld)
TYPED(posv, p->letter, A.n, B.n, A.a, A.ld, B.a, B.ld)
TYPED(getrf, A.m, A.n, A.a, A.ld, p->ipiv)
TYPED(gesv, A.n, B.n, A.a, A.ld, p->ipiv, B.a, B.ld)
TYPED(getri, A.n, A.a, A.ld, p->ipiv)
TYPED(geqrf, A.m, A.n, A.a, A.ld, B.a)
TYPED(gels, p->letter == 'C' && A.dtype < STARTILE_C ? 'T' : p->letter, A.m, A.n, B.n, A.a, A.ld,
      B.a, B.ld)

const struct routine routines[ROUTINES] = {
    {"potrf", "LU", 'P', 'T', false, our_potrf, typed_potrf, netlib_triangle, "s"},
    {"posv", "LU", 'P', 'T', true, our_posv, typed_posv, netlib_po_solve, "s"},
    {"potrs", "LU", 'C', 0, true, our_potrs, NULL, netlib_po_solve, "s"},
    {"potri", "LU", 'C', 'T', false, our_potri, typed_potri, netlib_triangle, "s"},
    {"trtri", "LU", 'C', 'T', false, our_trtri, typed_trtri, netlib_trtri, "s"},
    {"lauum", "LU", 'C', 'T', false, our_lauum, NULL, netlib_triangle, "s"},
    {"pocon", "LU", 'C', 0, false, our_pocon, NULL, netlib_condition, "s"},
    {"getrf", "-", 'G', 'G', false, our_getrf, typed_getrf, netlib_getrf, "stw"},
    {"gesv", "-", 'G', 'G', true, our_gesv, typed_gesv, netlib_gesv, "s"},
    {"getrs", "NC", 'F', 0, true, our_getrs, NULL, netlib_getrs, "s"},
    {"getri", "-", 'F', 'G', false, our_getri, typed_getri, netlib_getri, "s"},
    {"gecon", "1I", 'F', 0, false, our_gecon, NULL, netlib_condition, "s"},
    {"geqrf", "-", 'G', 'G', false, our_geqrf, typed_geqrf, netlib_qr, "stw"},
    {"gelqf", "-", 'G', 'G', false, our_gelqf, NULL, netlib_qr, "stw"},
    {"gels", "NC", 'G', 0, true, our_gels, typed_gels, netlib_gels, "stw"},
};
