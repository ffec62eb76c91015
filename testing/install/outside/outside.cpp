// The headers in C++, where their complex types are std::complex.
#include <startile.h>
#include <startile_lapack.h>

#include <complex>

int main()
{
    std::complex<double> a[] = {{4, 0}, {1, 1}, {1, -1}, {3, 0}}, b[] = {{5, -1}, {4, 1}};
    // columns of A: (4, 1 + i), (1 − i, 3); x = (1, 1)
    int64_t info = startile_zposv('L', 2, 1, a, 2, b, 2);
    double off = std::abs(b[0] - 1.0) + std::abs(b[1] - 1.0);
    return info == 0 && off < 1e-12 ? 0 : 1;
}
