/* about.txt in a trace's folder: the title of its picture. */
#define _GNU_SOURCE
#include "models/model.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 512 };

/* Stores the command line of this process, without the folder of the program. */
static void find_program(char *text, size_t size)
{
    char arguments[LINE];
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t length = f == NULL ? 0 : fread(arguments, 1, sizeof arguments - 1, f);
    if (f != NULL)
        fclose(f);
    arguments[length] = '\0';
    const char *slash = strrchr(arguments, '/');
    size_t first = slash == NULL ? 0 : (size_t)(slash + 1 - arguments);
    for (size_t i = 0; i + 1 < length; i++)
        if (arguments[i] == '\0' || arguments[i] == '\n')
            arguments[i] = ' ';
    snprintf(text, size, "%s", arguments + first);
}

/* Stores the processors without family and model, the host's name and the time. */
static void find_machine(char *text, size_t size, bool has_cuda)
{
    struct machine m;
    char host[64] = "", now[32];
    struct tm local;
    machine_find(&m, true, has_cuda);
    (void)gethostname(host, sizeof host - 1);
    time_t time_now = time(NULL);
    if (localtime_r(&time_now, &local) == NULL ||
        strftime(now, sizeof now, "%Y-%m-%d %H:%M", &local) == 0)
        now[0] = '\0';
    char *family = strstr(m.cpu, " (family");
    if (family != NULL)
        *family = '\0';
    snprintf(text, size, "%s, %s, %d cores%s%s, %s", host, m.cpu, m.cores,
             m.gpu[0] != '\0' ? ", " : "", m.gpu, now);
}

void trace_write_about(const char *folder, bool has_cuda)
{
    char program[LINE], machine[LINE], *path;
    if (asprintf(&path, "%s/about.txt", folder) < 0)
        return;
    FILE *out = fopen(path, "w");
    free(path);
    if (out == NULL)
        return;
    find_program(program, sizeof program);
    find_machine(machine, sizeof machine, has_cuda);
    fwrite(program, 1, strlen(program), out);
    fwrite("\n", 1, 1, out);
    fwrite(machine, 1, strlen(machine), out);
    fwrite("\n", 1, 1, out);
    fclose(out);
}
