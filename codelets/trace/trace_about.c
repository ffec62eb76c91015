/* about.txt in a trace's folder: the title of its picture. */
#define _GNU_SOURCE
#include "models/model.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

FILE *trace_open(const char *folder, const char *name, const char *mode)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    FILE *file = fopen(path, mode);
    free(path);
    return file;
}

static void format_time(time_t when, char *text, size_t size)
{
    struct tm local;
    if (localtime_r(&when, &local) == NULL || strftime(text, size, "%Y-%m-%d %H:%M", &local) == 0)
        text[0] = '\0';
}

/* Stores the command line of this process, without the folder of the program. */
static void find_program(char *text, size_t size)
{
    char arguments[ABOUT_LINE];
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
    machine_find(&m, true, has_cuda);
    (void)gethostname(host, sizeof host - 1);
    format_time(time(NULL), now, sizeof now);
    char *family = strstr(m.cpu, " (family");
    if (family != NULL)
        *family = '\0';
    snprintf(text, size, "%s, %s, %d cores%s%s, %s", host, m.cpu, m.cores,
             m.gpu[0] != '\0' ? ", " : "", m.gpu, now);
}

void trace_write_about(const char *folder, bool has_cuda)
{
    struct trace_about about;
    FILE *out = trace_open(folder, "about.txt", "w");
    if (out == NULL)
        return;
    find_program(about.program, sizeof about.program);
    find_machine(about.machine, sizeof about.machine, has_cuda);
    fwrite(about.program, 1, strlen(about.program), out);
    fwrite("\n", 1, 1, out);
    fwrite(about.machine, 1, strlen(about.machine), out);
    fwrite("\n", 1, 1, out);
    fclose(out);
}

/* Stores the folder's name and the time of its trace. */
static void use_folder(const char *folder, struct trace_about *about)
{
    struct stat status;
    FILE *trace = trace_open(folder, "paje.trace", "r");
    snprintf(about->program, sizeof about->program, "%s", folder);
    if (trace != NULL && fstat(fileno(trace), &status) == 0)
        format_time(status.st_mtime, about->machine, sizeof about->machine);
    if (trace != NULL)
        fclose(trace);
}

void trace_read_about(const char *folder, struct trace_about *about)
{
    FILE *in = trace_open(folder, "about.txt", "r");
    *about = (struct trace_about){"", ""};
    if (in == NULL || fgets(about->program, sizeof about->program, in) == NULL)
        use_folder(folder, about);
    else if (fgets(about->machine, sizeof about->machine, in) == NULL)
        about->machine[0] = '\0';
    if (in != NULL)
        fclose(in);
    about->program[strcspn(about->program, "\n")] = '\0';
    about->machine[strcspn(about->machine, "\n")] = '\0';
}
