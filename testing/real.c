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
    if (folder == NULL)
        check_skip("STARTILE_TEST_DATA does not say where the real matrices are");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        printf("no %s\n", path);
        check_skip("the real matrices are not in STARTILE_TEST_DATA");
    }
    return f;
}

/* The first line says whether the other triangle is to be filled in; comments follow, then sizes.
 */
static bool read_header(FILE *f, long long *m, long long *n, long long *entries)
{
    char line[1024];
    require(fgets(line, sizeof line, f) != NULL);
    bool symmetric = strstr(line, "symmetric") != NULL;
    require(strstr(line, "coordinate real") != NULL);
    require(symmetric || strstr(line, "general") != NULL);
    while (line[0] == '%')
        require(fgets(line, sizeof line, f) != NULL);
    require(sscanf(line, "%lld %lld %lld", m, n, entries) == 3);
    return symmetric;
}

struct array read_real(const char *name)
{
    long long m, n, entries;
    FILE *f = open_real(name);
    bool symmetric = read_header(f, &m, &n, &entries);
    struct array A = array_new(dtype, m, n, 5);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            set(A, i, j, 0);
    for (long long e = 0; e < entries; e++) {
        long long i, j;
        double v;
        require(fscanf(f, "%lld %lld %lf", &i, &j, &v) == 3);
        require(i >= 1 && i <= m && j >= 1 && j <= n);
        set(A, i - 1, j - 1, v);
        if (symmetric)
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
