"""Arrays in the memory of a GPU, compared with numpy's results. On CPU cores other arrays pretend to be on a GPU."""
import os
import subprocess
import sys

import gpu_arrays
import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import TYPES, close, positive, random

N = 30
every_type = pytest.mark.parametrize("dtype", TYPES)
every_order = pytest.mark.parametrize("order", "CF")


@pytest.fixture
def rng():
    return np.random.default_rng(12)


@pytest.fixture(params=gpu_arrays.libraries())
def library(request, monkeypatch):
    return gpu_arrays.library(request.param, monkeypatch)


@pytest.fixture
def check(library):
    """Function that checks a result: an array of the library, close to numpy's."""

    def checked(result, expected, factor=1000):
        assert isinstance(result, library.type)
        assert close(library.take(result), expected, factor)

    return checked


@every_type
@every_order
@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_solve(rng, library, check, dtype, order, assume_a):
    a, b = np.array(positive(rng, dtype, N, N), order=order), random(rng, dtype, N, 3)
    A, B = library.give(a), library.give(b)
    check(startile.solve(A, B, assume_a=assume_a), np.linalg.solve(a, b))
    check(startile.solve(A, B, assume_a=assume_a, transposed=True), np.linalg.solve(a.T, b))
    check(startile.solve(A, library.give(b[:, 0].copy())), np.linalg.solve(a, b[:, 0]))
    assert (library.take(A) == a).all() and (library.take(B) == b).all()
    lu, piv = startile.lu_factor(A)
    assert isinstance(piv, library.type)
    check(startile.lu_solve((lu, piv), B), np.linalg.solve(a, b))
    for lower in (False, True):
        factor = startile.cholesky(A, lower=lower)
        check(factor, scipy.linalg.cholesky(a, lower=lower))
        check(startile.cho_solve((factor, lower), B), np.linalg.solve(a, b))
    check(startile.inv(A), np.linalg.inv(a))


@every_type
def test_stacks(rng, library, check, dtype):
    a, b = positive(rng, dtype, 2, 3, 6, 6), random(rng, dtype, 2, 3, 6, 2)
    for arranged in (a, np.array(a.swapaxes(-1, -2)).swapaxes(-1, -2)):
        A, B = library.give(arranged), library.give(b)
        for assume_a in ("gen", "pos"):
            check(startile.solve(A, B, assume_a=assume_a), np.linalg.solve(a, b))
        check(startile.inv(A), np.linalg.inv(a))
        check(startile.solve(library.give(a[0, 0]), B), np.linalg.solve(a[0, 0], b))
        check(startile.solve(A, library.give(b[0, 0])), np.linalg.solve(a, np.broadcast_to(b[0, 0], b.shape)))
        check(startile.cholesky(A, lower=True), np.linalg.cholesky(a))
        lu, piv = startile.lu_factor(A)
        check(startile.lu_solve((lu, piv), B), np.linalg.solve(a, b))


@every_type
@every_order
@pytest.mark.parametrize("shape", [(20, 12), (12, 20), (3, 7, 4)])
def test_qr_and_lstsq(rng, library, check, dtype, order, shape):
    a, b = random(rng, dtype, *shape), random(rng, dtype, *shape[:-1], 2)
    if order == "F":
        a = np.array(a.swapaxes(-1, -2)).swapaxes(-1, -2)
    A, B = library.give(a), library.give(b)
    for mode in ("full", "economic"):
        q, r = (library.take(part) for part in startile.qr(A, mode=mode))
        columns = shape[-2] if mode == "full" else min(shape[-2:])
        identity = np.broadcast_to(np.eye(columns, dtype=dtype), shape[:-2] + (columns, columns))
        assert close(q @ r, a) and close(q.conj().swapaxes(-1, -2) @ q, identity) and (np.tril(r, -1) == 0).all()
    assert isinstance(startile.qr(A, mode="r")[0], library.type)
    factors, r = startile.qr(A, mode="raw")
    for part, value in zip((*factors, r), (*startile.qr(a, mode="raw")[0], startile.qr(a, mode="economic")[1])):
        check(part, value)
    expected = startile.lstsq(a, b)
    x, residues, rank, _ = startile.lstsq(A, B)
    check(x, expected[0])
    check(residues, expected[1])
    assert rank == min(shape[-2:])


@every_type
@every_order
def test_interp_decomp(rng, library, check, dtype, order):
    a = np.array(random(rng, dtype, 20, 4) @ random(rng, dtype, 4, 12), order=order)
    A = library.give(a)
    k, idx, proj = startile.interp_decomp(A, 1e-4)
    assert k == 4 and (idx == startile.interp_decomp(a, 4)[0]).all() and (library.take(A) == a).all()
    check(proj, np.linalg.lstsq(a[:, idx[:4]], a[:, idx[4:]], rcond=None)[0])
    check(startile.interp_decomp(library.give(np.zeros_like(a)), 3)[1], np.zeros((3, 9), dtype))


@every_type
@every_order
def test_determinants(rng, library, check, dtype, order):
    a = np.array(positive(rng, dtype, N, N), order=order)
    A = library.give(a)
    for assume_a in ("gen", "pos"):
        expected = startile.slogdet(a, assume_a=assume_a)
        for result, value in zip(startile.slogdet(A, assume_a=assume_a), expected):
            check(result, value)
        check(startile.logdet(A, assume_a=assume_a), startile.logdet(a, assume_a=assume_a))
        assert np.isclose(startile.cond(A, assume_a=assume_a), startile.cond(a, assume_a=assume_a), rtol=1e-3)
    stack = np.stack([a, 2 * a])
    check(startile.slogdet(library.give(stack)).logabsdet, startile.slogdet(stack).logabsdet)
    assert startile.cond(library.give(stack)).shape == (2,)
    small = stack[..., :3, :3].copy()
    check(startile.det(library.give(small)), np.linalg.det(small).astype(dtype))
    check(startile.det(library.give(small[0])), np.linalg.det(small[0]).astype(dtype))


@every_type
@every_order
def test_triangles_and_norms(rng, library, check, dtype, order):
    a, b = np.array(positive(rng, dtype, N, N), order=order), random(rng, dtype, N, 3)
    A, B = library.give(a), library.give(b)
    for trans in "NTC":
        check(startile.solve_triangular(A, B, trans, lower=True), scipy.linalg.solve_triangular(a, b, trans, True))
    stack = np.stack([a, 2 * a])
    check(startile.solve_triangular(library.give(stack), B), np.linalg.solve(np.triu(stack), np.stack([b, b])))
    with pytest.raises(startile.LinAlgError, match=r"^a is singular: a\[2, 2\]"):
        startile.solve_triangular(library.give(np.diag([1.0, 1, 0])), library.give(np.ones(3)))
    for ord in ("fro", 1, np.inf):
        assert np.isclose(startile.norm(A, ord), np.linalg.norm(a, ord), rtol=1e-5)
    assert startile.norm(library.give(stack)).shape == (2,)


@pytest.mark.parametrize("dtype", "dD")
@every_order
def test_mixed(rng, library, check, dtype, order):
    a, b = np.array(positive(rng, dtype, N, N), order=order), random(rng, dtype, N, 2)
    A, B = library.give(a), library.give(b)
    for assume_a in ("gen", "pos"):
        check(startile.solve_mixed(A, B, assume_a=assume_a).x, np.linalg.solve(a, b))
    tall, c = np.array(random(rng, dtype, 50, 8), order=order), random(rng, dtype, 50)
    check(startile.lstsq_mixed(library.give(tall), library.give(c)).x, scipy.linalg.lstsq(tall, c)[0])


@every_type
def test_overwrite(rng, library, dtype):
    a, b = np.asfortranarray(positive(rng, dtype, N, N)), np.asfortranarray(random(rng, dtype, N, 2))
    A, B = library.give(a), library.give(b)
    startile.solve(A, B, assume_a="pos", lower=True, overwrite_a=True, overwrite_b=True)
    assert close(library.take(B), np.linalg.solve(a, b))
    assert close(np.tril(library.take(A)), np.linalg.cholesky(a))


def test_condition(rng, library):
    hilbert = library.give(scipy.linalg.hilbert(14))
    for call in (startile.inv, lambda a: startile.solve(a, a)):
        with pytest.warns(startile.LinAlgWarning, match=r"^a is singular to working precision \(rcond"):
            call(hilbert)
    stack = library.give(np.stack([np.eye(14), scipy.linalg.hilbert(14)]))
    with pytest.warns(startile.LinAlgWarning, match=r"^a\[1\] is singular to working precision"):
        startile.inv(stack)
    a = random(rng, "d", 20, 5)
    a[:, 4] = a[:, 1]
    x, _, rank, _ = startile.lstsq(library.give(np.stack([a, a])), library.give(np.ones(20)))
    assert rank == 4 and close(library.take(x)[1], np.linalg.lstsq(a, np.ones(20), rcond=1e-10)[0])
    for array in (a, np.asfortranarray(a), np.array(a.T)):
        b = np.ones(array.shape[0])
        x, _, rank, _ = startile.lstsq(library.give(array), library.give(b))
        assert rank == 4 and close(library.take(x), np.linalg.lstsq(array, b, rcond=1e-10)[0])
        assert close(library.take(startile.pinv(library.give(array))), np.linalg.pinv(array, 1e-10))
    assert close(library.take(startile.pinv(library.give(np.stack([a, a])))), np.linalg.pinv([a, a], 1e-10))


def test_other_types(rng, library, check):
    a = rng.integers(-5, 5, (4, 4)) + 20 * np.eye(4, dtype=np.int64)
    check(startile.inv(library.give(a)), np.linalg.inv(a))
    half = a.astype(np.float16)
    check(startile.inv(library.give(half)), np.linalg.inv(a).astype("f"))


def test_empty(library, check):
    check(startile.solve(library.give(np.zeros((0, 0))), library.give(np.zeros((0, 2)))), np.zeros((0, 2)))


def test_refused(rng, library):
    a, b = positive(rng, "d", 6, 6), np.ones(6)
    A, B = library.give(a), library.give(b)
    with pytest.raises(ValueError, match="^a is an array of .* and not contiguous"):
        startile.inv(library.give(positive(rng, "d", 8, 8))[::2, ::2])
    with pytest.raises(ValueError, match="^b is an array of .* and not contiguous"):
        startile.solve(A, library.give(np.ones(12))[::2])
    with pytest.raises(TypeError, match="^b is in main memory, but a is an array of"):
        startile.solve(A, b)
    with pytest.raises(TypeError, match="^b is an array of .*, but a is in main memory"):
        startile.solve(a, B)
    with pytest.raises(ValueError, match="^a must be square"):
        startile.inv(library.give(np.ones((3, 2))))
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="^a must not contain infs or NaNs"):
            startile.inv(library.give(np.full((3, 3), value)))
    with pytest.raises(startile.LinAlgError, match="^a is singular"):
        startile.inv(library.give(np.zeros((3, 3))))
    with pytest.raises(startile.LinAlgError, match="leading minor of order 2"):
        startile.cholesky(library.give(np.diag([1.0, -1, 1])))


if not gpu_arrays.ON_GPU:

    def test_other_device(rng):
        a = gpu_arrays.NAMESPACE.asarray(positive(rng, "d", 3, 3))
        b = gpu_arrays.NAMESPACE.asarray(np.ones(3))
        b.device = "gpu 1"
        with pytest.raises(ValueError, match="^b is an array of pretending on gpu 1, but a is .* on gpu 0"):
            startile.solve(a, b)

    def test_memory_of_an_unused_gpu():
        """The library refuses an address of a GPU without a worker, here by a replacement of CUDA's driver."""
        code = """
import ctypes, os, gpu_arrays, numpy as np, startile
a = gpu_arrays.NAMESPACE.asarray(np.eye(3))
driver = ctypes.CDLL(os.environ["STARTILE_TEST_FAKE_CUDA"])
driver.fake_cuda_place(ctypes.c_void_p(a.ctypes.data), ctypes.c_size_t(a.nbytes), 0, 0)
try:
    startile.inv(a)
except TypeError as error:
    print(error)
"""
        folder = os.path.dirname(os.path.abspath(__file__))
        path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": path}
        result = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert result.stdout == (
            "a is an array of pretending on gpu 0, which startile does not use: copy it to main memory\n"
        ), result.stderr
