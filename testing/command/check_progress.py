"""Checks the progress bars on a terminal. That of `startile solve` never goes back, over all steps of a solution:
factorization, refinement, condition number. `startile bench` draws one with --resume only, and removes it.

usage: check_progress.py STARTILE FOLDER"""
import os
import pty
import re
import sys
import tempfile


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


def shown_by(output):
    """Returns the percentages of the bar."""
    return [int(percent) for percent in re.findall(r"\] +(\d+) %", output)]


def first_long_run(name, sizes, command):
    """Runs command(size) for growing sizes until a run is longer than two seconds, after which the bar appears. Checks
    the bar. Returns the size and the output."""
    for size in sizes:
        output = run(sys.argv[1], *command(size))
        shown = shown_by(output)
        if len(shown) > 5:
            break
    else:
        sys.exit(f"check_progress: {name}: only {shown} at n = {size}")
    if shown != sorted(shown) or shown[-1] > 100:
        sys.exit(f"check_progress: {name}: {shown}")
    print(name, shown)
    return size, output


def bench(size):
    """Returns the arguments of a run on one core."""
    return ["bench", "geqrf", "--n", str(size), "--nb", "250", "--workers", "1"]


first_long_run("solve", (3500, 5000, 7000, 10000),
               lambda size: ["solve", "--random", str(size), "--method", "lu", "--refine", "5"])
with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
    size, output = first_long_run("bench", (4000, 5000, 8000),
                                  lambda size: [*bench(size), "--resume", os.path.join(folder, "factors"), "--check"])
# the sequence that removes the bar, then the row with a rate: the check, whose tasks apply Q, draws none
if not re.search(r"s left\r\x1b\[Kgeqrf +d .* cpu +\d+ +[0-9.]+ +[0-9.]+ .* ok\r\n$", output):
    sys.exit(f"check_progress: bench: {output}")
output = run(sys.argv[1], *bench(size), "--repeat", "1")
if shown_by(output):
    sys.exit(f"check_progress: bench without --resume: {output}")
