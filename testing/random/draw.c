/* Draws the arguments of a call. */
#include "arguments.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CANARY = 64 }; /* bytes before an operand that ends at a guard page */

int64_t m[MOST_MATRICES], n[MOST_MATRICES], k[MOST_MATRICES], nrhs[MOST_MATRICES];
int64_t count;
char uplo, side, trans, transa, transb, adjoint, diag, norm;
int itype;
int64_t band_order, ltb;
double anorm;
startile_complex alpha, beta;
struct operand operands[OPERANDS] = {
    [A] = {.name = "a"},         [B] = {.name = "b"},           [C] = {.name = "c"},
    [X] = {.name = "x"},         [Y] = {.name = "y"},           [TAU] = {.name = "tau"},
    [IPIV] = {.name = "ipiv"},   [TB] = {.name = "tb"},         [IPIV2] = {.name = "ipiv2"},
    [INFO] = {.name = "info"},   [RESULT] = {.name = "result"}, [ITER] = {.name = "iter"},
    [RCOND] = {.name = "rcond"}, [SIGN] = {.name = "sign"},     [LOGABSDET] = {.name = "logabsdet"},
};

/* -- right arguments ------------------------------------------------------------------------- */

static void draw_scalars(startile_dtype dtype)
{
    static const double numbers[] = {0, 1, -1, 0.5, 1e300, NAN};
    uplo = draw_letter("LU");
    side = draw_letter("LR");
    trans = draw_letter("NTC");
    transa = draw_letter("NTC");
    transb = draw_letter("NTC");
    adjoint = draw_letter(dtype < STARTILE_C ? "NT" : "NC");
    diag = draw_letter("NU");
    norm = draw_letter("OI");
    itype = 1 + (int)draw(3);
    anorm = draw_one_of(4) ? 0 : 3;
    alpha = numbers[draw(6)] + numbers[draw(5)] * I;
    beta = numbers[draw(6)];
}

/* Draws the dimensions, within the limits "k<q" of the shapes but for some calls. */
static void draw_sizes(const struct call *call)
{
    int64_t most = draw_one_of(20) ? 40 : 12;
    int64_t *const sizes[] = {m, n, k, nrhs};
    band_order = 1 + draw(most);
    count = call->form == SINGLE ? 1 : draw(MOST_MATRICES + 1);
    for (int q = 0; q < MOST_MATRICES; q++) {
        for (int s = 0; s < 4; s++)
            sizes[s][q] = q > 0 && call->form != SIZES ? sizes[s][0] : draw(most + 1);
        for (const char *t = call->shapes; (t = strpbrk(t, "<>")) != NULL; t++) {
            int64_t *size = t[-1] == 'k' ? &k[q] : &n[q], limit = dimension(t[1], q);
            bool is_beyond = *t == '<' ? *size > limit : *size < limit;
            if (is_beyond && (q > 0 || !draw_one_of(20)))
                *size = limit;
        }
    }
}

static void store(const struct operand *o, startile_dtype dtype, size_t at, startile_complex value)
{
    switch (dtype) {
    case STARTILE_S:
        ((float *)o->memory)[at] = (float)creal(value);
        break;
    case STARTILE_D:
        ((double *)o->memory)[at] = creal(value);
        break;
    case STARTILE_C:
        ((float _Complex *)o->memory)[at] = (float _Complex)value;
        break;
    case STARTILE_Z:
        ((double _Complex *)o->memory)[at] = value;
    }
}

/* Fills the operand: random elements, mostly with a larger diagonal; sometimes 0, or with NaN and
 * infinite elements. */
static void fill(struct operand *o, startile_dtype dtype, int64_t elements)
{
    bool is_zero = draw_one_of(16), is_special = draw_one_of(16), has_diagonal = !draw_one_of(4);
    for (int64_t i = 0; i < elements; i++) {
        double re = (double)draw(2001) / 1000 - 1, im = (double)draw(2001) / 1000 - 1;
        bool is_odd = is_special && draw_one_of(8);
        store(o, dtype, (size_t)i,
              is_zero  ? 0
              : is_odd ? (draw_one_of(2) ? NAN : -INFINITY)
                       : re + im * I);
    }
    for (int q = 0; has_diagonal && !is_zero && q < count; q++)
        for (int64_t i = 0; i < o->rows[q] && i < o->columns[q]; i++)
            store(o, dtype, (size_t)(q * o->stride + i * (o->ld[q] + 1)), (double)o->rows[q] + 1);
}

/* Fills pivots: element i is i … length − 1, from 1; or i for symmetric matrices, whose pivots are
 * then those of both triangles; or i … i + band_order for a band matrix. */
static void fill_pivots(const struct call *call, struct operand *o, int64_t elements)
{
    bool is_symmetric = o == &operands[IPIV] && strstr(call->arguments, "uplo") != NULL;
    int64_t most = o == &operands[IPIV2] ? band_order + 1 : INT64_MAX;
    int64_t *p = o->memory;
    for (int64_t i = 0; i < elements; i++)
        p[i] = 0;
    for (int q = 0; q < count; q++)
        for (int64_t i = 0; i < o->rows[q]; i++) {
            int64_t left = o->rows[q] - i;
            p[q * o->stride + i] = i + 1 + (is_symmetric ? 0 : draw(left < most ? left : most));
        }
}

/* Sets rows, columns, leading dimensions and the stride. */
static void draw_layout(const struct call *call, struct operand *o)
{
    bool is_column = o->column_letter == '1', is_number = is_column && o->row_letter == '1';
    o->stride = 1;
    for (int q = 0; q < MOST_MATRICES; q++) {
        o->rows[q] = dimension(o->row_letter, q);
        o->columns[q] = dimension(o->column_letter, q);
        int64_t least = o->rows[q] > 1 ? o->rows[q] : 1;
        o->ld[q] = q > 0 && call->form != SIZES ? o->ld[0] : least + (is_column ? 0 : draw(3));
        int64_t size = (o->columns[q] - 1) * o->ld[q] + o->rows[q];
        if (o->rows[q] > 0 && o->columns[q] > 0 && !is_number && size > o->stride)
            o->stride = size + draw(3);
    }
}

/* Returns the end of memory after which a page cannot be accessed, one for each operand: a kernel
 * of OpenBLAS, which has no checks of a sanitizer, crashes if it reads beyond the operand. */
static unsigned char *guarded_end(const struct operand *o)
{
    enum { BYTES = 1 << 20, LARGEST_PAGE = 1 << 16 };
    static unsigned char *ends[OPERANDS];
    unsigned char **end = &ends[o - operands];
    if (*end == NULL) {
        void *memory = mmap(NULL, BYTES + LARGEST_PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *end = (unsigned char *)memory + BYTES;
        if (memory == MAP_FAILED || mprotect(*end, LARGEST_PAGE, PROT_NONE) != 0)
            abort();
    }
    if (o->bytes > BYTES)
        abort();
    return *end;
}

/* Allocates the operand: before a guard page, and half of the operands by malloc() if a sanitizer
 * then finds accesses on both sides. */
static void allocate(struct operand *o, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    o->is_guarded = draw_one_of(2);
#else
    o->is_guarded = true;
#endif
    o->border = o->is_guarded ? CANARY : 0;
    o->bytes = bytes + o->border;
    o->all = o->is_guarded ? guarded_end(o) - o->bytes : malloc(o->bytes + (o->bytes == 0));
    o->before = malloc(o->bytes + (o->bytes == 0));
    if (o->all == NULL || o->before == NULL)
        abort();
    memset(o->all, 0x5a, o->bytes);
    o->memory = o->all + o->border;
}

/* Returns the bytes of an element of the operand. */
static size_t element_bytes(const struct call *call, const struct operand *o, startile_dtype dtype)
{
    static const size_t of_type[] = {4, 8, 8, 16}, of_real[] = {4, 8, 4, 8};
    bool has_integers = o == &operands[IPIV] || o == &operands[IPIV2] || o == &operands[INFO] ||
                        o == &operands[ITER];
    bool is_real = o == &operands[RCOND] || o == &operands[LOGABSDET];
    if (o == &operands[RESULT]) {
        has_integers = strstr(call->name, "amax") != NULL;
        is_real = strstr(call->name, "nrm2") != NULL || strstr(call->name, "asum") != NULL;
    }
    return has_integers ? sizeof(int64_t) : is_real ? of_real[dtype] : of_type[dtype];
}

/* Allocates and fills the operand of a shape such as "a+mn". */
static void draw_operand(const struct call *call, startile_dtype dtype, const char *shape)
{
    struct operand *o = operand_of(shape);
    const char *letters = strpbrk(shape, "+=?");
    o->mode = letters[0];
    o->row_letter = letters[1];
    o->column_letter = letters[2];
    o->has_wrong_values = false;
    o->element = element_bytes(call, o, dtype);
    draw_layout(call, o);
    int64_t last = count - 1, elements = 0;
    if (count > 0 && o->rows[last] > 0 && o->columns[last] > 0)
        elements = last * o->stride + (o->columns[last] - 1) * o->ld[last] + o->rows[last];
    else if (count > 0)
        elements = last * o->stride;
    allocate(o, (size_t)elements * o->element);
    if (o == &operands[IPIV] || o == &operands[IPIV2])
        fill_pivots(call, o, elements);
    else if (o->row_letter != '1' || o->column_letter != '1')
        fill(o, dtype, elements);
    if (o == &operands[TB] && elements > 0) /* as in factors of LAPACK */
        store(o, dtype, 0, (double)band_order);
    memcpy(o->before, o->all, o->bytes);
    for (int q = 0; q < MOST_MATRICES; q++)
        o->each[q] = (char *)o->memory + (size_t)(q * o->stride) * o->element;
    o->each_argument = o->each;
}

void draw_right(const struct call *call, startile_dtype dtype)
{
    draw_scalars(dtype);
    draw_sizes(call);
    ltb = dimension('t', 0);
    for (const char *t = call->shapes; *t != '\0'; t += strcspn(t, " "), t += strspn(t, " "))
        if (strcspn(t, "+=?") < strcspn(t, " "))
            draw_operand(call, dtype, t);
}
