"""Checks `startile run --report`. The script is also the program that `startile run` runs.

usage: python3 report_check.py STARTILE FOLDER"""
import ctypes
import os
import re
import subprocess
import sys

import numpy as np
from scipy.linalg import lapack

SCRIPT = os.path.abspath(__file__)


def calls():
    """Calls LAPACK: in the program "svd" gesdd, also by Fortran's name in scipy's module; in "query" asks
    geqrf for its workspace; in "aasen" factors by Aasen's method with its least LTB; else, after a change of
    folder, gels in the parent and potrf in its child."""
    if sys.argv[1] == "svd":
        a = np.arange(1.0, 2501).reshape(50, 50) % 17
        assert np.allclose(np.linalg.svd(a)[1], lapack.dgesdd(a, compute_uv=0)[1])
        return
    if sys.argv[1] == "query":
        lapack.dgeqrf(np.ones((30, 20)), lwork=-1)
        return
    if sys.argv[1] == "aasen":
        aasen(ctypes.CDLL(None))
        return
    os.chdir("/")
    if sys.argv[1] == "parent":
        subprocess.run([sys.executable, SCRIPT, "child"], check=True)
        lapack.dgels(np.zeros((30, 20)), np.ones((30, 1)))
    else:
        np.linalg.cholesky(np.eye(30))


def aasen(symbols):
    """Calls sytrf_aa_2stage of order 65, with an LTB for tiles of order 1."""
    n = 65
    a, band, work = np.eye(n), np.zeros(4 * n), np.zeros(n)
    pivots = np.zeros((2, n), np.int32)
    integers = [ctypes.c_int(i) for i in (n, 4 * n, n, -1)]
    order, ltb, lwork, info = map(ctypes.byref, integers)
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, band, pivots[0], pivots[1], work)]
    symbols.dsytrf_aa_2stage_(b"L", order, pointers[0], order, pointers[1], ltb, pointers[2],
                              pointers[3], pointers[4], lwork, info, ctypes.c_size_t(1))
    assert integers[3].value == 0


def table(startile, *program):
    """Runs the program under `startile run` and returns its report."""
    options = ["--min", "0", "--nb", "16", "--report=calls.txt"]
    subprocess.run([startile, "run", *options, "--", *program], check=True)
    with open("calls.txt") as file:
        return file.read()


def expect(pattern, text):
    """Ends the program unless the pattern matches all of the text."""
    if not re.fullmatch(pattern, text, re.DOTALL):
        sys.exit(f"not as expected: {pattern}\n{text}")


def main():
    startile = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    heading = r"process \d+, \S+\nroutine [^\n]*\n"
    sums = r"[^\n]* seconds, sum over all threads: on startile [^\n]*, in routines not in startile 0\n"
    text = table(startile, sys.executable, SCRIPT, "parent")
    expect(rf"{heading}dpotrf +1 +30 +30 [^\n]*  startile, CPU\n{sums}"
           rf"{heading}dgels +1 +0 +0 [^\n]*  machine's LAPACK: no operations\n{sums}", text)
    expect(r"process \d+, true: no calls of routines of LAPACK or ScaLAPACK\n", table(startile, "true"))
    text = table(startile, sys.executable, SCRIPT, "query")
    expect(rf"{heading}dgeqrf +1 +- +- [^\n]* +-  machine's LAPACK: workspace query or wrong argument\n{sums}", text)
    text = table(startile, sys.executable, SCRIPT, "aasen")
    expect(rf"{heading}dsytrf_aa_2stage +1 +65 +65 [^\n]*  machine's LAPACK: LTB suffices for small tiles only\n{sums}", text)
    # gesdd, with its workspace queries; the reduction to bidiagonal form in it is part of it.
    text = table(startile, sys.executable, SCRIPT, "svd")
    expect(rf"{heading}.*dgesdd +[2-9] +- +- [^\n]* +-  machine's LAPACK: not in startile\n.*"
           r" all threads: on startile [^\n]*, in routines not in startile [0-9.e-]+\n", text)
    if "gebrd" in text or "bdsdc" in text:
        sys.exit(f"routines inside gesdd are counted:\n{text}")
    print("all tables are right")


if sys.argv[1] in ("parent", "child", "svd", "query", "aasen"):
    calls()
else:
    main()
