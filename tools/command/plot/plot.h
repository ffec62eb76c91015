/*
 * Types and functions shared by the parts of `startile plot`: rates over n from the CSV files of
 * `startile bench`.
 */
#ifndef PLOT_H
#define PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A measured rate. Points with the same name are in one chart, and those of one series in it have
 * the same place and peer. */
struct plot_point {
    char name[48];  /* routine or kernel, with the letter of its type */
    char place[48]; /* where the library ran, or the implementation of a kernel; or "" */
    char peer[128]; /* name of the peer; "": the rate is the library's */
    int file;       /* index of the file */
    int64_t m, n;   /* m = 0: not in the file */
    double rate;    /* operations or bytes per second */
    int chart, series;
};

struct plot {
    const char **files, *title; /* title NULL: none */
    int count_of_files;
    struct plot_point *point; /* sorted by n */
    int count, charts, series;
    char unit[16];     /* unit of the rates: "operations/s" or "bytes/s" */
    bool names_files;  /* several files have the same series at the same n */
    bool names_places; /* the library ran in several places */
};

/* Reads all files. Returns false after a report on failure. (plot_read.c) */
bool plot_read(struct plot *p);
/* Draws the picture. Returns false on failure, with errno. (plot_draw.c) */
bool plot_draw(const struct plot *p, FILE *out);

#endif
