/*
 * `startile plot`: draws the rates in CSV files of `startile bench`.
 */
#include "plot.h"
#include "command.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "startile plot";

struct settings {
    struct plot plot;
    const char *out_file;
};

#define FIELD(member) .field = offsetof(struct settings, member)

static const struct option_row options[] = {
    {"out", "FILE.svg", "write the picture there (default: the standard output)", OPTION_TEXT,
     FIELD(out_file)},
    {"title", "TEXT", "write it above the charts", OPTION_TEXT, FIELD(plot.title)},
    {.name = NULL},
};

static void add_file(void *settings, const char *name)
{
    struct plot *p = &((struct settings *)settings)->plot;
    p->files[p->count_of_files++] = name;
}

static const struct command_options plot_options = {
    .command = command,
    .usage = "FILE.csv...",
    .argument = add_file,
    .options = options,
    .doc =
        "Draws the rates in files of startile bench --csv, also of batches and kernels, over n as "
        "SVG: a chart for each routine and type, a line for the library and each peer.\v"
        "Where files have the same routine, type, place and n, as before and after a change, each "
        "file gets lines of its own. Of several tile sizes the fastest is drawn. Failed runs are "
        "left out."};

/* Writes the picture. Returns false after a report on failure. */
static bool write_picture(const struct settings *s)
{
    FILE *out = s->out_file ? fopen(s->out_file, "w") : stdout;
    bool good = out && plot_draw(&s->plot, out);
    if (out && out != stdout)
        good = !fclose(out) && good;
    if (!good)
        report("plot: %s: %s", s->out_file ? s->out_file : "standard output", strerror(errno));
    return good;
}

int plot_command(int argc, char **argv)
{
    struct settings s = {.plot.files = calloc((size_t)argc, sizeof *s.plot.files)};
    if (!s.plot.files) {
        report("plot: %s", strerror(ENOMEM));
        return EXIT_FAILED;
    }
    parse_options(&plot_options, argc, argv, &s);
    if (!s.plot.count_of_files)
        usage_error(command, "a file of startile bench --csv is needed");
    if (!s.out_file && isatty(STDOUT_FILENO))
        usage_error(command, "--out is needed: the standard output is a terminal");
    bool good = plot_read(&s.plot) && write_picture(&s);
    if (good && s.out_file)
        printf("%s\n", s.out_file);
    free(s.plot.point);
    free(s.plot.files);
    return good ? EXIT_SUCCESS : EXIT_FAILED;
}
