/*
 * Tests the rows of `startile bench kernel`, with the CPU's kernels in place of CUDA's: right
 * results fulfill a row's formula, and wrong ones do not.
 */
#include "kernel/kernel.h"
#include "scalar.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const startile_cuda_access cpu = {.faster = startile_cpu_kernels,
                                         .moves_of_pivots = startile_moves_of_pivots};

/* Allocates and fills the elements of all pieces of array i, as the bench does on a GPU. */
static void open_array(struct trial *t, int i)
{
    const struct operand *o = &t->kernel->operand[i];
    struct array *a = &t->array[i];
    const int64_t columns = (int64_t)(a->bytes / a->piece_bytes) * a->n;
    a->before = calloc(1, a->bytes);
    a->after = calloc(1, a->bytes);
    if (!a->before || !a->after)
        abort();
    a->device = a->before;
    for (int64_t j = 0; j < columns && o->element == ELEMENTS; j++)
        for (int64_t k = 0; k < a->m; k++)
            element_set(t->shape.dtype, a->before, (size_t)(k + j * a->m),
                        operand_element(o->content, t->shape.dtype, 2 * sqrt(a->n) + 1,
                                        (uint64_t)i + 1, k, j));
}

/* Adds 1 to an element of the first array that the kernel wrote. */
static void spoil(struct trial *t)
{
    for (int i = 0; i < t->arrays; i++) {
        struct array *a = &t->array[i];
        const struct operand *o = &t->kernel->operand[i];
        const startile_dtype dtype = operand_dtype(o, t->shape.dtype);
        size_t last = (size_t)a->m * (size_t)a->n - 1;
        if (!o->written || o->element == INTEGERS)
            continue;
        element_set(dtype, a->after, last, element_get(dtype, a->after, last) + 1);
        return;
    }
}

/* Runs the kernel, and returns whether its residual is small, and large after spoil(). */
static bool check(const struct kernel *kernel, const struct shape *shape)
{
    startile_tile_status status = {0};
    struct trial t = trial_of(kernel, shape);
    t.library = &cpu;
    t.status = &status;
    for (int i = 0; i < t.arrays; i++)
        open_array(&t, i);
    int failed = kernel->prepare ? kernel->prepare(&t) : 0;
    for (int i = 0; i < t.arrays; i++) {
        memcpy(t.array[i].after, t.array[i].before, t.array[i].bytes);
        t.array[i].device = t.array[i].after;
    }
    failed = failed || kernel->run(&t, startile_cpu_kernels[shape->dtype]) || status.info;
    double right = trial_residual(&t, NULL);
    spoil(&t);
    double wrong = trial_residual(&t, NULL);
    bool good = !failed && right < 30 && !(wrong < 30);
    printf("%-14s %c %c%c  right %.3g, wrong %.3g  %s\n", kernel->name, dtype_letter(shape->dtype),
           shape->transa, shape->transb, right, wrong, good ? "ok" : "FAIL");
    for (int i = 0; i < t.arrays; i++) {
        free(t.array[i].before);
        free(t.array[i].after);
    }
    return good;
}

int main(void)
{
    bool good = true;
    for (const struct kernel *k = kernels; k->name; k++)
        /* all types and values of --trans */
        for (int combination = 0; combination < 4; combination++) {
            struct shape s = {.dtype = (startile_dtype)combination,
                              .size = {kernel_has_size(k, 'm') ? 61 : 37, 37, 23},
                              .pieces = kernel_has_size(k, 'p') ? 3 : 1,
                              .transa = "NCNC"[combination],
                              .transb = "NNCC"[combination]};
            good = check(k, &s) && good;
        }
    return good ? 0 : 1;
}
