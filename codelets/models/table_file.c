/* Reads text tables in a machine's folder; a line that begins with '#' is a comment. */
#include "models/model.h"

#include <stdio.h>
#include <string.h>

bool table_file_read(const char *folder, const char *name, table_line *take, void *data)
{
    char path[4096], text[256];
    bool is_good = true;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return true;
    while (is_good && fgets(text, sizeof text, f) != NULL) {
        size_t blank = strspn(text, " \t\r\n");
        is_good = text[blank] == '\0' || text[blank] == '#' || take(data, text);
    }
    fclose(f);
    return is_good;
}
