#include "kernel_help.h"

#include <stddef.h>

const struct argp_option kernel_options[] = {
    {"m", KERNEL_KEY_M, "SIZES", 0, "rows (default: the kernel's, see --list)", 0},
    {"n", KERNEL_KEY_N, "SIZES", 0, "columns, or order", 0},
    {"k", KERNEL_KEY_K, "SIZES", 0, "inner dimension, interchanges or reflectors", 0},
    {"pieces", KERNEL_KEY_PIECES, "P", 0, "members of a group (default: 8)", 0},
    {"trans", KERNEL_KEY_TRANS, "NN|NC|CN|CC", 0, "op(A) and op(B) of products (default: NC)", 0},
    {"precision", KERNEL_KEY_PRECISION, "LIST", 0, "of s, d, c, z (default: d)", 0},
    {"implementation", KERNEL_KEY_IMPLEMENTATION, "LIST", 0,
     "of own; vendor, which is cuBLAS and cuSOLVER by way of the library, of products and potrf; "
     "and split, which is own with split operands on tensor cores, of products in s (default: own)",
     0},
    {"repeat", KERNEL_KEY_REPEAT, "R", 0, "timed runs after one that is checked (default: 7)", 0},
    {"csv", KERNEL_KEY_CSV, "FILE", 0, "write all fields there, as CSV", 0},
    {"list", KERNEL_KEY_LIST, NULL, 0, "name the kernels with their sizes", 0},
    {0},
};

const char kernel_doc[] =
    "Times one kernel of the library, or all of them at the sizes that matter, on the first GPU, "
    "beside cuBLAS or cuSOLVER, and checks its result. SIZES is a list such as 1024,2048 or "
    "START:STOP:STEP."
    "\v"
    "One row a precision, size and implementation. Implementations and the peer run in turns on "
    "the same data in GPU memory, which is none of it in the L2 cache when the time starts. A time "
    "is what passes between two events around the kernel; of several runs the median is taken, "
    "after one that warms up and is checked. Arrays are random, those to be written NaN.\n\n"
    "  rate      operations (LAPACK Working Note 41) or useful bytes by time; an\n"
    "            inverse counts as many operations as its factor, and the peer of\n"
    "            a product with a triangle is the triangular solve that it stands\n"
    "            for, by the same count\n"
    "  ratio     rate / the peer's: above 1 the library is faster\n"
    "  fraction  of the rate, in this run, of cuBLAS's gemm with m = n = 16384\n"
    "            (complex: 8192) and k = 4096, or of a copy on the device (read\n"
    "            and written)\n"
    "  error     against sums in long double, at 24 x 24 places or, for QR, in 4\n"
    "            columns, in units of the roundoff: for products by the sum of\n"
    "            the absolute terms (diagonal of herk and syrk: by sqrt(k), too),\n"
    "            for factors by that of the product of the factors, for QR by the\n"
    "            column's norm and sqrt(k); 0 for copies\n"
    "  peer's    the same for the peer, where it leaves the same result\n"
    "  status    ok; none: where split would be own; FAIL: and an error of 30 or\n"
    "            more, or info; error: and why\n\n"
    "Own is cuBLAS's for trsm, and cuSOLVER's for potrf beyond an order of 4096 (s, c: 2048, z: "
    "1024). Small products are own here, which the library leaves to cuBLAS.\n\n"
    "The CSV file has also transa, transb, pieces, the fastest and slowest time (seconds_min, "
    "seconds_max), the peer's name and the ceiling of fraction; rates there are in operations/s "
    "and bytes/s.\n\n"
    "Exit code 1 when the status of any row is FAIL or error.";
