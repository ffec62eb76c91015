/* What the table and the plot of `startile calibrate --show` share. */
#ifndef CALIBRATE_FILES_H
#define CALIBRATE_FILES_H

#include "calibrate.h"

extern const char *const device_names[], *const implementation_names[];

struct file {
    char codelet[64];
    struct model *model;
};

/* The measurement with the most to do. */
const struct model_entry *largest_entry(const struct model_curve *c);

/* calibrate_plot.c: a name that needs no quoting, and a kind of file that there is */
bool can_plot(const char *path);
bool plot_files(const char *path, const struct file *files, int count);

#endif
