/* The manifest of a machine's folder, and the path of the user's folders. */
#include "models/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_value(char *to, size_t size, const char *value)
{
    snprintf(to, size, "%s", value);
}

/* Stores the value of a line "key: value", if the key is known. Modifies the line. */
static void store_value(struct manifest *m, char *line)
{
    char *value = strstr(line, ": "), *key = line;
    if (value == NULL)
        return;
    *value = '\0';
    value += 2;
    value[strcspn(value, "\r\n")] = '\0';
    if (strcmp(key, "machine") == 0)
        copy_value(m->machine, sizeof m->machine, value);
    else if (strcmp(key, "cpu") == 0)
        copy_value(m->cpu, sizeof m->cpu, value);
    else if (strcmp(key, "gpu") == 0)
        copy_value(m->gpu, sizeof m->gpu, value);
    else if (strcmp(key, "date") == 0)
        copy_value(m->date, sizeof m->date, value);
    else if (strcmp(key, "cores") == 0)
        m->cores = (int)strtol(value, NULL, 10);
    else if (strcmp(key, "format") == 0)
        m->format = (int)strtol(value, NULL, 10);
}

bool manifest_read(const char *folder, struct manifest *m)
{
    char path[4096], *line = NULL;
    size_t capacity = 0;
    *m = (struct manifest){.format = -1};
    snprintf(path, sizeof path, "%s/manifest", folder);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return false;
    while (getline(&line, &capacity, f) >= 0)
        store_value(m, line);
    free(line);
    fclose(f);
    bool is_name = m->machine[0] != '\0' && strchr(m->machine, '/') == NULL;
    return is_name && m->format >= 0 && (m->cpu[0] != '\0' || m->gpu[0] != '\0');
}

bool models_user_root(char *root, size_t size)
{
    const char *data_dir = getenv("XDG_DATA_HOME"), *home_dir = getenv("HOME");
    int length = (int)size;
    if (data_dir != NULL && data_dir[0] != '\0')
        length = snprintf(root, size, "%s/startile/models", data_dir);
    else if (home_dir != NULL && home_dir[0] != '\0')
        length = snprintf(root, size, "%s/.local/share/startile/models", home_dir);
    return length < (int)size;
}
