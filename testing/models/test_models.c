/* Tests of calibrated models: StarPU's files, predicted times, and selection of a folder. */
#include "check.h"
#include "generate.h"
#include "models/model.h"
#include "objects.h"
#include "reference.h"
#include "startile_batch.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char data_home[64], folder[128]; /* folder: contains the machines' folders */

/* -- files ------------------------------------------------------------------------------------ */

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *f = fopen(path, "w");
    require(f != NULL && fwrite(text, 1, length, f) == length);
    require(fclose(f) == 0);
}

enum { SIZES = 6 };
static const double exponent = 0.8;

/* Returns the time in µs of a task of the tests' models. */
static double power_law(double operations)
{
    return 1e-4 * pow(operations, exponent);
}

/* Returns the number of operations of measurement `size`, 0 … SIZES − 1. */
static double operations_of(int size)
{
    return 1e5 * pow(4, size);
}

/* Returns the size of three square matrices in double precision whose product has this number of
 * operations. */
static double bytes_of(double operations)
{
    return 24 * pow(operations / 2, 2.0 / 3);
}

/* Order of the batched LU factorizations in double precision. */
enum { BATCHED = 40 };
static const double lu_operations = 2.0 / 3 * BATCHED * BATCHED * BATCHED;

/* Returns the size of the matrices whose LU factorizations have this number of operations. */
static double bytes_of_batch(double operations)
{
    return operations / lu_operations * BATCHED * BATCHED * sizeof(double);
}

/* Returns the text of a model file in StarPU's format, for a codelet that takes power_law() µs on a
 * CPU core. bytes: returns the size of a task's data for its number of operations. */
static char *model_text(double (*bytes)(double))
{
    static char text[4096];
    int n = sprintf(text,
                    "# Performance Model Version\n45\n\n# number of combinations\n1\n"
                    "# types devices\n1\n# type\n0\n# id\n0\n# cores\n1\n# implementations\n"
                    "1\n#####\n# Model for cpu0_impl0 (Comb0)\n# number of entries\n%d\n"
                    "# sumlnx\n0.0e+00 0.0e+00 0.0e+00 0.0e+00 nan nan 0 0 0\n# a b c\n"
                    "nan nan nan\n# not multiple-regression-base\n0\n# hash size flops mean\n",
                    SIZES);
    for (int i = 0; i < SIZES; i++) {
        double operations = operations_of(i), time = power_law(operations);
        n += sprintf(text + n, "%08x\t%lu\t%.9e\t%.9e\t0.0e+00\t%e\t%e\t9\n",
                     0xf0000000u + (unsigned)i, (unsigned long)bytes(operations), operations, time,
                     9 * time, 9 * time * time);
    }
    sprintf(text + n, "\n");
    return text;
}

/* Writes the text to a file and reads it as a model. Returns NULL, with the reason, if it is
 * damaged. */
static struct model *read_text(const char *text, size_t length, const char **reason)
{
    char path[256];
    snprintf(path, sizeof path, "%s/model", folder);
    write_file(path, text, length);
    return model_read(path, reason);
}

static void test_times(void)
{
    const char *reason, *text = model_text(bytes_of);
    struct model *m = read_text(text, strlen(text), &reason);
    in_case("a power law");
    require(m != NULL && reason == NULL);
    for (int i = 0; i < SIZES; i++) {
        double x = operations_of(i), between = 2 * x;
        require_below(
            fabs(model_time(m, MODEL_CPU, 0, 0xf0000000u + (unsigned)i, x, 1) / power_law(x) - 1),
            1e-6);
        if (i + 1 < SIZES)
            require_below(fabs(model_time(m, MODEL_CPU, 0, 1, between, bytes_of(between)) /
                                   power_law(between) -
                               1),
                          0.05);
    }
    in_case("larger than measured: the rate of the largest");
    double x = operations_of(SIZES - 1), large = 64 * x;
    require_below(
        fabs(model_time(m, MODEL_CPU, 0, 1, large, bytes_of(large)) / (64 * power_law(x)) - 1),
        0.05);
    in_case("smaller than measured: neither the whole nor the rate of the smallest");
    x = operations_of(0);
    double small = model_time(m, MODEL_CPU, 0, 1, x / 64, bytes_of(x / 64));
    require(small <= power_law(x) && small >= power_law(x) / 64);
    in_case("not measured: NaN for CUDA, the first implementation's time for another");
    require(isnan(model_time(m, MODEL_CUDA, 0, 1, x, 1)));
    require(model_time(m, MODEL_CPU, 2, 0xf0000000u, x, 1) ==
            model_time(m, MODEL_CPU, 0, 0xf0000000u, x, 1));
    require(model_time(m, MODEL_CPU, 0, 1, 0, 0) > 0);
    model_free(m);
}

/* Tests files truncated at any length, and other damage. */
static void test_damage(void)
{
    const char *reason, *text = model_text(bytes_of);
    size_t whole = strlen(text);
    while (text[whole - 1] == '\n')
        whole--;
    for (size_t length = 0; length < whole - 1; length++) {
        in_case("the first %zu bytes", length);
        struct model *m = read_text(text, length, &reason);
        require(m == NULL && reason != NULL);
    }
    in_case("another version");
    require(read_text("44\n0\n", 5, &reason) == NULL);
    require(strstr(reason, "version") != NULL);
    in_case("a negative count");
    require(read_text("45\n-1\n", 6, &reason) == NULL && reason != NULL);
    in_case("zeros");
    require(read_text("45\n0\0\n", 6, &reason) == NULL && reason != NULL);
    in_case("no file");
    require(model_read("/nowhere/at/all", &reason) == NULL && reason == NULL);
}

/* -- folders ---------------------------------------------------------------------------------- */

/* Makes a folder of models named `name`, with a manifest of these values. */
static void write_machine(const char *name, const char *cpu, int cores, int format,
                          const char *date)
{
    char path[256], text[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/codelets", folder, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/codelets/45", folder, name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/manifest", folder, name);
    snprintf(text, sizeof text, "format: %d\nmachine: %s\ncpu: %s\ncores: %d\ngpu: \ndate: %s\n",
             format, name, cpu, cores, date);
    write_file(path, text, strlen(text));
}

/* Writes a file in the folder of the machine `name`. */
static void write_in(const char *name, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/%s", folder, name, file);
    write_file(path, text, strlen(text));
}

/* Returns 0 if the folder has been removed. */
static int remove_tree(const char *path)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", path);
    return system(command);
}

static void remove_machines(void)
{
    require(remove_tree(folder) == 0 && mkdir(folder, 0777) == 0);
}

/* Makes the folder in which the library looks for the user's models. */
static void make_folders(void)
{
    snprintf(data_home, sizeof data_home, "models.%ld", (long)getpid());
    snprintf(folder, sizeof folder, "%s/startile", data_home);
    require(mkdir(data_home, 0777) == 0 && mkdir(folder, 0777) == 0);
    snprintf(folder, sizeof folder, "%s/startile/models", data_home);
    require(mkdir(folder, 0777) == 0);
    setenv("XDG_DATA_HOME", data_home, 1);
}

/* Starts the library with STARTILE_MODELS = name (NULL: unset) and returns the selected models. The
 * caller stops the library. *nb := the tile width for an LU of order 3000. */
static startile_models start_with(const char *name, int64_t *nb)
{
    startile_options o = check_options();
    startile_models found;
    int64_t mb, nb_of_tall;
    if (name != NULL)
        setenv("STARTILE_MODELS", name, 1);
    else
        unsetenv("STARTILE_MODELS");
    o.scheduler = "dmdas";
    require_info(startile_init(&o), 0);
    require_info(startile_models_in_use(NULL), -1);
    require_info(startile_models_in_use(&found), 0);
    require_info(startile_tile_shape("getrf", STARTILE_D, 3000, 3000, &mb, nb), 0);
    require_info(startile_tile_shape("getrf", STARTILE_D, 9000, 3000, &mb, &nb_of_tall), 0);
    /* on CPUs the widths go by the columns */
    require(backend != CPU || (nb_of_tall == *nb && mb == 9000));
    /* routines of all shapes of tiles, which the tables have or do not have */
    static const char *const names[] = {"potri",       "sytrf", "sysv_aa", "hegst",
                                        "getrf_nopiv", "geqrf", "gels",    "geqrf_tree"};
    for (size_t r = 0; r < sizeof names / sizeof *names; r++) {
        int64_t width = 0;
        require_info(startile_tile_shape(names[r], STARTILE_D, 3000, 3000, &mb, &width), 0);
        require(width > 0);
    }
    return found;
}

/* Requires a small Cholesky factorization to succeed. */
static void require_factor(void)
{
    random_seed(81);
    struct array F = generate(&well_conditioned, STARTILE_D, 90, 0), T = array_copy(F);
    startile_matrix *A = matrix_wrapped(STARTILE_D, 90, 90, T.a, T.ld, 16, 16);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    check_factor('L', F, T, 90);
    arrays_free(F, T);
}

/* Requires the start to fail for the folder, with `word` in the message. */
static void require_refused(const char *name, const char *word)
{
    startile_options o = check_options();
    in_case("STARTILE_MODELS=%s", name);
    setenv("STARTILE_MODELS", name, 1);
    require_info(startile_init(&o), STARTILE_ERROR_ENVIRONMENT);
    const char *words = startile_strerror(STARTILE_ERROR_ENVIRONMENT);
    require(strncmp(words, "STARTILE_MODELS: ", 17) == 0 && strstr(words, word) != NULL);
    require(!starpu_is_initialized());
}

/* Returns the default size of chunks of a batch. */
static int64_t chunk_of(int64_t count)
{
    startile_batch *b;
    require_info(startile_batch_create(&b, STARTILE_D, count, BATCHED, BATCHED, 0, NULL), 0);
    int64_t chunk = startile_batch_chunk_size(b, 0);
    startile_batch_destroy(b);
    return chunk;
}

/* Requires the default partition of a batch to have chunks of about 100 µs if times are known, or
 * one chunk if the batch takes less than 300 µs; else four chunks for each worker. */
static void require_chunks(bool knows_time)
{
    enum { COUNT = 3200, SHORT_COUNT = 2000, LEAST_TIME = 100 };
    int64_t chunk = chunk_of(COUNT), cores = starpu_cpu_worker_get_count();
    if (knows_time) {
        require_below(fabs(power_law(lu_operations * (double)chunk) / LEAST_TIME - 1), 0.1);
        require(chunk_of(SHORT_COUNT) == SHORT_COUNT);
    } else {
        require(chunk == (COUNT + 4 * cores - 1) / (4 * cores));
    }
}

/* Tile widths: 208 for an LU of order 3000, which the library does not choose without this table */
static const char table[] = "# a comment\n\ngetrf d cpu 0 0 192\ngetrf d cpu 2500 0 208\n"
                            "getrf d cpu 4000 0 0\n";
static const char crossovers[] = "potrf d cpu 1234\ngetrf d cuda 77\nungqr z cpu 55\n";

static void test_folders(void)
{
    struct machine here;
    int64_t nb;
    machine_find(&here, true, false);
    write_machine("here", here.cpu, here.cores, 2, "2026-01-01T00:00:00Z");
    write_in("here", "tiles", table);
    write_in("here", "crossovers", crossovers);
    write_in("here", "codelets/45/startile_dpotrf.here", model_text(bytes_of));
    write_in("here", "codelets/45/startile_dgetrf_batch.here", model_text(bytes_of_batch));
    write_machine("elsewhere", "Z80", here.cores, 2, "2026-01-02T00:00:00Z");
    write_in("elsewhere", "tiles", table);
    write_machine("older", here.cpu, here.cores, 1, "2026-01-03T00:00:00Z");
    write_machine("torn", here.cpu, here.cores, 2, "2025-01-01T00:00:00Z");
    write_in("torn", "tiles", "getrf d cpu none\n");
    write_machine("larger", here.cpu, here.cores + 1, 2, "2026-01-04T00:00:00Z");
    write_in("larger", "tiles", table);
    write_in("larger", "crossovers", crossovers);
    write_machine("crossed", here.cpu, here.cores, 2, "2025-01-01T00:00:00Z");
    write_in("crossed", "crossovers", "potrf d cpu 0\n");

    in_case("the machine's own");
    startile_models m = start_with(NULL, &nb);
    require(strcmp(m.machine, "here") == 0 && !m.refused && nb == 208);
    require(startile_crossover("potrf", STARTILE_D) == 1234);
    require(startile_crossover("potrf", STARTILE_S) == 0);
    require(startile_crossover("getrf", STARTILE_D) == 0);
    require(startile_crossover("orgqr", STARTILE_Z) == 55);
    require(startile_crossover(NULL, STARTILE_D) == 0);
    require_chunks(true);
    require_factor();
    startile_finalize();
    in_case("by name");
    m = start_with("here", &nb);
    require(strcmp(m.machine, "here") == 0 && !m.refused && nb == 208);
    startile_finalize();
    in_case("before the start");
    require_info(startile_models_in_use(&m), 0);
    require(m.machine[0] == '\0' && !m.refused && m.words[0] != '\0');
    in_case("none");
    m = start_with("none", &nb);
    require(m.machine[0] == '\0' && !m.refused && nb != 208);
    require_chunks(false);
    startile_finalize();

    require_refused("elsewhere", "foreign");
    require_refused("larger", "foreign");
    require_refused("older", "stale");
    require_refused("torn", "tile sizes is damaged");
    require_refused("crossed", "crossovers is damaged");
    require_refused("nowhere", "no models of a machine of that name");
    require_refused("/nowhere/at/all", "no manifest");
}

/* -- several folders -------------------------------------------------------------------------- */

/* Starts and stops the library without STARTILE_MODELS. Returns the models that it selected. */
static startile_models selected_models(void)
{
    int64_t nb;
    startile_models m = start_with(NULL, &nb);
    startile_finalize();
    return m;
}

static void test_choice(void)
{
    struct machine here;
    machine_find(&here, true, false);
    in_case("none for this number of cores");
    remove_machines();
    startile_models shipped = selected_models(); /* shipped models that fit this machine, if any */
    write_machine("larger", here.cpu, here.cores + 1, 2, "2026-01-01T00:00:00Z");
    write_machine("elsewhere", "Z80", here.cores, 2, "2026-01-01T00:00:00Z");
    startile_models m = selected_models();
    require(strcmp(m.folder, shipped.folder) == 0 && strcmp(m.words, shipped.words) == 0);

    in_case("the newer of two, before the library's own");
    write_machine("older", here.cpu, here.cores, 2, "2026-01-01T00:00:00Z");
    write_machine("newer", here.cpu, here.cores, 2, "2026-01-02T00:00:00Z");
    m = selected_models();
    require(!m.refused && strcmp(m.machine, "newer") == 0);
    require(strcmp(m.words, "measured on this CPU") == 0);

    in_case("a stale one beside a good one");
    write_machine("newer", here.cpu, here.cores, 1, "2026-01-02T00:00:00Z");
    m = selected_models();
    require(!m.refused && strcmp(m.machine, "older") == 0);

    in_case("a folder by its path");
    char path[256];
    int64_t nb;
    snprintf(path, sizeof path, "%s/older", folder);
    m = start_with(path, &nb);
    startile_finalize();
    require(!m.refused && strcmp(m.machine, "older") == 0 && strcmp(m.folder, path) == 0);

    in_case("a stale one alone: the library's own, and the reason");
    remove_machines();
    write_machine("mine", here.cpu, here.cores, 1, "2026-01-02T00:00:00Z");
    m = selected_models();
    require(m.refused && strcmp(m.folder, shipped.folder) == 0);
    require(strstr(m.words, "/mine: it is stale") != NULL);
}

/* Tests a table with unsupported tile sizes, and models of another machine. */
static void test_wrong_folders(void)
{
    static const char *const tables[] = {"getrf d cpu 0 0 1\n", "getrf d cpu 0 0 7\n",
                                         "getrf d cpu 0 32 64\n", "getrf d cpu 0 8 0\n"};
    struct machine here;
    machine_find(&here, true, false);
    write_machine("odd", here.cpu, here.cores, 2, "2025-01-01T00:00:00Z");
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        write_in("odd", "tiles", tables[i]);
        require_refused("odd", "tile sizes is damaged");
    }
    write_in("odd", "tiles", table);
    write_in("odd", "codelets/45/startile_dpotrf.even", model_text(bytes_of));
    require_refused("odd", "another name than its manifest says");
}

/* Tests that a damaged file of one codelet leaves the folder in use, and that the message names the
 * file. Uses the folder that test_folders() has made. */
static void test_damaged_file(void)
{
    int64_t nb;
    write_in("here", "codelets/45/startile_dpotrf.here", "45\n1\n1\n");
    in_case("a damaged file");
    startile_models m = start_with("here", &nb);
    require(m.refused && strcmp(m.machine, "here") == 0 && nb == 208);
    require(strstr(m.words, "startile_dpotrf.here") != NULL);
    require_factor();
    startile_finalize();
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    make_folders();
    int failed = run_group("models", test_times, test_damage, test_folders, test_damaged_file,
                           test_wrong_folders, test_choice);
    return remove_tree(data_home) != 0 || failed != 0;
}
