"""Checks that the progress bar of `startile solve` on a terminal never goes back, over all steps of a
solution: factorization, refinement, condition number.

usage: check_progress.py STARTILE"""
import os
import pty
import re
import sys


def run(*arguments):
    """Returns what the command prints on a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(arguments[0], arguments)
    output = b""
    while True:
        try:
            output += os.read(terminal, 65536)
        except OSError:  # on Linux, when the child has closed the terminal
            break
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        sys.exit(f"check_progress: exit code {code}: {output.decode()}")
    return output.decode()


for size in 2500, 5000, 10000:  # until a run is longer than two seconds, after which the bar appears
    shown = [int(percent) for percent in re.findall(r"\] +(\d+) %", run(
        sys.argv[1], "solve", "--random", str(size), "--method", "lu", "--refine", "5"))]
    if len(shown) > 5:
        break
if len(shown) <= 5:
    sys.exit(f"check_progress: only {shown} at n = {size}")
if shown != sorted(shown) or shown[-1] > 100:
    sys.exit(f"check_progress: {shown}")
print(shown)
