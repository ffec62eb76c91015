#!/usr/bin/env python3
"""Derives the models of a machine of 2008 from published numbers.

    ./8800gtx-core2.py DIR    # writes the folder DIR/8800gtx-core2

The numbers are from V. Volkov and J. Demmel, "LU, QR and Cholesky factorizations using vector
capabilities of GPUs", LAPACK Working Note 202 (2008), for a GeForce 8800 GTX, which they have panels
factored for by the CPU, as I. Yamazaki, S. Tomov and J. Dongarra, "One-sided dense matrix
factorizations on a multicore with multiple GPU accelerators in MAGMA", ICCS 2012, still have on
Fermi (whose rates are in a figure only, and so not here). Single precision: that GPU has no other.
"""
import math
import os
import sys

NAME = "8800gtx-core2"
ELEMENT = 4  # bytes

# GPU
LAUNCH = 5e-6  # section 3.1, seconds
MEMORY = 75e9  # section 3.8, equation 2: what a kernel streams, bytes/s
GEMM = 206e9  # table 2
THIN_GEMM = 160e9  # section 6.2: by a 64 x 64 matrix
PANEL_EFFICIENCY = 0.41  # section 3.8: what the better of two panels achieved of equation 2
SWAPS = 17e9  # section 6.2: the best of 7 to 17 GB/s
GPU_MEMORY = 768 << 20  # table 1

# One core of a Core2 Quad Q6600
CORE_GEMM = 69.8e9 / 4  # table 3
CORE_CHOLESKY = 34.9e9 / 4  # table 3
# A panel: section 3.8 has the GPU's estimate, 18.8 Gflop/s for 64 columns of many rows, 2.4 times as
# fast as two cores of a Core2 Duo with both transfers of equation 1.
_PER_ROW = 64 * 64 / (18.8e9 / 2.4) - 2 * 64 * ELEMENT / 3.3e9
CORE_PANEL = 64 * 64 / _PER_ROW / 2

# The link, section 3.2, equation 1
LINK, LINK_LATENCY = 3.3e9, 15e-6

CORES = 4  # one of which waits on the GPU


def gpu_gemm(flops, k):
    """A rate that rises with the inner dimension: half of the way to GEMM at `half`."""
    half = 64 * (GEMM / THIN_GEMM - 1)
    return LAUNCH + flops * (1 + half / k) / GEMM


def gpu_columns(columns, kernels, words):
    """Panels column by column, section 3.8: equation 2 for each kernel, and what is achieved of it."""
    return (columns * kernels * LAUNCH + ELEMENT * words / MEMORY) / PANEL_EFFICIENCY


def bytes_of(m, n, k):
    return ELEMENT * (m * n + n * k + k * m)


# Work as the codelets tell it: operations, bytes, seconds on the GPU, seconds on a core.


def lu_panel(m, n, _):
    flops = 2 * (m * n * min(m, n) - (m + n) * min(m, n) ** 2 / 2 + min(m, n) ** 3 / 3)
    # isamax, sscal, sswap and sger read and write m, 2 m, 4 n and 2 m (n - j) words
    words = n * (3 * m + 4 * n) + m * n * n
    return flops, bytes_of(m, n, 0), gpu_columns(n, 4, words), flops / CORE_PANEL


def qr_panel(m, n, _):
    flops = 4 * (m * n * min(m, n) - (m + n) * min(m, n) ** 2 / 2 + min(m, n) ** 3 / 3)
    # snrm2, sscal, sgemv and sger: m, 2 m, m (n - j) and 2 m (n - j)
    words = 3 * m * n + 3 * m * n * n / 2
    return flops, bytes_of(m, n, 0), gpu_columns(n, 4, words), flops / CORE_PANEL


def cholesky_tile(_, n, __):
    flops = n**3 / 3
    # sdot, sgemv and sscal; the inverse, as many operations again, on the CPU at the same rate
    return flops, bytes_of(n, n, 0), gpu_columns(n, 3, n**3 / 6), 2 * flops / CORE_CHOLESKY


def product(m, n, k, part=1.0):
    flops = 2.0 * m * n * k * part
    return flops, bytes_of(m, n, k), gpu_gemm(flops, k), flops / CORE_GEMM


def triangle(m, n, k):
    """By the inverse on the GPU: all of the square is multiplied."""
    flops = m * n * k
    return flops, bytes_of(m, n, k), gpu_gemm(2 * flops, k), flops / CORE_GEMM


def half_product(_, n, k):
    return product(n, n, k, 0.5)


def elimination(m, n, k):
    """Interchanges, solve and product of a column of LU."""
    flops = 2.0 * (k * k / 2 + k * (m - k)) * n
    swapped = 2 * 2 * k * n * ELEMENT
    return (flops, bytes_of(m, n, k), gpu_gemm(flops, k) + LAUNCH + swapped / SWAPS,
            flops / CORE_GEMM + swapped / LINK)


def reflection(m, n, k):
    flops = 2.0 * k * (2 * m - k) * n
    return flops, bytes_of(m, n, k), 2 * LAUNCH + gpu_gemm(flops, k), flops / CORE_GEMM


def interchanges(m, n, k):
    swapped = 2 * 2 * k * n * ELEMENT
    return 0, bytes_of(m, n, k), LAUNCH + swapped / SWAPS, swapped / LINK


def filling(m, n, _):
    size = ELEMENT * m * n
    return 0, size, LAUNCH + size / MEMORY, size / LINK


WIDTHS = (64, 128, 256, 512)
HEIGHTS = (64, 256, 1024, 2048, 4096, 8192, 12288)
PANELS = [(m, n, 0) for n in WIDTHS for m in HEIGHTS if m >= n]
UPDATES = [(m, n, n) for n in WIDTHS for m in HEIGHTS if m >= n]
TILES = [(n, n, n) for n in (32,) + WIDTHS + (1024, 2048)]

CODELETS = {
    "sgetrf": (lu_panel, PANELS),
    "sgeqrf": (qr_panel, PANELS),
    "spotrf": (cholesky_tile, TILES),
    "sgemm": (product, TILES),
    "sherk": (half_product, TILES),
    "sherk_gemm": (product, UPDATES),
    "strsm_inverse": (triangle, UPDATES),
    "slaswp_trsm_gemm": (elimination, UPDATES),
    "slarfb": (reflection, UPDATES),
    "slaswp": (interchanges, UPDATES),
    "srandom": (filling, PANELS),
}


def write(path, lines):
    path = os.path.join(sys.argv[1], NAME, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        print(*lines, sep="\n", file=file)


def curve(entries):
    """One implementation as StarPU 1.4 keeps it: without regressions of its own."""
    lines = [f"{len(entries)}"] + ["0 0 0 0 nan nan 0 0 0", "nan nan nan", "0"]
    lines.append("# hash size flops mean deviation sum sum2 n")
    for number, (flops, size, seconds) in enumerate(entries):
        mean = 1e6 * seconds
        lines.append(f"{number:08x} {size:.0f} {flops:.6e} {mean:.6e} 0 {mean:.6e} {mean**2:.6e} 1")
    return lines


def write_codelet(name, work, sizes):
    measured = [work(*size) for size in sizes]
    lines = ["# derived, not measured", "45", "2"]
    for device, column in ((0, 3), (1, 2)):  # StarPU's CPU and CUDA
        lines += ["# device: type, number, cores", "1", f"{device}", "0", "1", "# implementations", "1"]
        lines += curve([(w[0], w[1], w[column]) for w in measured])
    write(f"codelets/45/startile_{name}.{NAME}", lines)


def write_bus():
    lines = [f'<host id="CPU{core}" speed="2000000000f"/>' for core in range(CORES)]
    lines += ['<host id="CUDA0" speed="2000000000f">', f'  <prop id="memsize" value="{GPU_MEMORY}"/>',
              "</host>"]
    for link in ("RAM-CUDA0", "CUDA0-RAM"):
        lines.append(f'<link id="{link}" bandwidth="{LINK:f}Bps" latency="{LINK_LATENCY:f}s"/>')
    write(f"bus/{NAME}.platform.v4.xml", lines)


def main():
    write("manifest", [f"machine: {NAME}", "format: 2", "cpu: Core2 Quad Q6600 (2007)", f"cores: {CORES}",
                       "gpu: GeForce 8800 GTX (2006), derived", "gpus: 1", "date: 2008-05-13",
                       "commands: 8800gtx-core2.py, from LAPACK Working Note 202"])
    write("tiles", ["# routine, type, workers, n from which it holds, mb, nb",
                    "potrf s cuda 0 256 256", "getrf s cuda 0 0 128", "geqrf s cuda 0 0 128"])
    write_bus()
    for name, (work, sizes) in sorted(CODELETS.items()):
        write_codelet(name, work, sizes)
    assert math.isclose(CORE_PANEL, 5.5e9, rel_tol=0.02)


main()
