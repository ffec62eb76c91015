"""Linear systems and inverses."""

from __future__ import annotations

from numpy.typing import ArrayLike

from . import _cholesky as cholesky
from . import _lu as lu
from . import _symmetric as symmetric
from ._arrays import Array, AssumeSystem, assumption, element_type, fill_triangle, matrix_argument
from ._device import raw
from ._host_libraries import in_library_of_first
from ._right_sides import RightSides
from ._stored import keep, store


@in_library_of_first
def solve(
    a: ArrayLike,
    b: ArrayLike,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: AssumeSystem = "gen",
    transposed: bool = False,
) -> Array:
    """Solves a·x = b, or aᵀ·x = b if transposed, as scipy.linalg.solve.

    a: (..., n, n). b: (n,) or (..., n, k); the stacks broadcast. assume_a: 'gen', by LU with partial pivoting; 'pos',
    Hermitian positive definite, by Cholesky; 'sym', symmetric, also with complex elements, and 'her', Hermitian, by
    Bunch and Kaufman's factorization; or scipy's long names of these. Only the triangle `lower` of the last three is
    read. overwrite_a, overwrite_b: the arrays may be overwritten, which saves a copy where their type and layout
    allow it.
    Raises LinAlgError if a is singular or not positive definite. Warns with LinAlgWarning if a is singular to working
    precision: if the estimate of 1 / cond(a) is below eps. For a stack of 'gen' or 'pos' the diagonal of the factors
    decides.

    >>> print(startile.solve([[4.0, 1.0], [1.0, 3.0]], [6.0, 7.0], assume_a="pos").round(12))
    [1. 2.]
    """
    assume = assumption(assume_a)
    array = matrix_argument(a, "a", check_finite)
    x = RightSides(b, array, "a", overwrite_b, check_finite)
    stored = store(array, x.dtype, keep(array, overwrite_a), stack=x.matrices)
    if assume == "pos":
        cholesky.factor_with_warning(stored, lower)
        cholesky.solve_factored(stored, lower, x.stored, transposed)
    elif assume in ("sym", "her"):
        symmetric.solve_in_place(stored, lower, assume == "her", x.stored, transposed)
    else:
        lu.solve_factored(stored, lu.factor(stored), x.stored, "T" if transposed else "N")
    return x.solution()


@in_library_of_first
def inv(
    a: ArrayLike,
    overwrite_a: bool = False,
    check_finite: bool = True,
    *,
    assume_a: AssumeSystem = "gen",
    lower: bool = False,
) -> Array:
    """Returns the inverse of (..., n, n), as scipy.linalg.inv.

    assume_a, lower: as for solve(); the matrices of a stack are then inverted one after the other, except those of
    'gen'. The result has both triangles. Raises LinAlgError if a is singular or not positive definite, and warns with
    LinAlgWarning as solve() does.

    >>> startile.inv([[2.0, 0.0], [0.0, 4.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    assume = assumption(assume_a)
    array = matrix_argument(a, "a", check_finite)
    stored = store(array, element_type(a=array), keep(array, overwrite_a))
    if assume == "pos":
        cholesky.invert(stored, lower)
    elif assume in ("sym", "her"):
        symmetric.invert(stored, lower, assume == "her")
    else:
        lu.invert(stored)
    if assume != "gen":
        fill_triangle(stored.data, lower, assume != "sym" and stored.is_complex)
    return raw(stored.data)
