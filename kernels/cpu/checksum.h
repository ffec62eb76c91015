/* Columns of a checksum (kernel_list.h) of this type. */
#ifndef STARTILE_CPU_CHECKSUM_H
#define STARTILE_CPU_CHECKSUM_H

#include "dtype.h"

/* PARTS: number of columns of one weighted sum. SUMS: number of all columns, the last of which has
 * sums of squares. */
#ifdef STARTILE_COMPLEX
enum { PARTS = 2, SUMS = 5 };
#else
enum { PARTS = 1, SUMS = 3 };
#endif

#endif
