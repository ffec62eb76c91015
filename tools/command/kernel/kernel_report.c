/*
 * Fields of the report of `startile bench kernel`.
 */
#include "kernel.h"

#define AT(member) offsetof(struct kernel_row, member)
#define NUMBER(name, member, meaning, ...)                                                         \
    {                                                                                              \
        name, REPORT_NUMBER, AT(member), meaning, 0, __VA_ARGS__                                   \
    }

/* clang-format off */
const struct report_field kernel_fields[] = {
    {NULL, REPORT_CHARS, AT(name), NULL, 0, -13, "kernel", ""},
    {"kernel", REPORT_TEXT, AT(kernel_name), "its name", 0, 0, NULL, NULL},
    {"precision", REPORT_LETTER, AT(precision), "s, d, c or z", 0, 4, "prec", NULL},
    {"implementation", REPORT_TEXT, AT(implementation), "as given", 0, -6, "impl", NULL},
    {"transa", REPORT_LETTER, AT(shape.transa), "op(A) of a product", 0, 0, NULL, NULL},
    {"transb", REPORT_LETTER, AT(shape.transb), "op(B) of a product", 0, 0, NULL, NULL},
    {"m", REPORT_SIZE, AT(m), "rows", 0, 6, NULL, NULL},
    {"n", REPORT_SIZE, AT(n), "columns, or order", 0, 6, NULL, NULL},
    {"k", REPORT_SIZE, AT(k), "inner dimension, interchanges or reflectors", 0, 6, NULL, NULL},
    {"pieces", REPORT_SIZE, AT(pieces), "members of a group", 0, 4, "p", NULL},
    NUMBER(NULL, microseconds, NULL, 10, "us", "%.1f"),
    NUMBER(NULL, rate_in_unit, NULL, 9, "rate", "%.4g"),
    {NULL, REPORT_TEXT, AT(unit), NULL, 0, -7, "unit", NULL},
    NUMBER(NULL, peer_rate_in_unit, NULL, 9, "peer", "%.4g"),
    {"unit", REPORT_TEXT, AT(csv_unit), "of the rates", 0, 0, NULL, NULL},
    {"peer", REPORT_TEXT, AT(peer), "the peer's routine", 0, 0, NULL, NULL},
    NUMBER("seconds", seconds, "median time", 0, NULL, NULL),
    NUMBER("seconds_min", seconds_min, "fastest run", 0, NULL, NULL),
    NUMBER("seconds_max", seconds_max, "slowest run", 0, NULL, NULL),
    NUMBER("rate", rate,
           "operations (LAPACK Working Note 41) or useful\n"
           "                            bytes by time; an inverse counts as many as its\n"
           "                            factor; the peer of a product with a triangle is\n"
           "                            the triangular solve", 0, NULL, NULL),
    NUMBER("peer_rate", peer_rate, "the same of the peer", 0, NULL, NULL),
    NUMBER("ratio", ratio, "rate / peer_rate", 6, NULL, "%.3f"),
    NUMBER("difference", difference,
           "Frobenius norm of the result minus the peer's, by\n"
           "                            the norm of the peer's, the largest size and the\n"
           "                            unit roundoff; none where the peer leaves another\n"
           "                            result", 10, "difference", "%.2e"),
    {"status", REPORT_CHARS, AT(status),
     "ok; none: where a split would be own; FAIL: and a\n"
     "                            difference of 30 or more, or info; error: and why", 0, -1,
     " status", "  "},
    {.name = NULL},
};
/* clang-format on */

void kernel_row_complete(struct kernel_row *row, const struct kernel *k, const struct shape *s)
{
    const bool moves = kernel_has_flag(k, 'm');
    const double unit = moves ? 1e9 : 1e12;
    row->kernel_name = k->name;
    row->shape = *s;
    row->precision = dtype_letter(s->dtype);
    row->m = kernel_has_size(k, 'm') ? s->size.m : 0;
    row->n = kernel_has_size(k, 'n') ? s->size.n : 0;
    row->k = kernel_has_size(k, 'k') ? s->size.k : 0;
    row->pieces = kernel_has_size(k, 'p') ? s->pieces : 0;
    row->unit = moves ? "GB/s" : "TFlop/s";
    row->csv_unit = moves ? "bytes/s" : "operations/s";
    row->microseconds = 1e6 * row->seconds;
    row->rate_in_unit = row->rate / unit;
    row->peer_rate_in_unit = row->peer_rate / unit;
    snprintf(row->name, sizeof row->name, kernel_has_size(k, 'a') ? "%s %c%c" : "%s", k->name,
             s->transa, s->transb);
}
