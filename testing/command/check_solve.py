"""Checks that `startile solve` reads the standard input, files compressed by gzip whatever their names
are, and exponents of Fortran, refuses compressed files that are damaged or not complete, and writes x to the standard output.

usage: check_solve.py STARTILE MATRICES FOLDER"""
import gzip
import os
import re
import subprocess
import sys

startile, matrices, folder = sys.argv[1:]


def run(*arguments, stdin=b""):
    """Runs `startile solve`. Returns exit code, output and errors."""
    done = subprocess.run([startile, "solve", *arguments], input=stdin, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def require(condition, name, outcome):
    """Ends the program with the case's name and the outcome of run() if the condition is false."""
    if not condition:
        sys.exit(f"check_solve: {name}: {outcome}")


def results(text):
    """Returns the lines of the output that depend neither on the file's name nor on time."""
    return [line for line in text.splitlines() if not re.match("matrix|right-hand|time|GFlop", line)]


def write(name, data):
    """Writes a file of the folder and returns its path."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def check_sources():
    """Checks that standard input and compressed files have the results of the plain file, and
    errors in the standard input."""
    with open(os.path.join(matrices, "line.mtx"), "rb") as file:
        a = file.read()
    b = os.path.join(matrices, "line_b.mtx")
    code, expected, _ = run(os.path.join(matrices, "line.mtx"), b)
    require(code == 0, "line.mtx", code)
    packed = gzip.compress(a)
    for name, arguments, stdin in (
            ("standard input", ["-", b], a), ("compressed standard input", ["-", b], packed),
            ("gzip", [write("line.mtx.gz", packed), b], b""),
            ("gzip by content", [write("packed.mtx", packed), b], b""),
            ("plain .gz", [write("plain.mtx.gz", a), b], b"")):
        outcome = run(*arguments, stdin=stdin)
        require(outcome[0] == 0 and results(outcome[1]) == results(expected), name, outcome)
    outcome = run("-", stdin=a)
    require(outcome[1].startswith("matrix                  standard input: "), "name", outcome)
    outcome = run("-", stdin=a[:-2] + b"x\n")
    last = a.count(b"\n")
    require(outcome[0] == 1 and f"standard input:{last}: " in outcome[2], "malformed input", outcome)
    outcome = run("-")
    require(outcome[0] == 1 and "standard input:1: the file is empty" in outcome[2], "empty", outcome)


def check_faults():
    """Checks compressed files that are truncated or damaged."""
    text = b"%%MatrixMarket matrix array real general\n40 40\n" + b"".join(
        b"%.15f\n" % ((7 * i % 1601) / 1601) for i in range(1600))
    packed = gzip.compress(text)
    outcome = run(write("short.mtx.gz", packed[:len(packed) // 2]))
    require(outcome[0] == 1 and "short.mtx.gz: the compressed file is not complete" in outcome[2],
            "truncated gzip", outcome)
    middle = len(packed) // 2
    damaged = packed[:middle] + bytes(255 - byte for byte in packed[middle:middle + 40]) + packed[middle + 40:]
    outcome = run(write("damaged.mtx.gz", damaged))
    require(outcome[0] == 1 and "damaged.mtx.gz" in outcome[2], "damaged gzip", outcome)


def check_output():
    """Checks that with --out - the standard output is a Matrix Market file, or empty after a failure."""
    a, b = (os.path.join(matrices, name) for name in ("line.mtx", "line_b.mtx"))
    outcome = run(a, b, "--out", "-")
    lines = [line for line in outcome[1].splitlines() if not line.startswith("% ")]
    require(outcome[0] == 0 and lines[:2] == ["%%MatrixMarket matrix array real general", "2 1"]
            and [round(float(line), 12) for line in lines[2:]] == [-0.6, 1.2]
            and outcome[2].startswith("matrix  ") and "x(1" not in outcome[2], "--out -", outcome)
    outcome = run(os.path.join(matrices, "singular.mtx"), "--method", "lu", "--out", "-")
    require(outcome[0] == 1 and not outcome[1] and "singular" in outcome[2], "--out - of none", outcome)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([startile, "solve", a, b, "--out", "-"], stdout=full, stderr=subprocess.PIPE, check=False)
    require(done.returncode == 1 and b"standard output: No space" in done.stderr, "full disk", done)


def check_exponents():
    """Checks Fortran's forms of 0.25, and malformed numbers."""
    forms = ("2.5e-1", "2.5E-1", "2.5D-1", "2.5d-01", "25.D-2", ".25d0", "0.25D+00")
    entries = "".join(f"{i} {i} {form}\n" for i, form in enumerate(forms, 1))
    outcome = run("-", stdin=f"%%MatrixMarket matrix coordinate real general\n7 7 7\n{entries}".encode())
    require(outcome[0] == 0 and "condition number        1 " in outcome[1], "exponents", outcome)
    for form in ("2.5D", "D1", "2.5D+", "2D1D1", "2.5F1", "0x10", "-0x1p3", "inf", "\v1"):
        outcome = run("-", stdin=f"%%MatrixMarket matrix array real general\n1 1\n{form}\n".encode())
        require(outcome[0] == 1 and f"standard input:3: '{form}' is not a number" in outcome[2], form, outcome)
    for line, sizes, entry in ((2, "\v1 1 1", "1 1 1"), (3, "1 1 1", "\v1 1 1")):
        outcome = run("-", stdin=f"%%MatrixMarket matrix coordinate real general\n{sizes}\n{entry}\n".encode())
        require(outcome[0] == 1 and f"standard input:{line}: '\v1' where" in outcome[2], "white space", outcome)
    for option in (("--random", "5x 5"), ("--random", " 5"), ("--random", "5", "--nb", " 5")):
        outcome = run(*option)
        require(outcome[0] == 2 and f"{option[-2]} {option[-1]}: must be" in outcome[2], option, outcome)


check_sources()
check_faults()
check_output()
check_exponents()
