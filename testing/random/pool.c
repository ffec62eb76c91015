#include "pool.h"
#include "random.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BORDER = 64 };

static void fill(struct pool_block *b, startile_dtype dtype, bool is_integer)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C, is_special = draw_one_of(16);
    size_t number = is_integer ? 8 : is_single ? 4 : 8;
    unsigned char *at = b->all + BORDER;
    for (size_t i = 0; i < (b->bytes - 2 * BORDER) / number; i++, at += number) {
        double value = (double)draw(2001) / 1000 - 1 + 5 * draw_one_of(8);
        if (is_special && draw_one_of(16))
            value = draw_one_of(2) ? NAN : INFINITY;
        float rounded = (float)value;
        int64_t integer = 1 + draw(b->rows > 0 ? b->rows : 1);
        memcpy(at,
               is_integer  ? (void *)&integer
               : is_single ? (void *)&rounded
                           : (void *)&value,
               number);
    }
}

void *pool_allocate(struct pool *pool, startile_dtype dtype, bool is_integer, int64_t rows,
                    int64_t columns, int64_t ld, int64_t stride, int64_t count)
{
    static const size_t of_type[] = {4, 8, 8, 16};
    if (pool->blocks == sizeof pool->block / sizeof *pool->block)
        abort();
    size_t element = is_integer ? 8 : of_type[dtype];
    size_t elements = (size_t)(count > 0 ? (count - 1) * stride + columns * ld + 1 : 1);
    struct pool_block *b = &pool->block[pool->blocks++];
    *b = (struct pool_block){.bytes = elements * element + 2 * BORDER,
                             .element = element,
                             .rows = rows,
                             .columns = columns,
                             .ld = ld,
                             .stride = stride,
                             .count = count};
    b->all = malloc(b->bytes);
    b->before = malloc(b->bytes);
    if (b->all == NULL || b->before == NULL)
        abort();
    memset(b->all, 0x5a, b->bytes);
    fill(b, dtype, is_integer);
    memcpy(b->before, b->all, b->bytes);
    return b->all + BORDER;
}

/* Copies the elements of all matrices of the block to the copy. */
static void accept_elements(struct pool_block *b)
{
    for (int64_t q = 0; q < b->count; q++)
        for (int64_t j = 0; b->rows > 0 && j < b->columns; j++) {
            size_t at = BORDER + (size_t)(q * b->stride + j * b->ld) * b->element;
            memcpy(b->before + at, b->all + at, (size_t)b->rows * b->element);
        }
}

const char *pool_check(struct pool *pool, bool succeeded)
{
    const char *fault = NULL;
    for (struct pool_block *b = pool->block; b < pool->block + pool->blocks; b++) {
        if (succeeded)
            accept_elements(b);
        if (memcmp(b->all, b->before, b->bytes) != 0)
            fault =
                succeeded ? "memory outside the matrices was written" : "a wrong call has written";
    }
    return fault;
}

void pool_clear(struct pool *pool)
{
    for (; pool->blocks > 0; pool->blocks--) {
        free(pool->block[pool->blocks - 1].all);
        free(pool->block[pool->blocks - 1].before);
    }
}

/* -- routines -------------------------------------------------------------------------------- */

bool is_argument(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && (text[length] == ',' || text[length] == '\0');
}

const char *next_argument(const char *text)
{
    const char *comma = strstr(text, ", ");
    return comma != NULL ? comma + 2 : NULL;
}

bool has_fault(struct pool *pool, struct routine *routine, long number, int64_t result, int wrong,
               int64_t largest)
{
    int arguments = 0;
    for (const char *t = routine->arguments; t != NULL; t = next_argument(t))
        arguments++;
    const char *fault = NULL;
    if (wrong != 0 && (result >= 0 || result < -wrong))
        fault = "a wrong argument is not reported";
    else if (result > largest || result < -arguments)
        fault = "the result is not documented";
    else
        fault = pool_check(pool, result >= 0);
    if (fault != NULL)
        printf("call %ld, %s(%s): returns %" PRId64 ", known wrong argument %d: %s\n", number,
               routine->name, routine->arguments, result, wrong, fault);
    routine->successes += result >= 0;
    return fault != NULL;
}

int never_succeeded(const struct routine *list, int routines)
{
    int number = 0;
    for (int i = 0; i < routines; i++)
        if (list[i].successes == 0) {
            printf("no call of %s succeeded\n", list[i].name);
            number++;
        }
    return number;
}
