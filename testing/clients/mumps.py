"""MUMPS, called through PETSc: Cholesky factorization of a sparse matrix, whose last front ScaLAPACK factors."""
from petsc4py import PETSc
from results import result

width = 32  # points of a cube's edge
n = width**3
matrix = PETSc.Mat().createAIJ((n, n), nnz=7)
begin, end = matrix.getOwnershipRange()
for i in range(begin, end):
    matrix.setValue(i, i, 6 + i % 5)
    for step in 1, width, width**2:
        if i // step % width > 0:
            matrix.setValue(i, i - step, -1)
        if i // step % width < width - 1:
            matrix.setValue(i, i + step, -1)
matrix.assemble()
matrix.setOption(PETSc.Mat.Option.SPD, True)
b, x = matrix.createVecs()
b.set(1)
solver = PETSc.KSP().create()
solver.setType("preonly")
solver.getPC().setType("cholesky")
solver.getPC().setFactorSolverType("mumps")
solver.setOperators(matrix)
solver.solve(b, x)
scatter, all_x = PETSc.Scatter.toZero(x)
scatter.scatter(x, all_x)
if PETSc.COMM_WORLD.rank == 0:
    result("solution", 1e-10, all_x.array[::10])
