"""Command line and output of the examples: prints a line for each size, saves results for compare.py."""
import argparse
import sys
import time

import numpy as np


def sizes(text):
    """Parses a list such as 1000,2000 for argparse."""
    numbers = [int(n) for n in text.split(",")]
    if min(numbers) < 2:
        raise ValueError
    return numbers


def run(compute, first):
    """Times compute(n) for the sizes of the command line. `first` is the heading of its first result."""
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--n", type=sizes, default="500,1000,2000", help="sizes from 2, separated by commas"
    )
    parser.add_argument("--save", help="a file for the results (.npz)")
    arguments = parser.parse_args()
    results = {}
    print(f"{'n':>8} {'seconds':>10}  {first}")
    for n in arguments.n:
        compute(n)  # warm-up: memory, threads and models are set up at the first call
        begin = time.perf_counter()
        result = compute(n)
        seconds = time.perf_counter() - begin
        print(f"{n:8d} {seconds:10.4f}  {result[0]:.12g}")
        results[str(n)] = np.concatenate(([seconds], result))
    if arguments.save:
        try:
            np.savez(arguments.save, **results)
        except OSError as error:
            sys.exit(f"{arguments.save}: {error.strerror}")
