"""Runs the tests of the Python package in this folder; skips them if a module that they need is absent.

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
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", str(pathlib.Path(__file__).parent)]))
