"""Kills `startile bench --resume` and `startile solve --resume` while they factor, and lets the same command
continue. The residual must be small, the time of the rest must give no rate, and all files must be removed at
the end. Commands on another problem must leave the files as they are.

usage: check_resume.py STARTILE FOLDER"""
import os
import random
import subprocess
import sys
import tempfile
import time


def has_records(journal):
    """Returns whether the factorization in the journal has begun to write."""
    try:
        with open(journal, "rb") as f:
            f.seek(512)  # the first record, see journal_file.h
            return f.read(8) != bytes(8)
    except FileNotFoundError:
        return False


def kill(arguments, journal):
    """Kills the command in its factorization. Returns whether it was not finished before."""
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL) as process:
        while not has_records(journal) and process.poll() is None:
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.2))
        process.kill()
        return process.wait() != 0 and os.path.exists(journal)


def interrupt(command, file):
    """Leaves the files of an interrupted run."""
    for _ in range(10):
        if kill(command, file + ".journal"):
            return
    sys.exit(f"check_resume: {command}: finished before each kill")


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as f:
            found[name] = f.read()
    return found


def check_refused(arguments, file, text):
    """Runs a command, which must say `text` and leave the files as they are."""
    folder = os.path.dirname(file)
    before, command = contents(folder), [sys.argv[1], *arguments, "--resume", file]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 1 or text not in run.stderr or contents(folder) != before:
        sys.exit(f"check_resume: {command}: exit code {run.returncode}, {run.stderr}")


def check_other_problems():
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
        file, size = os.path.join(folder, "factors"), ["--n", "1500", "--nb", "50"]
        other = f"{file}.problem: is of another problem, 'bench getrf, precision d, 1500 x 1500'"
        interrupt([sys.argv[1], "bench", "getrf", *size, "--resume", file], file)
        check_refused(["solve", "--random", "1500", "--method", "lu"], file, other)
        check_refused(["bench", "getrf_nopiv", *size], file, other)
        check_refused(["bench", "getrf", *size, "--precision", "s"], file, other)
        os.remove(file + ".problem")
        check_refused(["bench", "getrf", *size], file, "factors.problem: remove ")
        with open(os.path.join(folder, "other.new"), "w") as f:
            f.write("not of this program")
        check_refused(["bench", "getrf", *size], os.path.join(folder, "other"), "other.new exists, but not")


def check(arguments, is_good):
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
        file = os.path.join(folder, "factors")
        command = [sys.argv[1], *arguments, "--resume", file]
        interrupt(command, file)
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        if not is_good(output):
            sys.exit(f"check_resume: {command}: {output}")
        if os.listdir(folder):
            sys.exit(f"check_resume: {command}: leaves {os.listdir(folder)}")


def is_continued_row(output):
    """Returns whether the output of `startile bench` has the row of a continued run, without GFlop/s, ratio to the
    peer and share of gemm."""
    heading, row = output.splitlines()[-2:]
    number = dict(zip(heading.split(), row.split()))
    return "ok, continued" in row and [number[name] for name in ("GFlop/s", "ratio", "gemm")] == ["-"] * 3


# One of them with --peer, which takes longer than the factorization.
for routine, *peer in ("potrf", "--peer"), ("getrf",), ("geqrf",):
    check(["bench", routine, "--n", "2500", "--nb", "100", "--check", *peer], is_continued_row)
check(["solve", "--random", "2500", "--nb", "100", "--method", "lu"], lambda s: "\ncontinued " in s)
check_other_problems()
