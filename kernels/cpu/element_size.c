#include "kernels.h"

const int startile_element_size[4] = {4, 8, 8, 16};
