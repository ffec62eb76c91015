#include "journal_runs.h"

#include "array.h"
#include "startile.h"
#include "startile_disk.h"
#include "startile_testing.h"
#include "triangles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct journal_run journal_run[] = {{"potrf", 900, 900, 900, true, "potrf"},
                                          {"potrf_upper", 900, 900, 900, true, "potrf"},
                                          {"getrf", 900, 870, 0, false, "getrf"},
                                          {"getrf_wide", 700, 950, 0, false, "getrf"},
                                          {"getrf_tntpiv", 800, 800, 0, false, "getrf_nopiv"},
                                          {"getrf_nopiv", 850, 850, 900, false, "getrf_nopiv"},
                                          {"geqrf", 900, 700, 0, false, "geqrf"}};
const int journal_runs = sizeof journal_run / sizeof journal_run[0];

/* Writes elements to a file. Returns whether that succeeded. */
static bool write_file(const char *folder, const char *name, const void *p, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    return f != NULL && fwrite(p, 1, size, f) == size && fclose(f) == 0;
}

/* Calls the routine. *extra := interchanges, or triangles of block reflectors, of `size` bytes. */
static int64_t call(const struct journal_run *r, startile_matrix *A, char *extra, size_t size)
{
    startile_shape s = startile_matrix_shape(A);
    startile_pivots *P = NULL;
    startile_matrix *T = NULL;
    int64_t code = startile_pivots_create(&P, A);
    memset(extra, 0, size);
    if (code == 0)
        code = startile_matrix_wrap(&T, s.dtype, NB, s.m < s.n ? s.m : s.n, extra, NB, NB, NB);
    if (code == 0)
        code = r->is_triangular ? startile_potrf(strlen(r->name) > 5 ? 'U' : 'L', A)
               : strcmp(r->name, "getrf_nopiv") == 0  ? startile_getrf_nopiv(A)
               : strcmp(r->name, "getrf_tntpiv") == 0 ? startile_getrf_tntpiv(A, P)
               : strcmp(r->name, "geqrf") == 0        ? startile_geqrf(A, reflectors_of(T))
                                                      : startile_getrf(A, P);
    startile_matrix_destroy(T);
    if (code == 0 && strcmp(r->name, "geqrf") != 0)
        code = startile_pivots_to_lapack(P, (int64_t *)(void *)extra);
    startile_pivots_destroy(P);
    return code;
}

/* Returns 0 or the first failure. */
static int64_t factor(const struct journal_run *r, startile_dtype dtype, const char *folder,
                      const char *journal)
{
    char path[256], journal_path[256];
    startile_matrix *A;
    size_t size = sizeof(int64_t) * 4 * NB * (size_t)(r->m + r->n);
    char *extra = malloc(size);
    int64_t mb = r->is_triangular ? NB : r->m;
    snprintf(path, sizeof path, "%s/matrix", folder);
    snprintf(journal_path, sizeof journal_path, "%s/%s", folder, journal != NULL ? journal : "");
    int64_t code = startile_matrix_wrap_file(&A, dtype, r->m, r->n, path, 0, r->m + LD_PAD, mb, NB);
    if (code != 0)
        return code;
    if (journal != NULL)
        code = startile_matrix_journal(A, journal_path);
    if (code == 0 && !write_file(folder, "begun", "", 0))
        code = 1;
    if (code == 0)
        code = call(r, A, extra, size);
    if (code == 0)
        code = startile_matrix_gather(A);
    startile_matrix_destroy(A);
    if (code == 0 && !write_file(folder, "extra", extra, size))
        code = 1;
    free(extra);
    return code;
}

/* Flips the sign of a diagonal element in the first panel that the process factors. */
static void inject(const struct journal_run *r, startile_dtype dtype)
{
    bool is_single = dtype == STARTILE_S || dtype == STARTILE_C;
    startile_inject_flip(
        &(startile_flip){.operation = r->panel, .row = 2, .column = 2, .bit = is_single ? 31 : 63});
}

int journal_run_here(int argc, char **argv)
{
    bool flips = getenv("STARTILE_TEST_FLIP") != NULL;
    startile_options o;
    startile_options_default(&o, sizeof o);
    o.pause_when_idle = 1;
    o.map_files = getenv("STARTILE_TEST_MAP") != NULL;
    const char *letters = "sdcz", *type = strchr(letters, argv[2][0]);
    for (int i = 0; i < journal_runs; i++) {
        if (strcmp(argv[3], journal_run[i].name) != 0)
            continue;
        if (startile_init(&o) != 0)
            return 2;
        if (flips)
            inject(&journal_run[i], (startile_dtype)(type - letters));
        int64_t code = factor(&journal_run[i], (startile_dtype)(type - letters), argv[4],
                              argc > 5 ? argv[5] : NULL);
        flips = flips && startile_inject_flip(NULL) == 0;
        if (flips && code == STARTILE_ERROR_CORRUPTION)
            return FLIP_FOUND;
        if (code != 0)
            fprintf(stderr, "%s: %s (%d)\n", argv[3], startile_strerror(code), (int)code);
        startile_finalize();
        return code == 0 && !flips ? 0 : 1;
    }
    return 3;
}
