"""Singular matrices, values that are not finite, and wrong arguments: exceptions with the right words."""
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import startile


def singular(n, k):
    """Returns an upper triangular matrix with a zero at (k, k)."""
    a = np.triu(np.ones((n, n)))
    a[k, k] = 0
    return a


@pytest.mark.parametrize("order", "CF")
def test_singular(order):
    a, b = np.diag([1.0, 2, 0, 3]), np.ones(4)
    with pytest.raises(scipy.linalg.LinAlgError, match=r"a .*\[2, 2\] is exactly zero") as caught:
        startile.solve(np.array(a, order=order), b)
    assert caught.value.pivot == 2 and caught.value.matrix == ()
    x, _, rank, _ = startile.lstsq(np.array([a, a], order=order), b)
    assert rank == 3 and np.allclose(x, [1, 1 / 2, 0, 1 / 3])
    with pytest.raises(startile.LinAlgError):
        startile.inv(a)
    assert startile.slogdet(a) == (0, -np.inf) and startile.cond(a) == np.inf
    with pytest.warns(startile.LinAlgWarning, match=r"U\[2, 2\]"):
        startile.lu_factor(np.array(singular(4, 2)))


@pytest.mark.parametrize("call", [startile.cholesky, startile.cho_factor])
def test_not_positive_definite(call):
    a = np.diag([1.0, 2, -1, 3])
    with pytest.raises(startile.LinAlgError, match="leading minor of order 3") as caught:
        call(a)
    assert caught.value.pivot == 2
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.pivot == 2
    for solver in (startile.solve, startile.solve_mixed):
        with pytest.raises(startile.LinAlgError, match="leading minor of order 3"):
            solver(a, np.ones(4), assume_a="pos")


def test_singular_in_a_stack():
    a = np.broadcast_to(np.eye(3), (2, 4, 3, 3)).copy()
    a[1, 2] = np.diag([1, 0, 1])
    for assume_a in ("gen", "pos", "sym", "her", "general", "positive definite", "symmetric", "hermitian"):
        with pytest.raises(startile.LinAlgError, match=r"a\[1, 2\] ") as caught:
            startile.solve(a, np.ones(3), assume_a=assume_a)
        assert caught.value.pivot == 1 and caught.value.matrix == (1, 2)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_not_finite(value):
    a = np.eye(3)
    a[0, 1] = value
    for call in (startile.cholesky, startile.lu_factor, startile.inv, startile.slogdet, startile.qr, startile.cond):
        with pytest.raises(ValueError, match="^a must not contain infs or NaNs"):
            call(a)
    with pytest.raises(ValueError, match="^b must not contain infs or NaNs"):
        startile.solve(np.eye(3), a)


@pytest.mark.parametrize("place", [(0, 0), (1499, 1499), (700, 3)])
@pytest.mark.parametrize("order", "CF")
def test_not_finite_in_a_large_matrix(place, order):
    a = np.zeros((1500, 1500), order=order)
    a[place] = np.nan
    with pytest.raises(ValueError, match="^a must not contain"):
        startile.cholesky(a)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", "efdFD")
def test_elements_whose_sum_overflows(dtype):
    """Elements are finite where their sum is not, and Inf of both signs is found though the sum is NaN."""
    largest = np.finfo(dtype).max
    arrays = startile._arrays
    assert arrays._is_finite(np.full((3, 3), largest, dtype)) and arrays._is_finite(np.zeros((3, 3), dtype))
    for value in (np.inf, -np.inf, np.nan):
        a = np.full((3, 3), largest, dtype)
        a[1, 2] = value
        assert not arrays._is_finite(a) and not arrays._is_finite(a.T[::-1])
    a = np.zeros((2, 2), dtype)
    a[0, 0], a[1, 1] = np.inf, -np.inf
    assert not arrays._is_finite(a)


def test_unchecked_nan():
    a = np.eye(3)
    a[0, 1] = np.nan
    assert np.isnan(startile.solve(a, np.ones(3), check_finite=False)).any()


EYE, ONES = np.eye(3), np.ones(3)
WRONG = [
    (ValueError, "a must be square", lambda: startile.solve(np.ones((3, 2)), ONES)),
    (ValueError, "a must have two or more dimensions", lambda: startile.inv(ONES)),
    (ValueError, "b must have 3 rows", lambda: startile.solve(EYE, np.ones(4))),
    (ValueError, "b must have 3 rows", lambda: startile.lu_solve(startile.lu_factor(EYE), np.ones((2, 4, 3)))),
    (ValueError, "b must have 3 rows", lambda: startile.cho_solve((EYE, True), 1.0)),
    (ValueError, "stacks of a and b", lambda: startile.solve(np.ones((2, 3, 3)), np.ones((4, 3, 1)))),
    (TypeError, "a has the dtype object", lambda: startile.inv(np.full((2, 2), None))),
    (TypeError, "b has the dtype <U1", lambda: startile.solve(EYE, ["1", "2", "3"])),
    (TypeError, "a has the dtype float128", lambda: startile.inv(EYE.astype(np.longdouble))),
    (TypeError, "a must be float64", lambda: startile.solve_mixed(EYE.astype("f"), ONES.astype("f"))),
    (ValueError, "assume_a must be one of 'gen', 'pos'", lambda: startile.solve(EYE, ONES, assume_a="banded")),
    (ValueError, "assume_a must be one of 'gen', 'pos'", lambda: startile.solve_mixed(EYE, ONES, assume_a="sym")),
    (ValueError, "a must be square", lambda: startile.ldl(np.ones((3, 2)))),
    (ValueError, "not a stack", lambda: startile.ldl([EYE, EYE])),
    (ValueError, "mode must be one of", lambda: startile.qr(EYE, mode="complete")),
    (ValueError, "not a stack", lambda: startile.cholesky([EYE, EYE], pivoting=True)),
    (ValueError, "tol must be", lambda: startile.cholesky(EYE, tol=0.1)),
    (ValueError, "tol must be", lambda: startile.cholesky(EYE, pivoting=True, tol=-1)),
    (ValueError, "not a stack", lambda: startile.qr([EYE, EYE], pivoting="random")),
    (ValueError, "seed needs", lambda: startile.qr(EYE, pivoting=True, seed=1)),
    (ValueError, "seed must be", lambda: startile.qr(EYE, pivoting="random", seed=-1)),
    (ValueError, "seed must be", lambda: startile.qr(EYE, pivoting="random", seed=2**64)),
    (ValueError, "not a stack", lambda: startile.interp_decomp([EYE, EYE], 0.1)),
    (ValueError, "from 0 to 1, or an integer up to 2, not 3", lambda: startile.interp_decomp(np.ones((2, 5)), 3)),
    (ValueError, "eps_or_k must be", lambda: startile.interp_decomp(EYE, -0.1)),
    (ValueError, "eps_or_k must be", lambda: startile.interp_decomp(EYE, 1.5)),
    (ValueError, "eps_or_k must be", lambda: startile.interp_decomp(EYE, np.nan)),
    (ValueError, "eps_or_k must be", lambda: startile.interp_decomp(EYE, np.inf)),
    (ValueError, "pivoting must be", lambda: startile.qr(EYE, pivoting="quick")),
    (ValueError, "trans must be one of", lambda: startile.lu_solve(startile.lu_factor(EYE), ONES, trans=3)),
    (ValueError, "p must be one of", lambda: startile.cond(EYE, 2)),
    (ValueError, "a must be one matrix", lambda: startile.solve_mixed(np.ones((2, 3, 3)), ONES)),
    (ValueError, "a must be one matrix", lambda: startile.lstsq_mixed(np.ones((3, 4)), ONES)),
    (TypeError, "a must be float64", lambda: startile.lstsq_mixed(EYE.astype("f"), ONES.astype("f"))),
    (TypeError, "piv must be integers", lambda: startile.lu_solve((EYE, ONES), ONES)),
    (ValueError, "piv must have the shape", lambda: startile.lu_solve((EYE, [0, 1]), ONES)),
    (ValueError, "piv.* must be from i to n - 1", lambda: startile.lu_solve((EYE, [0, 1, 3]), ONES)),
    (ValueError, "piv.* must be from i to n - 1", lambda: startile.lu_solve((EYE, [0, 0, 2]), ONES)),
]


@pytest.mark.parametrize("error, words, call", WRONG, ids=[f"{i}" for i in range(len(WRONG))])
def test_wrong_arguments(error, words, call):
    with pytest.raises(error, match=words):
        call()


class OnGpu:
    """An array with the protocol of numba and CuPy."""

    __cuda_array_interface__ = {"shape": (3, 3), "typestr": "<f8", "data": (0, False), "version": 3}


class WithDlpack:
    """An array that only has DLPack."""

    def __init__(self, array, device):
        self.array, self.device = array, device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (self.device, 0)


def test_other_arrays():
    for a in (OnGpu(), WithDlpack(EYE, 2)):
        with pytest.raises(TypeError, match="^a is not in main memory"):
            startile.solve(a, ONES)
        with pytest.raises(TypeError, match="^b is not in main memory"):
            startile.solve(EYE, a)
    a = np.array([[2.0, 1], [1, 3]])
    for device in (1, 3, 13):  # main memory, page-locked, managed
        assert np.allclose(startile.solve(WithDlpack(a, device), [3, 4]), [1, 1])
    with pytest.raises(TypeError, match="^a cannot be read as an array"):
        startile.inv(WithDlpack(a.astype(">f8"), 1))


class LikeJax(WithDlpack):
    """An array with __cuda_array_interface__ on GPUs only, as JAX's."""

    @property
    def __cuda_array_interface__(self):
        if self.device != 2:
            raise AttributeError("not on a GPU")
        return OnGpu.__cuda_array_interface__


def test_arrays_like_those_of_jax():
    a = np.array([[2.0, 1], [1, 3]])
    x = startile.solve(LikeJax(a, 1), LikeJax(np.array([3.0, 4]), 1))
    assert type(x) is np.ndarray and np.allclose(x, [1, 1])  # the library has no from_dlpack()
    with pytest.raises(TypeError, match="^a is not in main memory.*LikeJax"):
        startile.solve(LikeJax(a, 2), ONES)


def run(code, **variables):
    """Runs code in a new process; returns its exit status, output and errors."""
    environment = {**os.environ, **variables}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    return result.returncode, result.stdout, result.stderr


def test_library_of_another_version():
    status, _, errors = run("import startile", STARTILE_LIBRARY=os.environ["STARTILE_TEST_OTHER_VERSION"])
    assert status == 1
    words = errors.splitlines()[-1]
    assert words.startswith(f"ImportError: startile: the package has version {startile.__version__}, but the library ")
    assert words.endswith("has 9.9.9")


def test_library_that_is_none(tmp_path):
    no_library = tmp_path / "libstartile.so"
    no_library.write_text("text")
    for file in (no_library, tmp_path / "absent.so"):
        status, _, errors = run("import startile", STARTILE_LIBRARY=str(file))
        assert status == 1 and "ImportError: startile: cannot use the library" in errors


def test_library_without_cuda(tmp_path):
    """If the library with CUDA cannot be loaded, a warning says so and the other one is used."""
    package = tmp_path / "startile"
    shutil.copytree(pathlib.Path(startile.__file__).parent, package, symlinks=True)
    (package / "lib-cuda").mkdir()
    (package / "lib-cuda" / "libstartile.so.0").write_text("text")
    code = "import startile; print(startile.__file__, startile.inv([[2.0]]))"
    status, output, errors = run(code, PYTHONPATH=str(tmp_path))
    assert (status, output) == (0, f"{package}/__init__.py [[0.5]]\n")
    assert "RuntimeWarning: startile runs on CPU cores only, because a library of CUDA was not found" in errors


def test_fork():
    """A child of fork() may use startile only if the parent has not."""
    code = """
import os, numpy as np, startile
def child():
    pid = os.fork()
    if pid == 0:
        try:
            startile.inv(np.eye(2))
            os._exit(0)
        except startile.StartileError as error:
            os._exit(3 if 'fork' in str(error) else 4)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(child(), startile.inv(np.eye(2))[0, 0], child())
"""
    assert run(code)[:2] == (0, "0 1.0 3\n")
