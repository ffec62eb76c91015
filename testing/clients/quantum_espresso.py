"""Writes an input file for Quantum ESPRESSO's pw.x, hydrogen.in, and its pseudopotential, hydrogen.pz, to a folder.

usage: quantum_espresso.py FOLDER

The potential is that of Goedecker, Teter and Hutter (Phys. Rev. B 54, 1703), which for hydrogen is local:
V(r) = -erf(r / (sqrt(2) R)) / r + exp(-r^2 / (2 R^2)) (C1 + C2 r^2 / R^2).
"""
import math
import pathlib
import sys

R, C1, C2 = 0.2, -4.0663326, 0.6778322
X_MIN, X_STEP, POINTS = -7.0, 0.0125, 801  # radial mesh: exp(X_MIN + i * X_STEP)


def potential():
    """Returns the text of the pseudopotential in pw.x's format for norm-conserving potentials."""
    radii = [math.exp(X_MIN + i * X_STEP) for i in range(POINTS)]
    exponent = 1 / (2 * R**2)
    lines = ["PZ",
             "'H' 1.0 0 1 1 .false. 0 .false.",
             f"{exponent} 1.0 1.0 0.0",
             f"{exponent} 1.0 1.0 {C1} 0.0 0.0 {C2 / R**2} 0.0 0.0",
             f"1.0 {X_MIN} {X_STEP} {POINTS} 1",
             "1S", "0 1.0",
             *(f"{2 * r * math.exp(-r):.12e}" for r in radii)]
    return "\n".join(lines) + "\n"


def atoms():
    """Returns the positions of eight molecules on a lattice."""
    centers = [(x, y, z) for x in range(2) for y in range(2) for z in range(2)]
    return "\n".join(f"H {4 * x + side * 0.6 + 0.1 * z:.3f} {4 * y + side * 0.3:.3f} {4 * z + side * 0.2 * x:.3f}"
                     for x, y, z in centers for side in (-1, 1))


INPUT = """&control
  pseudo_dir = '{folder}'
  outdir = '.'
  disk_io = 'none'
/
&system
  ibrav = 1, celldm(1) = 8, nosym = .true., noinv = .true.
  nat = 16, ntyp = 1, ecutwfc = 16, nbnd = 40
/
&electrons
  conv_thr = 1e-8
  startingwfc = 'atomic+random'
/
ATOMIC_SPECIES
H 1.0 hydrogen.pz
ATOMIC_POSITIONS bohr
{atoms}
K_POINTS crystal
1
0.1 0.2 0.3 1.0
"""


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    (folder / "hydrogen.pz").write_text(potential(), encoding="utf-8")
    (folder / "hydrogen.in").write_text(INPUT.format(folder=folder, atoms=atoms()), encoding="utf-8")


if __name__ == "__main__":
    main()
