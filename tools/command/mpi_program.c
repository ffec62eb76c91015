/*
 * Executes startile-mpi in place of this program. Only startile-mpi is linked with MPI, so that
 * `startile` also runs where MPI is not installed.
 */
#include "command.h"
#include "peer/beside.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether mpirun of Open MPI, or a launcher with PMI or PMIx, has started this process. */
static bool is_under_mpirun(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

struct ranks *start_ranks(const char *subcommand, char **argv, bool is_wanted)
{
    static const char *const places[] = {"startile-mpi", MPI_INSTALLED};
    char program[PATH_MAX];
    char **all = argv - 1; /* all arguments: the program's name is before the subcommand */
    if (!is_wanted && !is_under_mpirun())
        return NULL;
    if (find_beside_command(places, 2, program, sizeof program)) {
        all[1] = strdup(subcommand);
        execv(program, all);
        report("%s: %s", program, strerror(errno));
    } else {
        report("startile was built without MPI: no grid of processes");
    }
    exit(EXIT_FAILED);
}
