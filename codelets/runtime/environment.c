#include "runtime/environment.h"

#include "codelets.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The message about the last malformed value. Only the start of the library and
 * environment_tile_width() write it. */
static char fault[128] = "an environment variable has a malformed value";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int environment_refuse(const char *message)
{
    pthread_mutex_lock(&mutex);
    if (strcmp(fault, message) != 0)
        snprintf(fault, sizeof fault, "%s", message);
    pthread_mutex_unlock(&mutex);
    return STARTILE_ERROR_ENVIRONMENT;
}

const char *environment_fault(void)
{
    return fault;
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
    char *end;
    *nb = 0;
    if (value == NULL || value[0] == '\0')
        return 0;
    long long width = strtoll(value, &end, 10);
    if (*end != '\0' || width < 1 || width > INT32_MAX)
        return environment_refuse("STARTILE_NB must be a tile width from 1 to 2147483647");
    *nb = width;
    return 0;
}

int environment_read(struct environment *e)
{
    static const char *const implementations[] = {
        [STARTILE_AUTO] = "auto", [STARTILE_OWN] = "own", [STARTILE_VENDOR] = "vendor"};
    static const char *const switches[] = {"0", "1"}, *const levels[] = {"0", "1", "2"};
    int64_t nb;
    int implementation = choice("STARTILE_IMPLEMENTATION", implementations, 3);
    int tensor_single = choice("STARTILE_TENSOR_SINGLE", switches, 2);
    int emulated_double = choice("STARTILE_EMULATED_DOUBLE", switches, 2);
    if (implementation < 0)
        return environment_refuse("STARTILE_IMPLEMENTATION must be auto, own or vendor");
    if (tensor_single < 0)
        return environment_refuse("STARTILE_TENSOR_SINGLE must be 0 or 1");
    int verify = choice("STARTILE_VERIFY", levels, 3);
    if (verify < 0)
        return environment_refuse("STARTILE_VERIFY must be 0, 1 or 2");
    e->verify = verify;
    if (emulated_double < 0)
        return environment_refuse("STARTILE_EMULATED_DOUBLE must be 0 or 1");
    int reproducible = choice("STARTILE_REPRODUCIBLE", switches, 2);
    if (reproducible < 0)
        return environment_refuse("STARTILE_REPRODUCIBLE must be 0 or 1");
    e->reproducible = reproducible == 1;
    e->implementation = (startile_implementation)implementation;
    e->tensor_single = tensor_single == 1;
    e->emulated_double = emulated_double == 1;
    return environment_tile_width(&nb);
}
