/* Tests of recorded regions in traces, and of profiles of tasks. */
#include "check.h"
#include "objects.h"
#include "startile_testing.h"
#include "startile_trace.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NB = 16, STEPS = 5, N = STEPS * NB };

/* Returns suppressions for LeakSanitizer: FxT 0.3 does not free the description of the machine when
 * a program starts a second trace (test_running_starpu). */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:fxt_setinfos\n";
}

/* Returns options with traces in the folder; NULL: without traces. */
static startile_options options_with(const char *folder)
{
    startile_options o = check_options();
    o.trace = folder;
    return o;
}

/* Fills A with a positive definite matrix and factors it. */
static void factor(startile_matrix *A)
{
    require_info(startile_random('H', 1, N, A), 0);
    require_info(startile_potrf('L', A), 0);
}

/* Returns the profile of a Cholesky factorization. */
static startile_profile *profile_of_potrf(void)
{
    startile_profile *p;
    startile_matrix *A = matrix_created(dtype, N, N, NB, NB);
    factor(A); /* not recorded: the profile has not started */
    require_info(startile_random('H', 1, N, A), 0);
    require_info(startile_profile_start(), 0);
    require_info(startile_potrf('L', A), 0);
    require_info(startile_profile_stop(&p), 0);
    startile_matrix_destroy(A);
    return p;
}

/* Returns the profile of two LU factorizations, with partial and with tournament pivoting. */
static startile_profile *profile_of_lu(void)
{
    startile_profile *p;
    startile_matrix *A = matrix_created(dtype, N, N, NB, NB);
    startile_pivots *P = pivots_created(A);
    require_info(startile_random('G', 1, N, A), 0);
    require_info(startile_profile_start(), 0);
    require_info(startile_getrf(A, P), 0);
    require_info(startile_getrf_tntpiv(A, P), 0);
    require_info(startile_profile_stop(&p), 0);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
    return p;
}

/* Returns the number of tasks of the codelet. Names in a profile begin with the type's letter. */
static int64_t count_of(const startile_profile *p, const char *codelet)
{
    int64_t count = 0;
    for (int64_t i = 0; i < p->count; i++)
        count += strcmp(p->task[i].codelet + 1, codelet) == 0;
    return count;
}

/* Returns the first task of the codelet in this step, or NULL. */
static const startile_task_record *find_task(const startile_profile *p, const char *codelet,
                                             int64_t step)
{
    for (int64_t i = 0; i < p->count; i++)
        if (strcmp(p->task[i].codelet + 1, codelet) == 0 && p->task[i].step == step)
            return &p->task[i];
    return NULL;
}

/* Requires consistent times, and tasks to start after the end of those they depend on. */
static void check_times(const startile_profile *p)
{
    double earliest = INFINITY;
    for (int64_t i = 0; i < p->count; i++) {
        const startile_task_record *t = &p->task[i];
        require(t->worker >= 0 && t->submitted <= t->start && t->start <= t->end);
        require(t->on_cuda == (starpu_worker_get_type(t->worker) == STARPU_CUDA_WORKER));
        require(t->flops > 0);
        earliest = fmin(earliest, t->submitted);
        for (int64_t d = 0; d < t->dependencies; d++) {
            int64_t predecessor = p->dependency[t->first_dependency + d];
            require(predecessor >= 0 && predecessor < i);
            /* clocks of different workers differ slightly; tasks on GPUs are not checked */
            require(p->task[predecessor].end <= t->start + 1e-5 || t->on_cuda);
        }
    }
    require(earliest == 0);
}

/* Returns whether task t depends directly on the predecessor. */
static bool depends(const startile_profile *p, const startile_task_record *t,
                    const startile_task_record *predecessor)
{
    for (int64_t d = 0; d < t->dependencies; d++)
        if (&p->task[p->dependency[t->first_dependency + d]] == predecessor)
            return true;
    return false;
}

/* Tests the profile of Cholesky: numbers of tasks, times, coordinates, dependencies. */
static void test_profile(void)
{
    startile_options o = options_with(NULL);
    in_case("profile");
    require_info(startile_init(&o), 0);
    startile_profile *p = profile_of_potrf();
    require(count_of(p, "potrf") == STEPS && count_of(p, "herk") == STEPS - 1);
    require(count_of(p, "random") == 0);
    check_times(p);
    for (int64_t k = 0; k < STEPS; k++) {
        const startile_task_record *diagonal = find_task(p, "potrf", k);
        require(diagonal != NULL && diagonal->row == k && diagonal->column == k);
        if (k <
            STEPS -
                1) /* the last diagonal tile has no tiles below it, which would need its inverse */
            require(diagonal->shape == find_task(p, "potrf", 0)->shape);
        if (k == 0)
            require(diagonal->dependencies == 0);
        else /* depends on the last update of its tile, and through info on the previous panel */
            require(depends(p, diagonal, find_task(p, "herk", k - 1)) &&
                    depends(p, diagonal, find_task(p, "potrf", k - 1)));
    }
    startile_profile_destroy(p);
    startile_finalize();
}

/* Tests the profile of LU: the tasks of a panel have the coordinates of its diagonal tile, also
 * those that write other data than tiles. */
static void test_profile_lu(void)
{
    static const char *const of_panels[] = {"getrf", "tntpiv_select", "tntpiv_order"};
    startile_options o = options_with(NULL);
    in_case("profile of LU");
    require_info(startile_init(&o), 0);
    startile_profile *p = profile_of_lu();
    for (int64_t k = 0; k < STEPS; k++)
        for (int i = 0; i < 3; i++) {
            const startile_task_record *t = find_task(p, of_panels[i], k);
            require(t != NULL && t->row == k && t->column == k);
        }
    startile_profile_destroy(p);
    startile_finalize();
}

/* Tests profiles that are started twice, stopped without a start, or not stopped. */
static void test_wrong_profile(void)
{
    startile_options o = options_with(NULL);
    startile_profile *p = NULL;
    in_case("profile, wrong calls");
    require_info(startile_profile_start(), STARTILE_ERROR_STARPU);
    require_info(startile_profile_stop(&p), STARTILE_ERROR_STARPU);
    require_info(startile_init(&o), 0);
    require_info(startile_profile_stop(NULL), -1);
    require_info(startile_profile_stop(&p), STARTILE_ERROR_PROFILE);
    require_info(startile_profile_start(), 0);
    require_info(startile_profile_start(), STARTILE_ERROR_PROFILE);
    require_info(startile_profile_stop(&p), 0);
    require(p != NULL && p->count == 0);
    startile_profile_destroy(p);
    startile_profile_destroy(NULL);
    /* a profile that is not stopped is discarded */
    require_info(startile_profile_start(), 0);
    startile_finalize();
    require_info(startile_init(&o), 0);
    require_info(startile_profile_start(), 0);
    require_info(startile_profile_stop(&p), 0);
    startile_profile_destroy(p);
    startile_finalize();
}

/* Tests that skipped tasks of a failed request are also recorded. */
static void test_profile_of_failure(void)
{
    startile_options o = options_with(NULL);
    startile_profile *p;
    in_case("profile of a failure");
    require_info(startile_init(&o), 0);
    startile_matrix *A = matrix_created(dtype, N, N, NB, NB);
    require_info(startile_laset('G', 0, -1, A), 0);
    require_info(startile_profile_start(), 0);
    require_info(startile_potrf('L', A), 1);
    require_info(startile_profile_stop(&p), 0);
    require(count_of(p, "potrf") == STEPS);
    startile_profile_destroy(p);
    startile_matrix_destroy(A);
    startile_finalize();
}

/* -- energy --------------------------------------------------------------------------------- */

/* Returns the energy in joules that the models predict for Cholesky's products on CPU workers, at
 * `watts` for each worker. */
static double predicted_joules(double watts)
{
    startile_options o = options_with(NULL);
    o.scheduler = "dmda";
    o.cpu_watts = o.cuda_watts = watts;
    require_info(startile_init(&o), 0);
    startile_profile *p = profile_of_potrf();
    double joules = 0;
    for (int64_t i = 0; i < p->count; i++)
        if (!p->task[i].on_cuda && strcmp(p->task[i].codelet + 1, "herk_gemm") == 0)
            joules += p->task[i].joules;
    startile_profile_destroy(p);
    startile_finalize();
    return joules;
}

/* Tests that the predicted energy is proportional to the power. Before that, runs more tasks than
 * StarPU needs before it uses its measurements. */
static void test_energy(void)
{
    in_case("energy models");
    if (backend != CPU)
        return; /* placement and kernels vary on hybrid machines */
    /* makes StarPU keep its measurements when one of them differs from the others */
    require_info(setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1), 0);
    for (int i = 0; i < 5; i++)
        require(predicted_joules(0) == 0);
    double joules = predicted_joules(2);
    require(joules > 0);
    require(fabs(predicted_joules(6) - 3 * joules) <= 1e-6 * joules);
    unsetenv("STARPU_HISTORY_MAX_ERROR");
}

/* -- traces --------------------------------------------------------------------------------- */

/* Returns the number of records in StarPU's tasks.rec with that codelet. */
static int count_in_trace(const char *folder, const char *codelet)
{
    char path[512], line[4096], name[64];
    int count = 0;
    snprintf(path, sizeof path, "%s/tasks.rec", folder);
    snprintf(name, sizeof name, "Name: %c%s\n", "sdcz"[dtype], codelet);
    FILE *f = fopen(path, "r");
    require(f != NULL);
    while (fgets(line, sizeof line, f) != NULL)
        count += strcmp(line, name) == 0;
    fclose(f);
    return count;
}

/* Returns whether about.txt begins with this program's name. */
static bool has_title(const char *folder)
{
    char path[512], line[512] = "";
    snprintf(path, sizeof path, "%s/about.txt", folder);
    FILE *f = fopen(path, "r");
    bool has = f != NULL && fgets(line, sizeof line, f) != NULL &&
               strncmp(line, "test_trace ", strlen("test_trace ")) == 0;
    if (f != NULL)
        fclose(f);
    return has;
}

static void remove_folder(const char *folder)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    require(system(command) == 0);
}

/* Tests that a trace has the tasks between startile_trace_start() and startile_trace_stop() only.
 * Without FxT in StarPU a trace is an error. */
static void test_region(void)
{
    char folder[] = "trace.XXXXXX";
    require(mkdtemp(folder) != NULL);
    startile_options o = options_with(folder);
    startile_matrix *A;
    in_case("trace of a region");
    int status = startile_init(&o);
#ifndef STARPU_USE_FXT
    require_info(status, STARTILE_ERROR_TRACE);
    return;
#endif
    require_info(status, 0);
    A = matrix_created(dtype, N, N, NB, NB);
    factor(A);
    require_info(startile_random('H', 1, N, A), 0);
    require_info(startile_trace_start(), 0);
    require_info(startile_potrf('L', A), 0);
    require_info(startile_trace_stop(), 0);
    factor(A);
    startile_matrix_destroy(A);
    startile_finalize();
    require(getenv("STARPU_FXT_TRACE") == NULL && getenv("STARPU_FXT_PREFIX") == NULL);
    require(count_in_trace(folder, "potrf") == STEPS);
    require(count_in_trace(folder, "random") == 0);
    require(has_title(folder));
    remove_folder(folder);
}

/* Tests a StarPU that the program started: without a trace it cannot be traced; with a trace it
 * can. */
static void test_running_starpu(void)
{
    char folder[] = "trace.XXXXXX";
    require(mkdtemp(folder) != NULL);
    startile_options traced = options_with(folder), o = options_with(NULL);
    in_case("trace of a running StarPU");
    require_info(starpu_init(NULL), 0);
    require_info(startile_init(&traced), STARTILE_ERROR_TRACE);
    require_info(setenv("STARTILE_TRACE", folder, 1), 0);
    require_info(startile_init(&o), STARTILE_ERROR_TRACE);
    require_info(unsetenv("STARTILE_TRACE"), 0);
    require_info(startile_init(&o), 0);
    require_info(startile_init(&traced), STARTILE_ERROR_TRACE);
    startile_finalize();
    require(starpu_is_initialized());
    starpu_shutdown();
#ifdef STARPU_USE_FXT
    require_info(setenv("STARPU_FXT_TRACE", "1", 1), 0);
    require_info(setenv("STARPU_GENERATE_TRACE", "1", 1), 0);
    require_info(setenv("STARPU_FXT_PREFIX", folder, 1), 0);
    require_info(starpu_init(NULL), 0);
    require_info(startile_init(&traced), 0);
    startile_matrix *A = matrix_created(dtype, N, N, NB, NB);
    factor(A);
    startile_matrix_destroy(A);
    startile_finalize();
    starpu_shutdown();
    unsetenv("STARPU_FXT_TRACE");
    unsetenv("STARPU_GENERATE_TRACE");
    unsetenv("STARPU_FXT_PREFIX");
    require(count_in_trace(folder, "potrf") == STEPS);
    require(has_title(folder));
#endif
    remove_folder(folder);
}

/* Tests calls without a trace, and folders that cannot be written. */
static void test_no_trace(void)
{
    startile_options o = options_with(NULL);
    in_case("no trace");
    require_info(startile_trace_start(), STARTILE_ERROR_STARPU);
    require_info(startile_trace_stop(), STARTILE_ERROR_STARPU);
    require_info(startile_init(&o), 0);
    require_info(startile_trace_start(), STARTILE_ERROR_TRACE);
    require_info(startile_trace_stop(), STARTILE_ERROR_TRACE);
    startile_finalize();
#ifdef STARPU_USE_FXT
    o.trace = "/dev/null";
    require_message(startile_init(&o), STARTILE_ERROR_TRACE, "/dev/null: Not a directory");
#endif
    o.trace = "/nowhere/at/all";
    require_info(startile_init(&o), STARTILE_ERROR_TRACE);
    require(!starpu_is_initialized());
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    return run_group("trace", test_profile, test_profile_lu, test_wrong_profile,
                     test_profile_of_failure, test_energy, test_region, test_running_starpu,
                     test_no_trace) != 0;
}
