// deal.II's ScaLAPACKMatrix: LU, Cholesky, inverse and condition of a distributed matrix.
#include <deal.II/base/mpi.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/scalapack.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <random>

using namespace dealii;

int main(int argc, char **argv)
{
    Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
    const bool first = Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0;
    const unsigned int n = 1000, block = 64;
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    FullMatrix<double> general(n), positive(n);
    for (unsigned int i = 0; i < n; i++)
        for (unsigned int j = 0; j < n; j++)
            general(i, j) = normal(random);
    for (unsigned int i = 0; i < n; i++)
        for (unsigned int j = 0; j < n; j++)
            positive(i, j) = (general(i, j) + general(j, i)) / 2 + (i == j ? 3 * std::sqrt(n) : 0);
    const auto grid =
        std::make_shared<Utilities::MPI::ProcessGrid>(MPI_COMM_WORLD, n, n, block, block);

    // `property`: of the matrix, which selects LU or Cholesky for its inverse
    const auto invert = [&](const char *name, const FullMatrix<double> &values,
                            LAPACKSupport::Property property) {
        ScaLAPACKMatrix<double> matrix(n, grid, block, property);
        matrix = values;
        const double norm = matrix.l1_norm();
        if (property == LAPACKSupport::symmetric) {
            matrix.compute_cholesky_factorization();
            const double rcond = matrix.reciprocal_condition_number(norm);
            if (first)
                std::printf("result rcond 1e-6 %.17g\n", rcond);
        }
        matrix.invert();
        FullMatrix<double> inverse(n);
        matrix.copy_to(inverse);
        if (!first)
            return;
        std::printf("result %s 1e-8", name);
        for (unsigned int i = 0; i < n; i++)
            std::printf(" %.17g", inverse(i, n - 1 - i));
        std::printf("\n");
    };
    invert("inverse", general, LAPACKSupport::general);
    invert("inverse.positive", positive, LAPACKSupport::symmetric);
}
