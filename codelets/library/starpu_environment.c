/* StarPU's environment variables. StarPU 1.4 ends the program at a malformed value, and at some
 * that do not fit the machine (StarPU quirk 54). */
#define _GNU_SOURCE /* environ */
#include "library/error_text.h"
#include "library/start.h"
#include "library/thread_state.h"

#include <errno.h>
#include <limits.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names without the prefix STARPU_, between blanks: the variables of StarPU 1.4.10 and StarPU-MPI
 * that are integers, and those that may have a fraction. */
static const char integers[] =
    " AUTOHETEROPRIO_FREEZE_GATHERING AUTOHETEROPRIO_ORDERING_INTERVAL "
    "AUTOHETEROPRIO_PRINT_AFTER_ORDERING AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE "
    "AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY AUTOHETEROPRIO_TIME_ESTIMATION_POLICY "
    "BACKOFF_MAX BACKOFF_MIN BUS_CALIBRATE BUS_STATS CALIBRATE CALIBRATE_MINIMUM "
    "CATCH_SIGNALS CHECK_ENTIRE_PLATFORM COMM_STATS CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES "
    "CUDA_PIPELINE CUDA_THREAD_PER_DEV CUDA_THREAD_PER_WORKER DATA_LOCALITY_ENFORCE "
    "DISABLE_ASYNCHRONOUS_COPY DISABLE_ASYNCHRONOUS_CUDA_COPY DISABLE_ASYNCHRONOUS_HIP_COPY "
    "DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY DISABLE_ASYNCHRONOUS_MPI_MS_COPY "
    "DISABLE_ASYNCHRONOUS_OPENCL_COPY DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY DISABLE_KERNELS "
    "DISABLE_PINNING DISK_SWAP_SIZE DISPLAY_BINDINGS ENABLE_CUDA_GPU_GPU_DIRECT ENABLE_MAP "
    "EXPECTED_TRANSFER_TIME_WRITEBACK FXT_TRACE GENERATE_TRACE GLOBAL_ARBITER "
    "HETEROPRIO_CODELET_GROUPING_STRATEGY HETEROPRIO_USE_AUTO_CALIBRATION HETEROPRIO_USE_LA "
    "HISTORY_MAX_ERROR LIMIT_BANDWIDTH LIMIT_CPU_MEM LIMIT_CPU_NUMA_MEM LIMIT_CUDA_MEM "
    "LIMIT_HIP_MEM LIMIT_MAX_FPGA_MEM LIMIT_MAX_SUBMITTED_TASKS LIMIT_MIN_SUBMITTED_TASKS "
    "LIMIT_OPENCL_MEM MAIN_THREAD_BIND MAIN_THREAD_COREID MAIN_THREAD_CPUID "
    "MALLOC_SIMULATION_FOLD MAX_MEMORY_USE MAX_PRIO MAX_WORKERSIZE MEMORY_STATS "
    "MINIMUM_AVAILABLE_MEM MINIMUM_CLEAN_BUFFERS MIN_PRIO MIN_WORKERSIZE MPI_CACHE "
    "MPI_CACHE_STATS MPI_COOP_SENDS MPI_DEBUG_LEVEL_MAX MPI_DEBUG_LEVEL_MIN "
    "MPI_DRIVER_CALL_FREQUENCY MPI_DRIVER_TASK_FREQUENCY MPI_EARLYDATA_ALLOCATE "
    "MPI_FAKE_RANK MPI_FAKE_SIZE MPI_GPUDIRECT MPI_MASTER_NODE MPI_MEM_THROTTLE "
    "MPI_MS_MULTIPLE_THREAD MPI_NDETACHED_SEND MPI_NOBIND MPI_NREADY_PROCESS MPI_PRIORITIES "
    "MPI_PSM2 MPI_RECV_WAIT_FINALIZE MPI_REDUX_ARITY_THRESHOLD MPI_STATS MPI_THREAD_COREID "
    "MPI_THREAD_CPUID MPI_THREAD_MULTIPLE_SEND MPI_TRACE_SYNC_CLOCKS NCPU NCPUS NCUDA NHIP "
    "NMAX_FPGA NMPIMSTHREADS NMPI_MS NOPENCL NTASKS_THRESHOLD NTCPIPMSTHREADS NTCPIP_MS "
    "NTHREADS_PER_CORE NWORKER_PER_CUDA OPENCL_ONLY_ON_CPUS OPENCL_ON_CPUS OPENCL_PIPELINE "
    "PCI_FLAT PERF_MODEL_HOMOGENEOUS_CPU PREFETCH RAND_SEED RESERVE_NCPU "
    "SCHED_GRAPH_TEST_DESCENDANTS SCHED_READY SCHED_SORTED_ABOVE SCHED_SORTED_BELOW SILENT "
    "SIMGRID SIMGRID_CUDA_MALLOC_COST SIMGRID_CUDA_QUEUE_COST SIMGRID_FETCHING_INPUT_COST "
    "SIMGRID_SCHED_COST SIMGRID_TASK_PUSH_COST SIMGRID_TASK_SUBMIT_COST "
    "SIMGRID_TRANSFER_COST SINGLE_COMBINED_WORKER SPIN_BEFORE_SLEEP STATS SUBALLOCATOR "
    "SYNTHESIZE_ARITY_COMBINED_WORKER TARGET_AVAILABLE_MEM TARGET_CLEAN_BUFFERS "
    "TASK_BREAK_ON_EXEC TASK_BREAK_ON_POP TASK_BREAK_ON_PUSH TASK_BREAK_ON_SCHED "
    "TASK_PROGRESS TCPIP_MS_MULTIPLE_THREAD TCPIP_MS_PORT TCPIP_MS_SLAVES "
    "TCPIP_USE_LOCAL_SOCKET TRACE_BUFFER_SIZE USE_NUMA WATCHDOG_CRASH WATCHDOG_DELAY "
    "WORKERS_GETBIND WORKERS_NOBIND WORKER_TREE ";
static const char numbers[] =
    " EXP_LEN_THRESHOLD HETEROPRIO_AURT_DOT_DIFF_10_NOD_OFFSET "
    "HETEROPRIO_BEST_NODS_SCORE_EXP_SELECTIVITY "
    "HETEROPRIO_NOD_TIME_COMBINATION_EXP_SELECTIVITY "
    "HETEROPRIO_NOD_TIME_COMBINATION_NOD_MULTIPLIER "
    "HETEROPRIO_URTS_TIME_COMBINATION_EXP_SELECTIVITY "
    "HETEROPRIO_URTS_TIME_COMBINATION_NOD_MULTIPLIER HETEROPRIO_URT_2_ARCH_NEED_MULTIPLIER "
    "HETEROPRIO_URT_2_URT_MULTIPLIER HETEROPRIO_URT_DOT_DIFF_10_ARCH_DIFF_OFFSET "
    "HETEROPRIO_URT_DOT_DIFF_11_ARCH_DIFF_OFFSET HETEROPRIO_URT_DOT_DIFF_11_NOD_OFFSET "
    "HETEROPRIO_URT_DOT_DIFF_2_ARCH_NEED_MULTIPLIER "
    "HETEROPRIO_URT_DOT_DIFF_3_ARCH_NEED_MULTIPLIER "
    "HETEROPRIO_URT_DOT_DIFF_4_ARCH_NEED_MULTIPLIER "
    "HETEROPRIO_URT_DOT_DIFF_5_ARCH_DIFF_OFFSET HETEROPRIO_URT_DOT_DIFF_5_NOD_OFFSET "
    "HETEROPRIO_URT_DOT_DIFF_9_ARCH_DIFF_OFFSET HETEROPRIO_URT_DOT_DIFF_9_NOD_OFFSET "
    "HETEROPRIO_URT_URT_MULTIPLIER IDLE_POWER SCHED_ALPHA SCHED_BETA SCHED_GAMMA "
    "WINDOW_TIME_SIZE ";

/* Begins of the names of integers that have an index or a kind of device in their names. */
static const char *const families[] = {"LIMIT_CUDA_", "LIMIT_CPU_NUMA_", "PERF_MODEL_HOMOGENEOUS_",
                                       "LAHETEROPRIO_S_", "LAHETEROPRIO_PRIO_STEP_"};

/* -- numbers --------------------------------------------------------------------------------- */

static bool is_in(const char *list, const char *name)
{
    char word[96];
    return snprintf(word, sizeof word, " %s ", name) < (int)sizeof word &&
           strstr(list, word) != NULL;
}

static bool is_in_family(const char *name)
{
    enum { FAMILIES = sizeof families / sizeof *families };
    for (int f = 0; f < FAMILIES; f++)
        if (strncmp(name, families[f], strlen(families[f])) == 0)
            return true;
    return false;
}

/* Returns whether StarPU takes the text for an integer; an empty text is 0. */
static bool is_integer(const char *text)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' && value >= 0 && value <= INT_MAX;
}

/* Returns whether StarPU, which is started with the locale C, takes the text for a number. */
static bool is_number(const char *text)
{
    char *end;
    locale_t locale = use_c_locale();
    strtod(text, &end);
    uselocale(locale);
    return *end == '\0';
}

/* Returns 0, or STARTILE_ERROR_ENVIRONMENT for a malformed number; name without STARPU_. */
static int check_number(const char *name, const char *value)
{
    if ((is_in(integers, name) || is_in_family(name)) && !is_integer(value))
        return explain(STARTILE_ERROR_ENVIRONMENT,
                       "STARPU_%s must be an integer from 0 to %d, not '%.200s'", name, INT_MAX,
                       value);
    if (is_in(numbers, name) && !is_number(value))
        return explain(STARTILE_ERROR_ENVIRONMENT, "STARPU_%s must be a number, not '%.200s'", name,
                       value);
    return 0;
}

static int check_numbers(void)
{
    static const char prefix[] = "STARPU_";
    char name[64];
    if (environ == NULL)
        return 0;
    for (char **entry = environ; *entry != NULL; entry++) {
        const char *begin = *entry + sizeof prefix - 1, *end = strchr(*entry, '=');
        if (strncmp(*entry, prefix, sizeof prefix - 1) != 0 || end == NULL ||
            snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin) >= (int)sizeof name)
            continue;
        int status = check_number(name, end + 1);
        if (status != 0)
            return status;
    }
    return 0;
}

/* -- processors ------------------------------------------------------------------------------ */

/* Returns whether the text is a list of processors and ranges of them, for example "0-3,8 10-".
 * StarPU accesses memory outside its arrays for a negative number. */
static bool is_list_of_processors(const char *text)
{
    enum { DIGITS = 6 };
    size_t digits = strspn(text, "0123456789");
    if (digits == 0)
        return false;
    while (*text != '\0') {
        digits = strspn(text, "0123456789");
        bool is_separated = *text == ' ' || *text == ',' || *text == '-';
        if (digits > DIGITS || (digits == 0 && !is_separated))
            return false;
        text += digits + (digits == 0 ? 1 : *(text + digits) == '-');
        if (digits == 0 && *(text - 1) == '-')
            return false; /* no digit before '-' */
    }
    return true;
}

/* Returns whether the variable is unset or a number below `limit`, which StarPU does not check. */
static bool is_unset_or_below(const char *name, long limit)
{
    return starpu_getenv_number_default(name, 0) < limit;
}

/* Returns whether a core has this number of hardware threads. */
static bool fits_cores(int threads_per_core)
{
    int threads;
    return threads_per_core == 1 ||
           (threads_per_core > 0 && threads_per_core * usable_cores(&threads) <= threads);
}

static const char *fault_of_processors(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *cpu_list = getenv("STARPU_WORKERS_CPUID");
    const char *core_list = getenv("STARPU_WORKERS_COREID");
    const char *gpu_list = getenv("STARPU_WORKERS_CUDAID");
    if (cpu_list != NULL && !is_list_of_processors(cpu_list))
        return "STARPU_WORKERS_CPUID must be a list of processors, such as 0-3,8";
    if (core_list != NULL && !is_list_of_processors(core_list))
        return "STARPU_WORKERS_COREID must be a list of cores, such as 0-3,8";
    if (gpu_list != NULL && strspn(gpu_list, "0123456789") == 0)
        return "STARPU_WORKERS_CUDAID must be a list of GPUs, such as 0 1";
    if (!is_unset_or_below("STARPU_MAIN_THREAD_CPUID", processors))
        return "STARPU_MAIN_THREAD_CPUID must be a processor of the machine";
    if (!is_unset_or_below("STARPU_MAIN_THREAD_COREID", processors))
        return "STARPU_MAIN_THREAD_COREID must be a core of the machine";
    if (!fits_cores(starpu_getenv_number_default("STARPU_NTHREADS_PER_CORE", 1)))
        return "STARPU_NTHREADS_PER_CORE must be from 1 to the hardware threads of a core";
    int workers = starpu_getenv_number_default("STARPU_NWORKER_PER_CUDA", 1);
    if (workers < 1 || workers >= STARPU_NMAXWORKERS)
        return "STARPU_NWORKER_PER_CUDA must be at least 1 and fit StarPU's number of workers";
    return NULL;
}

/* -- files ----------------------------------------------------------------------------------- */

/* Returns whether the variable is unset or a file that can be written. */
static bool is_unset_or_writable_file(const char *name)
{
    const char *path = getenv(name);
    if (path == NULL || access(path, W_OK) == 0)
        return true;
    const char *slash = strrchr(path, '/');
    if (errno != ENOENT || path[0] == '\0')
        return false;
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    bool is_writable = folder != NULL && access(folder, W_OK | X_OK) == 0;
    free(folder);
    return is_writable;
}

/* Returns whether the variable is unset or a folder that can be written or made. */
static bool is_unset_or_usable_folder(const char *name)
{
    const char *path = getenv(name);
    return path == NULL || folder_can_be_made(path);
}

static const char *fault_of_swap(void)
{
    enum { LEAST = STARPU_DISK_SIZE_MIN >> 20 };
    if (getenv("STARPU_DISK_SWAP") == NULL)
        return NULL;
    if (!is_unset_or_usable_folder("STARPU_DISK_SWAP"))
        return "STARPU_DISK_SWAP must name a folder that can be written";
    if (is_unset_or_below("STARPU_DISK_SWAP_SIZE", LEAST) &&
        getenv("STARPU_DISK_SWAP_SIZE") != NULL)
        return "STARPU_DISK_SWAP_SIZE must be at least 16";
    return NULL;
}

static bool has_slash(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && strchr(value, '/') != NULL;
}

/* Returns whether StarPU can use the list: it takes at most 20 folders in all. */
static bool is_short_list(const char *list)
{
    enum { MOST = 16 };
    int count = 1;
    if (list == NULL)
        return true;
    for (; *list != '\0'; list++)
        count += *list == ':' || *list == ',';
    return count <= MOST;
}

static const char *fault_of_files(void)
{
    bool has_trace = starpu_getenv_number_default("STARPU_FXT_TRACE", 0) != 0;
    if (has_trace && !is_unset_or_usable_folder("STARPU_FXT_PREFIX"))
        return "STARPU_FXT_PREFIX must name a folder that can be written";
    if (!is_unset_or_writable_file("STARPU_BUS_STATS_FILE"))
        return "STARPU_BUS_STATS_FILE must name a file that can be written";
    if (!is_unset_or_writable_file("STARPU_WORKER_STATS_FILE"))
        return "STARPU_WORKER_STATS_FILE must name a file that can be written";
    if (has_slash("STARPU_HOSTNAME"))
        return "STARPU_HOSTNAME must be a name, without '/'";
    if (has_slash("STARPU_MPI_HOSTNAMES"))
        return "STARPU_MPI_HOSTNAMES must be names, without '/'";
    if (!is_short_list(getenv("STARPU_PERF_MODEL_PATH")))
        return "STARPU_PERF_MODEL_PATH must have at most 16 folders";
    return fault_of_swap();
}

int starpu_environment_check(void)
{
    int status = check_numbers();
    if (status != 0)
        return status;
    const char *fault = fault_of_processors();
    if (fault == NULL)
        fault = fault_of_files();
    return fault != NULL ? explain(STARTILE_ERROR_ENVIRONMENT, "%s", fault) : 0;
}
