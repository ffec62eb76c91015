/*
 * Sizes of the public structures and offsets of their last fields, on LP64 machines. Only compiled.
 * A change of a structure changes the binary interface, see docs/packages.md.
 */
#include <startile.h>
#include <startile_batch.h>
#include <startile_mixed.h>
#include <startile_testing.h>
#include <startile_trace.h>

#include <stddef.h>

#ifdef __LP64__
#define LAYOUT(type, size, last, offset)                                                           \
    _Static_assert(sizeof(type) == (size) && offsetof(type, last) == (offset), "layout of " #type)

LAYOUT(startile_options, 136, reproducible, 132);
LAYOUT(startile_models, 5188, refused, 5184);
LAYOUT(startile_corruption, 32, column, 24);
LAYOUT(startile_shape, 56, nt, 48);
LAYOUT(startile_batch_dims, 48, varies, 40);
LAYOUT(startile_mixed_options, 32, certificate, 28);
LAYOUT(startile_mixed_result, 48, forward, 40);
LAYOUT(startile_task_record, 120, dependencies, 112);
LAYOUT(startile_profile, 24, dependency, 16);
LAYOUT(startile_flip, 56, count, 48);
#endif
