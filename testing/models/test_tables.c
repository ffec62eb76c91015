/*
 * Tests six threads that request tile shapes, crossovers and models, and six that report calls. The
 * library's sources are compiled into this program, without StarPU, so that the thread sanitizer
 * sees all running code.
 */
#include "../check/tests.h"
#include "calls.h"
#include "library/library.h"
#include "library/runtime.h"
#include "memory/memories.h"
#include "models/model.h"
#include "models/tile_size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 300, LINES = 1000 };

/* -- replacements for the rest of the library ---------------------------------------------------
 */

bool runtime_is_up(void)
{
    return true;
}

bool runtime_has_cuda(void)
{
    return false;
}

uint32_t runtime_where(void)
{
    return STARPU_CPU;
}

uint32_t runtime_where_of(startile_dtype type, int64_t n)
{
    (void)type, (void)n;
    return STARPU_CPU;
}

int runtime_gpus(void)
{
    return 0;
}

bool models_say_share_size(startile_dtype type, int64_t n)
{
    (void)type, (void)n;
    return false;
}

double models_gpu_in_cores(startile_dtype type)
{
    (void)type;
    return INFINITY;
}

int runtime_owners(void)
{
    return 0;
}

bool runtime_is_reproducible(void)
{
    return false;
}

bool runtime_emulates_double(void)
{
    return false;
}

int startile_cpu_workers(void)
{
    return 2;
}

bool fits_memories_together(startile_dtype dtype, int64_t m, int64_t n)
{
    (void)dtype, (void)m, (void)n;
    return true;
}

bool fits_each_memory(startile_dtype dtype, int64_t m, int64_t n)
{
    return fits_memories_together(dtype, m, n);
}

int64_t width_within_capacity(startile_dtype dtype, int64_t m, int64_t nb)
{
    (void)dtype, (void)m;
    return nb;
}

int64_t side_within_capacity(startile_dtype dtype, int64_t nb)
{
    (void)dtype;
    return nb;
}

/* -- a folder of a machine --------------------------------------------------------------------- */

static char folder[128];

/* Writes a file of the folder that consists of `lines` copies of the line. */
static void write_file(const char *name, const char *line, int lines)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (int i = 0; i < lines; i++)
        fputs(line, f);
    assert_int_equal(fclose(f), 0);
}

/* Writes the models of a machine in the folder, with `lines` lines in each table. */
static void make_folder(int lines)
{
    char path[256];
    snprintf(path, sizeof path, "%s/codelets", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/codelets/45", folder);
    mkdir(path, 0777);
    write_file("manifest", "machine: here\nformat: 2\ncpu: any\ncores: 2\ndate: 2026-11-22\n", 1);
    write_file("tiles", "getrf d cpu 1 0 48\n", lines);
    write_file("crossovers", "getrf d cpu 77\n", lines);
}

static void set_up(void)
{
    struct machine m = {.cpu = "any", .uses_cpu = true, .cores = 2};
    snprintf(folder, sizeof folder, "%s/startile-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (mkdtemp(folder) == NULL)
        abort();
    make_folder(LINES);
    setenv("STARTILE_MODELS", folder, 1);
    models_open(&m);
}

static int tear_down(void)
{
    char command[192];
    models_close();
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) != 0;
}

/* -- threads ----------------------------------------------------------------------------------- */

/* A thread: its index, and the number of its wrong answers. */
struct answers {
    int thread_index, wrong;
};

/* Requests a tile shape. Returns whether it is that of the file. */
static bool is_shape_right(void)
{
    int64_t mb = 0, nb = 0;
    return startile_tile_shape("getrf", STARTILE_D, 300, 300, &mb, &nb) == 0 && mb == 300 &&
           nb == 48;
}

/* Requests the models in use (even round) or the folder's. Returns whether they are right. */
static bool are_models_right(int round)
{
    startile_models m;
    if (round % 2 == 0)
        return startile_models_in_use(&m) == 0 && strcmp(m.machine, "here") == 0 && !m.refused;
    return startile_models_named(folder, &m) == 0 && strcmp(m.machine, "here") == 0 && !m.refused;
}

/* Runs a thread: those with an even index look up values in tables, the others ask for models. */
static void *request_values(void *arg)
{
    struct answers *a = arg;
    for (int i = 0; i < ROUNDS; i++) {
        bool is_right = a->thread_index % 2 == 0
                            ? is_shape_right() && startile_crossover("getrf", STARTILE_D) == 77
                            : are_models_right(i);
        a->wrong += !is_right;
    }
    return NULL;
}

/* Runs a thread that reports calls. */
static void *report_calls(void *arg)
{
    struct answers *a = arg;
    for (int i = 0; i < ROUNDS; i++) {
        struct report_span span = {.is_served = i % 2 == 0};
        startile_report_enter(&span);
        startile_report_leave(
            &span,
            &(struct report_call){.name = "dpotrf_", .place = "here", .size = 9, .flops = 1});
    }
    a->wrong = 0;
    return NULL;
}

/* Runs the function in THREADS threads and requires that none got a wrong answer. */
static void run_threads(void *(*function)(void *))
{
    pthread_t thread[THREADS];
    struct answers answers[THREADS];
    for (int t = 0; t < THREADS; t++) {
        answers[t] = (struct answers){.thread_index = t};
        assert_int_equal(pthread_create(&thread[t], NULL, function, &answers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(answers[t].wrong, 0);
}

static void test_requests(void)
{
    run_threads(request_values);
}

static void test_reports(void)
{
    run_threads(report_calls);
}

/* Tests that files with more lines than the table holds count as damaged, and that the table in use
 * does not change. */
static void test_too_many_lines(void)
{
    startile_models m;
    make_folder(TABLE_LINES + 1);
    assert_int_equal(startile_models_named(folder, &m), 0);
    assert_true(m.refused);
    assert_true(is_shape_right());
    make_folder(LINES);
}

int main(void)
{
    set_up();
    int failed = run_group("tables", test_requests, test_reports, test_too_many_lines);
    return tear_down() != 0 || failed != 0;
}
