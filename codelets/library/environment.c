#include "library/environment.h"

#include "library/error_text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuses the variable's value, which must be as `wanted` says. Returns the error. */
static int refuse(const char *name, const char *wanted)
{
    return explain(STARTILE_ERROR_ENVIRONMENT, "%s must be %s, not '%.200s'", name, wanted,
                   getenv(name));
}

/* Returns the index of the variable's value in `values`, 0 if the variable is unset or empty, −1
 * for any other value. */
static int choice(const char *name, const char *const values[], int count)
{
    const char *value = getenv(name);
    if (value == NULL || value[0] == '\0')
        return 0;
    for (int i = 0; i < count; i++)
        if (strcmp(value, values[i]) == 0)
            return i;
    return -1;
}

int environment_tile_width(int64_t *nb)
{
    const char *value = getenv("STARTILE_NB");
    *nb = 0;
    if (value == NULL || value[0] == '\0')
        return 0;
    long long width = strtoll(value, NULL, 10);
    if (value[strspn(value, "0123456789")] != '\0' || width < 1 || width > INT32_MAX)
        return refuse("STARTILE_NB", "a tile width from 1 to 2147483647");
    *nb = width;
    return 0;
}

int environment_read(struct environment *e)
{
    static const char *const implementations[] = {[STARTILE_IMPLEMENTATION_AUTO] = "auto",
                                                  [STARTILE_IMPLEMENTATION_OWN] = "own",
                                                  [STARTILE_IMPLEMENTATION_VENDOR] = "vendor"};
    static const char *const switches[] = {"0", "1"}, *const levels[] = {"0", "1", "2"};
    int64_t nb;
    int implementation = choice("STARTILE_IMPLEMENTATION", implementations, 3);
    int plain_single = choice("STARTILE_PLAIN_SINGLE", switches, 2);
    int emulated_double = choice("STARTILE_EMULATED_DOUBLE", switches, 2);
    if (implementation < 0)
        return refuse("STARTILE_IMPLEMENTATION", "auto, own or vendor");
    if (plain_single < 0)
        return refuse("STARTILE_PLAIN_SINGLE", "0 or 1");
    int verify = choice("STARTILE_VERIFY", levels, 3);
    if (verify < 0)
        return refuse("STARTILE_VERIFY", "0, 1 or 2");
    e->verify = verify;
    if (emulated_double < 0)
        return refuse("STARTILE_EMULATED_DOUBLE", "0 or 1");
    int reproducible = choice("STARTILE_REPRODUCIBLE", switches, 2);
    if (reproducible < 0)
        return refuse("STARTILE_REPRODUCIBLE", "0 or 1");
    e->reproducible = reproducible == 1;
    e->implementation = (startile_implementation)implementation;
    e->plain_single = plain_single == 1;
    e->emulated_double = emulated_double == 1;
    return environment_tile_width(&nb);
}
