#!/usr/bin/env python3
"""Requires simulated runs on CPU cores and GPUs to be as fast as the faster of both alone.

    check_hybrid.py STARTILE MACHINE GAIN "ROUTINES" SIZES…

SIZES: in ascending order. GAIN: least ratio of the faster one's time to that of both together; 0.98 for "not slower".
"""
import csv
import math
import os
import subprocess
import sys
import tempfile


def seconds(startile, machine, routine, n, where, resident):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "csv")
        place = ["--resident", resident] if where != "cpu" else []
        subprocess.run([startile, "bench", routine, "--n", n, "--where", where, *place, "--simulate", machine,
                        "--csv", path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            return float(next(csv.DictReader(file))["seconds"])


def main():
    startile, machine, gain, routines, *sizes = sys.argv[1:]
    failures = 0
    for routine in routines.split():
        cpu = 0
        for n in sizes:
            # Where cores alone are slower than the GPU, they also are for larger matrices. That simulation takes longest.
            cpu = seconds(startile, machine, routine, n, "cpu", "host") if cpu < math.inf else cpu
            slowest = 0
            for resident in "host", "gpu":
                gpu = seconds(startile, machine, routine, n, "gpu", resident)
                both = seconds(startile, machine, routine, n, "hybrid", resident)
                slowest = max(slowest, gpu)
                ratio = min(cpu, gpu) / both
                failures += ratio < float(gain)
                print(f"{routine} {n} {resident}: cpu {cpu:.4g} gpu {gpu:.4g} both {both:.4g} ratio {ratio:.3f}")
            cpu = math.inf if cpu > slowest else cpu
    sys.exit(failures > 0)


main()
