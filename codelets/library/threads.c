/* The number of threads that the process may create. StarPU ends the program if it cannot create
 * one (StarPU quirk 55). */
#define _GNU_SOURCE /* cpu_set_t */
#include "library/start.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* -- limits of the kernel -------------------------------------------------------------------- */

/* Returns the number in the file, LONG_MAX for "max", −1 without a number. */
static long number_in(const char *folder, const char *file)
{
    char path[PATH_MAX + 32], text[32] = "";
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return -1;
    bool is_read = fgets(text, sizeof text, f) != NULL;
    fclose(f);
    if (!is_read || strncmp(text, "max", 3) == 0)
        return is_read ? LONG_MAX : -1;
    return text[0] >= '0' && text[0] <= '9' ? strtol(text, NULL, 10) : -1;
}

/* Returns how many more processes and threads a control group and those above it allow; −1 without
 * a limit. folder: path of the group, which this function shortens to its first `root` bytes, the
 * path of the topmost group. */
static long left_in_groups(char *folder, size_t root)
{
    long left = -1;
    for (;;) {
        long most = number_in(folder, "pids.max"), current = number_in(folder, "pids.current");
        if (most >= 0 && current >= 0 && (left < 0 || most - current < left))
            left = most > current ? most - current : 0;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= root || slash == NULL)
            return left;
        *slash = '\0';
    }
}

/* Returns how many more processes and threads the control groups of the process allow; −1 without a
 * limit. A line of the file is "NUMBER:CONTROLLERS:PATH"; version 2 names no controllers. */
static long left_in_all_groups(void)
{
    char line[PATH_MAX], folder[PATH_MAX + 32];
    long left = -1;
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (f == NULL)
        return -1;
    while (left < 0 && fgets(line, sizeof line, f) != NULL) {
        char *controllers = strchr(line, ':'), *path = strstr(line, ":/");
        if (controllers == NULL || path == NULL)
            continue;
        path[strcspn(path, "\n")] = '\0';
        const char *root = path == controllers + 1 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/pids";
        *path = '\0';
        if (controllers[1] != '\0' && strstr(controllers, "pids") == NULL)
            continue;
        snprintf(folder, sizeof folder, "%s%s", root, path + 1);
        left = left_in_groups(folder, strlen(root));
    }
    fclose(f);
    return left;
}

/* Returns whether all limits are far above `count` more threads. The user has at most as many
 * threads as the system. */
static bool is_far_from_limits(long count)
{
    enum { DISTANCE = 1000 }; /* threads that others may create meanwhile */
    struct sysinfo system;
    struct rlimit user;
    if (sysinfo(&system) != 0 || getrlimit(RLIMIT_NPROC, &user) != 0)
        return false;
    long needed = system.procs + count + DISTANCE;
    return (user.rlim_cur == RLIM_INFINITY || (rlim_t)needed < user.rlim_cur) &&
           needed < number_in("/proc/sys/kernel", "threads-max") &&
           needed < number_in("/proc/sys/kernel", "pid_max") &&
           count + DISTANCE < left_in_all_groups();
}

/* -- attempt --------------------------------------------------------------------------------- */

static void *wait_for_creator(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

/* Returns whether `count` threads can exist at the same time, by creating and ending them. They
 * handle no signals. */
static bool can_create(int count)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *thread = malloc((size_t)count * sizeof *thread);
    sigset_t all, before;
    int created = 0;
    if (thread == NULL)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&mutex);
    while (created < count && pthread_create(&thread[created], NULL, wait_for_creator, &mutex) == 0)
        created++;
    pthread_mutex_unlock(&mutex);
    for (int t = 0; t < created; t++)
        pthread_join(thread[t], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(thread);
    return created == count;
}

/* An attempt with few threads is faster than reading the limits. Limits of the address space are
 * found by attempts only. */
bool threads_are_allowed(int count)
{
    enum { FEW = 4 };
    struct rlimit space, data;
    if (count <= 0)
        return true;
    bool unlimited = getrlimit(RLIMIT_AS, &space) == 0 && getrlimit(RLIMIT_DATA, &data) == 0 &&
                     space.rlim_cur == RLIM_INFINITY && data.rlim_cur == RLIM_INFINITY;
    return (count > FEW && unlimited && is_far_from_limits(count)) || can_create(count);
}

/* -- workers --------------------------------------------------------------------------------- */

/* Returns the first hardware thread of the core, or `cpu` if Linux does not tell. */
static int first_of_core(int cpu)
{
    char folder[64];
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%d/topology", cpu);
    long first = number_in(folder, "thread_siblings_list");
    return first >= 0 && first < CPU_SETSIZE ? (int)first : cpu;
}

int usable_cores(int *hardware_threads)
{
    cpu_set_t usable, firsts;
    CPU_ZERO(&firsts);
    *hardware_threads = 0;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &usable)) {
                CPU_SET(first_of_core(cpu), &firsts);
                (*hardware_threads)++;
            }
    return CPU_COUNT(&firsts);
}

/* Returns the largest number of CPU workers that StarPU may choose. */
static int most_cpu_workers(void)
{
    cpu_set_t usable;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    bool is_bound = starpu_getenv_number_default("STARPU_WORKERS_GETBIND", 1) != 0 &&
                    sched_getaffinity(0, sizeof usable, &usable) == 0;
    return is_bound ? CPU_COUNT(&usable) : online > 0 ? (int)online : 1;
}

/* StarPU has one worker for each core. Counting cores reads a file for each hardware thread, so the
 * first attempt is with a worker for each hardware thread. */
bool workers_are_allowed(int cpu_workers, int others)
{
    int hardware_threads, most = cpu_workers >= 0 ? cpu_workers : most_cpu_workers();
    if (threads_are_allowed((most < STARPU_MAXCPUS ? most : STARPU_MAXCPUS) + others))
        return true;
    return cpu_workers < 0 && starpu_getenv_number_default("STARPU_NTHREADS_PER_CORE", 1) <= 1 &&
           threads_are_allowed(usable_cores(&hardware_threads) + others);
}
