#include "batch.h"
#include "check.h"

#include <starpu.h>
#include <stdlib.h>
#include <string.h>

const char *const form_names[FORMS] = {"strided", "pointers", "sizes", "handles"};

/* Returns memory of zeros for count + 1 elements, so that it exists for count = 0 too. The caller
 * frees it. */
static void *allocate(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (p == NULL)
        abort();
    return p;
}

/* -- groups --------------------------------------------------------------------------------- */

struct group group_new(startile_dtype dtype, int64_t count, int64_t m, int64_t n, int64_t pad)
{
    struct group G = {count, allocate(count, sizeof *G.matrix)};
    for (int64_t q = 0; q < count; q++)
        G.matrix[q] = array_new(dtype, m, n, pad);
    return G;
}

struct group group_copy(struct group G)
{
    struct group H = {G.count, allocate(G.count, sizeof *H.matrix)};
    for (int64_t q = 0; q < G.count; q++)
        H.matrix[q] = array_copy(G.matrix[q]);
    return H;
}

void group_free(struct group G)
{
    for (int64_t q = 0; q < G.count; q++)
        array_free(G.matrix[q]);
    free(G.matrix);
}

void group_free_all(size_t count, const struct group *G)
{
    for (size_t i = 0; i < count; i++)
        group_free(G[i]);
}

void group_random(struct group G)
{
    for (int64_t q = 0; q < G.count; q++)
        array_random(G.matrix[q]);
    group_repeat(G);
}

struct group group_new_random(int64_t count, int64_t m, int64_t n, int64_t pad)
{
    struct group G = group_new(dtype, count, m, n, pad);
    group_random(G);
    return G;
}

bool group_has_borders_intact(struct group G)
{
    for (int64_t q = 0; q < G.count; q++)
        if (!has_borders_intact(G.matrix[q]))
            return false;
    return true;
}

int64_t distinct(struct group G)
{
    enum { FEW = 2, MORE = 8, LARGE = 128 };
    return G.count > 0 && (G.matrix[0].m > LARGE || G.matrix[0].n > LARGE) ? FEW : MORE;
}

void group_repeat(struct group G)
{
    for (int64_t q = distinct(G); q < G.count; q++)
        memcpy(G.matrix[q].memory, G.matrix[q % distinct(G)].memory, array_bytes(G.matrix[q]));
}

bool is_repeated(struct group G, int64_t q)
{
    return q >= distinct(G) && is_same(G.matrix[q], G.matrix[q % distinct(G)]);
}

/* -- test batches --------------------------------------------------------------------------- */

/* Returns the number of elements from the first to the last one of A in memory, padding between
 * columns included. */
static int64_t extent_of(struct array A)
{
    return A.m == 0 || A.n == 0 ? 0 : (A.n - 1) * A.ld + A.m;
}

/* Returns matrix q as column q of the storage. Columns of an odd number of elements are adjacent,
 * so that their alignments differ; other columns are followed by a gap. */
static struct array stored(const struct test_batch *P, int64_t q)
{
    struct array A = P->arrays.matrix[q];
    struct array column = array_part(P->store, 0, q, extent_of(A), 1);
    return (struct array){A.dtype, A.m, A.n, A.ld, column.a, NULL};
}

/* Allocates P->store and copies the matrices to it. */
static void make_store(struct test_batch *P)
{
    struct array like = P->arrays.count > 0 ? P->arrays.matrix[0] : (struct array){.dtype = dtype};
    P->store =
        array_new(like.dtype, extent_of(like), P->arrays.count, extent_of(like) % 2 == 1 ? 0 : 3);
    for (int64_t q = 0; q < P->arrays.count; q++)
        array_assign(P->arrays.matrix[q], stored(P, q));
}

/* Makes a batch of form POINTERS or SIZES that uses the matrices in place. Returns the status of
 * the library's call. */
static int wrap_scattered(struct test_batch *P, struct array first, int64_t per_task,
                          const startile_batch *like)
{
    int64_t count = P->arrays.count;
    void **each = allocate(count, sizeof *each);
    int64_t *m = allocate(count, sizeof *m), *n = allocate(count, sizeof *n),
            *ld = allocate(count, sizeof *ld);
    for (int64_t q = 0; q < count; q++) {
        each[q] = P->arrays.matrix[q].a;
        m[q] = P->arrays.matrix[q].m;
        n[q] = P->arrays.matrix[q].n;
        ld[q] = P->arrays.matrix[q].ld;
    }
    int status =
        P->form == POINTERS
            ? startile_batch_wrap_pointers(&P->b, first.dtype, count, first.m, first.n, each,
                                           first.ld, per_task, like)
            : startile_batch_wrap_sizes(&P->b, first.dtype, count, m, n, each, ld, per_task, like);
    void *all[] = {each, m, n, ld};
    for (int i = 0; i < 4; i++)
        free(all[i]);
    return status;
}

/* Registers a handle for each chunk of P->store and makes a batch of them. Returns the status of
 * the library's call. */
static int wrap_handles(struct test_batch *P, struct array first, int64_t per_task)
{
    int64_t count = P->arrays.count, per_chunk = per_task > 0 ? per_task : 2;
    int64_t *counts = allocate(count, sizeof *counts);
    P->chunks = (count + per_chunk - 1) / per_chunk;
    P->handle = allocate(P->chunks, sizeof *P->handle);
    for (int64_t chunk = 0; chunk < P->chunks; chunk++) {
        counts[chunk] =
            count - chunk * per_chunk < per_chunk ? count - chunk * per_chunk : per_chunk;
        struct array columns =
            array_part(P->store, 0, chunk * per_chunk, P->store.m, counts[chunk]);
        starpu_vector_data_register(&P->handle[chunk], STARPU_MAIN_RAM, (uintptr_t)columns.a,
                                    (uint32_t)(P->store.ld * counts[chunk]),
                                    element_size(first.dtype));
    }
    int status = startile_batch_from_handles(&P->b, first.dtype, first.m, first.n, first.ld,
                                             P->store.ld, P->chunks, P->handle, counts);
    free(counts);
    return status;
}

/* `first` gives the dimensions of all matrices; without matrices they are 0 × 0. */
struct test_batch test_batch_new(struct group arrays, enum batch_form form, int64_t per_task,
                                 const startile_batch *like)
{
    struct test_batch P = {NULL, form, arrays, {0}, 0, NULL};
    struct array first =
        arrays.count > 0 ? arrays.matrix[0] : (struct array){.dtype = dtype, .ld = 1};
    if (form == STRIDED || form == HANDLES)
        make_store(&P);
    int status = form == STRIDED
                     ? startile_batch_wrap(&P.b, first.dtype, arrays.count, first.m, first.n,
                                           P.store.a, first.ld, P.store.ld, per_task, like)
                 : form == HANDLES ? wrap_handles(&P, first, per_task)
                                   : wrap_scattered(&P, first, per_task, like);
    require_info(status, 0);
    return P;
}

void test_batch_finish(struct test_batch *P)
{
    /* Handles are unregistered first: this needs awake workers, and the batch keeps them awake. */
    for (int64_t q = 0; q < P->chunks; q++)
        starpu_data_unregister(P->handle[q]);
    startile_batch_destroy(P->b);
    if (P->form == STRIDED || P->form == HANDLES) {
        require(has_borders_intact(P->store));
        for (int64_t q = 0; q < P->arrays.count; q++)
            array_assign(stored(P, q), P->arrays.matrix[q]);
        array_free(P->store);
    }
    free(P->handle);
}

void test_batch_finish_all(size_t count, struct test_batch *const *P)
{
    for (size_t i = 0; i < count; i++)
        test_batch_finish(P[i]);
}

/* -- integers ------------------------------------------------------------------------------- */

static const int64_t guard = 0x5aa55aa55aa55aa5;

struct integers integers_new(int64_t count, int64_t m, enum batch_form form,
                             const startile_batch *like)
{
    /* columns of one integer (info) are adjacent */
    struct integers I = {NULL, count, m, m == 1 ? 1 : m + 1, NULL};
    int64_t total = I.stride * count;
    I.memory = allocate(total + 1, sizeof *I.memory);
    for (int64_t i = 0; i <= total; i++)
        I.memory[i] = guard;
    if (form == STRIDED || form == HANDLES || m == 1) {
        require_info(startile_batch_wrap_integers(&I.b, count, m, I.memory, I.stride, 0, like), 0);
        return I;
    }
    int64_t **each = allocate(count, sizeof *each), *rows = allocate(count, sizeof *rows);
    for (int64_t q = 0; q < count; q++) {
        each[q] = I.memory + q * I.stride;
        rows[q] = m;
    }
    require_info(startile_batch_wrap_integer_pointers(&I.b, count, rows, each, 0, like), 0);
    free(each);
    free(rows);
    return I;
}

int64_t *integers_of(const struct integers *I, int64_t q)
{
    return I->memory + q * I->stride;
}

void integers_finish(struct integers *I)
{
    startile_batch_destroy(I->b);
    for (int64_t q = 0; q < I->count; q++)
        for (int64_t i = I->m; i < I->stride; i++)
            require(integers_of(I, q)[i] == guard);
    require(I->memory[I->stride * I->count] == guard);
}

void integers_free(struct integers *I)
{
    free(I->memory);
}

/* -- cases ---------------------------------------------------------------------------------- */

/* Runs the check for `count` matrices of order n. */
static void run(batch_check *check, int64_t n, int64_t count, enum batch_form form, int variant)
{
    static int cases;
    if (is_left_to_other_types(cases++ + (int)n))
        return;
    in_case("order %d, %d matrices, %s", (int)n, (int)count, form_names[form]);
    random_seed((uint64_t)(n + 7));
    check(n, count, form, variant);
}

void for_batches(batch_check *check)
{
    static const int64_t orders[] = {0,  1,  2,  3,  7,   8,   15,  16,  17,  31, 32,
                                     33, 63, 64, 65, 100, 128, 200, 256, 500, 512};
    enum { ORDERS = sizeof orders / sizeof orders[0], MANY_UP_TO = 64 };
    /* batches of 0, 1 and 3 matrices in one form each; of 1000 matrices up to order 64, in all
     * forms up to order 8 */
    for (int s = 0; s < ORDERS; s++) {
        run(check, orders[s], 0, (enum batch_form)(s % FORMS), s);
        run(check, orders[s], 1, (enum batch_form)((s + 1) % FORMS), s + 1);
        run(check, orders[s], 3, (enum batch_form)((s + 2) % FORMS), s);
        if (orders[s] <= MANY_UP_TO)
            for (int f = 0; f < FORMS; f++)
                if (f == s % FORMS || orders[s] <= 8)
                    run(check, orders[s], 1000, (enum batch_form)f, s + f);
    }
    /* with 1050 rows or columns, for which GPUs have other kernels */
    static const int large[] = {1, 2, 4}; /* variants */
    if (backend == CPU)
        return;
    for (int i = 0; i < 3; i++)
        run(check, 700, 2, (enum batch_form)(i % FORMS), large[i]);
}
