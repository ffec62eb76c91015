/* Calls of the CPU kernels for small matrices, in each variant for an instruction set, on arrays of
 * any type. */
#ifndef TESTING_SMALL_CALLS_H
#define TESTING_SMALL_CALLS_H

#include "array.h"

enum { MOST_LANES = 16 };

/* A matrix and its tau, or a system A X = B, or Aᴴ X = B if A is_transposed in it */
struct small_case {
    struct array A, tau, B;
    bool is_transposed;
    int64_t info;
};

struct small_calls {
    /* Returns the number of matrices that a kernel factors together; 0 if this CPU lacks the
     * variant's instructions. */
    int (*lanes)(int variant);
    /* Factors `count` matrices: together, or one by one. */
    void (*geqrf)(int variant, bool together, int count, struct small_case *of);
    /* Solves systems by the kernel's operation op. */
    void (*gels)(int variant, bool together, char op, int count, struct small_case *of);
};

/* The calls of the types, indexed by startile_dtype */
extern const struct small_calls small_calls_s, small_calls_d, small_calls_c, small_calls_z;

#endif
