/* C names: scalars by value, workspaces allocated here, INFO returned. */
#include "routines.h"
#include "scalar.h"
#include "startile_lapack.h"
#include "startile_scalapack.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* -- workspaces -------------------------------------------------------------------------------- */

enum second { NONE, INTEGERS, REALS };

/* Workspaces of a call that is made twice: with a query of the sizes, and with workspaces. */
struct space {
    startile_dtype dtype;
    enum second second;
    struct answer answer;
    void *work, *more;
    integer lwork, lmore, info;
};

static void begin(struct space *s, startile_dtype t, enum second second)
{
    *s = (struct space){.dtype = t, .second = second, .lwork = query, .lmore = query};
    s->work = &s->answer.work;
    s->more = &s->answer.more;
}

/* Returns a size that is stored as a real number of the type, rounded up. */
static integer size_of(startile_dtype t, double size)
{
    return (integer)ceil(dtype_is_single(t) ? nextafterf((float)size, INFINITY) : size);
}

/* Allocates elements. If that fails, *length is 0, which ScaLAPACK refuses on all processes. */
static void *new_work(integer *length, size_t size)
{
    void *work = calloc((size_t)(*length > 0 ? *length : 1), size);
    if (work == NULL)
        *length = 0;
    return work;
}

/* Returns whether the call is to be made once more, now with workspaces. */
static bool is_unfinished(struct space *s)
{
    if (s->info != 0 || s->lwork != query)
        return false;
    size_t real = dtype_is_single(s->dtype) ? sizeof(float) : sizeof(double);
    s->lwork = size_of(s->dtype, creal(element_get(s->dtype, &s->answer.work, 0)));
    s->work = new_work(&s->lwork, dtype_size(s->dtype));
    if (s->second == NONE)
        return true;
    s->lmore = s->second == INTEGERS ? *(const integer *)s->more
                                     : size_of(s->dtype, real_get(s->dtype, s->more));
    s->more = new_work(&s->lmore, s->second == INTEGERS ? sizeof(integer) : real);
    return true;
}

/* Frees the workspaces. Returns info; a workspace that is too short was not allocated. */
static int ended(struct space *s, int arguments)
{
    if (s->work != &s->answer.work)
        free(s->work);
    if (s->more != &s->answer.more)
        free(s->more);
    return s->info < -arguments && s->info > -100 ? STARTILE_ERROR_MEMORY : s->info;
}

static bool has_machine(enum routine routine, startile_dtype t)
{
    return machine_function(routine, t) != NULL;
}

/* -- definitions ------------------------------------------------------------------------------- */

/* x: letter of the type; u: "or" or "un"; T, R: C types of elements and of real numbers; t:
 * startile's type; second: kind of the second workspace of the estimators. */
#define ALL_TYPES(define)                                                                          \
    define(s, or, float, float, STARTILE_S, INTEGERS)                                              \
        define(d, or, double, double, STARTILE_D, INTEGERS)                                        \
            define(c, un, startile_cfloat, float, STARTILE_C, REALS)                               \
                define(z, un, startile_cdouble, double, STARTILE_Z, REALS)

/* The body of an entry without workspaces. */
#define CALL(routine, t, call)                                                                     \
    {                                                                                              \
        integer info = STARTILE_ERROR_MPI;                                                         \
        if (has_machine(routine, t))                                                               \
            call;                                                                                  \
        return info;                                                                               \
    }

/* The body of an entry with workspaces s and `count` arguments before them. */
#define CALL_TWICE(routine, t, second, count, call)                                                \
    {                                                                                              \
        struct space s;                                                                            \
        if (!has_machine(routine, t))                                                              \
            return STARTILE_ERROR_MPI;                                                             \
        begin(&s, t, second);                                                                      \
        do                                                                                         \
            call;                                                                                  \
        while (is_unfinished(&s));                                                                 \
        return ended(&s, count);                                                                   \
    }

#define DEFINE_CHOLESKY(x, u, T, R, t, second)                                                     \
    int startile_p##x##potrf(char uplo, int n, T *a, int ia, int ja, const int *desca) CALL(       \
        POTRF, t,                                                                                  \
        potrf(t, &uplo, &n, a, &ia, &ja, desca, &info,                                             \
              1)) int startile_p##x##potri(char uplo, int n, T *a, int ia, int ja,                 \
                                           const int *desca)                                       \
        CALL(POTRI, t,                                                                             \
             potri(t, &uplo, &n, a, &ia, &ja, desca, &info,                                        \
                   1)) int startile_p##x##trtri(char uplo, char diag, int n, T *a, int ia, int ja, \
                                                const int *desca)                                  \
            CALL(TRTRI, t,                                                                         \
                 trtri(t, &uplo, &diag, &n, a, &ia, &ja, desca, &info, 1,                          \
                       1)) int startile_p##x##potrs(char uplo, int n, int nrhs, const T *a,        \
                                                    int ia, int ja, const int *desca, T *b,        \
                                                    int ib, int jb, const int *descb)              \
                CALL(POTRS, t,                                                                     \
                     potrs(t, &uplo, &n, &nrhs, (void *)a, &ia, &ja, desca, b, &ib, &jb, descb,    \
                           &info, 1)) int startile_p##x##posv(char uplo, int n, int nrhs, T *a,    \
                                                              int ia, int ja, const int *desca,    \
                                                              T *b, int ib, int jb,                \
                                                              const int *descb)                    \
                    CALL(POSV, t,                                                                  \
                         posv(t, &uplo, &n, &nrhs, a, &ia, &ja, desca, b, &ib, &jb, descb, &info,  \
                              1)) int startile_p##x##pocon(char uplo, int n, const T *a, int ia,   \
                                                           int ja, const int *desca, R anorm,      \
                                                           R *rcond)                               \
                        CALL_TWICE(POCON, t, second, 8,                                            \
                                   pocon(t, &uplo, &n, (void *)a, &ia, &ja, desca, &anorm, rcond,  \
                                         s.work, &s.lwork, s.more, &s.lmore, &s.info, 1))

#define DEFINE_LU(x, u, T, R, t, second)                                                           \
    int startile_p##x##getrf(int m, int n, T *a, int ia, int ja, const int *desca, int *ipiv)      \
        CALL(GETRF, t,                                                                             \
             getrf(t, &m, &n, a, &ia, &ja, desca, ipiv,                                            \
                   &info)) int startile_p##x##getrs(char trans, int n, int nrhs, const T *a,       \
                                                    int ia, int ja, const int *desca,              \
                                                    const int *ipiv, T *b, int ib, int jb,         \
                                                    const int *descb)                              \
            CALL(GETRS, t,                                                                         \
                 getrs(t, &trans, &n, &nrhs, (void *)a, &ia, &ja, desca, ipiv, b, &ib, &jb, descb, \
                       &info, 1)) int startile_p##x##gesv(int n, int nrhs, T *a, int ia, int ja,   \
                                                          const int *desca, int *ipiv, T *b,       \
                                                          int ib, int jb, const int *descb)        \
                CALL(GESV, t,                                                                      \
                     gesv(t, &n, &nrhs, a, &ia, &ja, desca, ipiv, b, &ib, &jb, descb,              \
                          &info)) int startile_p##x##getri(int n, T *a, int ia, int ja,            \
                                                           const int *desca, const int *ipiv)      \
                    CALL_TWICE(GETRI, t, INTEGERS, 6,                                              \
                               getri(t, &n, a, &ia, &ja, desca, ipiv, s.work, &s.lwork, s.more,    \
                                     &s.lmore,                                                     \
                                     &s.info)) int startile_p##x##gecon(char norm, int n,          \
                                                                        const T *a, int ia,        \
                                                                        int ja, const int *desca,  \
                                                                        R anorm, R *rcond)         \
                        CALL_TWICE(GECON, t, second, 8,                                            \
                                   gecon(t, &norm, &n, (void *)a, &ia, &ja, desca, &anorm, rcond,  \
                                         s.work, &s.lwork, s.more, &s.lmore, &s.info, 1))

#define DEFINE_QR(x, u, T, R, t, second)                                                           \
    int startile_p##x##geqrf(int m, int n, T *a, int ia, int ja, const int *desca, T *tau)         \
        CALL_TWICE(GEQRF, t, NONE, 7,                                                              \
                   geqrf(t, &m, &n, a, &ia, &ja, desca, tau, s.work, &s.lwork,                     \
                         &s.info)) int startile_p##x##gelqf(int m, int n, T *a, int ia, int ja,    \
                                                            const int *desca, T *tau)              \
            CALL_TWICE(GELQF, t, NONE, 7,                                                          \
                       gelqf(t, &m, &n, a, &ia, &ja, desca, tau, s.work, &s.lwork,                 \
                             &s.info)) int startile_p##x##u##gqr(int m, int n, int k, T *a,        \
                                                                 int ia, int ja, const int *desca, \
                                                                 const T *tau)                     \
                CALL_TWICE(ORGQR, t, NONE, 8,                                                      \
                           gqr(t, &m, &n, &k, a, &ia, &ja, desca, tau, s.work, &s.lwork,           \
                               &s.info)) int startile_p##x##u##mqr(char side, char trans, int m,   \
                                                                   int n, int k, const T *a,       \
                                                                   int ia, int ja,                 \
                                                                   const int *desca, const T *tau, \
                                                                   T *c, int ic, int jc,           \
                                                                   const int *descc)               \
                    CALL_TWICE(ORMQR, t, NONE, 14,                                                 \
                               mqr(t, &side, &trans, &m, &n, &k, (void *)a, &ia, &ja, desca, tau,  \
                                   c, &ic, &jc, descc, s.work, &s.lwork, &s.info, 1,               \
                                   1)) int startile_p##x##gels(char trans, int m, int n, int nrhs, \
                                                               T *a, int ia, int ja,               \
                                                               const int *desca, T *b, int ib,     \
                                                               int jb, const int *descb)           \
                        CALL_TWICE(GELS, t, NONE, 12,                                              \
                                   gels(t, &trans, &m, &n, &nrhs, a, &ia, &ja, desca, b, &ib, &jb, \
                                        descb, s.work, &s.lwork, &s.info, 1))

ALL_TYPES(DEFINE_CHOLESKY)
ALL_TYPES(DEFINE_LU)
ALL_TYPES(DEFINE_QR)
