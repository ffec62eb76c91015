/*
 * `startile gantt`: draws a trace.
 */
#include "gantt.h"

#include "command.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char command[] = "startile gantt";

static void set_folder(void *settings, const char *argument)
{
    const char **folder = settings;
    if (*folder)
        usage_error(command, "'%s': one folder at a time", argument);
    *folder = argument;
}

static const struct command_options gantt_options = {
    .command = command,
    .usage = "FOLDER",
    .argument = set_folder,
    .doc =
        "Draws FOLDER/gantt.svg from the trace in FOLDER: a row per worker, a bar per task, a "
        "color per codelet. Corrects the colors in FOLDER/paje.trace for viewers.\v"
        "The option --trace of a command does so itself. This command is for traces of programs: "
        "with STARTILE_TRACE=FOLDER, or, if they start StarPU themselves, with STARPU_FXT_TRACE=1, "
        "STARPU_GENERATE_TRACE=1 and STARPU_FXT_PREFIX=FOLDER."};

int gantt_command(int argc, char **argv)
{
    const char *folder = NULL;
    struct stat status;
    parse_options(&gantt_options, argc, argv, &folder);
    if (!folder)
        usage_error(command, "a folder is needed");
    if (stat(folder, &status)) {
        report("gantt: %s: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    if (!draw_gantt(folder))
        return EXIT_FAILED;
    printf("%s/gantt.svg\n", folder);
    return EXIT_SUCCESS;
}
