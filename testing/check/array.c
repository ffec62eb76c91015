#include "array.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char poison_float[4] = {0xa5, 0x5a, 0xc3, 0x7f};
static const unsigned char poison_double[8] = {0xa5, 0x5a, 0xa5, 0x5a, 0xa5, 0x5a, 0xfc, 0x7f};

size_t element_size(startile_dtype dtype)
{
    static const size_t size[4] = {sizeof(float), sizeof(double), 2 * sizeof(float),
                                   2 * sizeof(double)};
    return size[dtype];
}

size_t array_bytes(struct array A)
{
    return (size_t)(A.ld * (A.n + 2)) * element_size(A.dtype);
}

/* Overwrites `count` elements. A complex element becomes two NaNs. */
static void poison(startile_dtype dtype, void *elements, size_t count)
{
    const unsigned char *pattern = is_single(dtype) ? poison_float : poison_double;
    size_t bytes = count * element_size(dtype), done = is_single(dtype) ? 4 : 8;
    if (bytes == 0)
        return;
    memcpy(elements, pattern, done);
    for (size_t next; done < bytes; done += next) {
        next = done < bytes - done ? done : bytes - done;
        memcpy((char *)elements + done, elements, next);
    }
}

/* Returns true if each of the `count` elements is poison. */
static bool is_poison(startile_dtype dtype, const void *elements, size_t count)
{
    const unsigned char *pattern = is_single(dtype) ? poison_float : poison_double;
    size_t bytes = count * element_size(dtype), real_bytes = is_single(dtype) ? 4 : 8;
    /* the first real number is the pattern, and each further one equals the one before */
    return bytes == 0 ||
           (memcmp(elements, pattern, real_bytes) == 0 &&
            memcmp(elements, (const char *)elements + real_bytes, bytes - real_bytes) == 0);
}

static void *element(struct array A, int64_t i, int64_t j)
{
    return (char *)A.a + (i + j * A.ld) * (int64_t)element_size(A.dtype);
}

struct array array_new(startile_dtype dtype, int64_t m, int64_t n, int64_t pad)
{
    struct array A = {dtype, m, n, (m > 1 ? m : 1) + pad, NULL, NULL};
    A.memory = malloc(array_bytes(A));
    if (A.memory == NULL)
        abort();
    A.a = (char *)A.memory + (size_t)A.ld * element_size(dtype);
    poison(dtype, A.memory, (size_t)(A.ld * (n + 2)));
    return A;
}

struct array array_copy(struct array A)
{
    struct array B = array_new(A.dtype, A.m, A.n, A.ld - (A.m > 1 ? A.m : 1));
    memcpy(B.memory, A.memory, array_bytes(A));
    return B;
}

void array_free(struct array A)
{
    free(A.memory);
}

void array_free_all(size_t count, const struct array *A)
{
    for (size_t i = 0; i < count; i++)
        array_free(A[i]);
}

struct array array_part(struct array B, int64_t i, int64_t j, int64_t m, int64_t n)
{
    return (struct array){B.dtype, m, n, B.ld, element(B, i, j), NULL};
}

startile_complex get(struct array A, int64_t i, int64_t j)
{
    const void *p = element(A, i, j);
    switch (A.dtype) {
    case STARTILE_S:
        return *(const float *)p;
    case STARTILE_D:
        return *(const double *)p;
    case STARTILE_C:
        return *(const float _Complex *)p;
    default:
        return *(const double _Complex *)p;
    }
}

void set(struct array A, int64_t i, int64_t j, startile_complex value)
{
    void *p = element(A, i, j);
    switch (A.dtype) {
    case STARTILE_S:
        *(float *)p = (float)creal(value);
        break;
    case STARTILE_D:
        *(double *)p = creal(value);
        break;
    case STARTILE_C:
        *(float _Complex *)p = (float _Complex)value;
        break;
    case STARTILE_Z:
        *(double _Complex *)p = value;
        break;
    }
}

/* Returns true if array_poison(A, part) overwrites (i, j). */
static bool is_in_poisoned_part(char part, int64_t i, int64_t j)
{
    return part == 'G' || (i != j && is_in_triangle(part, i, j));
}

void array_poison(struct array A, char part)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (is_in_poisoned_part(part, i, j))
                poison(A.dtype, element(A, i, j), 1);
}

bool is_poisoned(struct array A, char part)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (is_in_poisoned_part(part, i, j) && !is_poison(A.dtype, element(A, i, j), 1))
                return false;
    return true;
}

bool has_borders_intact(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        if (!is_poison(A.dtype, element(A, A.m, j), (size_t)(A.ld - A.m)))
            return false;
    return is_poison(A.dtype, A.memory, (size_t)A.ld) &&
           is_poison(A.dtype, element(A, 0, A.n), (size_t)A.ld);
}

bool is_same(struct array A, struct array B)
{
    return array_bytes(A) == array_bytes(B) && memcmp(A.memory, B.memory, array_bytes(A)) == 0;
}

bool has_nan(struct array A, char part)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if ((i == j || is_in_poisoned_part(part, i, j)) &&
                (isnan(creal(get(A, i, j))) || isnan(cimag(get(A, i, j)))))
                return true;
    return false;
}

bool is_finite(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            if (!isfinite(creal(get(A, i, j))) || !isfinite(cimag(get(A, i, j))))
                return false;
    return true;
}

double error_of_column(struct array X, struct array Y, int64_t j)
{
    double difference = 0, largest = 0;
    for (int64_t i = 0; i < X.m; i++) {
        startile_complex d = get(X, i, j) - get(Y, i, j), x = get(X, i, j);
        difference = fmax(difference, fabs(creal(d)) + fabs(cimag(d)));
        largest = fmax(largest, fabs(creal(x)) + fabs(cimag(x)));
    }
    return largest == 0 ? difference : difference / largest;
}

void array_fill(struct array A, startile_complex value)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, value);
}

void array_assign(struct array from, struct array to)
{
    for (int64_t j = 0; j < from.n; j++)
        memcpy(element(to, 0, j), element(from, 0, j), (size_t)from.m * element_size(from.dtype));
}

struct array array_new_identity(startile_dtype dtype, int64_t m, int64_t n)
{
    struct array A = array_new(dtype, m, n, 0);
    array_fill(A, 0);
    for (int64_t i = 0; i < min(m, n); i++)
        set(A, i, i, 1);
    return A;
}

struct array array_new_rows(struct array A, int64_t m)
{
    struct array part = array_new(A.dtype, m, A.n, 0);
    array_assign(array_part(A, 0, 0, m, A.n), part);
    return part;
}

struct array array_new_op(char trans, struct array A)
{
    struct array T = array_new(A.dtype, trans == 'N' ? A.m : A.n, trans == 'N' ? A.n : A.m, 0);
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++) {
            startile_complex v = get(A, i, j);
            set(T, trans == 'N' ? i : j, trans == 'N' ? j : i, trans == 'C' ? conj(v) : v);
        }
    return T;
}

/* xorshift64* (Vigna 2016) */
static _Thread_local uint64_t state = 1;

void random_seed(uint64_t seed)
{
    /* seed + 1: a state of 0 would remain 0 */
    state = 0x9e3779b97f4a7c15u * (seed + 1);
}

double random_real(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    /* the upper 53 bits as a number in [0, 2), less 1 */
    return (double)(int64_t)((state * 0x2545f4914f6cdd1du) >> 11) * 0x1p-52 - 1.0;
}

int64_t random_below(int64_t n)
{
    return (int64_t)((random_real() + 1) / 2 * (double)n);
}

startile_complex random_element(startile_dtype dtype)
{
    double re = random_real();
    return dtype >= STARTILE_C ? re + random_real() * I : re;
}

void array_random(struct array A)
{
    for (int64_t j = 0; j < A.n; j++)
        for (int64_t i = 0; i < A.m; i++)
            set(A, i, j, random_element(A.dtype));
}

struct array array_new_random(startile_dtype dtype, int64_t m, int64_t n, int64_t pad)
{
    struct array A = array_new(dtype, m, n, pad);
    array_random(A);
    return A;
}
