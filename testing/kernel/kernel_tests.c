/* Runs one of the kernel tests, named by the first argument. They are one program, so that it is
 * linked with the kernels only once. */
#include "kernel_tests.h"
#include "check.h"
#include "device.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
    {"kernels", test_kernels},
    {"kernel_gemm", test_kernel_gemm},
    {"kernel_potrf", test_kernel_potrf},
    {"kernel_potrf_routes", test_kernel_potrf_routes},
    {"kernel_getrf", test_kernel_getrf},
    {"kernel_rows", test_kernel_rows},
    {"kernel_geqrf", test_kernel_geqrf},
    {"kernel_split", test_kernel_split},
    {"kernel_emulated", test_kernel_emulated},
    {"kernel_move_rows", test_kernel_move_rows},
    {"kernel_mixed", test_kernel_mixed},
    {"kernel_small_qr", test_kernel_small_qr},
    {"kernel_checksum", test_kernel_checksum},
    {"kernel_whole", test_kernel_whole},
    {"kernel_ldl", test_kernel_ldl},
};

int main(int argc, char **argv)
{
    for (size_t t = 0; argc > 1 && t < sizeof tests / sizeof *tests; t++)
        if (strcmp(argv[1], tests[t].name) == 0) {
            check_arguments(argc - 1, argv + 1);
            if (!device_start())
                check_skip("no such device here");
            int failed = tests[t].run();
            device_stop();
            return failed != 0;
        }
    fprintf(stderr, "usage: %s TEST cpu|gpu|vendor s|d|c|z [FILTER], where TEST is one of\n",
            argv[0]);
    for (size_t t = 0; t < sizeof tests / sizeof *tests; t++)
        fprintf(stderr, "  %s\n", tests[t].name);
    return 2;
}
