/*
 * The parts of geqrf: a panel is factored in strips of a few columns, each by one kernel, and the
 * columns beside a strip get its block reflector by products. While a panel is worked on, its
 * reflectors stand in it as the products need them: with their unit diagonals, and zeros above,
 * where R belongs. R is kept in an array of its own until the end. Private to the files of QR.
 */
#ifndef STARTILE_GEQRF_CUH
#define STARTILE_GEQRF_CUH

#include "common/element.cuh"
#include "common/exec.cuh"

namespace startile_cuda
{

/* The widest strip */
constexpr int max_strip_columns = 32;

/* Scratch of factor_qr_strip_by_columns */
constexpr int qr_scratch_bytes = 1 << 20;

/* Part of a panel, from its diagonal down: m × columns, with m ≥ columns. */
template <typename T>
struct qr_strip {
    T *a; /* in: A; out: V */
    int64_t ld;
    int m, columns;
    int above; /* the rows of the panel above it, where R is complete: they move to r, too */
    T *r;      /* its columns of R, from the first row of the panel on */
    int64_t ldr;
    T *t; /* its own triangle T; below the diagonal it stays as it is */
    int64_t ldt;
    void *scratch;
};

/* (geqrf_strip.cu) */
template <typename T>
int factor_qr_strip(startile_exec *x, const qr_strip<T> &s);

/* The same for any number of rows and without clusters, slowly. (geqrf_columns.cu) */
template <typename T>
int factor_qr_strip_by_columns(startile_exec *x, const qr_strip<T> &s);

/* How many columns a strip of m rows should have. (geqrf_strip.cu) */
template <typename T>
int qr_strip_columns(const startile_exec *x, int m);

/* A block reflector of k ≤ max_strip_columns columns, V (m × k) and T, and columns beside it */
template <typename T>
struct qr_update {
    const T *v;
    T *left_c, *right_c; /* from V's first row on */
    int64_t ld;
    int m, k, left, right; /* how many columns there are of each */
    const T *t;
    int64_t ldt;
    T *w; /* Tᴴ Vᴴ C (k × left) for the columns on the left; those on the right are updated */
};

/* Needs clusters of 16 thread blocks. (geqrf_update.cu) */
template <typename T>
int apply_block_reflector(startile_exec *x, const qr_update<T> &u);

/* T₁₂ := −T₁ Wᴴ, before × k, for the triangle of that many reflectors before, at most max_joined.
 * (geqrf_join.cu) */
constexpr int max_joined = 128;
template <typename T>
int join_triangle(startile_exec *x, int before, int k, const T *t1, const T *w, T *t12, int ldt);

/* Room for the products of a panel, m × n, applied in blocks of up to k reflectors */
template <typename T>
size_t qr_partials(int m, int n, int k);

/* W := Tᴴ Vᴴ C for V (m × k), C (m × n), T (k × k), W (k × n); partials as many as said.
 * (geqrf_products.cu) */
template <typename T>
int reflector_products(startile_exec *x, int m, int n, int k, const T *v, const T *c, int64_t ld,
                       const T *t, int ldt, T *partials, T *w);

} // namespace startile_cuda

#endif
