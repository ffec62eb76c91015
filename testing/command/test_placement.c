/* Tests of the bounds that `startile bench --placement` reports, for tasks with known bounds, and
 * of the traffic between GPUs. */
#include "../check/tests.h"
#include "bench/bench.h"
#include "startile_trace.h"

#include <math.h>
#include <stddef.h>

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

/* Returns the record of a task without dependencies and without predicted times. */
static startile_task_record task(const char *codelet, int on_cuda, double start, double end)
{
    return (startile_task_record){.codelet = codelet,
                                  .on_cuda = on_cuda,
                                  .start = start,
                                  .end = end,
                                  .cpu_seconds = NAN,
                                  .cuda_seconds = NAN};
}

static void require_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

/* Returns the bounds for the measured times; tasks of one device do not overlap. */
static struct placement bounds(startile_profile profile, int cpus, int gpus)
{
    struct placement p = {.gpu_hold = 1, .load = {{.devices = cpus}, {.devices = gpus}}};
    double seconds[16];
    assert_true(profile.count <= COUNT(seconds));
    for (int64_t i = 0; i < profile.count; i++)
        seconds[i] = profile.task[i].end - profile.task[i].start;
    assert_int_equal(find_bounds(&profile, seconds, &p), 0);
    return p;
}

/* Tests the chains a → b → d and a → c → d on two cores; b is longer than c. */
static void test_chain(void)
{
    startile_task_record t[] = {task("a", 0, 0, 1), task("b", 0, 1, 4), task("c", 0, 1, 2),
                                task("d", 0, 5, 7)};
    int64_t predecessors[] = {0, 0, 1, 2};
    t[1].first_dependency = 0, t[1].dependencies = 1;
    t[2].first_dependency = 1, t[2].dependencies = 1;
    t[3].first_dependency = 2, t[3].dependencies = 2;
    struct placement p = bounds((startile_profile){COUNT(t), t, predecessors}, 2, 0);
    require_near(p.measured.critical_path, 6); /* a, b, d: 1 + 3 + 2 */
    require_near(p.measured.area, 3.5);        /* (1 + 3 + 1 + 2) / 2 */
    require_near(p.measured.mixed, 6);
}

/* Tests a codelet that is divided. One GPU second replaces 10 CPU seconds of x (40 / 4) and 2 of y
 * (10 / 5): x runs on the GPU, and y is divided. With a fraction q of y on the GPU, 4 + 20 q = (40
 * − 40 q) / 2 gives q = 0.4 and 12 s. */
static void test_divided(void)
{
    startile_task_record t[] = {task("x", 1, 0, 4), task("y", 0, 0, 10), task("y", 0, 0, 10),
                                task("y", 1, 4, 9), task("y", 0, 10, 20)};
    t[0].cpu_seconds = 40;
    struct placement p = bounds((startile_profile){COUNT(t), t, NULL}, 2, 1);
    require_near(p.measured.area, 12);
    /* x's CPU time comes from the model; the critical path uses the GPU times, which are shorter */
    require_near(p.measured.critical_path, 5);
}

/* Tests that tasks measured on one kind of device only are not moved. */
static void test_unknown(void)
{
    startile_task_record t[] = {task("x", 1, 0, 4), task("y", 0, 0, 6), task("y", 0, 6, 12)};
    struct placement p = bounds((startile_profile){COUNT(t), t, NULL}, 3, 1);
    require_near(p.measured.area, 4); /* on the GPU 4 s; on the cores 12 s / 3 */
    t[0].end = 3;
    p = bounds((startile_profile){COUNT(t), t, NULL}, 3, 1);
    require_near(p.measured.area, 4);
    require_near(p.measured.critical_path, 6);
}

/* Tests bounds by predicted times, which use the best device of each task. Without a model for each
 * task there is no such bound. */
static void test_modelled(void)
{
    startile_task_record t[] = {task("x", 1, 0, 4), task("y", 0, 0, 6)};
    int64_t predecessors[] = {0};
    t[1].dependencies = 1;
    t[0].cpu_seconds = 8, t[0].cuda_seconds = 1;
    t[1].cpu_seconds = 5;
    struct placement p = bounds((startile_profile){COUNT(t), t, predecessors}, 2, 1);
    require_near(p.measured.critical_path, 10);
    require_near(p.modelled.critical_path, 6); /* 1 s on the GPU, 5 s on a core */
    require_near(p.modelled.area, 2.5);        /* 5 s on two cores */
    t[1].cpu_seconds = NAN;
    p = bounds((startile_profile){COUNT(t), t, predecessors}, 2, 1);
    assert_true(isnan(p.modelled.critical_path) && isnan(p.modelled.area));
}

/* Tests that by predicted times a slow task uses a part of the GPU: with gpu_hold = 0.5 and a
 * quarter of the fastest rate, 1/4 + 0.5 · 3/4 = 5/8. */
static void test_gpu_hold(void)
{
    startile_task_record t[] = {task("x", 1, 0, 4), task("y", 1, 0, 4)};
    t[0].cuda_seconds = 2, t[0].flops = 8;
    t[1].cuda_seconds = 2, t[1].flops = 2;
    double seconds[] = {4, 4};
    startile_profile profile = {COUNT(t), t, NULL};
    struct placement p = {.gpu_hold = 0.5, .load = {{0}, {.devices = 1}}};
    assert_int_equal(find_bounds(&profile, seconds, &p), 0);
    require_near(p.modelled.area, 2 + 2 * 0.625);
    require_near(p.modelled.critical_path, 2);
    require_near(p.measured.area, 8);
}

/* Tests that tasks of one codelet with different shapes are separate kinds. */
static void test_shapes(void)
{
    startile_task_record t[] = {task("x", 1, 0, 1), task("x", 0, 0, 8), task("x", 0, 8, 16)};
    t[1].shape = t[2].shape = 7;
    struct placement p = bounds((startile_profile){COUNT(t), t, NULL}, 1, 1);
    require_near(p.measured.area, 16); /* as one kind, tasks would move to the GPU */
}

/* Tests that two overlapping tasks of a GPU share the time in which both run, and that a task of a
 * core does not share. */
static void test_shares(void)
{
    startile_task_record t[] = {task("x", 1, 0, 3), task("x", 1, 2, 4), task("x", 0, 0, 4),
                                task("x", 1, 4, 4)};
    int device[] = {5, 5, 0, 5};
    double seconds[4];
    startile_profile profile = {COUNT(t), t, NULL};
    device_seconds(&profile, device, seconds);
    require_near(seconds[0], 2.5);
    require_near(seconds[1], 1.5);
    require_near(seconds[2], 4);
    require_near(seconds[3], 0);
}

/* Tests the traffic of panels of nb columns, or of block rows, each sent to two other GPUs. */
static void test_between_gpus(void)
{
    const struct routine getrf = {.name = "getrf"}, geqrf = {.name = "geqrf"},
                         potrf = {.name = "potrf"}, getri = {.name = "getri"};
    struct problem p = {.routine = &getrf, .dtype = STARTILE_C, .m = 1000, .n = 600, .nb = 50};
    double panels = 0, rows = 0, triangles = 0;
    for (int64_t j = 0; j < p.n; j += p.nb) {
        panels += (double)((p.m - j) * p.nb);
        rows += (double)((j + p.nb) * p.nb);
        triangles += (double)(p.nb * p.nb);
    }
    require_near(volume_between_gpus(&p, 3, 1e9), 2 * 8 * panels);
    /* one GPU; GPUs with 4.7 MB together for a matrix of 4.8 MB */
    assert_true(isnan(volume_between_gpus(&p, 1, 1e9)));
    assert_true(isnan(volume_between_gpus(&p, 3, 4.7e6)));
    p.routine = &geqrf;
    require_near(volume_between_gpus(&p, 3, 1e9), 2 * 8 * (panels + triangles));
    p.routine = &getri;
    assert_true(isnan(volume_between_gpus(&p, 3, 1e9)));
    p.routine = &potrf;
    p.m = p.n;
    require_near(volume_between_gpus(&p, 3, 1e9), 2 * 8 * rows);
}

int main(void)
{
    return run_group("placement", test_chain, test_divided, test_unknown, test_modelled,
                     test_gpu_hold, test_shapes, test_shares, test_between_gpus);
}
