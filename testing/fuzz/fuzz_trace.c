/* Fuzz target: the files of a trace, which `startile gantt` draws. An input is these files in turn,
 * separated by lines "==". */
#include "command.h"
#include "fuzz.h"
#include "gantt/gantt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const files[] = {"tasks.rec", "paje.trace", "about.txt"};
    fuzz_write_parts(files, sizeof files / sizeof *files, data, size);
    is_silent = true; /* no messages */
    draw_gantt(fuzz_folder());
    return 0;
}
