/*
 * `startile solve`: makes the linear system, from Matrix Market files or with a random matrix.
 */
#include "command.h"
#include "dense.h"
#include "matrix_market.h"
#include "measure.h"
#include "random.h"
#include "scalar.h"
#include "solve.h"

#include <complex.h>
#include <inttypes.h>
#include <stdlib.h>

void *allocate_elements(startile_dtype dtype, int64_t count)
{
    void *memory = calloc(count ? (size_t)count : 1, dtype_size(dtype));
    if (!memory)
        report("no memory for %" PRId64 " elements", count);
    return memory;
}

void system_free(struct linear_system *p)
{
    free(p->a);
    free(p->b);
    free(p->x);
    free(p->factors);
}

const char *matrix_name(const struct solve_settings *s)
{
    return s->random_n ? "random matrix" : mm_name(s->a_file);
}

/* -- checks --------------------------------------------------------------------------------- */

/* Sets the type: that of --precision, else z for complex files and d for real ones. Refuses a real
 * --precision for a complex file. */
static bool choose_precision(const struct solve_settings *s, const struct mm_file *A,
                             const struct mm_file *B, startile_dtype *dtype)
{
    const struct mm_file *complex_file = A->field == MM_COMPLEX                ? A
                                         : s->b_file && B->field == MM_COMPLEX ? B
                                                                               : NULL;
    *dtype = s->precision_given ? s->dtype : complex_file ? STARTILE_Z : STARTILE_D;
    if (!complex_file || dtype_is_complex(*dtype))
        return true;
    report("%s: the file is complex, but --precision %c is real: use c or z", complex_file->name,
           dtype_letter(*dtype));
    return false;
}

/* Refuses files whose shapes do not fit together, or do not fit the method. */
static bool check_shapes(const struct solve_settings *s, const struct mm_file *A,
                         const struct mm_file *B)
{
    bool takes_any_shape = s->method >= METHOD_QR || s->method == METHOD_AUTO;
    if (A->m != A->n && !takes_any_shape)
        return mm_fail(A,
                       "the matrix must be square, not %" PRId64 " x %" PRId64
                       ", unless --method is qr, qrcp or auto",
                       A->m, A->n);
    if (s->b_file && B->m != A->m)
        return mm_fail(B, "b has %" PRId64 " rows, but %s has %" PRId64, B->m, A->name, A->m);
    return true;
}

/* Stores element (i, j) of the square matrix A as text. */
static void format_element(const struct linear_system *p, int64_t i, int64_t j, char *text,
                           size_t size)
{
    double _Complex value = element_get(p->dtype, p->a, (size_t)(i + j * p->n));
    if (dtype_is_complex(p->dtype))
        snprintf(text, size, "%g%+gi", creal(value), cimag(value));
    else
        snprintf(text, size, "%g", creal(value));
}

/* Refuses a matrix that is not Hermitian or, for LDL, symmetric, because Cholesky and LDL would
 * read only one of its triangles. */
static bool check_symmetry(const struct solve_settings *s, const struct linear_system *p)
{
    const double tolerance = ROUNDOFFS_OF_SYMMETRY;
    bool is_ldl = s->method == METHOD_LDL;
    int64_t i, j, unused;
    if (s->method != METHOD_CHOLESKY && !is_ldl)
        return true;
    if (is_ldl && dense_is_symmetric(p->dtype, p->n, p->a, false, tolerance, &i, &j))
        return true;
    if (dense_is_symmetric(p->dtype, p->n, p->a, true, tolerance, &i, &j))
        return true;
    bool takes_ldl = !is_ldl && !s->mixed &&
                     dense_is_symmetric(p->dtype, p->n, p->a, false, tolerance, &unused, &unused);
    char lower[64], upper[64];
    format_element(p, i, j, lower, sizeof lower);
    format_element(p, j, i, upper, sizeof upper);
    report("%s: not %s, as %s needs: (%" PRId64 ", %" PRId64 ") is %s and (%" PRId64 ", %" PRId64
           ") is %s; --method %s",
           matrix_name(s),
           !dtype_is_complex(p->dtype) ? "symmetric"
           : is_ldl                    ? "Hermitian or symmetric"
                                       : "Hermitian",
           is_ldl ? "LDL" : "Cholesky", i + 1, j + 1, lower, j + 1, i + 1, upper,
           takes_ldl ? "ldl takes it" : "lu takes any square matrix");
    return false;
}

/* Returns the number of matrices of A's size that are in memory at a time: A, its factors, and for
 * refinement, LDL or QR a third one. METHOD_AUTO needs a third one only if A is indefinite or
 * singular. */
static int copies_of_a(const struct solve_settings *s, bool is_square)
{
    bool needs_copy = s->method >= METHOD_QR || s->method == METHOD_LDL || s->refine > 0;
    return needs_copy || !is_square ? 3 : 2;
}

/* -- b and x -------------------------------------------------------------------------------- */

/* b := A·1, accumulated in long double. Allocates b and x; nrhs is 1. */
static bool make_right_hand_side(struct linear_system *p)
{
    double _Complex *r = allocate_elements(STARTILE_Z, p->m);
    p->b = allocate_elements(p->dtype, p->m);
    p->x = allocate_elements(p->dtype, p->n);
    bool good = r && p->b && p->x;
    if (good) {
        for (int64_t i = 0; i < p->n; i++)
            element_set(p->dtype, p->x, (size_t)i, 1);
        good = dense_residual(p->dtype, p->m, p->n, 1, p->a, NULL, p->x, r);
        for (int64_t i = 0; i < p->m; i++)
            element_set(p->dtype, p->b, (size_t)i, -r[i]);
    }
    free(r);
    return good;
}

/* Allocates the factors, and x unless it exists. Returns false after a report on failure. */
static bool allocate_results(struct linear_system *p)
{
    p->factors = allocate_elements(p->dtype, p->m * p->n);
    p->x = p->x ? p->x : allocate_elements(p->dtype, p->n * p->nrhs);
    return p->factors && p->x;
}

/* -- files ---------------------------------------------------------------------------------- */

/* Reads A, and reads or makes b; allocates x and the factors. */
static bool read_files(const struct solve_settings *s, struct mm_file *A, struct mm_file *B,
                       struct linear_system *p)
{
    if (!check_shapes(s, A, B) || !choose_precision(s, A, B, &p->dtype))
        return false;
    p->m = A->m;
    p->n = A->n;
    p->nrhs = s->b_file ? B->n : 1;
    mm_describe(A, p->description, sizeof p->description);
    if (!mm_read(A, p->dtype, copies_of_a(s, p->m == p->n), &p->a))
        return false;
    if (!check_symmetry(s, p))
        return false;
    /* 4 matrices of b's size: b, x, and two for the residual, whose elements are double complex */
    if (s->b_file ? !mm_read(B, p->dtype, 4, &p->b) : !make_right_hand_side(p))
        return false;
    return allocate_results(p);
}

static bool open_and_read(const struct solve_settings *s, struct linear_system *p)
{
    struct mm_file A, B = {0};
    if (!mm_open(&A, s->a_file))
        return false;
    bool good = (!s->b_file || mm_open(&B, s->b_file)) && read_files(s, &A, &B, p);
    mm_close(&A);
    mm_close(&B);
    return good;
}

/* -- random --------------------------------------------------------------------------------- */

/* Makes A of random elements, and b = A·1; allocates x and the factors. Returns false after a
 * report if they do not fit memory. */
static bool make_random(const struct solve_settings *s, struct linear_system *p)
{
    p->dtype = s->dtype;
    p->m = s->random_m;
    p->n = s->random_n;
    p->nrhs = 1;
    snprintf(p->description, sizeof p->description, "uniform in [-1, 1)");
    double bytes =
        (double)p->m * (double)p->n * (double)dtype_size(p->dtype) * copies_of_a(s, p->m == p->n);
    if (bytes > (double)memory_total()) {
        report("--random %" PRId64 "x%" PRId64 ": needs %.3g GiB and this machine has %.3g", p->m,
               p->n, bytes / 0x1p30, (double)memory_total() / 0x1p30);
        return false;
    }
    p->a = allocate_elements(p->dtype, p->m * p->n);
    if (!p->a)
        return false;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            element_set(p->dtype, p->a, (size_t)(i + j * p->m),
                        CMPLX(startile_uniform(1, i, j, 0), startile_uniform(1, i, j, 1)));
    if (!check_symmetry(s, p))
        return false;
    return make_right_hand_side(p) && allocate_results(p);
}

bool system_read(const struct solve_settings *s, struct linear_system *p)
{
    return s->random_n ? make_random(s, p) : open_and_read(s, p);
}
