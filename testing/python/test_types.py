"""The types of the package: mypy accepts the package and correct calls, and reports wrong ones."""
import pathlib

import pytest
import startile

CALLS = """
import numpy as np
import startile

a, stack = np.eye(3), np.ones((2, 3, 3))
q, r = startile.qr(a)
q, r = startile.qr(a, mode="economic")
(r,) = startile.qr(a, mode="r")
(factors, tau), r = startile.qr(a, mode="raw")
(factors, tau), r, p = startile.qr(a, mode="raw", pivoting="random")
idx, proj = startile.interp_decomp(a, 2)
k, idx, proj = startile.interp_decomp(a, 1e-8)
x, residues, rank, _ = startile.lstsq(a, [1.0, 2.0, 3.0])
x = startile.lstsq(a, [1.0, 2.0, 3.0], 1e-8, overwrite_a=True)[0]
numbers: "tuple[float, ...]" = (startile.det(a), startile.cond(a, np.inf), startile.norm(a, 1), startile.logdet(a))
sign, logarithm = startile.slogdet(stack)
length = len(startile.det(stack)) + len(startile.norm(stack, "fro")) + len(logarithm)
startile.solve_triangular(a, x, trans="T")
lu, d, perm = startile.ldl(a)
x = startile.solve(a, x, assume_a="sym")
x = startile.inv(a, assume_a="her", lower=True)
positive, negative, zero = startile.inertia(a)

# wrong: mypy reports a line without a fault as an unused "type: ignore"
(r,) = startile.qr(a)  # type: ignore
q, r = startile.qr(a, mode="r")  # type: ignore
startile.qr(a, mode="complete")  # type: ignore
k, idx, proj = startile.interp_decomp(a, 2)  # type: ignore
startile.norm(a, "nuc")  # type: ignore
startile.cond(a, "fro")  # type: ignore
startile.solve(a, x, assume_a="banded")  # type: ignore
startile.solve_mixed(a, x, assume_a="sym")  # type: ignore
startile.solve_triangular(a, x, trans="H")  # type: ignore
"""


def test_calls(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "calls.py"
    program.write_text(CALLS)
    monkeypatch.setenv("MYPYPATH", str(pathlib.Path(startile.__file__).parents[1]))
    report, errors, code = api.run(["--warn-unused-ignores", "--cache-dir", str(tmp_path / "cache"), str(program)])
    assert code == 0, report + errors
