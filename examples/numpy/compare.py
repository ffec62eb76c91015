"""Runs the examples without and with `startile run`, compares their results and plots the times.

    python3 compare.py --n 500,1000,2000,4000 --plot times.svg

The plot needs matplotlib (Debian: python3-matplotlib).
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.linalg  # used by the examples
except ImportError as error:
    sys.exit(f"compare.py needs numpy and scipy (Debian: python3-numpy, python3-scipy): {error}")

from sizes import sizes

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = ("gaussian_process", "least_squares")


def results_of(prefix, example, numbers):
    """Runs an example for the sizes `numbers` behind the command `prefix`; returns its results by size.
    results[n]: seconds, then the numbers that the example computes."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "results.npz"
        program = [sys.executable, HERE / f"{example}.py", "--save", file]
        program += ["--n", ",".join(map(str, numbers))]
        try:
            subprocess.run(prefix + program, check=True, stdout=subprocess.DEVNULL)
        except OSError as error:
            sys.exit(f"compare.py: {(prefix + program)[0]}: {error.strerror}")
        except subprocess.CalledProcessError as error:
            under = "under " + " ".join(prefix[:2]) if prefix else "by itself"
            sys.exit(f"compare.py: {example}.py {under}: exit code {error.returncode}")
        with np.load(file) as saved:
            return {int(n): saved[n] for n in saved.files}


def compare(example, without, with_startile):
    """Prints times and differences of two runs, without and with startile; returns the largest difference."""
    print(f"{example}\n{'n':>8} {'without':>10} {'with':>10} {'ratio':>7}  largest difference")
    worst = 0
    for n, a in without.items():
        b = with_startile[n]
        difference = np.max(np.abs(a[1:] - b[1:])) / np.max(np.abs(a[1:]))
        worst = max(worst, difference)
        print(f"{n:8d} {a[0]:10.4f} {b[0]:10.4f} {a[0] / b[0]:7.2f}  {difference:.2e}")
    return worst


def plotter():
    """Returns matplotlib; ends the program before the examples run if it is absent."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        sys.exit(f"compare.py: --plot needs matplotlib (Debian: python3-matplotlib): {error}")
    return pyplot


def plot(pyplot, file, results):
    """Plots the times of all examples. results[example]: results without and with startile."""
    figure, panels = pyplot.subplots(1, len(results), figsize=(10, 4))
    for panel, (example, (without, with_startile)) in zip(panels, results.items()):
        panel.loglog(list(without), [r[0] for r in without.values()], "o-", label="without")
        panel.loglog(
            list(with_startile), [r[0] for r in with_startile.values()], "s-", label="startile run"
        )
        panel.set(title=example.replace("_", " "), xlabel="n", ylabel="seconds")
        panel.legend()
    figure.tight_layout()
    try:
        figure.savefig(file)
    except (OSError, ValueError) as error:
        sys.exit(f"compare.py: --plot {file}: {error}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--n", type=sizes, default="500,1000,2000", help="sizes from 2, separated by commas"
    )
    parser.add_argument("--startile", default="startile", help="the command")
    parser.add_argument("--min", help="of startile run")
    parser.add_argument("--plot", help="a file for the plot: .svg, .png, .pdf")
    arguments = parser.parse_args()
    prefix = [arguments.startile, "run"]
    if arguments.min is not None:
        prefix += ["--min", arguments.min]
    pyplot = plotter() if arguments.plot else None
    results, worst = {}, 0
    for example in EXAMPLES:
        without = results_of([], example, arguments.n)
        with_startile = results_of(prefix + ["--"], example, arguments.n)
        worst = max(worst, compare(example, without, with_startile))
        results[example] = without, with_startile
    if arguments.plot:
        plot(pyplot, arguments.plot, results)
    if worst > 1e-8:
        sys.exit(f"the results differ by {worst:.1e}")


if __name__ == "__main__":
    main()
