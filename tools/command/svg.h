/* Writes pictures as SVG: Gantt charts, and charts of `startile plot`. Coordinates
 * are integers in hundredths of a pixel, which no locale writes with a comma. */
#ifndef STARTILE_SVG_H
#define STARTILE_SVG_H

#include <stdbool.h>
#include <stdio.h>

enum { SVG_PX = 100 };

/* good: all has been written so far */
struct svg {
    FILE *file;
    bool good;
};

__attribute__((format(printf, 2, 3))) void svg_put(struct svg *s, const char *format, ...);
/* Writes text with XML's entities; other bytes than printable ASCII become '?'. */
void svg_put_escaped(struct svg *s, const char *text);
/* Writes a line of text; the anchor is start, middle or end. */
void svg_put_text(struct svg *s, int x, int y, const char *anchor, const char *text);

/* Returns the distance between the ticks of an axis: 1, 2 or 5 times a power of ten, so that it
 * fits at most ten times in `span`. */
double svg_step(double span);

#endif
