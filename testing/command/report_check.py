"""Checks `startile run --report`. The script is also the program that `startile run` runs.

usage: python3 report_check.py STARTILE FOLDER"""
import os
import re
import subprocess
import sys

import numpy as np
from scipy.linalg import lapack

SCRIPT = os.path.abspath(__file__)


def calls():
    """Calls LAPACK after a change of folder: gels in the parent, potrf in its child."""
    os.chdir("/")
    if sys.argv[1] == "parent":
        subprocess.run([sys.executable, SCRIPT, "child"], check=True)
        lapack.dgels(np.zeros((30, 20)), np.ones((30, 1)))
    else:
        np.linalg.cholesky(np.eye(30))


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
    text = table(startile, sys.executable, SCRIPT, "parent")
    expect(rf"{heading}dpotrf +1 +30 +30 [^\n]*  startile, CPU\n"
           rf"{heading}dgels +1 +0 +0 [^\n]*  machine's LAPACK\n", text)
    expect(r"process \d+, true: no calls of the routines in libstartile_lapack\n", table(startile, "true"))
    print("all tables are right")


if sys.argv[1] in ("parent", "child"):
    calls()
else:
    main()
