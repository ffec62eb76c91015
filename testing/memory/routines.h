/* The calls whose allocations fail in turn. */
#ifndef TESTING_ROUTINES_H
#define TESTING_ROUTINES_H

#include "startile.h"

struct routine {
    const char *name;
    /* Creates the operands, calls the routine and destroys them; returns the first failure. */
    int64_t (*run)(void);
};

/* Sum that run() makes of its results. */
extern double checksum;

/* The last entry has the name NULL. */
extern const struct routine matrix_routines[], typed_routines[], batch_routines[];

#endif
