#!/usr/bin/env python3
"""Derives the models of machines whose GPU has FP64 at 1/64 of its FP32 rate.

    ./slow-fp64.py DIR    # writes the folders DIR/l40s-xeon-16 and DIR/a40-xeon-16

Nobody measured these machines. Their CPU is the one of h100-xeon-16.tar.xz beside this program, with
16 cores as measured there. The time of a task on the GPU is the time measured on the H100, changed as
follows. Let an operation execute f floating-point operations and have b bytes of data; P and B are
the published rates of a GPU's arithmetic and memory.

1. The H100's time t is an ideal time max(f / P, b / B) and an overhead: launches, synchronization and
   incomplete use of the GPU. The overhead stays as it is: the clocks are alike (1.7 to 2.5 GHz). Only
   the ideal time is replaced, by the other GPU's.
2. P in single precision is that of FFMA on all three GPUs: the measured models have no products on
   tensor cores. P in double precision is that of the FP64 tensor cores on the H100. The others have
   no such cores, and two FP64 units a multiprocessor, which products keep busy: 0.95 of the published
   rate.
3. Operations with less than two flops a byte are bound by memory: what their time exceeds the
   operation's shortest time by is multiplied by the ratio of B.
4. The panels of LU and QR run in thread block clusters on the H100, which the others lack: twice the
   overhead. By cuSOLVER, which has none, factorizations of n = 4096, which panels bound, take twice as
   long on the H100 (NOTES.md, "LU on one GPU").
5. f exceeds LAPACK's operations where a kernel does more (WORK).
6. Transfers: half the H100's rate, PCIe 4 instead of 5, at the same latency.

The factors in 4, 5 and 6 and the 0.95 are assumptions; no such GPU confirmed them.

Rates, as glennklockwood.com/garden/processors/h100 (H100 SXM5), itcreations.com (L40S) and hmc-tech.com
(A40) repeat NVIDIA's. FP64 at 1/64 of FP32 is two FMA a cycle and multiprocessor of 128 FP32 cores:
142 * 2 * 2 * 2.52 GHz and 84 * 2 * 2 * 1.74 GHz. One site (gpu.spicedreamphone.com) has 1/32 for the A40.
"""
import dataclasses
import os
import sys
import tarfile

SOURCE = "h100-xeon-16"
LEAST_INTENSITY = 2  # flops a byte
CPU, CUDA = "0", "1"  # StarPU's types of devices
DIGITS = 5
DATE = "2020-01-01"  # before any measurement: a machine with this CPU takes measured models


@dataclasses.dataclass
class Gpu:
    name: str
    single: float  # flops/s
    double: float
    memory: float  # bytes/s
    capacity: int = 48 << 30  # bytes

    def arithmetic(self, letter):
        return self.single if letter in "sc" else self.double


H100 = Gpu("NVIDIA H100 80GB HBM3", 66.9e12, 66.9e12, 3.35e12)
MACHINES = {
    "l40s-xeon-16": Gpu("NVIDIA L40S, derived", 91.6e12, 0.95 * 1.431e12, 864e9),
    "a40-xeon-16": Gpu("NVIDIA A40, derived", 37.4e12, 0.95 * 0.5846e12, 696e9),
}

# Executed operations by LAPACK's, from the kernels' algorithms
WORK = {
    "potrf": 2,  # also the inverse of the factor
    "getrf_nopiv": 2,  # also both inverses
    "geqrf": 1.5,  # also T: V^H V
    "larfb": 1.1,  # T, and the zeros in the top of V, of 8 k rows
    "trsm_inverse": 1.25,  # a triangle of order 512 in blocks of 128
    "herk": 1.25,
}
WITHOUT_CLUSTERS = 2  # times the overhead
PANELS = ("getrf", "geqrf")

# Tiles for the GPU alone, by simulations: routine, n from which they hold, mb, nb. The defaults of LU
# and QR suit it.
GPU_TILES = (
    ("potrf", 0, 256, 256),
    ("potrf", 2897, 512, 512),
    ("potrf", 5793, 768, 768),
    ("potrf", 11586, 1024, 1024),
)


class Numbers:
    """The numbers of one of StarPU's files."""

    def __init__(self, text):
        lines = (line.split("#")[0] for line in text.splitlines())
        self.rest = iter(" ".join(lines).split())

    def take(self, count=1):
        return [next(self.rest) for _ in range(count)]

    def count(self):
        return int(next(self.rest))


def read_model(text):
    """Returns the entries (hash, bytes, flops, microseconds) for each device and implementation."""
    numbers = Numbers(text)
    assert numbers.count() == 45
    curves = {}
    for _ in range(numbers.count()):
        assert numbers.count() == 1
        device = numbers.take(3)[0]
        for implementation in range(numbers.count()):
            entries = numbers.count()
            numbers.take(12)  # regressions
            numbers.take(numbers.count())
            rows = [numbers.take(8) for _ in range(entries)]
            curves[device, implementation] = [
                (row[0], float(row[1]), float(row[2]), float(row[3])) for row in rows if float(row[3]) > 0]
    return curves


def derive(entry, shortest, symbol, gpu):
    """Returns the microseconds of the entry on another GPU."""
    letter, operation = symbol[0], symbol[1:]
    _, size, flops, mean = entry
    flops *= 1e6 * WORK.get(operation, 1)
    size *= 1e6

    def ideal(on):
        return max(flops / on.arithmetic(letter), size / on.memory)

    if flops < LEAST_INTENSITY * size:
        memory = (mean - shortest) * H100.memory / gpu.memory
        return shortest + max(memory, flops / gpu.arithmetic(letter))
    overhead = max(mean - ideal(H100), 0) * (WITHOUT_CLUSTERS if operation in PANELS else 1)
    return overhead + ideal(gpu)


def derive_model(curves, symbol, gpu):
    derived = {}
    for (device, implementation), entries in curves.items():
        if device == CUDA:
            shortest = min((entry[3] for entry in entries), default=0)
            entries = [(*entry[:3], derive(entry, shortest, symbol, gpu)) for entry in entries]
        derived[device, implementation] = entries
    return derived


def model_lines(curves):
    lines = ["# derived, not measured", "45"]
    devices = sorted({device for device, _ in curves}, reverse=True)
    lines.append(f"{len(devices)}")
    for device in devices:
        own = [curve for (of, _), curve in sorted(curves.items()) if of == device]
        lines += ["# device: type, number, cores", "1", device, "0", "1", "# implementations", f"{len(own)}"]
        for entries in own:
            lines += [f"{len(entries)}", "0 0 0 0 nan nan 0 0 0", "nan nan nan", "0"]
            lines.append("# hash size flops mean deviation sum sum2 n")
            lines += [f"{h} {size:.0f} {flops:.6e} {mean:.{DIGITS}g} 0 0 0 1"
                      for h, size, flops, mean in entries]
    return lines


def write(folder, path, lines):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        print(*lines, sep="\n", file=file)


def bus_lines(text, gpu):
    """Returns the cores, the GPU and its links."""
    lines = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith('<host id="CPU'):
            lines.append(line)
        elif line.startswith('<host id="CUDA0"'):
            lines += [line, f'  <prop id="memsize" value="{gpu.capacity}"/>', "</host>"]
        elif line.startswith(('<link id="RAM-CUDA0"', '<link id="CUDA0-RAM"')):
            name, rate, latency = line.split('"')[1::2]
            lines.append(f'<link id="{name}" bandwidth="{float(rate[:-3]) / 2:.0f}Bps" latency="{latency}"/>')
    return lines


def manifest_lines(name, text, gpu):
    values = dict(line.split(": ", 1) for line in text.splitlines())
    values |= {"machine": name, "gpu": gpu.name, "date": DATE,
               "commands": f"slow-fp64.py, from {SOURCE}"}
    return [f"{key}: {value}" for key, value in values.items() if key != "driver"]


def tile_lines(text):
    """Returns the source's lines for cores, and lines for this kind of GPU in double precision."""
    return ["# routine, type, workers, n from which it holds, mb, nb",
            *(line for line in text.splitlines() if " cpu " in line),
            *(f"{routine} {letter} cuda {n} {mb} {nb}" for routine, n, mb, nb in GPU_TILES
              for letter in "dz")]


def read_archive():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), SOURCE + ".tar.xz")
    with tarfile.open(path) as archive:
        return {member.name.split("/", 1)[1]: archive.extractfile(member).read().decode()
                for member in archive.getmembers() if member.isfile()}


def write_machine(name, gpu, files):
    folder = os.path.join(sys.argv[1], name)
    write(folder, "manifest", manifest_lines(name, files["manifest"], gpu))
    write(folder, "simulation", files["simulation"].splitlines())
    write(folder, "tiles", tile_lines(files["tiles"]))
    write(folder, f"bus/{name}.platform.v4.xml", bus_lines(files[f"bus/{SOURCE}.platform.v4.xml"], gpu))
    for path, text in sorted(files.items()):
        if path.startswith("codelets/"):
            symbol = path.split("startile_")[1].split(".")[0]
            model = derive_model(read_model(text), symbol, gpu)
            write(folder, path.replace(SOURCE, name), model_lines(model))


def main():
    files = read_archive()
    for name, gpu in MACHINES.items():
        write_machine(name, gpu, files)


main()
