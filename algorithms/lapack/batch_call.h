/* A call of a typed entry for batches, in LAPACK's order of arguments: they are checked one after
 * the other, then made into batches. */
#ifndef STARTILE_BATCH_CALL_H
#define STARTILE_BATCH_CALL_H

#include "startile_batch.h"
#include "typed.h"

/* A dimension: the same for all matrices, or each its own. */
struct extent {
    int64_t all;
    const int64_t *each;
};

/* Where the matrices are. */
enum form { STRIDED, POINTERS, SIZES };
struct storage {
    enum form form;
    void *a;
    void *const *each;
    int64_t ld, stride;
    const int64_t *lds;
    int at; /* the argument's number */
};

enum { MOST_BATCHES = 5 };
struct call {
    int64_t count;
    int next;       /* the number of the next argument */
    int64_t status; /* the first wrong argument, or failure */
    bool entered;
    int made;
    startile_batch *batch[MOST_BATCHES];
    int computed; /* extents */
    int64_t *extent[MOST_BATCHES];
};

static inline struct extent one_size(int64_t n)
{
    return (struct extent){n, NULL};
}

static inline struct extent each_size(const int64_t *n)
{
    return (struct extent){0, n};
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

/* Columns without a leading dimension: pivots, tau. */
static inline struct storage strided_columns(const void *a, int64_t stride)
{
    return strided(a, 0, stride);
}

static inline struct storage column_pointers(const void *each)
{
    return pointers(each, 0);
}

/* -- checks: they note the first wrong argument, and go to the next -----------------------------
 */

struct call call_begin(int64_t count);
void check_letter(struct call *c, char letter, const char *letters);
/* For n < 0, or no array where the entry has different sizes. */
void check_extent(struct call *c, struct extent n, bool varies);
/* An argument that can be anything. */
void check_scalar(struct call *c);
void check_storage(struct call *c, struct extent m, struct extent n, struct storage *s,
                   bool is_written);
void check_columns(struct call *c, struct extent m, struct storage *s, bool is_written);
/* Vectors of n elements: matrices of one row. */
void check_vectors(struct call *c, struct extent n, struct storage *s, bool is_written);
/* info, or results */
void check_numbers(struct call *c, const void *numbers);
/* The last one; true where there is something to do, and then the library runs. */
bool call_enter(struct call *c);

/* min(m, n) and max(m, n), matrix by matrix; asked for before call_enter(). */
struct extent smaller_extent(struct call *c, struct extent m, struct extent n);
struct extent larger_extent(struct call *c, struct extent m, struct extent n);

/* -- batches; NULL, and then the call has failed --------------------------------------------------
 */

startile_batch *call_matrices(struct call *c, startile_dtype dtype, struct extent m,
                              struct extent n, const struct storage *s);
startile_batch *call_columns(struct call *c, startile_dtype dtype, struct extent m,
                             const struct storage *s);
startile_batch *call_vectors(struct call *c, startile_dtype dtype, struct extent n,
                             const struct storage *s);
startile_batch *call_integers(struct call *c, struct extent m, const struct storage *s);
startile_batch *call_info(struct call *c, int64_t *info);
startile_batch *call_numbers(struct call *c, startile_dtype dtype, void *numbers);
/* One number for all. */
startile_batch *call_scalar(struct call *c, startile_dtype dtype, const void *scalar);

/* Brings results home and lets go; what the entry returns. */
int64_t call_end(struct call *c);

#endif
