/* Rows of one process: conversion between a row's index in the matrix and its index in the process'
 * part. */
#ifndef STARTILE_PART_H
#define STARTILE_PART_H

#include "tile_column.h"

/* Returns the matrix row that is row i of the process. */
static inline int64_t part_row(const startile_rows *rows, int64_t i)
{
    i += rows->skip;
    return rows->first + i / rows->mb * rows->mb * rows->processes + i % rows->mb;
}

/* Returns the index of matrix row `row` among the process' m rows, or a negative number if it is
 * not one of them. */
static inline int64_t part_index(const startile_rows *rows, int64_t row, int64_t m)
{
    int64_t below = row - rows->first, period = (int64_t)rows->mb * rows->processes;
    if (below < 0 || below % period >= rows->mb)
        return -1;
    int64_t i = below / period * rows->mb + below % period - rows->skip;
    return i < m ? i : -1;
}

#endif
