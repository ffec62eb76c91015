/*
 * The measured crossovers of this machine, before startile starts: a program whose problems are
 * large only by them would never start it otherwise. Chooses the folder of models as startile does
 * for CPU cores. On a machine with a GPU startile reads the file when it starts, because only CUDA
 * knows the GPU's name, by which the folder is chosen.
 */
#include "common.h"
#include "models/model.h"

static struct crossover_table table;

void measured_read(void)
{
    struct machine machine;
    const char *reason;
    bool is_named;
    if (has_gpu())
        return;
    machine_find(&machine, true, false);
    startile_models models = models_choose_by_environment(&machine, &is_named);
    if (models.machine[0] == '\0' || !crossover_table_read(&table, models.folder, &reason))
        table.lines = 0;
}

int64_t measured_crossover(const char *routine, startile_dtype dtype)
{
    return crossover_table_find(&table, routine, dtype, false);
}
