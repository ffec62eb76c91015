/* Sizes of the element types in bytes, indexed by startile_dtype. */
#include "kernels.h"

const int startile_element_size[4] = {4, 8, 8, 16};
