"""Kills `startile bench --resume` and `startile solve --resume` while they factor, and lets the same command
continue. The residual must be small, and both files must be removed at the end.

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


def check(arguments, is_good):
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
        file = os.path.join(folder, "factors")
        command = [sys.argv[1], *arguments, "--resume", file]
        for _ in range(10):
            if kill(command, file + ".journal"):
                break
        else:
            sys.exit(f"check_resume: {command}: finished before each kill")
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        if not is_good(output):
            sys.exit(f"check_resume: {command}: {output}")
        if os.listdir(folder):
            sys.exit(f"check_resume: {command}: leaves {os.listdir(folder)}")


for routine in "potrf", "getrf", "geqrf":
    check(["bench", routine, "--n", "2500", "--nb", "100", "--check"], lambda s: "ok, continued" in s)
check(["solve", "--random", "2500", "--nb", "100", "--method", "lu"], lambda s: "\ncontinued " in s)
