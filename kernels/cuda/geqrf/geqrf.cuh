/*
 * The parts of geqrf. A panel is factored in strips of a few columns, each by one kernel. Products
 * apply the strip's block reflector to the other columns. During the factorization the panel holds
 * its reflectors as the products need them, with unit diagonals and zeros above; R is in a separate
 * array. Private to geqrf/.
 */
#ifndef STARTILE_GEQRF_CUH
#define STARTILE_GEQRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Maximal number of columns of a strip */
constexpr int max_strip_columns = 32;

/* Bytes of scratch memory of factor_qr_strip_by_columns */
constexpr int qr_scratch_bytes = 1 << 20;

/* A strip of a panel, from its diagonal down: m × columns, m ≥ columns */
template <typename T>
struct qr_strip {
    T *a; /* in: A; out: V */
    int64_t ld;
    int m, columns;
    int above; /* rows of the panel above the strip; R is complete there and also moves to r */
    T *r;      /* the strip's columns of R, from the panel's first row on */
    int64_t ldr;
    T *t; /* the strip's triangle T; elements below the diagonal are not written */
    int64_t ldt;
    void *scratch;
};

/* Factors a strip. (geqrf_strip.cu) */
template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s);

/* Factors a strip without clusters, for any number of rows. Slow. (geqrf_columns.cu) */
template <typename T>
int factor_qr_strip_by_columns(startile_exec *x, const qr_strip<T> &s);

/* Returns the number of columns of a strip of m rows. (geqrf_strip.cu) */
template <typename T>
int qr_strip_columns(const startile_exec *x, int m);

/* A block reflector of k ≤ max_strip_columns columns, V (m × k) and T, and the columns on its left
 * and right to which it is applied */
template <typename T>
struct qr_update {
    const T *v;
    T *left_c, *right_c; /* from V's first row on */
    int64_t ld;
    int m, k, left, right; /* left, right: numbers of columns on the left and right */
    const T *t;
    int64_t ldt;
    T *w; /* result Tᴴ Vᴴ C (k × left) for the columns on the left; the columns on the right are
             updated */
};

/* Applies the block reflector. Needs clusters of 16 thread blocks. (geqrf_update.cu) */
template <typename T>
int apply_block_reflector(startile_exec *x, const qr_update<T> &u);

/* Largest number of reflectors of a triangle that join_triangle extends */
constexpr int max_joined = 128;
/* Computes T₁₂ := −T₁ Wᴴ (before × k), given the triangle T₁ of the `before` ≤ max_joined
 * reflectors on the left. (geqrf_join.cu) */
template <typename T>
int join_triangle(startile_exec *x, int before, int k, const T *t1, const T *w, T *t12, int ldt);

/* Returns the number of workspace elements for reflector_products on a panel, m × n, with up to k
 * reflectors at a time. */
template <typename T>
size_t qr_partials(int m, int n, int k);

/* Computes W := Tᴴ Vᴴ C for V (m × k), C (m × n), T (k × k), W (k × n). partials: qr_partials()
 * elements. (geqrf_products.cu) */
template <typename T>
int reflector_products(startile_exec *x, int m, int n, int k, const T *v, const T *c, int64_t ld,
                       const T *t, int ldt, T *partials, T *w);

} // namespace startile_cuda

#endif
