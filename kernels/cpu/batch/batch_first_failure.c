/* The first matrix of a batch whose info is not 0 */
#include "batch_matrix.h"

int NAME(first_failure_batch)(startile_exec *x, int count, const int64_t *info,
                              startile_tile_status *status)
{
    (void)x;
    for (int q = 0; q < count && status->info == 0; q++)
        if (info[q] != 0)
            status->info = q + 1;
    return 0;
}
