/* C names of ScaLAPACK's routines (startile_scalapack.h): scalars are passed by value, the
 * functions allocate the workspaces, and return INFO. */
#include "routines.h"
#include "scalar.h"
#include "startile_lapack.h"
#include "startile_scalapack.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* -- workspaces -------------------------------------------------------------------------------- */

/* Kind of the second workspace */
enum second { NONE, INTEGERS, REALS };

/* Workspaces of a routine that is called twice: first to query the sizes, then with workspaces.
 * `work` and `more` are the workspaces; during the query they point into `answer`. */
struct space {
    startile_dtype dtype;
    enum second second;
    struct answer answer;
    void *work, *more;
    integer lwork, lmore, info;
};

/* Begins a call with the query of the sizes. */
static void begin_call(struct space *s, startile_dtype t, enum second second)
{
    *s = (struct space){.dtype = t, .second = second, .lwork = query, .lmore = query};
    s->work = &s->answer.work;
    s->more = &s->answer.more;
}

/* Returns a workspace size that the routine has stored as a real number of the type. Rounds up; in
 * single precision, from the next larger number, because the stored one may be rounded down. */
static integer size_from_real(startile_dtype t, double size)
{
    return (integer)ceil(dtype_is_single(t) ? nextafterf((float)size, INFINITY) : size);
}

/* Allocates a workspace of *length elements of `size` bytes. If that fails, sets *length to 0, a
 * wrong argument that ScaLAPACK refuses on all processes. */
static void *new_work(integer *length, size_t size)
{
    void *work = calloc((size_t)(*length > 0 ? *length : 1), size);
    if (work == NULL)
        *length = 0;
    return work;
}

/* Allocates the workspaces after the query of their sizes. Returns whether the routine must be
 * called again; false after a failed query, and after the second call. */
static bool prepare_second_call(struct space *s)
{
    if (s->info != 0 || s->lwork != query)
        return false;
    size_t real = dtype_is_single(s->dtype) ? sizeof(float) : sizeof(double);
    s->lwork = size_from_real(s->dtype, creal(element_get(s->dtype, &s->answer.work, 0)));
    s->work = new_work(&s->lwork, dtype_size(s->dtype));
    if (s->second == NONE)
        return true;
    s->lmore = s->second == INTEGERS ? *(const integer *)s->more
                                     : size_from_real(s->dtype, real_get(s->dtype, s->more));
    s->more = new_work(&s->lmore, s->second == INTEGERS ? sizeof(integer) : real);
    return true;
}

/* Frees the workspaces. Returns INFO, or STARTILE_ERROR_MEMORY if INFO refuses a workspace, because
 * its allocation failed then. arguments: number of arguments before the workspaces. INFO of −100
 * and less refers to an element of a descriptor: −(100 i + j) for element j of argument i. */
static int end_call(struct space *s, int arguments)
{
    if (s->work != &s->answer.work)
        free(s->work);
    if (s->more != &s->answer.more)
        free(s->more);
    return s->info < -arguments && s->info > -100 ? STARTILE_ERROR_MEMORY : s->info;
}

/* Returns whether the machine's ScaLAPACK has the routine. */
static bool has_machine(enum routine routine, startile_dtype t)
{
    return machine_function(routine, t) != NULL;
}

/* -- definitions ------------------------------------------------------------------------------- */

/* Calls define(x, u, T, R, t, second) for the four types. x: letter of the type; u: "or" or "un";
 * T, R: C types of elements and of real numbers; t: startile_dtype; second: kind of the second
 * workspace of the condition estimators */
#define ALL_TYPES(define)                                                                          \
    define(s, or, float, float, STARTILE_S, INTEGERS)                                              \
        define(d, or, double, double, STARTILE_D, INTEGERS)                                        \
            define(c, un, startile_cfloat, float, STARTILE_C, REALS)                               \
                define(z, un, startile_cdouble, double, STARTILE_Z, REALS)

/* Body of a function without workspaces, whose call sets `info`. Returns `info`, or
 * STARTILE_ERROR_MPI without a machine's ScaLAPACK. */
#define CALL(routine, t, call)                                                                     \
    {                                                                                              \
        integer info = STARTILE_ERROR_MPI;                                                         \
        if (has_machine(routine, t))                                                               \
            call;                                                                                  \
        return info;                                                                               \
    }

/* Body of a function whose `call` takes the workspaces in s, after `count` other arguments, and
 * sets s.info. The first call only asks for the sizes of the workspaces. Returns INFO, or
 * STARTILE_ERROR_MPI without a machine's ScaLAPACK. */
#define CALL_TWICE(routine, t, second, count, call)                                                \
    {                                                                                              \
        struct space s;                                                                            \
        if (!has_machine(routine, t))                                                              \
            return STARTILE_ERROR_MPI;                                                             \
        begin_call(&s, t, second);                                                                 \
        do                                                                                         \
            call;                                                                                  \
        while (prepare_second_call(&s));                                                           \
        return end_call(&s, count);                                                                \
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
