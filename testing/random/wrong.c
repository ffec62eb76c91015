/* Makes arguments wrong, finds the first wrong one, and checks what a call has done. */
#include "arguments.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- names and shapes ------------------------------------------------------------------------ */

static bool is_letter(char letter, const char *letters)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

int64_t dimension(char letter, int q)
{
    int64_t smaller = m[q] < n[q] ? m[q] : n[q], larger = m[q] < n[q] ? n[q] : m[q];
    bool plain_a = is_letter(transa, "Nn"), plain_b = is_letter(transb, "Nn");
    switch (letter) {
    case 'm':
        return m[q];
    case 'n':
        return n[q];
    case 'k':
        return k[q];
    case 'r':
        return nrhs[q];
    case 't': /* elements of tb */
        return (3 * band_order + 1) * n[q];
    case 's':
        return smaller;
    case 'x':
        return larger;
    case 'q': /* order of Q or of a triangle */
        return is_letter(side, "Ll") ? m[q] : n[q];
    case 'A': /* rows and columns of gemm's factors */
        return plain_a ? m[q] : k[q];
    case 'a':
        return plain_a ? k[q] : m[q];
    case 'B':
        return plain_b ? k[q] : n[q];
    case 'b':
        return plain_b ? n[q] : k[q];
    default:
        return 1;
    }
}

/* Returns whether the text begins with this word. */
static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
           !is_letter(text[length], "abcdefghijklmnopqrstuvwxyz2");
}

struct operand *operand_of(const char *text)
{
    for (int o = 0; o < OPERANDS; o++)
        if (is_word(text, operands[o].name))
            return &operands[o];
    return NULL;
}

/* Returns the size with the name that the text begins with, or NULL. */
static int64_t *size_of(const char *text)
{
    return is_word(text, "m")      ? m
           : is_word(text, "n")    ? n
           : is_word(text, "k")    ? k
           : is_word(text, "nrhs") ? nrhs
                                   : NULL;
}

static const struct letter {
    const char *name;
    char *value;
    const char *right;
} letters[] = {
    {"uplo", &uplo, "LlUu"},       {"side", &side, "LlRr"},       {"trans", &trans, "NnTtCc"},
    {"transa", &transa, "NnTtCc"}, {"transb", &transb, "NnTtCc"}, {"adjoint", &adjoint, "NnTtCc"},
    {"diag", &diag, "NnUu"},       {"norm", &norm, "1OoIi"},
};

static const struct letter *letter_of(const char *text)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (is_word(text, letters[i].name))
            return &letters[i];
    return NULL;
}

/* -- wrong arguments ------------------------------------------------------------------------- */

static int64_t wrong_number(int64_t least)
{
    const int64_t numbers[] = {least - 1, -1, 0, -7, INT64_MIN, (int64_t)1 << 31};
    return numbers[draw(6)];
}

/* Replaces the addresses of an operand by NULL, or pivots, or the order of tiles in tb[0], by wrong
 * ones. */
static void spoil_operand(const struct call *call, struct operand *o)
{
    int q = (int)draw(count > 0 ? count : 1);
    bool is_tb = o == &operands[TB],
         is_checked = is_tb || o == &operands[IPIV] || o == &operands[IPIV2];
    bool is_read_array = is_checked && o->mode == '=' && o->memory != NULL && o->rows[0] > 0;
    if (is_read_array && draw_one_of(2)) {
        if (is_tb)
            memset(o->memory, 0, o->element);
        else
            ((int64_t *)o->memory)[draw(o->rows[0])] = draw_one_of(2) ? 0 : o->rows[0] + 1;
        memcpy(o->before, o->all, o->bytes);
        o->has_wrong_values = true;
    } else if (call->form >= POINTERS && draw_one_of(2)) {
        o->each[q] = NULL;
    } else {
        o->memory = o->each_argument = NULL;
    }
}

/* Makes the argument wrong, which the text begins with. */
static void spoil(const struct call *call, const char *text)
{
    int q = call->form == SIZES ? (int)draw(MOST_MATRICES) : 0;
    const struct letter *letter = letter_of(text);
    int64_t *size = size_of(text);
    bool is_ld = strncmp(text, "ld", 2) == 0, is_stride = strncmp(text, "stride", 6) == 0;
    struct operand *o = operand_of(text + (is_ld ? 2 : is_stride ? 6 : 0));
    if (letter != NULL)
        *letter->value = "XQ\0*"[draw(4)];
    else if (size != NULL)
        size[q] = draw_one_of(4) ? INT64_MIN : -1 - draw(3);
    else if (is_ld)
        o->ld[q] = wrong_number(o->rows[q]);
    else if (is_stride)
        o->stride = wrong_number(o->rows[0]);
    else if (o != NULL)
        spoil_operand(call, o);
    else if (is_word(text, "anorm"))
        anorm = draw_one_of(2) ? NAN : -1;
    else if (is_word(text, "itype"))
        itype = draw_one_of(2) ? 0 : 4;
    else if (is_word(text, "ltb")) {                      /* −1: a query in sytrf_aa */
        bool is_order = n[0] > 0 && n[0] < INT64_MAX / 4; /* n may be wrong, too */
        int64_t number = wrong_number(is_order ? 4 * n[0] : 0);
        ltb = number < ltb ? number : ltb;
    } else if (is_word(text, "count"))
        count = draw_one_of(2) ? INT64_MIN : -1;
}

/* -- the first wrong argument ---------------------------------------------------------------- */

static bool is_beyond_limit(const struct call *call, char name, int q)
{
    const char *t = call->shapes;
    for (; (t = strpbrk(t, "<>")) != NULL; t++) {
        int64_t size = name == 'k' ? k[q] : n[q], limit = dimension(t[1], q);
        if (t[-1] == name && (*t == '<' ? size > limit : size < limit))
            return true;
    }
    return false;
}

static bool is_wrong_size(const struct call *call, const char *text, const int64_t *size)
{
    int64_t sizes = call->form == SIZES ? count : 1;
    for (int q = 0; q < sizes; q++)
        if (size[q] < 0 || is_beyond_limit(call, *text, q))
            return true;
    return false;
}

static bool is_wrong_address(const struct call *call, const struct operand *o)
{
    bool is_number = o == &operands[SIGN] || o == &operands[LOGABSDET] || o == &operands[ITER];
    bool is_needed_always = o == &operands[RCOND] || (is_number && call->form == SINGLE);
    bool is_array = o == &operands[INFO] || o == &operands[RESULT] || is_number; /* in all forms */
    bool is_none = call->form >= POINTERS ? o->each_argument == NULL : o->memory == NULL;
    if (is_needed_always || is_array)
        return o->memory == NULL && (is_needed_always || count > 0);
    if (o->mode == '?' && is_none)
        return false;
    for (int q = 0; q < count; q++)
        if (dimension(o->row_letter, q) > 0 && dimension(o->column_letter, q) > 0 &&
            (is_none || (call->form >= POINTERS && o->each[q] == NULL)))
            return true;
    return false;
}

static bool is_wrong_ld(const struct call *call, const struct operand *o)
{
    int64_t lds = call->form == SIZES ? count : 1;
    for (int q = 0; q < lds; q++) {
        int64_t rows = dimension(o->row_letter, q);
        if (o->ld[q] < (rows > 1 ? rows : 1) || o->ld[q] > INT_MAX)
            return true;
    }
    return false;
}

static bool is_wrong_stride(const struct operand *o)
{
    int64_t rows = dimension(o->row_letter, 0), columns = dimension(o->column_letter, 0);
    bool is_unused =
        count < 2 || rows == 0 || columns == 0 || (o->mode == '?' && o->memory == NULL);
    if (is_unused || (o->stride == 0 && o->mode != '+'))
        return false;
    return o->stride < (columns - 1) * o->ld[0] + rows || o->stride > INT_MAX;
}

static bool is_wrong(const struct call *call, startile_dtype dtype, const char *text)
{
    const struct letter *letter = letter_of(text);
    const int64_t *size = size_of(text);
    bool is_ld = strncmp(text, "ld", 2) == 0, is_stride = strncmp(text, "stride", 6) == 0;
    const struct operand *o = operand_of(text + (is_ld ? 2 : is_stride ? 6 : 0));
    const char *adjoint_letters = dtype < STARTILE_C ? "NnTt" : "NnCc";
    if (letter != NULL)
        return !is_letter(*letter->value,
                          letter->value == &adjoint ? adjoint_letters : letter->right);
    if (size != NULL)
        return is_wrong_size(call, text, size);
    if (o != NULL)
        return is_ld       ? is_wrong_ld(call, o)
               : is_stride ? is_wrong_stride(o)
                           : is_wrong_address(call, o);
    if (is_word(text, "anorm"))
        return !(anorm >= 0);
    if (is_word(text, "itype"))
        return itype < 1 || itype > 3;
    if (is_word(text, "ltb")) /* at least for tiles of order 1 */
        return n[0] > 0 && ltb < 4 * n[0] && !(ltb == -1 && strstr(call->name, "trf_aa") != NULL);
    return is_word(text, "count") && count < 0;
}

int draw_arguments(const struct call *call, startile_dtype dtype)
{
    const char *argument[20];
    int arguments = 0;
    draw_right(call, dtype);
    for (const char *t = call->arguments; t != NULL; t = strstr(t, ", ")) {
        t += arguments > 0 ? 2 : 0;
        argument[arguments++] = t;
    }
    for (int64_t spoiled = draw_one_of(3) ? 1 + draw(3) : 0; spoiled > 0; spoiled--)
        spoil(call, argument[draw(arguments)]);
    for (int i = 0; i < arguments; i++)
        if (is_wrong(call, dtype, argument[i]))
            return i + 1;
    /* the values of pivots and of tb[0] are checked last, and only if the call computes something
     */
    bool is_empty = n[0] == 0 || (strstr(call->arguments, "nrhs") != NULL && nrhs[0] == 0);
    for (int i = 0; i < arguments && !is_empty; i++) {
        const struct operand *o = operand_of(argument[i]);
        if (o != NULL && o->has_wrong_values)
            return i + 1;
    }
    return 0;
}
