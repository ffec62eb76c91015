/*
 * Matrix Market files: writing.
 */
#include "command.h"
#include "matrix_market.h"
#include "scalar.h"

#include <complex.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool mm_can_write(const char *path)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    /* the file is replaced, not written into: a link or a device must not be */
    bool exists = !lstat(path, &status);
    if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
        report("%s: not a regular file", path);
        free(folder);
        return false;
    }
    int failure = !folder                             ? ENOMEM
                  : exists && S_ISDIR(status.st_mode) ? EISDIR
                  : access(folder, W_OK | X_OK)       ? errno
                                                      : 0;
    free(folder);
    if (failure)
        report("%s: %s", path, strerror(failure));
    return !failure;
}

static bool write_elements(FILE *out, startile_dtype dtype, size_t count, const void *a)
{
    for (size_t i = 0; i < count; i++) {
        double _Complex value = element_get(dtype, a, i);
        int done = dtype_is_complex(dtype)
                       ? fprintf(out, "%.17g %.17g\n", creal(value), cimag(value))
                       : fprintf(out, "%.17g\n", creal(value));
        if (done < 0)
            return false;
    }
    return true;
}

static bool write_all(FILE *out, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
                      const void *a)
{
    fprintf(out, "%%%%MatrixMarket matrix array %s general\n%% %s\n%lld %lld\n",
            dtype_is_complex(dtype) ? "complex" : "real", comment, (long long)m, (long long)n);
    return write_elements(out, dtype, (size_t)m * (size_t)n, a) && !fflush(out) && !ferror(out) &&
           !fsync(fileno(out));
}

/* mkstemp() makes files that only their owner can read; others are made as the umask says. */
static void usual_permissions(int descriptor)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, 0666 & ~mask))
        errno = 0; /* the file is still the owner's */
}

bool mm_write(const char *path, const char *comment, startile_dtype dtype, int64_t m, int64_t n,
              const void *a)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(size);
    if (!temporary) {
        report("%s: %s", path, strerror(errno));
        return false;
    }
    snprintf(temporary, size, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    bool good = out != NULL;
    if (good) {
        usual_permissions(descriptor);
        good = write_all(out, comment, dtype, m, n, a);
        good = !fclose(out) && good;
        good = good && !rename(temporary, path);
    }
    if (!good) {
        report("%s: %s", path, strerror(errno));
        if (descriptor >= 0)
            unlink(temporary);
    }
    free(temporary);
    return good;
}
