#include "reference.h"

extern const struct reference reference_s, reference_d, reference_c, reference_z;

const struct reference *const reference[4] = {&reference_s, &reference_d, &reference_c,
                                              &reference_z};

struct array product(char transa, char transb, struct array A, struct array B)
{
    struct array C = array_new(A.dtype, transa == 'N' ? A.m : A.n, transb == 'N' ? B.n : B.m, 0);
    if (C.m > 0 && C.n > 0)
        lapack(A)->gemm(transa, transb, 1, A, B, 0, C);
    return C;
}
