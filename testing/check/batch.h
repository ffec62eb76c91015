/* Test batches: one array for each matrix, and a batch of these in one form of the interface. */
#ifndef TESTING_BATCH_H
#define TESTING_BATCH_H

#include "array.h"
#include "startile_batch.h"

/* Arrays of one type, one for each matrix. Copies of the struct share the arrays. */
struct group {
    int64_t count;
    struct array *matrix;
};
struct group group_new(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int64_t pad);
struct group group_copy(struct group G);
void group_free(struct group G);
#define groups_free(...)                                                                           \
    group_free_all(sizeof((struct group[]){__VA_ARGS__}) / sizeof(struct group),                   \
                   (struct group[]){__VA_ARGS__})
void group_free_all(size_t count, const struct group *G);
/* Fills the group with random matrices, of which distinct(G) are different. */
void group_random(struct group G);
/* Returns a new group, filled as by group_random(), of the program's type. */
struct group group_new_random(int64_t count, int64_t m, int64_t n, int64_t pad);
bool group_has_borders_intact(struct group G);

enum batch_form { STRIDED, POINTERS, SIZES, HANDLES };
enum { FORMS = 4 };
extern const char *const form_names[FORMS];

/* A batch made from a group, in one of the forms. STRIDED, HANDLES: the batch uses a copy of the
 * matrices; the other forms use the group's arrays in place. */
struct test_batch {
    startile_batch *b;
    enum batch_form form;
    struct group arrays;
    struct array store;           /* STRIDED, HANDLES: storage, with a column for each matrix */
    int64_t chunks;               /* HANDLES: number of handles; otherwise 0 */
    starpu_data_handle_t *handle; /* HANDLES: one for each chunk */
};
/* Returns a batch of the matrices in `arrays`. per_task: matrices in a chunk; 0: the library's
 * choice. like: NULL, or a batch whose chunks the new one copies. HANDLES: each chunk except the
 * last has per_task matrices (two if per_task is 0), and `like` is not used. */
struct test_batch test_batch_new(struct group arrays, enum batch_form form, int64_t per_task,
                                 const startile_batch *like);
/* Destroys the batch and copies its elements back to `arrays`. */
void test_batch_finish(struct test_batch *P);
/* Finishes the batches at these addresses in this order. */
#define test_batches_finish(...)                                                                   \
    test_batch_finish_all(sizeof((struct test_batch *[]){__VA_ARGS__}) / sizeof(void *),           \
                          (struct test_batch *[]){__VA_ARGS__})
void test_batch_finish_all(size_t count, struct test_batch *const *P);

/* A batch of `count` columns of m integers each. A guard value follows each column (if m ≠ 1) and
 * the last one. */
struct integers {
    startile_batch *b;
    int64_t count, m, stride;
    int64_t *memory;
};
struct integers integers_new(int64_t count, int64_t m, enum batch_form form,
                             const startile_batch *like);
/* Returns the address of column q. */
int64_t *integers_of(const struct integers *I, int64_t q);
/* Checks the guards and destroys the batch; the integers remain. */
void integers_finish(struct integers *I);
void integers_free(struct integers *I);

/* Calls in_case() and `check` for all tested orders n and numbers of matrices. Forms alternate.
 * `variant` varies between the cases, so that a check can alternate its other parameters. */
typedef void batch_check(int64_t n, int64_t count, enum batch_form form, int variant);
void for_batches(batch_check *check);

/* Returns the maximum number of different matrices in a group after group_repeat(), which copies
 * the first ones over the others: matrix q then equals matrix q modulo this number. The number is
 * smaller for large matrices, to save time: only the different ones are checked against the
 * reference. */
int64_t distinct(struct group G);
void group_repeat(struct group G);
/* G: results of a group. Returns true if q >= distinct(G) and result q equals, bit by bit, the
 * result of the matrix that matrix q repeats. Result q then needs no check of its own. */
bool is_repeated(struct group G, int64_t q);

#endif
