/*
 * Writes Matrix Market files.
 */
#include "command.h"
#include "matrix_market.h"
#include "scalar.h"

#include <complex.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Refuses links and devices, because mm_write() replaces the file instead of writing into it. */
bool mm_can_write(const char *path)
{
    struct stat status;
    char folder[PATH_MAX];
    bool exists = !lstat(path, &status);
    int length = snprintf(folder, sizeof folder, "%s", path);
    const char *failure = length >= PATH_MAX                          ? strerror(ENAMETOOLONG)
                          : exists && S_ISDIR(status.st_mode)         ? strerror(EISDIR)
                          : exists && !S_ISREG(status.st_mode)        ? "not a regular file"
                          : access(dirname(folder), W_OK | X_OK) != 0 ? strerror(errno)
                                                                      : NULL;
    if (failure)
        report("%s: %s", path, failure);
    return !failure;
}

bool mm_print(FILE *out, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a)
{
    bool is_complex = dtype_is_complex(dtype);
    fprintf(out, "%%%%MatrixMarket matrix array %s general\n%% %s\n%" PRId64 " %" PRId64 "\n",
            is_complex ? "complex" : "real", comment, m, n);
    for (size_t i = 0; i < (size_t)m * (size_t)n && !ferror(out); i++) {
        double _Complex value = element_get(dtype, a, i);
        fprintf(out, "%.17g", creal(value));
        if (is_complex)
            fprintf(out, " %.17g", cimag(value));
        putc('\n', out);
    }
    return !fflush(out) && !ferror(out);
}

/* Gives a file from mkstemp() the permissions of an ordinary new file; mkstemp() allows only its
 * owner to read it. */
static void use_umask(int descriptor)
{
    mode_t mask = umask(0);
    umask(mask);
    (void)!fchmod(descriptor, 0666 & ~mask); /* on failure the file stays readable for its owner */
}

bool mm_write(const char *path, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a)
{
    char temporary[PATH_MAX + 8];
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool good = out != NULL;
    if (good) {
        use_umask(descriptor);
        good = mm_print(out, comment, dtype, m, n, a) && !fsync(descriptor);
        good = !fclose(out) && good;
        good = good && !rename(temporary, path);
    }
    if (!good) {
        report("%s: %s", path, strerror(errno));
        if (descriptor >= 0)
            unlink(temporary);
    }
    return good;
}
