"""PETSc: LU and Cholesky factorizations of distributed dense matrices (MATSCALAPACK)."""
import numpy as np
from petsc4py import PETSc
from results import result

n = 2500
rank = PETSc.COMM_WORLD.rank


def factor_and_solve(matrix, kind, b):
    """Returns the solution of a system, gathered on process 0."""
    solver = PETSc.KSP().create()
    solver.setType("preonly")
    solver.getPC().setType(kind)
    solver.getPC().setFactorSolverType("scalapack")
    solver.setOperators(matrix)
    x = b.duplicate()
    solver.solve(b, x)
    scatter, all_x = PETSc.Scatter.toZero(x)
    scatter.scatter(x, all_x)
    return all_x.array


random = np.random.default_rng(1)
values = random.standard_normal((n, n))
for kind in "lu", "cholesky":
    if kind == "cholesky":
        values = (values + values.T) / 2 + 3 * np.sqrt(n) * np.eye(n)
    dense = PETSc.Mat().createDense((n, n))
    dense.setUp()
    begin, end = dense.getOwnershipRange()
    dense.getDenseArray()[:] = values[begin:end]
    dense.assemble()
    matrix = dense.convert("scalapack")
    b = matrix.createVecLeft()
    b.set(1)
    x = factor_and_solve(matrix, kind, b)
    if rank == 0:
        result(kind, 1e-8, x)
