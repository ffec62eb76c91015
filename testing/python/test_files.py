"""numpy.memmap: with overwrite_a matrices stay in their files."""
import numpy as np
import pytest
import scipy.linalg
import startile
from matrices import close, positive, random

N, OFFSET = 40, 4096 + 64


@pytest.fixture
def rng():
    return np.random.default_rng(9)


@pytest.fixture(params=["d", "F"])
def dtype(request):
    return request.param


@pytest.fixture(params="CF")
def mapped(request, tmp_path):
    """Function that writes a matrix into a file behind some bytes, and maps it; the bytes stay 7."""
    file = tmp_path / "a.bin"

    def write(a):
        file.write_bytes(b"\x07" * OFFSET)
        result = np.memmap(file, a.dtype, "r+", OFFSET, a.shape, request.param)
        result[...] = a
        return result

    yield write
    assert file.read_bytes()[:OFFSET] == b"\x07" * OFFSET


@pytest.mark.parametrize("assume_a", ["gen", "pos"])
def test_solve(rng, dtype, mapped, calls, assume_a):
    a, b = positive(rng, dtype, N, N), random(rng, dtype, N, 3)
    array = mapped(a)
    x = startile.solve(array, b, overwrite_a=True, assume_a=assume_a)
    assert close(x, np.linalg.solve(a, b))
    assert "matrix_wrap_file" in calls and not (array == a).all()


def test_solve_mixed(rng, mapped, calls):
    a, b = positive(rng, "d", N, N), random(rng, "d", N)
    x = startile.solve_mixed(mapped(a), b, overwrite_a=True, assume_a="pos").x
    assert close(x, np.linalg.solve(a, b)) and "matrix_wrap_file" in calls


def test_copy_in_memory(rng, mapped, calls):
    """Without overwrite_a, and read-only, the file does not change."""
    a = positive(rng, "d", N, N)
    array = mapped(a)
    read_only = np.memmap(array.filename, a.dtype, "r", OFFSET, a.shape)
    for argument, overwrite in ((array, False), (read_only, True)):
        startile.cholesky(argument, overwrite_a=overwrite)
    assert (array == a).all() and "matrix_wrap_file" not in calls


def test_cholesky(rng, dtype, mapped, calls):
    a, b = positive(rng, dtype, N, N), random(rng, dtype, N)
    array = mapped(a)
    factor = startile.cholesky(array, lower=True, overwrite_a=True)
    assert close(array, scipy.linalg.cholesky(a, lower=True)) and np.shares_memory(factor, array)
    calls.clear()
    assert close(startile.cho_solve((array, True), b), np.linalg.solve(a, b))
    assert "matrix_wrap_file" in calls


def test_lu(rng, dtype, mapped, calls):
    a, b = random(rng, dtype, N, N), random(rng, dtype, N)
    array = mapped(a)
    lu, piv = startile.lu_factor(array, overwrite_a=True)
    assert close(startile.lu_solve((lu, piv), b), np.linalg.solve(a, b))
    assert ("matrix_wrap_file" in calls) == array.flags.f_contiguous
    sign, logabsdet = startile.slogdet(mapped(a), overwrite_a=True)
    assert np.allclose((sign, logabsdet), np.linalg.slogdet(a), rtol=1e-4)


@pytest.mark.parametrize("shape", [(40, 25), (25, 40)])
def test_lstsq(rng, dtype, mapped, calls, shape):
    a, b = random(rng, dtype, *shape), random(rng, dtype, shape[0])
    x = startile.lstsq(mapped(a), b, overwrite_a=True)[0]
    assert close(x, scipy.linalg.lstsq(a, b)[0]) and "matrix_wrap_file" in calls


def test_file_that_is_gone(rng, tmp_path):
    """A failure of the C library's functions on descriptors is an exception with its code."""
    file = tmp_path / "gone.bin"
    array = np.memmap(file, "d", "w+", 0, (N, N))
    array[...] = positive(rng, "d", N, N)
    file.unlink()
    with pytest.raises(startile.StartileError, match="startile_matrix_wrap_file: ") as caught:
        startile.cholesky(array, overwrite_a=True)
    assert caught.value.code == -1009


def test_part_of_a_file(rng, mapped, calls):
    """A view of a memmap is that part of the file, with its own leading dimension."""
    a = positive(rng, "d", N, N)
    array = mapped(a)
    part = array[3:20, 3:20]
    startile.cholesky(part, lower=True, overwrite_a=True)
    a[3:20, 3:20] = scipy.linalg.cholesky(a[3:20, 3:20], lower=True)
    assert close(array, a) and "matrix_wrap_file" in calls


def test_right_sides_in_a_file(rng, dtype, mapped):
    a, b = random(rng, dtype, N, N), random(rng, dtype, N, 3)
    right = mapped(b)
    x = startile.solve(a, right, overwrite_b=True)
    assert close(x, np.linalg.solve(a, b)) and np.shares_memory(x, right) == right.flags.f_contiguous


def test_condition(mapped, calls):
    """The condition is estimated in the file."""
    a = scipy.linalg.hilbert(14)
    with pytest.warns(startile.LinAlgWarning, match="rcond"):
        startile.solve(mapped(a), np.ones(14), overwrite_a=True)
    a[:, 3] = a[:, 2]
    with pytest.warns(startile.LinAlgWarning, match="rank"):
        startile.lstsq(mapped(a[:, :6]), np.ones(14), overwrite_a=True)
    assert calls.count("matrix_wrap_file") >= 4 and "gecon" in calls


def test_triangle_and_norm(rng, dtype, mapped, calls):
    a, b = positive(rng, dtype, N, N), random(rng, dtype, N)
    array = mapped(a)
    assert close(startile.solve_triangular(array, b), scipy.linalg.solve_triangular(a, b))
    assert calls.count("matrix_wrap_file") == 1 and (array == a).all()
    assert np.isclose(startile.norm(array), np.linalg.norm(a), rtol=1e-5)
    order = "F" if array.flags.f_contiguous else "C"
    read_only = np.memmap(array.filename, a.dtype, "r", array.offset, a.shape, order)
    assert close(startile.solve_triangular(read_only, b), scipy.linalg.solve_triangular(a, b))
