/*
 * `startile bench kernel`: the loop over precisions and sizes.
 */
#include "kernel.h"
#include "command.h"
#include "peer_cuda.h"

#include <errno.h>
#include <string.h>

static const int usual_pieces = 8;

static bool show(FILE *csv, const struct kernel_row *row)
{
    kernel_print_row(row);
    return !csv || kernel_csv_row(csv, row);
}

static int size_of(const struct size_list *given, size_t i, int usual)
{
    return given->count ? (int)given->values[i] : usual;
}

static size_t count(const struct size_list *given)
{
    return given->count ? given->count : 1;
}

static struct shape make_shape(const struct kernel_settings *s, startile_dtype dtype, int m, int n,
                               int k)
{
    const struct kernel *kernel = s->kernel;
    return (struct shape){.dtype = dtype,
                          .m = m && kernel_has(kernel, 'm') ? m : n,
                          .n = n,
                          .k = !kernel_has(kernel, 'k') ? 0
                               : k                      ? k
                                                        : n,
                          .pieces = !kernel_has(kernel, 'p') ? 1
                                    : s->pieces              ? s->pieces
                                                             : 8,
                          .transa = s->transa ? s->transa : 'N',
                          .transb = s->transb ? s->transb : 'C'};
}

static bool run_sizes(const struct kernel_settings *s, startile_dtype dtype, struct ceilings *c,
                      FILE *csv)
{
    bool good = true;
    const struct kernel *kernel = s->kernel;
    for (size_t j = 0; j < count(&s->n); j++)
        for (size_t i = 0; i < count(&s->m); i++)
            for (size_t l = 0; l < count(&s->k); l++) {
                int n = size_of(&s->n, j, kernel->n);
                int m = size_of(&s->m, i, kernel->m);
                struct shape shape = make_shape(s, dtype, m, n, size_of(&s->k, l, kernel->k));
                good = kernel_race(s, kernel, &shape, c, show, csv) && good;
            }
    return good;
}

static bool run_list(const struct kernel_settings *s, struct ceilings *c, FILE *csv)
{
    bool good = true;
    for (const struct listed *l = all_kernels; l->kernel; l++)
        good = kernel_race(s, kernel_named(l->kernel), &l->shape, c, show, csv) && good;
    return good;
}

static bool run(const struct kernel_settings *s, FILE *csv)
{
    struct ceilings c = {.copy = 0};
    bool good = true;
    if (!s->kernel)
        return run_list(s, &c, csv);
    for (int t = 0; t < s->dtype_count; t++)
        good = run_sizes(s, s->dtypes[t], &c, csv) && good;
    return good;
}

static bool run_on_gpu(const struct kernel_settings *s, FILE *csv)
{
    struct gpu gpu;
    bool good = false;
    if (cuda_describe(0, &gpu) || cuda_peer_open()) {
        report("bench kernel: %s", cuda_peer_reason());
    } else {
        printf("# startile %s, %s, median of %d\n", startile_version(), gpu.name, s->repeats);
        kernel_print_heading();
        good = run(s, csv);
    }
    cuda_peer_close();
    return good;
}

static bool run_with_csv(const struct kernel_settings *s)
{
    FILE *csv = NULL;
    if (s->csv_file && (!(csv = fopen(s->csv_file, "w")) || !kernel_csv_heading(csv))) {
        report("%s: %s", s->csv_file, strerror(errno));
        return false;
    }
    bool good = run_on_gpu(s, csv);
    if (csv && fclose(csv)) {
        report("%s: %s", s->csv_file, strerror(errno));
        return false;
    }
    return good;
}

static void list_size(const struct kernel *k, char name, int usual)
{
    if (kernel_has(k, name) && usual)
        printf(", %c = %d", name, usual);
    else if (kernel_has(k, name))
        printf(", %c = n", name);
}

static void list(void)
{
    const struct kernel *k;
    for (int i = 0; (k = kernel_at(i)) != NULL; i++) {
        printf("%-14s %s\n%14s beside %s; n = %d", k->name, k->does, "", k->peer ? k->peer : "none",
               k->n);
        list_size(k, 'm', k->m);
        list_size(k, 'k', k->k);
        if (kernel_has(k, 'p'))
            printf(", p = %d", usual_pieces);
        putchar('\n');
    }
}

int kernel_command(int argc, char **argv)
{
    struct kernel_settings s;
    bool good = true;
    kernel_parse(argc, argv, &s);
    if (s.list) {
        list();
    } else if (!cuda_count()) {
        report("bench kernel: no GPU that CUDA can use here");
        good = false;
    } else {
        good = run_with_csv(&s);
    }
    size_list_free(&s.m);
    size_list_free(&s.n);
    size_list_free(&s.k);
    return good ? 0 : EXIT_FAILED;
}
