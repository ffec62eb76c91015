"""Runs the tests of the Python package in this folder; skips them if a module that they need is absent.

With the argument gpu it runs those of arrays on a GPU, which need CuPy or PyTorch and a GPU.

The folder of the package is on PYTHONPATH, and STARTILE_TEST_OTHER_VERSION names a library of another version.
"""
import importlib.util
import pathlib
import sys

for name in ("numpy", "scipy", "pytest"):
    if importlib.util.find_spec(name) is None:
        print(f"skipped: {sys.executable} has no {name}")
        sys.exit(77)

import pytest

sys.dont_write_bytecode = True
tests = pathlib.Path(__file__).parent
if sys.argv[1:] == ["gpu"]:
    if not any(importlib.util.find_spec(name) for name in ("cupy", "torch")):
        print(f"skipped: {sys.executable} has no cupy or torch")
        sys.exit(77)
    if not list(pathlib.Path("/dev").glob("nvidia[0-9]*")):
        print("skipped: the machine has no GPU")
        sys.exit(77)
    tests = tests / "test_gpu_arrays.py"
# a warning that a test does not expect fails it
options = ["-q", "-p", "no:cacheprovider", "-W", "error::startile.LinAlgWarning"]
sys.exit(pytest.main([*options, str(tests)]))
