"""Dense linear algebra on CPU cores and GPUs with names and semantics of scipy.linalg.

The functions compute in float32, float64, complex64 and complex128, take stacks of matrices, and release the GIL.
docs/python.md lists the differences from scipy.
"""

from ._arrays import Array
from ._cholesky import cho_factor, cho_solve, cholesky
from ._determinants import Slogdet, cond, det, logdet, norm, slogdet
from ._errors import LinAlgError, LinAlgWarning, StartileError
from ._futures import submit
from ._info import Info, info
from ._interpolative import interp_decomp
from ._lu import lu_factor, lu_solve
from ._mixed import MixedSolution, lstsq_mixed, solve_mixed
from ._qr import lstsq, matrix_rank, pinv, qr
from ._solve import inv, solve
from ._symmetric import Inertia, inertia, ldl
from ._triangular import solve_triangular
from ._version import __version__

__all__ = [
    "Array",
    "Inertia",
    "Info",
    "LinAlgError",
    "LinAlgWarning",
    "MixedSolution",
    "Slogdet",
    "StartileError",
    "__version__",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cond",
    "det",
    "inertia",
    "info",
    "interp_decomp",
    "inv",
    "ldl",
    "logdet",
    "lstsq",
    "lstsq_mixed",
    "lu_factor",
    "lu_solve",
    "matrix_rank",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_mixed",
    "solve_triangular",
    "submit",
]
