/* The tests of kernels. Each function runs its tests on the started device and returns the number
 * of failures. */
#ifndef TESTING_KERNEL_TESTS_H
#define TESTING_KERNEL_TESTS_H

int test_kernels(void);
int test_kernel_gemm(void);
int test_kernel_potrf(void);
int test_kernel_potrf_routes(void);
int test_kernel_getrf(void);
int test_kernel_rows(void);
int test_kernel_move_rows(void);
int test_kernel_geqrf(void);
int test_kernel_split(void);
int test_kernel_emulated(void);
int test_kernel_mixed(void);
int test_kernel_small_qr(void);
int test_kernel_checksum(void);
int test_kernel_whole(void);
int test_kernel_ldl(void);

#endif
