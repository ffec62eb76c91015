/*
 * The steps of geqrf, shared by its files. One kernel factors a strip of a few columns of the
 * panel. Products apply the strip's block reflector to the other columns. During the factorization
 * the panel holds V as the products need it, with a unit diagonal and zeros above; R is in a
 * separate array. Private to geqrf/.
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

/* A strip of a panel: the rows from the strip's diagonal down, m × columns, m ≥ columns */
template <typename T>
struct qr_strip {
    T *a; /* in: A; out: V */
    int64_t ld;
    int m, columns;
    int above; /* number of rows of the panel above the strip. In the strip's columns they hold
                  final elements of R, which are moved to r. */
    T *r;      /* the strip's columns of R, from the panel's first row on */
    int64_t ldr;
    T *t; /* the strip's triangle T; elements below the diagonal are not written */
    int64_t ldt;
    void *scratch; /* qr_scratch_bytes for factor_qr_strip_by_columns */
};

/* Factors a strip. (geqrf_strip.cu) */
template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s);

/* Factors a strip without clusters, for any number of rows. Slow. (geqrf_columns.cu) */
template <typename T>
int factor_qr_strip_by_columns(startile_exec *x, const qr_strip<T> &s);

/* Returns the maximal number of columns of a strip of m rows. (geqrf_strip.cu) */
template <typename T>
int qr_strip_columns(const startile_exec *x, int m);

/* Arguments of apply_block_reflector: a block reflector of k ≤ max_strip_columns columns, V (m × k)
 * and T, and the columns on its left and right */
template <typename T>
struct qr_update {
    const T *v;
    T *left_c, *right_c; /* first column on the left and on the right, from V's first row on */
    int64_t ld;
    int m, k, left, right; /* left, right: numbers of columns on the left and right */
    const T *t;
    int64_t ldt;
    /* Result: Tᴴ Vᴴ C (k × left) for the columns C on the left */
    T *w;
};

/* Computes C := C − V Tᴴ Vᴴ C for the columns C on the right, and W := Tᴴ Vᴴ C for the columns C on
 * the left. Needs clusters of 16 thread blocks. (geqrf_update.cu) */
template <typename T>
int apply_block_reflector(startile_exec *x, const qr_update<T> &u);

/* Maximal order of a triangle that join_triangle extends */
constexpr int max_joined = 128;

/* Computes T₁₂ := −T₁ Wᴴ (before × k), given the triangle T₁ of the `before` ≤ max_joined
 * reflectors V₁ on the left, and W = T₂ᴴ V₂ᴴ V₁ (k × before) of the next k reflectors V₂ with
 * triangle T₂. (geqrf_join.cu) */
template <typename T>
int join_triangle(startile_exec *x, int before, int k, const T *t1, const T *w, T *t12, int ldt);

/* Returns the number of elements of `partials` for reflector_products on a panel, m × n, with up to
 * k reflectors at a time. */
template <typename T>
size_t qr_partials(int m, int n, int k);

/* Computes W := Tᴴ Vᴴ C for V (m × k), C (m × n), T (k × k), W (k × n). partials: qr_partials()
 * elements. (geqrf_products.cu) */
template <typename T>
int reflector_products(startile_exec *x, int m, int n, int k, const T *v, const T *c, int64_t ld,
                       const T *t, int ldt, T *partials, T *w);

} // namespace startile_cuda

#endif
