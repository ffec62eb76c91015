"""GPAW: energy of eight water molecules in a basis of atomic orbitals, whose overlap matrix ScaLAPACK factors."""
from ase import Atoms
from ase.build import molecule
from gpaw import GPAW, FermiDirac
from gpaw.mpi import rank
from results import result

water = molecule("H2O")
atoms = Atoms(cell=[7, 7, 7], pbc=True)
for x in range(2):
    for y in range(2):
        for z in range(2):
            one = water.copy()
            one.rotate(40 * x + 70 * y + 100 * z, "x")
            one.translate([3.5 * x, 3.5 * y, 3.5 * z])
            atoms += one
calculator = GPAW(mode="lcao", basis="dzp", h=0.25, occupations=FermiDirac(0.05), txt=None, maxiter=40,
                  parallel={"sl_auto": True}, convergence={"density": 1e-5})
atoms.calc = calculator
energy = atoms.get_potential_energy()
forces = atoms.get_forces()
if rank == 0:
    result("energy", 1e-8, energy)
    result("forces", 1e-4, forces)
