/*
 * Description of mpirun's processes in `startile info` (hosts, binding, workers, GPUs, MPI), and a
 * warning if workers of several processes share cores.
 */
#define _GNU_SOURCE
#include "command.h"
#include "ranks.h"

#include <dirent.h>
#include <sched.h>
#include <starpu.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

/* local: rank of the process on its host; gpu_workers: number of GPU workers; bound: cores to which
 * the process was bound at its start; worker_cores: cores of its CPU workers; gpus: CUDA's device
 * numbers of its GPUs; visible: its CUDA_VISIBLE_DEVICES, a list into which these numbers are
 * indices; "" if not set */
struct process {
    char host[64];
    int local, gpu_workers;
    cpu_set_t bound, worker_cores, gpus;
    char visible[64];
};

static cpu_set_t bound_at_start;

void remember_binding(void)
{
    sched_getaffinity(0, sizeof bound_at_start, &bound_at_start);
}

/* Returns the cores to which StarPU has bound its CPU workers: the threads named "CPU 0", "CPU 1",
 * …
 */
static cpu_set_t cores_of_workers(void)
{
    cpu_set_t all, own;
    CPU_ZERO(&all);
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *e; threads && (e = readdir(threads));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(name, sizeof name, f) && !strncmp(name, "CPU ", 4) &&
            !sched_getaffinity(atoi(e->d_name), sizeof own, &own))
            CPU_OR(&all, &all, &own);
        if (f)
            fclose(f);
    }
    if (threads)
        closedir(threads);
    return all;
}

/* Returns CUDA's device numbers of the GPUs that have workers. */
static cpu_set_t gpus_of_workers(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int w = 0; w < (int)starpu_worker_get_count(); w++)
        if (starpu_worker_get_type(w) == STARPU_CUDA_WORKER)
            CPU_SET(starpu_worker_get_devid(w), &all);
    return all;
}

/* Stores the numbers as a text such as "0-3,8", or "none". Stops when there may be no space for one
 * more range, which takes less than 16 characters. Returns the text. */
static const char *list_numbers(const cpu_set_t *set, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (int first = 0, end; first < CPU_SETSIZE && used + 16 < size; first = end + 1) {
        for (end = first; end < CPU_SETSIZE && CPU_ISSET(end, set);)
            end++;
        if (end == first)
            continue;
        used += (size_t)snprintf(text + used, size - used, end > first + 1 ? "%s%d-%d" : "%s%d",
                                 used ? "," : "", first, end - 1);
    }
    return text;
}

/* Returns an allocated array with the descriptions of all processes. Collective. */
static struct process *gather_processes(const struct ranks *r)
{
    struct process own = {.local = 0}, *all = calloc((size_t)r->count, sizeof *all);
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    gethostname(own.host, sizeof own.host - 1);
    own.gpu_workers = startile_cuda_workers();
    own.bound = bound_at_start;
    own.worker_cores = cores_of_workers();
    own.gpus = gpus_of_workers();
    if (getenv("CUDA_VISIBLE_DEVICES"))
        snprintf(own.visible, sizeof own.visible, "%s", getenv("CUDA_VISIBLE_DEVICES"));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < r->count; i++)
        for (int j = 0; j < i; j++)
            all[i].local += !strcmp(all[i].host, all[j].host);
    return all;
}

/* Reports the first pair of processes on one host whose CPU workers share cores, if any. */
static void report_shared_cores(const struct process *all, int count)
{
    char cores[256];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            cpu_set_t both;
            CPU_AND(&both, &all[i].worker_cores, &all[j].worker_cores);
            if (strcmp(all[i].host, all[j].host) || CPU_COUNT(&both) == 0)
                continue;
            report("workers of ranks %d and %d share cores %s of %s: start with mpirun --map-by "
                   "slot:PE=N --bind-to core, N cores a process",
                   j, i, list_numbers(&both, cores, sizeof cores), all[i].host);
            return;
        }
}

void warn_of_shared_cores(const struct ranks *r)
{
    struct process *all = gather_processes(r);
    report_shared_cores(all, r->count);
    free(all);
}

/* Returns whether MPI takes addresses of GPU memory. */
static bool is_gpu_aware(void)
{
#ifdef MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support();
#else
    return false;
#endif
}

static void print_mpi(const struct ranks *r, int hosts)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, rows = nearly_square(r->count);
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    const char *scalapack = load_scalapack();
    printf("%-22s%s, MPI_THREAD_MULTIPLE, %s\n", "MPI", text,
           is_gpu_aware() ? "takes GPU memory" : "does not take GPU memory");
    printf("%-22s%s\n", "ScaLAPACK",
           scalapack ? scalapack : "none to compare with: no libscalapack-openmpi");
    printf("%-22s%d x %d; 1 x %d for LU and QR\n", "suggested grid", rows, r->count / rows,
           r->count);
    printf("%-22s%d on %d host%s\n", "processes", r->count, hosts, hosts > 1 ? "s" : "");
}

static void print_process(const struct process *p, int rank)
{
    char bound[256], workers[256], gpus[64];
    printf("%-22srank %d: %s, local rank %d, bound to cores %s, workers on cores %s, GPUs %s", "",
           rank, p->host, p->local, list_numbers(&p->bound, bound, sizeof bound),
           list_numbers(&p->worker_cores, workers, sizeof workers),
           list_numbers(&p->gpus, gpus, sizeof gpus));
    if (p->visible[0])
        printf(" of CUDA_VISIBLE_DEVICES=%s", p->visible);
    if (p->gpu_workers > 0)
        printf(" (%d workers)", p->gpu_workers);
    putchar('\n');
}

void describe_processes(const struct ranks *r)
{
    int hosts = 0;
    struct process *all = gather_processes(r);
    for (int i = 0; i < r->count; i++)
        hosts += all[i].local == 0;
    print_mpi(r, hosts);
    for (int i = 0; i < r->count; i++)
        print_process(&all[i], i);
    fflush(stdout);
    report_shared_cores(all, r->count);
    free(all);
}
