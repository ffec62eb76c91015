#include "real.h"
#include "check.h"
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_real(const char *name)
{
    const char *folder = getenv("STARTILE_TEST_DATA");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : "testing/data", name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    return f;
}

struct header {
    bool is_symmetric, is_array;
    long long m, n, entries;
};

/* Reads the first line (array or coordinate, general or symmetric), skips comments and reads the
 * sizes. */
static struct header read_header(FILE *f)
{
    char line[1024];
    struct header h;
    require(fgets(line, sizeof line, f) != NULL);
    h.is_symmetric = strstr(line, "symmetric") != NULL;
    h.is_array = strstr(line, "array real general") != NULL;
    require(h.is_array || strstr(line, "coordinate real") != NULL);
    require(h.is_symmetric || strstr(line, "general") != NULL);
    while (line[0] == '%')
        require(fgets(line, sizeof line, f) != NULL);
    int sizes = sscanf(line, "%lld %lld %lld", &h.m, &h.n, &h.entries);
    require(sizes == (h.is_array ? 2 : 3));
    if (h.is_array)
        h.entries = h.m * h.n;
    return h;
}

struct array read_real(const char *name)
{
    FILE *f = open_real(name);
    struct header h = read_header(f);
    struct array A = array_new(dtype, h.m, h.n, 5);
    for (int64_t j = 0; j < h.n; j++)
        for (int64_t i = 0; i < h.m; i++)
            set(A, i, j, 0);
    for (long long e = 0; e < h.entries; e++) {
        long long i = e % h.m + 1, j = e / h.m + 1;
        double v;
        require(h.is_array || fscanf(f, "%lld %lld", &i, &j) == 2);
        require(fscanf(f, "%lf", &v) == 1);
        require(i >= 1 && i <= h.m && j >= 1 && j <= h.n);
        set(A, i - 1, j - 1, v);
        if (h.is_symmetric)
            set(A, j - 1, i - 1, v);
    }
    fclose(f);
    return A;
}

struct array row_sums(struct array A)
{
    struct array B = array_new(A.dtype, A.m, 1, 0), ones = array_new(A.dtype, A.n, 1, 0);
    for (int64_t i = 0; i < A.n; i++)
        set(ones, i, 0, 1);
    for (int64_t i = 0; i < A.m; i++)
        set(B, i, 0, 0);
    lapack(A)->gemm('N', 'N', 1, A, ones, 0, B);
    array_free(ones);
    return B;
}
