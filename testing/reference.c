#include "reference.h"

extern const struct reference reference_s, reference_d, reference_c, reference_z;

const struct reference *const reference[4] = {&reference_s, &reference_d, &reference_c,
                                              &reference_z};
