/*
 * Rows of `startile bench`: aligned columns for people, all fields as CSV for programs.
 */
#include "bench.h"
#include "report_values.h"
#include "scalar.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const where_names[] = {"cpu", "gpu", "hybrid"};

static const char *const tree_names[] = {"flat", "binary", "greedy"};

/* -- columns -------------------------------------------------------------------------------- */

void print_heading(const struct bench_settings *s)
{
    printf("%-12s %4s %7s %7s %7s %6s %-6s %7s %10s %10s %10s %6s %6s %9s %9s", "routine", "prec",
           "m", "n", "nrhs", "nb", "where", "tasks", "seconds", "GFlop/s", "peer", "ratio", "gemm",
           "residual", "LAPACK's");
    if (s->energy)
        printf(" %9s %9s %8s %8s", "J of CPUs", "J of GPUs", "GFlops/W", "of GPUs");
    puts("  status");
}

static double gflop(const struct row *row)
{
    return 1e-9 * row->problem.routine->flops(&row->problem);
}

void print_row(const struct bench_settings *s, const struct row *row)
{
    const struct problem *p = &row->problem;
    printf("%-12s %4c %7" PRId64 " %7" PRId64 " %7" PRId64 " %6" PRId64 " %-6s", p->routine->name,
           dtype_letter(p->dtype), p->m, p->n, p->k, p->nb, where_names[row->where]);
    print_value(7, "%.0f", row->tasks < 0 ? NAN : (double)row->tasks);
    print_value(10, "%.4g", row->seconds);
    print_value(10, "%.4g", row->gflop_s);
    print_value(10, "%.4g", row->peer_gflop_s);
    print_value(6, "%.3f", row->ratio);
    print_value(6, "%.3f", row->fraction_of_gemm);
    print_value(9, "%.2e", row->scaled_residual);
    print_value(9, "%.2e", row->lapack_residual);
    if (s->energy) {
        print_value(9, "%.4g", row->joules.cpu);
        print_value(9, "%.4g", row->joules.gpu);
        print_value(8, "%.4g", gflop(row) / (row->joules.cpu + row->joules.gpu));
        print_value(8, "%.4g", row->where == WHERE_GPU ? gflop(row) / row->joules.gpu : NAN);
    }
    printf("  %s\n", row->status);
    fflush(stdout);
}

static void print_watts(const char *name, double joules, double seconds, double idle)
{
    if (!isnan(joules))
        printf("# %s: %.4g W, idle %.4g W\n", name, joules / seconds, idle);
}

void print_power(const struct bench_settings *s, const struct row *row)
{
    print_watts("power of the CPUs", row->joules.cpu, row->energy_seconds, s->idle_watts.cpu);
    print_watts("power of the GPUs", row->joules.gpu, row->energy_seconds, s->idle_watts.gpu);
}

/* -- CSV ------------------------------------------------------------------------------------ */

bool csv_heading(FILE *csv)
{
    fputs("routine,precision,m,n,nrhs,mb,nb,where,workers,tasks,submit_seconds,seconds,gflop_s,"
          "peer_name,peer_gflop_s,ratio,gemm_gflop_s,fraction_of_gemm,scaled_residual,"
          "lapack_residual,status,seconds_min,seconds_max,tree,cpu_joules,gpu_joules,"
          "energy_seconds,placement_seconds,critical_path,area_bound,mixed_bound,"
          "placement_run_seconds,model_critical_path,model_area_bound,model_mixed_bound,"
          "bytes_to_gpus,bytes_from_gpus,bytes_between_gpus,bytes_from_disk,bytes_to_disk,"
          "bytes_by_formula,bytes_ratio,bytes_between_by_formula,bytes_between_ratio\n",
          csv);
    return !fflush(csv);
}

/* RFC 4180: quotes around text with a comma or a quote, and quotes doubled. */
static void csv_text(FILE *csv, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n");
    fputs(quoted ? ",\"" : ",", csv);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', csv);
        fputc(*text, csv);
    }
    if (quoted)
        fputc('"', csv);
}

static void csv_bounds(FILE *csv, struct bounds b)
{
    csv_value(csv, b.critical_path);
    csv_value(csv, b.area);
    csv_value(csv, mixed_bound(b));
}

static void csv_placement(FILE *csv, const struct placement *p)
{
    static const struct bounds none = {NAN, NAN};
    bool placed = p->count > 0;
    csv_value(csv, placed ? p->seconds : NAN);
    csv_bounds(csv, placed ? p->measured : none);
    csv_value(csv, placed ? p->run_seconds : NAN);
    csv_bounds(csv, placed ? p->modelled : none);
    csv_value(csv, placed ? p->to_gpus : NAN);
    csv_value(csv, placed ? p->from_gpus : NAN);
    csv_value(csv, placed ? p->between_gpus : NAN);
    csv_value(csv, placed ? p->from_disk : NAN);
    csv_value(csv, placed ? p->to_disk : NAN);
    csv_value(csv, placed ? p->volume : NAN);
    csv_value(csv, placed ? moved_bytes(p) / p->volume : NAN);
    csv_value(csv, placed ? p->volume_between : NAN);
    csv_value(csv, placed ? p->between_gpus / p->volume_between : NAN);
}

bool csv_row(FILE *csv, const struct row *row)
{
    const struct problem *p = &row->problem;
    fprintf(csv, "%s,%c,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%d,",
            p->routine->name, dtype_letter(p->dtype), p->m, p->n, p->k, p->mb, p->nb,
            where_names[row->where], row->workers);
    if (row->tasks >= 0)
        fprintf(csv, "%" PRId64, row->tasks);
    csv_value(csv, row->submit_seconds);
    csv_value(csv, row->seconds);
    csv_value(csv, row->gflop_s);
    csv_text(csv, row->peer_name);
    csv_value(csv, row->peer_gflop_s);
    csv_value(csv, row->ratio);
    csv_value(csv, row->gemm_gflop_s);
    csv_value(csv, row->fraction_of_gemm);
    csv_value(csv, row->scaled_residual);
    csv_value(csv, row->lapack_residual);
    csv_text(csv, row->status);
    csv_value(csv, row->seconds_min);
    csv_value(csv, row->seconds_max);
    csv_text(csv, p->routine->by_tree ? tree_names[p->tree] : "");
    csv_value(csv, row->joules.cpu);
    csv_value(csv, row->joules.gpu);
    csv_value(csv, row->energy_seconds);
    csv_placement(csv, &row->placement);
    fputc('\n', csv);
    /* A long sweep that is cut off keeps its rows. */
    return !fflush(csv) && !ferror(csv);
}
