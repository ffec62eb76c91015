/*
 * The name of the machine that is calibrated, and where its folder is.
 */
#include "calibrate.h"
#include "command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void add_word(char *name, size_t size, const char *word)
{
    size_t length = strlen(name);
    if (length && length + 1 < size)
        name[length++] = '-';
    for (; isalnum((unsigned char)*word) && length + 1 < size; word++)
        name[length++] = (char)tolower((unsigned char)*word);
    name[length] = '\0';
}

/* "h200-xeon-16": the GPU's model, the CPU's family of products, and its cores. */
static void make_name(struct calibration *c)
{
    static const char *const families[] = {"Xeon", "EPYC", "Ryzen", "Core", "Grace", "Neoverse"};
    char cores[16];
    const char *gpu = c->machine.gpu, *cpu = "cpu";
    if (!strncmp(gpu, "NVIDIA ", 7))
        gpu += 7;
    if (*gpu)
        add_word(c->name, sizeof c->name, gpu);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strstr(c->machine.cpu, families[i]))
            cpu = families[i];
    add_word(c->name, sizeof c->name, cpu);
    snprintf(cores, sizeof cores, "%d", c->cores);
    add_word(c->name, sizeof c->name, cores);
}

static bool make_folder_name(struct calibration *c)
{
    char root[4096];
    if (!models_user_root(root, sizeof root)) {
        report("calibrate: neither HOME nor XDG_DATA_HOME is set: say --folder");
        return false;
    }
    if (snprintf(c->folder, sizeof c->folder, "%s/%s", root, c->name) < (int)sizeof c->folder)
        return true;
    report("%s: longer than the %d characters that StarPU has room for", root, FOLDER_LENGTH - 1);
    return false;
}

/* Several processors may make the same name: the first that is free or this machine's own. */
static bool choose_name(struct calibration *c)
{
    char plain[sizeof c->name];
    make_name(c);
    snprintf(plain, sizeof plain, "%s", c->name);
    for (int i = 2; make_folder_name(c); i++) {
        if (!state_is_elsewheres(c))
            return true;
        snprintf(c->name, sizeof c->name, "%.50s-%d", plain, i);
    }
    return false;
}

bool name_folder(struct calibration *c)
{
    if (!c->name[0] && !c->folder[0])
        return choose_name(c);
    if (!c->name[0])
        make_name(c);
    return c->folder[0] || make_folder_name(c);
}
