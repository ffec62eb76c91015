/*
 * `startile bench --placement`: a run with recorded tasks, and the bytes by formulas.
 */
#include "bench.h"
#include "startile_disk.h"
#include "startile_trace.h"

#include <starpu.h>

/* Returns the bytes of all memory nodes of one kind. */
static double memory_of(enum starpu_node_kind kind)
{
    double bytes = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        if (starpu_node_get_kind(node) == kind)
            bytes += (double)starpu_memory_get_total(node);
    return bytes;
}

/* Stores the bytes read from and written to a mapped file, which the system transfers without
 * StarPU. The system counts them for the whole process, not per file. Stores 0 for other
 * storage. */
static int64_t read_mapped_bytes(const struct operands *x, int64_t *read, int64_t *written)
{
    startile_matrix *A = x->data.matrix[0];
    *read = *written = 0;
    if (!x->disk || starpu_data_get_home_node(startile_matrix_handle(A, 0, 0)) != STARPU_MAIN_RAM)
        return 0;
    return startile_matrix_disk_bytes(A, read, written);
}

int64_t measure_placement(struct operands *x, struct row *row)
{
    struct placement *p = &row->placement;
    struct times times = {0};
    /* read[0], written[0]: before the run; read[1], written[1]: after it */
    int64_t read[2], written[2], outcome = operands_fill(x);
    if (!outcome)
        outcome = read_mapped_bytes(x, &read[0], &written[0]);
    if (!outcome)
        outcome = startile_profile_start();
    if (outcome)
        return outcome;
    outcome = run_once(x, &times);
    int64_t ended = placement_end(times.total, p);
    if (!outcome)
        outcome = ended ? ended : read_mapped_bytes(x, &read[1], &written[1]);
    if (outcome)
        return outcome;
    p->from_disk += (double)(read[1] - read[0]);
    p->to_disk += (double)(written[1] - written[0]);
    double gpus = memory_of(STARPU_CUDA_RAM);
    double memory = gpus > 0 || !x->disk ? gpus : memory_of(STARPU_CPU_RAM);
    if (!x->library_allocates && memory > 0)
        p->volume = volume_by_formula(&row->problem, memory);
    if (!x->disk)
        p->volume_between = volume_between_gpus(&row->problem, p->load[GPU].devices, memory);
    double gpu_bytes = p->to_gpus + p->from_gpus, disk_bytes = p->from_disk + p->to_disk;
    p->volume_ratio = (gpu_bytes > 0 ? gpu_bytes : disk_bytes) / p->volume;
    p->between_ratio = p->between_gpus / p->volume_between;
    return 0;
}
