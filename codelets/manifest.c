/* Reading the manifest of a machine's folder */
#include "manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(char *to, size_t size, const char *value)
{
    snprintf(to, size, "%s", value);
}

static void take(struct manifest *m, const char *key, const char *value)
{
    if (strcmp(key, "machine") == 0)
        keep(m->machine, sizeof m->machine, value);
    else if (strcmp(key, "cpu") == 0)
        keep(m->cpu, sizeof m->cpu, value);
    else if (strcmp(key, "gpu") == 0)
        keep(m->gpu, sizeof m->gpu, value);
    else if (strcmp(key, "date") == 0)
        keep(m->date, sizeof m->date, value);
    else if (strcmp(key, "cores") == 0)
        m->cores = (int)strtol(value, NULL, 10);
    else if (strcmp(key, "format") == 0)
        m->format = (int)strtol(value, NULL, 10);
}

bool manifest_read(const char *folder, struct manifest *m)
{
    char path[4096], line[512];
    *m = (struct manifest){.format = -1};
    snprintf(path, sizeof path, "%s/manifest", folder);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    while (fgets(line, sizeof line, f) != NULL) {
        char *colon = strstr(line, ": ");
        line[strcspn(line, "\r\n")] = '\0';
        if (colon == NULL)
            continue;
        *colon = '\0';
        take(m, line, colon + 2);
    }
    fclose(f);
    bool is_name = m->machine[0] != '\0' && strchr(m->machine, '/') == NULL;
    return is_name && m->format >= 0 && (m->cpu[0] != '\0' || m->gpu[0] != '\0');
}
