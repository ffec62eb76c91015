/* Noise: the share of the cores' time that other processes take. */
#include "calibrate.h"
#include "measure.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

/* Returns the busy time of all cores since the start of the machine; 0 if the file has no times. */
static double busy_seconds(const char *stat)
{
    double user, nice, system, idle, wait, irq, softirq, stolen;
    FILE *f = fopen(stat, "r");
    int fields = !f ? 0
                    : fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle,
                             &wait, &irq, &softirq, &stolen);
    if (f)
        fclose(f);
    return fields < 8
               ? 0
               : (user + nice + system + irq + softirq + stolen) / (double)sysconf(_SC_CLK_TCK);
}

struct cpu_times cpu_times_now(const char *stat)
{
    return (struct cpu_times){now_seconds(), busy_seconds(stat), (double)clock() / CLOCKS_PER_SEC};
}

double load_of_others(const struct cpu_times *begin, const struct cpu_times *end, int cores)
{
    double others = end->busy - begin->busy - (end->own - begin->own);
    double total = (end->wall - begin->wall) * cores;
    return total > 0 ? fmin(fmax(others / total, 0), 1) : 0;
}
