/*
 * Kernel tables of all types: the library's own kernels (own), with cuBLAS and cuSOLVER for
 * products, trmm and potrf (vendors), and with the faster of own kernel and cuBLAS for each call of
 * gemm, herk and syrk, and for the products of trsm_by_inverses (faster)
 */
#include "common/operations.cuh"
#include "cuda_access.h"
#include "gemm/product_split.cuh"

#include <type_traits>

namespace startile_cuda
{

/* Returns whether the own kernel computes a product of type T on tensor cores that multiply numbers
 * of 16 bits or TF32 (gemm/product_split.cuh). uplo: the triangle of C, or 'G' */
template <typename T>
static bool uses_short_numbers(const startile_exec *x, char uplo, int m, int n, int k,
                               startile_scalar alpha, startile_scalar beta)
{
    if constexpr (is_single<T>) {
        product_piece<T> piece = {};
        piece.m = m;
        piece.n = n;
        piece.uplo = uplo;
        product_group<T> g;
        g.k = k;
        g.alpha = to_element<T>(alpha);
        g.beta = to_element<T>(beta);
        g.pieces = 1;
        g.piece = &piece;
        return x->products == STARTILE_PRODUCTS_TF32 || can_multiply_split(x, g, x->products);
    } else {
        return false;
    }
}

/* Returns whether a product of type T may be emulated (gemm/product_emulated.cuh), and is so large
 * that this may be faster: from about 2048 × 4096 with k = 1024 on (H100, perf_models/NOTES.md,
 * "Emulated products in double precision"). */
template <typename T>
static bool may_be_emulated(const startile_exec *x, int m, int n, int k)
{
    constexpr int64_t least_elements = 2048 * 4096;
    constexpr int least_k = 1024;
    return std::is_same<T, double>::value && x->emulates_double && k >= least_k &&
           int64_t(m) * n >= least_elements;
}

/* Computes one product by the own kernel if that uses short numbers or emulation, otherwise by
 * cuBLAS. For C of at least 2048 × 512, the own kernel without them runs at 0.93 to 1.04 of
 * cuBLAS's rate in double, at 0.96 to 1.00 in complex double, at 0.91 in complex single, and at
 * 0.88 to 1.21 in single, above 1 for short k. For smaller C it is slower (H200,
 * perf_models/NOTES.md, "Products"). */
template <typename T>
static int faster_gemm(startile_exec *x, char transa, char transb, int m, int n, int k,
                       startile_scalar alpha, const void *a, int lda, const void *b, int ldb,
                       startile_scalar beta, void *c, int ldc)
{
    const bool own =
        uses_short_numbers<T>(x, 'G', m, n, k, alpha, beta) || may_be_emulated<T>(x, m, n, k);
    return (own ? gemm<T> : vendor_gemm<T>)(x, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta,
                                            c, ldc);
}

/* Largest order of C for which cuBLAS computes the rank-k update, unless short numbers are used.
 * The own dsyrk with k = 512 runs at 0.94 of cuBLAS's rate for order 4096 and at 1.21 for 16384
 * (H200, perf_models/NOTES.md, "Products"). */
constexpr int max_rows_of_vendor = 4096;

template <typename T>
static bool own_is_faster(const startile_exec *x, char uplo, int n, int k, startile_scalar alpha,
                          startile_scalar beta)
{
    return n > max_rows_of_vendor || uses_short_numbers<T>(x, uplo, n, n, k, alpha, beta);
}

template <typename T>
static int faster_herk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                       const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    const bool own = own_is_faster<T>(x, uplo, n, k, alpha, beta);
    return (own ? herk<T> : vendor_herk<T>)(x, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
static int faster_syrk(startile_exec *x, char uplo, char trans, int n, int k, startile_scalar alpha,
                       const void *a, int lda, startile_scalar beta, void *c, int ldc)
{
    const bool own = own_is_faster<T>(x, uplo, n, k, alpha, beta);
    return (own ? syrk<T> : vendor_syrk<T>)(x, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);
}

template <typename T>
static int faster_trsm_by_inverses(startile_exec *x, char uplo, char trans, char, int m, int n,
                                   const void *t, int ldt, const void *w, int ldw, void *b, int ldb)
{
    return trsm_by_inverses_with<T>(x, faster_gemm<T>, uplo, trans, m, n, t, ldt, w, ldw, b, ldb);
}

#define KERNEL(name, parameters) name<T>,
template <typename T>
static constexpr startile_kernels own = {
#include "kernel_list.h"
};

template <typename T>
static constexpr startile_kernels with_vendors()
{
    startile_kernels k = own<T>;
    k.gemm = vendor_gemm<T>;
    k.herk = vendor_herk<T>;
    k.syrk = vendor_syrk<T>;
    k.trmm = vendor_trmm<T>;
    k.trsm_by_inverses = vendor_trsm_by_inverses<T>;
    k.potrf = vendor_potrf<T>;
    k.gemm_group = vendor_gemm_group<T>;
    k.trmm_group = vendor_trmm_group<T>;
    return k;
}

template <typename T>
static constexpr startile_kernels with_faster()
{
    startile_kernels k = own<T>;
    k.gemm = faster_gemm<T>;
    k.herk = faster_herk<T>;
    k.syrk = faster_syrk<T>;
    k.trsm_by_inverses = faster_trsm_by_inverses<T>;
    return k;
}

template <typename T>
static constexpr startile_kernels vendors = with_vendors<T>();
template <typename T>
static constexpr startile_kernels faster = with_faster<T>();

} // namespace startile_cuda

using namespace startile_cuda;

const startile_kernels *const startile_cuda_kernels[4] = {
    &faster<float>, &faster<double>, &faster<cuComplex>, &faster<cuDoubleComplex>};

const startile_kernels *const startile_cuda_own_kernels[4] = {
    &own<float>, &own<double>, &own<cuComplex>, &own<cuDoubleComplex>};

const startile_kernels *const startile_cuda_vendor_kernels[4] = {
    &vendors<float>, &vendors<double>, &vendors<cuComplex>, &vendors<cuDoubleComplex>};

const startile_cuda_access *startile_cuda_access_get(void)
{
    static const startile_cuda_access access = {
        startile_cuda_kernels,  startile_cuda_own_kernels, startile_cuda_vendor_kernels,
        startile_exec_create,   startile_exec_destroy,     startile_exec_set_products,
        startile_exec_keep_own, startile_exec_splits,      startile_moves_of_pivots};
    return &access;
}
