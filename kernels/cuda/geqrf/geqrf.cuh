/*
 * The parts of geqrf: a panel is factored in strips of a few columns, each by one kernel; products
 * apply the strip's block reflector to the other columns. While a panel is factored, its reflectors
 * lie in it in the form that the products need, with unit diagonals and zeros above; R is in an
 * array of its own until the end. Private to geqrf/.
 */
#ifndef STARTILE_GEQRF_CUH
#define STARTILE_GEQRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* Maximal width of a strip */
constexpr int max_strip_columns = 32;

/* Scratch of factor_qr_strip_by_columns, in bytes */
constexpr int qr_scratch_bytes = 1 << 20;

/* A strip of a panel, from its diagonal down: m × columns, with m ≥ columns */
template <typename T>
struct qr_strip {
    T *a; /* in: A; out: V */
    int64_t ld;
    int m, columns;
    int above; /* rows of the panel above the strip, where R is complete; they also move to r */
    T *r;      /* the strip's columns of R, from the panel's first row on */
    int64_t ldr;
    T *t; /* the strip's triangle T; not written below the diagonal */
    int64_t ldt;
    void *scratch;
};

/* Factors a strip. (geqrf_strip.cu) */
template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s);

/* Does the same without clusters, for any number of rows; slow. (geqrf_columns.cu) */
template <typename T>
int factor_qr_strip_by_columns(startile_exec *x, const qr_strip<T> &s);

/* Returns the width of a strip of m rows. (geqrf_strip.cu) */
template <typename T>
int qr_strip_columns(const startile_exec *x, int m);

/* A block reflector of k ≤ max_strip_columns columns, V (m × k) and T, and the columns to its left
 * and right */
template <typename T>
struct qr_update {
    const T *v;
    T *left_c, *right_c; /* from V's first row on */
    int64_t ld;
    int m, k, left, right; /* left, right: numbers of these columns */
    const T *t;
    int64_t ldt;
    T *w; /* Tᴴ Vᴴ C (k × left) for the columns on the left; those on the right are updated */
};

/* Applies the block reflector. Needs clusters of 16 thread blocks. (geqrf_update.cu) */
template <typename T>
int apply_block_reflector(startile_exec *x, const qr_update<T> &u);

/* Computes T₁₂ := −T₁ Wᴴ (before × k), given the triangle T₁ of the `before` ≤ max_joined
 * reflectors before. (geqrf_join.cu) */
constexpr int max_joined = 128;
template <typename T>
int join_triangle(startile_exec *x, int before, int k, const T *t1, const T *w, T *t12, int ldt);

/* Returns the elements of workspace for the products of a panel, m × n, applied in blocks of up to
 * k reflectors. */
template <typename T>
size_t qr_partials(int m, int n, int k);

/* Computes W := Tᴴ Vᴴ C for V (m × k), C (m × n), T (k × k), W (k × n); partials: qr_partials()
 * elements. (geqrf_products.cu) */
template <typename T>
int reflector_products(startile_exec *x, int m, int n, int k, const T *v, const T *c, int64_t ld,
                       const T *t, int ldt, T *partials, T *w);

} // namespace startile_cuda

#endif
