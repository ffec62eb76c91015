/* Scales the colors of codelets in a Paje trace from 0 … 255 to 0 … 1 (StarPU quirk 30). */
#define _GNU_SOURCE
#include "runtime/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the color in a line that defines a state: three numbers in quotes at its end; or NULL. */
static char *find_color(char *line)
{
    if (line[0] != '6')
        return NULL;
    char *closing = strrchr(line, '"');
    char *opening = closing == NULL ? NULL : memrchr(line, '"', (size_t)(closing - line));
    return opening;
}

/* Scales the color in place and pads it with blanks. Returns whether the line changed. */
static bool scale(char *line)
{
    double part[3];
    char *color = find_color(line), scaled[64];
    if (color == NULL || sscanf(color, "\"%lf %lf %lf\"", &part[0], &part[1], &part[2]) != 3 ||
        (part[0] <= 1 && part[1] <= 1 && part[2] <= 1))
        return false;
    size_t available = strcspn(color, "\n");
    int length = snprintf(scaled, sizeof scaled, "\"%.4f %.4f %.4f\"", part[0] / 255, part[1] / 255,
                          part[2] / 255);
    if (length < 0 || (size_t)length > available)
        return false;
    memset(color, ' ', available);
    memcpy(color, scaled, (size_t)length);
    return true;
}

void trace_scale_colors(const char *folder)
{
    char *path, *line = NULL;
    size_t capacity = 0;
    if (asprintf(&path, "%s/paje.trace", folder) < 0)
        return;
    FILE *trace = fopen(path, "r+");
    free(path);
    if (trace == NULL)
        return;
    for (ssize_t length; (length = getline(&line, &capacity, trace)) > 0;)
        if (scale(line)) {
            fseeko(trace, -length, SEEK_CUR);
            fwrite(line, 1, (size_t)length, trace);
            fseeko(trace, 0, SEEK_CUR);
        }
    free(line);
    fclose(trace);
}
