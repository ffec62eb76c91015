/* The typed entries for batches, one set of checks per type. */
#ifndef TESTING_BATCH_TYPED_H
#define TESTING_BATCH_TYPED_H

#include "batch.h"

/* Functions that check the routines of one group in all forms against LAPACK. */
struct batch_typed {
    void (*cholesky)(void);
    void (*lu)(void);
    void (*qr)(void);
    void (*pivoted_qr)(void);
    void (*products)(void);
    void (*vectors)(void);
    void (*limits)(
        void); /* shapes too large, empty batches, unused strides, an indefinite matrix */
};

/* Indexed by startile_dtype. */
extern const struct batch_typed *const batch_typed[4];

#endif
