/* A call of a typed entry for batches: the arguments are checked in LAPACK's order, then wrapped as
 * batches. */
#ifndef STARTILE_BATCH_CALL_H
#define STARTILE_BATCH_CALL_H

#include "startile_batch.h"
#include "typed.h"

/* The real type of the precision of the entry's type. */
#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_C
#define REAL STARTILE_S
#else
#define REAL STARTILE_D
#endif

/* A dimension: `all` for every matrix, or each[i] for matrix i if it varies. */
struct extent {
    int64_t all;
    const int64_t *each; /* NULL if the dimension does not vary, or if the caller passed NULL */
    bool varies;
};

/* Storage of the matrices: at a constant stride, by pointers, or by pointers with different
 * sizes. */
enum form { STRIDED, POINTERS, SIZES };
struct storage {
    enum form form;
    void *a;
    void *const *each;
    int64_t ld, stride;
    const int64_t *lds;
    int at; /* number of the argument in the call, set by the check */
};

enum { MOST_BATCHES = 5 };
struct call {
    int64_t count;
    int next;       /* number of the next argument */
    int64_t status; /* −i for the first wrong argument, or the first failure */
    bool entered;   /* lapack_enter() succeeded */
    int made;       /* number of batches */
    startile_batch *batch[MOST_BATCHES]; /* the first one determines the chunks of all */
    int computed; /* number of extents that smaller_extent() and larger_extent() have allocated */
    int64_t *extent[MOST_BATCHES];
};

static inline struct extent one_size(int64_t n)
{
    return (struct extent){.all = n};
}

static inline struct extent each_size(const int64_t *n)
{
    return (struct extent){.each = n, .varies = true};
}

static inline struct storage strided(const void *a, int64_t ld, int64_t stride)
{
    return (struct storage){.form = STRIDED, .a = (void *)a, .ld = ld, .stride = stride};
}

static inline struct storage pointers(const void *each, int64_t ld)
{
    return (struct storage){.form = POINTERS, .each = (void *const *)each, .ld = ld};
}

static inline struct storage sizes(const void *each, const int64_t *lds)
{
    return (struct storage){.form = SIZES, .each = (void *const *)each, .lds = lds};
}

/* -- checks --------------------------------------------------------------------------------- */

/* Each check records the first wrong argument and advances to the next argument. */

struct call call_begin(int64_t count);
void check_letter(struct call *c, char letter, const char *letters);
/* Checks a dimension: n >= 0; if n varies, its array is not NULL. */
void check_extent(struct call *c, struct extent n);
/* Accepts any value. */
void check_scalar(struct call *c);
void check_storage(struct call *c, struct extent m, struct extent n, struct storage *s,
                   bool is_written);
/* Checks columns of m elements (pivots, tau), which have no leading dimension; sets s->ld. */
void check_columns(struct call *c, struct extent m, struct storage *s, bool is_written);
/* Checks vectors of n elements: matrices of one row. */
void check_vectors(struct call *c, struct extent n, struct storage *s, bool is_written);
/* Checks an array of info or results. */
void check_numbers(struct call *c, const void *numbers);
/* Checks the last argument, `count`. If all arguments are right and count > 0, enters the library,
 * and returns true if that succeeded. */
bool call_enter(struct call *c);

/* Return min(m, n) and max(m, n), matrix by matrix. The call fails without memory; call_end() frees
 * the arrays. */
struct extent smaller_extent(struct call *c, struct extent m, struct extent n);
struct extent larger_extent(struct call *c, struct extent m, struct extent n);

/* -- few large matrices ---------------------------------------------------------------------- */

/* Returns whether the call shall be made for one m × n matrix after the other, because all cores
 * share each (cores_share_each()). a: the matrices */
bool call_is_one_by_one(const struct call *c, struct extent m, struct extent n,
                        const struct storage *a);
/* Return a dimension of matrix i, its address, whose elements have `size` bytes, and its leading
 * dimension. */
int64_t size_at(struct extent n, int64_t i);
void *matrix_at(const struct storage *s, int64_t i, size_t size);
int64_t ld_at(const struct storage *s, int64_t i);
/* Records the return value of the routine for matrix i. info: LAPACK's info of each matrix, or NULL
 */
void call_record(struct call *c, int64_t *info, int64_t i, int64_t returned);

/* Evaluates `routine`, a call of the typed entry for matrix i, for each matrix until one of these
 * calls cannot be made. */
#define ONE_BY_ONE(c, info, routine)                                                               \
    for (int64_t i = 0; i < (c)->count && (c)->status >= 0; i++)                                   \
    call_record(c, info, i, routine)
/* Arguments of `routine`: a dimension; a matrix and its leading dimension; a vector */
#define SIZE(n) size_at(n, i)
#define MATRIX(a) matrix_at(&(a), i, sizeof(element)), ld_at(&(a), i)
#define VECTOR(v, type) matrix_at(&(v), i, sizeof(type))

/* -- batches -------------------------------------------------------------------------------- */

/* Each function returns NULL if the call has failed. */

startile_batch *call_matrices(struct call *c, startile_dtype dtype, struct extent m,
                              struct extent n, const struct storage *s);
startile_batch *call_columns(struct call *c, startile_dtype dtype, struct extent m,
                             const struct storage *s);
startile_batch *call_vectors(struct call *c, startile_dtype dtype, struct extent n,
                             const struct storage *s);
startile_batch *call_integers(struct call *c, struct extent m, const struct storage *s);
startile_batch *call_info(struct call *c, int64_t *info);
startile_batch *call_numbers(struct call *c, startile_dtype dtype, void *numbers);
/* Wraps one number for all matrices. */
startile_batch *call_scalar(struct call *c, startile_dtype dtype, const void *scalar);

/* Copies results to the caller's memory, destroys the batches and leaves the library. Returns the
 * entry's return value. */
int64_t call_end(struct call *c);

/* -- entries -------------------------------------------------------------------------------- */

/* FORMS(name, op, LIST) begins the definition of the function `op`, and defines the entries
 * op_batch_strided, op_batch and op_vbatch, which call it. name: ENTRY or UNITARY. LIST(X, N, A,
 * IN, V, VIN) lists the arguments but `count`, the last one: X(type, x): the same in all forms;
 * N(n): a dimension, struct extent for op(); A(a), IN(a): matrices with their leading dimensions,
 * or vectors with increments, struct storage for op(); V(type, v), VIN(type, v): pivots or tau, the
 * same. The routine does not write IN and VIN. */
#define FORMS(name, op, LIST)                                                                      \
    static int64_t op(LIST(SAME, EXTENT, STORAGE, STORAGE, VECTORS, VECTORS), int64_t count);      \
    int64_t name(op##_batch_strided)(                                                              \
        LIST(SAME, ONE_N, STRIDED_A, STRIDED_IN, STRIDED_V, STRIDED_VIN), int64_t count)           \
    {                                                                                              \
        return op(LIST(GIVEN, GIVEN_ONE, GIVEN_STRIDED, GIVEN_STRIDED, GIVEN_STRIDED_V,            \
                       GIVEN_STRIDED_V),                                                           \
                  count);                                                                          \
    }                                                                                              \
    int64_t name(op##_batch)(LIST(SAME, ONE_N, EACH_A, EACH_A, EACH_V, EACH_V), int64_t count)     \
    {                                                                                              \
        return op(                                                                                 \
            LIST(GIVEN, GIVEN_ONE, GIVEN_POINTERS, GIVEN_POINTERS, GIVEN_EACH_V, GIVEN_EACH_V),    \
            count);                                                                                \
    }                                                                                              \
    int64_t name(op##_vbatch)(LIST(SAME, EACH_N, SIZED_A, SIZED_A, EACH_V, EACH_V), int64_t count) \
    {                                                                                              \
        return op(LIST(GIVEN, GIVEN_EACH, GIVEN_SIZES, GIVEN_SIZES, GIVEN_EACH_V, GIVEN_EACH_V),   \
                  count);                                                                          \
    }                                                                                              \
    static int64_t op(LIST(SAME, EXTENT, STORAGE, STORAGE, VECTORS, VECTORS), int64_t count)

/* Parameters of op() */
#define SAME(type, x) type x
#define EXTENT(n) struct extent n
#define STORAGE(a) struct storage a
#define VECTORS(type, v) struct storage v
/* Parameters of the entries */
#define ONE_N(n) int64_t n
#define EACH_N(n) const int64_t *n
#define STRIDED_A(a) element *a, int64_t ld##a, int64_t stride##a
#define STRIDED_IN(a) const element *a, int64_t ld##a, int64_t stride##a
#define STRIDED_V(type, v) type *v, int64_t stride##v
#define STRIDED_VIN(type, v) const type *v, int64_t stride##v
#define EACH_A(a) element *const *a, int64_t ld##a
#define SIZED_A(a) element *const *a, const int64_t *ld##a
#define EACH_V(type, v) type *const *v
/* Arguments that the entries pass to op() */
#define GIVEN(type, x) x
#define GIVEN_ONE(n) one_size(n)
#define GIVEN_EACH(n) each_size(n)
#define GIVEN_STRIDED(a) strided(a, ld##a, stride##a)
#define GIVEN_POINTERS(a) pointers(a, ld##a)
#define GIVEN_SIZES(a) sizes(a, ld##a)
#define GIVEN_STRIDED_V(type, v) strided(v, 0, stride##v)
#define GIVEN_EACH_V(type, v) pointers(v, 0)

#endif
