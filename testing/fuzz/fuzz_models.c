/* Fuzz target: the files of a folder of models. An input is these files in turn, separated by lines
 * "==". */
#include "calibrate.h"
#include "command.h"
#include "fuzz.h"
#include "platform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Replace functions of the library, which are called outside the readers. */
const char *startile_version(void)
{
    return "";
}

const char *startile_blas_version(void)
{
    return "";
}

#define MACHINE "m"
#define MODEL "codelets/45/startile_dgemm." MACHINE

static const char *const files[] = {MODEL,
                                    "manifest",
                                    "tiles",
                                    "crossovers",
                                    "runs",
                                    "simulation",
                                    "bus/" MACHINE ".platform.v4.xml"};

/* Reads the model and computes times of tasks. */
static void read_model(const char *folder)
{
    char path[4096];
    const char *reason;
    snprintf(path, sizeof path, "%s/" MODEL, folder);
    struct model *model = model_read(path, &reason);
    for (unsigned i = 0; model != NULL && i <= MODEL_IMPLEMENTATIONS; i++)
        for (int device = MODEL_CPU; device < MODEL_DEVICES; device++) {
            double time = model_time(model, (enum model_device)device, i, 7, 1e9, 1e6);
            if (time < 0)
                abort();
        }
    model_free(model);
}

/* Reads the manifest and the tables, as models_open() does. */
static void read_folder(const char *folder)
{
    static struct machine_tables tables;
    struct manifest manifest;
    const char *reason;
    char words[256];
    int64_t mb, nb;
    if (manifest_read(folder, &manifest))
        folder_fault(folder, &manifest);
    folder_is_damaged(folder, MACHINE, words, sizeof words);
    if (folder_read_tables(&tables, folder, &reason) &&
        tile_table_find(&tables.tiles, "getrf", STARTILE_D, false, 3000, &mb, &nb) &&
        (nb < 0 || mb < 0))
        abort();
}

/* Reads the journal of a calibration. */
static void read_journal(const char *folder)
{
    static const struct phase phase = {.name = "cpu", .learns = true};
    static const struct series series = {.phase = &phase, .name = "potrf"};
    struct calibration c = {.precisions = {{STARTILE_D, STARTILE_Z}, 2}};
    size_t count;
    snprintf(c.folder, sizeof c.folder, "%s", folder);
    journal_has(&c, &series);
    free(journal_read(&c, &count));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *folder = fuzz_folder();
    struct platform platform;
    struct link link;
    char text[64];
    is_silent = true; /* no messages */
    fuzz_subfolder("codelets/45");
    fuzz_subfolder("bus");
    fuzz_write_parts(files, sizeof files / sizeof *files, data, size);
    read_model(folder);
    read_folder(folder);
    read_journal(folder);
    platform_read(folder, MACHINE, 4, &platform);
    snprintf(text, sizeof text, "%.*s", (int)(size < 63 ? size : 63), (const char *)data);
    network_read(text, &link);
    return 0;
}
