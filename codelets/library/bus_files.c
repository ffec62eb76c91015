/* StarPU's measurements of the machine's transfers: the files HOST.config, HOST.latency and others
 * in the folder bus. StarPU 1.4 ends the program if one of them is damaged or cannot be read, or
 * cannot be written when the machine has changed (StarPU quirk 53). */
#include "library/start.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KINDS = 6, CONFIG = 0, AFFINITY = 1 };
static const char *const kinds[KINDS] = {
    [CONFIG] = "config", [AFFINITY] = "affinity", "latency",
    "bandwidth",         "platform.xml",          "platform.v4.xml",
};

void bus_files_host(char *host, size_t size)
{
    const char *names = getenv("STARPU_MPI_HOSTNAMES"), *name = getenv("STARPU_HOSTNAME");
    if (names != NULL && names[0] != '\0') {
        names += strspn(names, " ");
        snprintf(host, size, "%.*s", (int)strcspn(names, " "), names);
    } else if (name != NULL && name[0] != '\0') {
        snprintf(host, size, "%s", name);
    } else {
        gethostname(host, size - 1);
        host[size - 1] = '\0';
        host[strcspn(host, ".")] = '\0';
    }
}

static bool name_file(char path[STARPU_PATH], const char *folder, const char *host, int kind)
{
    return snprintf(path, STARPU_PATH, "%s/%s.%s", folder, host, kinds[kind]) < STARPU_PATH;
}

bool bus_files_exist(const char *folder, const char *host)
{
    char path[STARPU_PATH];
    return name_file(path, folder, host, CONFIG) && access(path, F_OK) == 0;
}

/* -- contents -------------------------------------------------------------------------------- */

/* Returns the number of unsigned integers in the line. */
static int count_integers(const char *line, const char *end)
{
    int count = 0;
    while (line < end) {
        size_t blanks = strspn(line, " \t"), digits = strspn(line + blanks, "0123456789");
        if (digits == 0)
            return line + blanks == end ? count : -1;
        line += blanks + digits;
        count++;
    }
    return count;
}

/* Returns whether the text is a table of the NUMA nodes near each GPU: a header, and for GPU g the
 * line "g n0 n1 …" with as many nodes as in the header. StarPU numbers the GPUs of each kind from
 * 0. */
static bool is_affinity(const char *text)
{
    static const char header[] = "# GPU\tNUMA";
    int nodes = 0;
    if (strncmp(text, header, sizeof header - 1) != 0)
        return false;
    const char *end = strchr(text, '\n');
    for (const char *c = text; c < end; c++)
        nodes += strncmp(c, "NUMA", 4) == 0;
    for (long gpu = 0; end[1] != '\0'; gpu++) {
        const char *line = end + 1;
        long number = strtol(line, NULL, 10);
        end = strchr(line, '\n');
        if ((number != gpu && number != 0) || count_integers(line, end) != nodes + 1)
            return false;
        gpu = number;
    }
    return true;
}

/* Returns whether the text is a comment and lines that begin with a number. */
static bool is_config(const char *text)
{
    while (*text == '#' && strchr(text, '\n') != NULL)
        text = strchr(text, '\n') + 1;
    return *text >= '0' && *text <= '9';
}

/* Returns false for a text at which StarPU would end the program. A text that ends within a line
 * was written to a full disk. */
static bool is_usable(int kind, const char *text, size_t length)
{
    if (length == 0 || strlen(text) != length || text[length - 1] != '\n')
        return false;
    return kind == CONFIG ? is_config(text) : kind == AFFINITY ? is_affinity(text) : true;
}

/* -- files ----------------------------------------------------------------------------------- */

/* Reads the file, of at most 1 MiB, and returns whether StarPU can use it. Takes StarPU's lock,
 * which another process has while it rewrites the file. */
static bool is_usable_file(int fd, int kind)
{
    enum { MOST = 1 << 20 };
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    struct stat s;
    fcntl(fd, F_SETLKW, &lock);
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size > MOST)
        return false;
    char *text = malloc((size_t)s.st_size + 1);
    ssize_t length = text != NULL ? read(fd, text, (size_t)s.st_size) : -1;
    if (length >= 0)
        text[length] = '\0';
    bool result = length >= 0 && is_usable(kind, text, (size_t)length);
    free(text);
    return result;
}

enum state { MISSING, DAMAGED, COMPLETE };

static enum state state_of(const char *folder, const char *host, int kind, bool to_write)
{
    char path[STARPU_PATH];
    struct stat s;
    if (!name_file(path, folder, host, kind) || lstat(path, &s) != 0)
        return MISSING;
    int fd = open(path, (to_write ? O_RDWR | O_APPEND : O_RDONLY) | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return DAMAGED;
    bool usable = is_usable_file(fd, kind);
    close(fd);
    return usable ? COMPLETE : DAMAGED;
}

bool bus_files_are_complete(const char *folder, const char *host, bool to_write)
{
    for (int k = 0; k < KINDS; k++)
        if (state_of(folder, host, k, to_write) != COMPLETE)
            return false;
    return true;
}

/* Removes all of them, because StarPU measures the machine once for all its files. */
void bus_files_remove_damaged(const char *folder, const char *host)
{
    char path[STARPU_PATH];
    bool is_damaged = false;
    for (int k = 0; k < KINDS; k++)
        is_damaged = state_of(folder, host, k, true) == DAMAGED || is_damaged;
    if (!is_damaged)
        return;
    for (int k = 0; k < KINDS; k++)
        if (name_file(path, folder, host, k))
            remove(path);
}
