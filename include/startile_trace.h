/**
 * @file startile_trace.h
 * @brief Traces and profiles of the library's tasks.
 */
#ifndef STARTILE_TRACE_H
#define STARTILE_TRACE_H

#include "startile_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup trace Traces and profiles
 *
 *  A trace is written by StarPU: files in a folder, for ViTE and other viewers, with every task,
 *  transfer and worker state. A profile is an array in memory with one record per task of the
 *  library. Do not record either in a timed run: both cost a few microseconds per task.
 *
 *  **Threads.** Traces and profiles record the tasks of all threads. startile_profile_start() and
 *  startile_profile_stop() are thread-safe. One thread at a time calls startile_trace_start() or
 *  startile_trace_stop().
 *  @{
 */

/**
 * @brief Starts recording StarPU's execution trace, until startile_trace_stop(). Several recorded
 * regions go into one trace.
 *
 * The files are written when StarPU stops. If the library started StarPU, the last
 * startile_finalize() writes them into the folder startile_options.trace.
 * If the program starts StarPU itself, it sets STARPU_FXT_TRACE=1, STARPU_GENERATE_TRACE=1 and
 * STARPU_FXT_PREFIX, the folder, before starpu_init(); the whole run is recorded. Without these
 * variables startile_init() returns #STARTILE_ERROR_TRACE where a trace is requested.
 * The files include paje.trace (for ViTE), dag.dot (for Graphviz) and tasks.rec. `startile gantt`
 * draws the picture gantt.svg from them, and corrects the colors in paje.trace. In
 * paje.trace a task has its codelet's name and color, the coordinates X and Y of the first tile
 * that it writes, the step of the algorithm as Iteration, and its priority. A program that runs
 * StarPU more than once traces the last run only. Begin and end the region with no task under way:
 * the trace of a task that runs at either end is incomplete.
 * @return 0, #STARTILE_ERROR_TRACE, #STARTILE_ERROR_STARPU
 */
int64_t startile_trace_start(void);

/** @brief Ends the recorded region. @return as for startile_trace_start() */
int64_t startile_trace_stop(void);

/**
 * @brief One task of a profile. Times are in seconds since the submission of the first task, and
 * NaN for a task that did not run.
 */
typedef struct startile_task_record {
    const char *codelet; /**< name of the codelet, for example "dgemm" */
    int64_t step;        /**< step of the algorithm's outer loop, from 0; −1: none */
    int64_t row; /**< index i of the first tile (i, j) that the task writes; of the panel's diagonal
                    tile for a task that writes LU's pivots first; −1: no tile of a matrix */
    int64_t column;   /**< index j of that tile */
    int worker;       /**< StarPU's number of the worker; −1: the task did not run */
    int on_cuda;      /**< 1: the worker runs on a GPU, 0: on a CPU core */
    uint32_t shape;   /**< hash of the task's dimensions; equal for tasks of one codelet with equal
                         work */
    double flops;     /**< number of real floating-point operations */
    double submitted; /**< time of submission */
    double start;     /**< time when the worker began the task */
    double end;       /**< time when the task ended */
    double cpu_seconds;  /**< prediction of StarPU's performance model for a CPU core, in seconds;
                            NaN if the model has no value, or if it is not calibrated and the policy
                            had no choice of devices */
    double cuda_seconds; /**< prediction for a GPU, in seconds */
    double joules;       /**< energy by the task's energy model, in joules; 0: no model */
    int64_t first_dependency; /**< index of its first entry in startile_profile::dependency */
    int64_t dependencies;     /**< number of its entries */
} startile_task_record;

/** @brief The library's tasks of a recorded region, in the order of submission. */
typedef struct startile_profile {
    int64_t count;              /**< number of tasks */
    startile_task_record *task; /**< records of the tasks */
    int64_t *dependency; /**< for each task the indices of the earlier tasks that wrote its data or
                            read the data it overwrites; an index may occur twice */
} startile_profile;

/**
 * @brief Starts recording the library's tasks that any thread submits until
 * startile_profile_stop(). Switches StarPU's profiling on and resets its counters.
 * @return 0, #STARTILE_ERROR_PROFILE if a profile is being recorded already,
 *         #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_profile_start(void);

/**
 * @brief Ends the recorded region, waits for its tasks and returns their records.
 * @param[out] profile the records, to be freed by startile_profile_destroy(); NULL on failure
 * @return 0, −1, #STARTILE_ERROR_PROFILE if no profile is being recorded, #STARTILE_ERROR_MEMORY if
 *         host memory did not suffice for all records, #STARTILE_ERROR_STARPU
 */
int64_t startile_profile_stop(startile_profile **profile);

/** @brief Frees a profile; NULL is allowed. May be called after startile_finalize(). */
void startile_profile_destroy(startile_profile *profile);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
