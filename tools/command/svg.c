/* Writes pictures as SVG. */
#define _GNU_SOURCE
#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void svg_put(struct svg *s, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    s->good = s->good && length >= 0 && fwrite(text, 1, (size_t)length, s->file) == (size_t)length;
    if (length >= 0)
        free(text);
}

void svg_put_escaped(struct svg *s, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            svg_put(s, "&amp;");
            break;
        case '<':
            svg_put(s, "&lt;");
            break;
        case '"':
            svg_put(s, "&quot;");
            break;
        default:
            svg_put(s, "%c", *text >= ' ' && *text <= '~' ? *text : '?');
        }
}

void svg_put_text(struct svg *s, int x, int y, const char *anchor, const char *text)
{
    svg_put(s, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
    svg_put_escaped(s, text);
    svg_put(s, "</text>\n");
}

double svg_step(double span)
{
    double power = pow(10, floor(log10(span / 10)));
    double multiple = span / 10 / power;
    return power * (multiple <= 1 ? 1 : multiple <= 2 ? 2 : multiple <= 5 ? 5 : 10);
}
