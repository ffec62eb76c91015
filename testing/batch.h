/* Batches under test: one array for each matrix, which the library sees in each of the forms that
 * there are. */
#ifndef TESTING_BATCH_H
#define TESTING_BATCH_H

#include "array.h"
#include "startile_batch.h"

/* One array a matrix, of one type. */
struct group {
    int64_t count;
    struct array *of;
};
struct group group_new(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int64_t pad);
struct group group_copy(struct group G);
void group_free(struct group G);
void group_random(struct group G);
bool group_has_borders_intact(struct group G);

enum batch_form { STRIDED, POINTERS, SIZES, HANDLES };
enum { FORMS = 4 };
extern const char *const form_names[FORMS];

/* A group as a batch. */
struct pile {
    startile_batch *b;
    enum batch_form form;
    struct group home;
    struct array store; /* STRIDED, HANDLES: a column for each matrix */
    int64_t chunks;
    starpu_data_handle_t *handle;
};
struct pile pile_new(struct group home, enum batch_form form, int64_t per_task,
                     const startile_batch *like);
/* Destroys the batch and leaves its elements in `home`. */
void pile_home(struct pile *P);

/* Columns of m integers as a batch, in guarded memory. */
struct integers {
    startile_batch *b;
    int64_t count, m, stride;
    int64_t *memory;
};
struct integers integers_new(int64_t count, int64_t m, enum batch_form form,
                             const startile_batch *like);
int64_t *integers_of(const struct integers *I, int64_t q);
/* Destroys the batch; the integers are there. */
void integers_home(struct integers *I);
void integers_free(struct integers *I);

/* The orders and numbers of matrices that each routine is checked on, with forms that take turns; a
 * case has been told when `check` is called. Of the last two numbers the first counts cases. */
typedef void batch_check(int64_t n, int64_t count, enum batch_form form, int turn);
void for_batches(batch_check *check);

/* In a batch matrix q is that of number q modulo so many, which are fewer where they are large:
 * only these have to be checked. */
int64_t distinct(struct group G);
void group_repeat(struct group G);
/* Whether result q is, bit by bit, one that has been checked. */
bool is_repeated(struct group G, int64_t q);

#endif
