/*
 * The tests of kernels in one program, since each would hold the kernels again: its first argument
 * names the test, whose file is compiled with main() under that name.
 */
#include <stdio.h>
#include <string.h>

int kernels_main(int argc, char **argv);
int kernel_gemm_main(int argc, char **argv);
int kernel_potrf_main(int argc, char **argv);
int kernel_potrf_routes_main(int argc, char **argv);
int kernel_getrf_main(int argc, char **argv);
int kernel_rows_main(int argc, char **argv);
int kernel_geqrf_main(int argc, char **argv);
int kernel_split_main(int argc, char **argv);

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} tests[] = {{"kernels", kernels_main},           {"kernel_gemm", kernel_gemm_main},
             {"kernel_potrf", kernel_potrf_main}, {"kernel_potrf_routes", kernel_potrf_routes_main},
             {"kernel_getrf", kernel_getrf_main}, {"kernel_rows", kernel_rows_main},
             {"kernel_geqrf", kernel_geqrf_main}, {"kernel_split", kernel_split_main}};

int main(int argc, char **argv)
{
    for (size_t t = 0; argc > 1 && t < sizeof tests / sizeof *tests; t++)
        if (strcmp(argv[1], tests[t].name) == 0)
            return tests[t].main(argc - 1, argv + 1);
    fprintf(stderr, "usage: %s TEST cpu|gpu|vendor s|d|c|z [FILTER], where TEST is one of\n",
            argv[0]);
    for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
        fprintf(stderr, "  %s\n", tests[t].name);
    return 2;
}
