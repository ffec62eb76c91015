"""Arrays in main memory of PyTorch, JAX and a stand-in: results are arrays of the same library, equal to numpy's."""
import inspect
import types

import numpy as np
import pytest
import startile
from matrices import close, positive

STACK = positive(np.random.default_rng(5), "d", 2, 6, 6)
A, B = STACK[0], np.arange(6.0)
TALL = np.array(STACK.reshape(12, 6))

CALLS = {
    "solve": lambda give: startile.solve(give(A), give(B)),
    "solve.stack": lambda give: startile.solve(give(STACK), give(B)),
    "solve.columns": lambda give: startile.solve(give(A), give(A), assume_a="pos"),
    "inv": lambda give: startile.inv(a=give(A)),
    "inv.symmetric": lambda give: startile.inv(give(A), assume_a="sym"),
    "inv.single": lambda give: startile.inv(give(A.astype("f"))),
    "inv.complex": lambda give: startile.inv(give(A + 1j)),
    "inv.empty": lambda give: startile.inv(give(np.zeros((0, 0)))),
    "cholesky": lambda give: startile.cholesky(give(A), lower=True),
    "cho_factor": lambda give: startile.cho_factor(give(A)),
    "cho_solve": lambda give: startile.cho_solve(startile.cho_factor(give(A)), give(B)),
    "solve.symmetric": lambda give: startile.solve(give(A), give(A), assume_a="sym"),
    "ldl": lambda give: startile.ldl(give(A))[:2],
    "lu_factor": lambda give: startile.lu_factor(give(A)),
    "lu_factor.stack": lambda give: startile.lu_factor(give(STACK)),
    "lu_solve": lambda give: startile.lu_solve(startile.lu_factor(give(A)), give(B)),
    "qr": lambda give: startile.qr(give(TALL), mode="economic"),
    "qr.raw": lambda give: startile.qr(give(TALL), mode="raw", pivoting=True)[0],
    "interp_decomp": lambda give: startile.interp_decomp(give(TALL), 4),
    "interp_decomp.tolerance": lambda give: startile.interp_decomp(give(TALL), 0.1),
    "qr.r": lambda give: startile.qr(give(TALL), mode="r"),
    "lstsq": lambda give: startile.lstsq(give(TALL), give(np.ones((12, 2)))),
    "lstsq.deficient": lambda give: startile.lstsq(give(np.ones((12, 4))), give(np.ones((12, 2)))),
    "pinv": lambda give: startile.pinv(give(TALL)),
    "pinv.stack": lambda give: startile.pinv(give(STACK)),
    "slogdet": lambda give: startile.slogdet(give(A)),
    "slogdet.symmetric": lambda give: startile.slogdet(give(STACK), assume_a="sym"),
    "inertia": lambda give: startile.inertia(give(STACK)),
    "slogdet.stack": lambda give: startile.slogdet(give(STACK), assume_a="pos"),
    "logdet": lambda give: startile.logdet(give(A)),
    "det": lambda give: startile.det(give(A)),
    "norm": lambda give: startile.norm(give(A)),
    "norm.stack": lambda give: startile.norm(give(STACK), 1),
    "solve_triangular": lambda give: startile.solve_triangular(give(A), give(B)),
    "cond": lambda give: startile.cond(give(A)),
    "cond.stack": lambda give: startile.cond(give(STACK)),
    "solve_mixed": lambda give: startile.solve_mixed(give(A), give(B)),
    "lstsq_mixed": lambda give: startile.lstsq_mixed(give(TALL), give(np.ones(12))),
    "submit": lambda give: startile.submit(startile.inv, give(A)).result(),
}


class StandIn:
    """An array that only has DLPack, of a library that takes C-ordered arrays only."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)

    def __array_namespace__(self):
        return types.SimpleNamespace(from_dlpack=_stand_in)


def _stand_in(x):
    x.__dlpack__()  # raises an exception for arrays that are read-only
    if not x.flags.c_contiguous:
        raise BufferError("strides")
    return StandIn(x)


def _torch():
    torch = _imported("torch")
    return torch.as_tensor, lambda x: x.numpy(), torch.Tensor


def _jax():
    jax = _imported("jax")
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray, np.asarray, jax.Array


def _imported(name):
    return pytest.importorskip(name, reason=f"this Python has no {name}")


@pytest.fixture(params=["stand-in", "torch", "jax"])
def library(request):
    """Functions that make an array of a library and that convert it to numpy, and the array's type."""
    stand_in = lambda: (lambda x: StandIn(np.array(x)), lambda x: x.array, StandIn)  # noqa: E731
    return {"stand-in": stand_in, "torch": _torch, "jax": _jax}[request.param]()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_results(library, call):
    give, take, type_ = library
    results, expected = call(give), call(np.array)
    assert type(results) is type(expected) or isinstance(results, type_)
    if not isinstance(expected, tuple):
        results, expected = (results,), (expected,)
    assert len(results) == len(expected)
    for result, value in zip(results, expected):
        if isinstance(value, (np.ndarray, np.generic)):
            assert isinstance(result, type_)
            equal = close if value.dtype.kind in "fc" else np.array_equal
            assert equal(take(result), value)
        else:
            assert result is value or np.isclose(result, value, equal_nan=True, rtol=1, atol=1e-15)


def test_first_argument_decides(library):
    give, take, type_ = library
    mixed = startile.solve(give(A), B)
    assert isinstance(mixed, type_) and close(take(mixed), np.linalg.solve(A, B))
    assert type(startile.solve(A, give(B))) is np.ndarray
    lu, piv = startile.lu_factor(A)
    assert type(startile.lu_solve((lu, give(piv)), give(B))) is np.ndarray


def test_results_share_memory(library):
    """A tensor of PyTorch is numpy's memory; the stand-in takes only C-ordered arrays."""
    give, take, type_ = library
    if type_.__module__.startswith("jax"):
        pytest.skip("JAX copies what is not aligned to 64 bytes")
    b = B.copy()
    x = startile.solve(give(A), b, overwrite_b=True)
    assert np.shares_memory(take(x), b) and close(b, np.linalg.solve(A, B))


def test_strides_that_a_library_refuses(library):
    give, take, type_ = library
    b = np.arange(12.0)[::-1][::2]
    x = startile.solve(give(A), b, overwrite_b=True)
    assert isinstance(x, type_) and close(take(x), np.linalg.solve(A, np.arange(12.0)[::-1][::2]))
    backwards = startile._host_libraries._converted(b, startile._host_libraries._importer(give(A)))
    assert (take(backwards) == b).all()


def test_errors(library):
    give = library[0]
    with pytest.raises(startile.LinAlgError, match="^a is singular"):
        startile.inv(give(np.zeros((3, 3))))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'a'"):
        startile.inv()


def test_warning_names_the_caller():
    with pytest.warns(startile.LinAlgWarning) as warned:
        startile.lu_factor(np.zeros((2, 2)))
    assert warned[0].filename == __file__


def test_every_function_is_decorated():
    functions = [f for f in vars(startile).values() if inspect.isfunction(f) and f not in (startile.info, startile.submit)]
    assert len(functions) == 22 and all(hasattr(f, "__wrapped__") for f in functions)
