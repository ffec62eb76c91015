# Never built. Recipe for Spack: put this file into packages/startile/ of a Spack repository.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.python import PythonExtension

from spack.package import *


class Startile(CMakePackage, CudaPackage, PythonExtension):
    """Dense LU, QR and Cholesky as graphs of tile tasks on StarPU, for CPU cores and GPUs."""

    homepage = "https://startile.invalid/startile"
    git = f"{homepage}.git"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("mpi", default=True, description="Matrices distributed over MPI processes")
    variant("simgrid", default=False, description="Simulated runs: startile bench --simulate")
    variant("python", default=False, description="Python package with scipy.linalg's names")
    variant("fortran", default=True, description="Fortran module")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    generator("ninja")

    depends_on("starpu@1.4: +shared +fxt ~examples ~openmp")
    depends_on("hwloc")
    # The library contains a copy of OpenBLAS that starts no threads.
    depends_on("openblas@0.3.20: +static +pic +dynamic_dispatch ~ilp64 threads=pthreads")
    depends_on("zlib-api")

    depends_on("mpi", when="+mpi")
    depends_on("starpu +mpi", when="+mpi")
    depends_on("starpu ~mpi", when="~mpi")

    depends_on("cuda@11.8:", when="+cuda")
    depends_on("starpu +cuda", when="+cuda")
    conflicts("cuda_arch=none", when="+cuda", msg="choose cuda_arch=80 or newer")
    for arch in CudaPackage.cuda_arch_values:
        if int(arch.rstrip("af")) < 80:
            conflicts(f"cuda_arch={arch}", when="+cuda", msg="needs compute capability 8.0")
    conflicts("^cuda@13:", when="+cuda ^starpu@:1.4.10", msg="StarPU 1.4.10 does not compile with CUDA 13")

    # A simulation needs a second StarPU, and a spec cannot contain a package twice.
    depends_on("simgrid", when="+simgrid")
    depends_on("fxt", when="+simgrid")
    resource(
        name="starpu-for-simgrid",
        url="https://files.inria.fr/starpu/starpu-1.4.10/starpu-1.4.10.tar.gz",
        sha256="8f35f59c337ba109e5ef5fb4f6331b4845d524921e184fcc89f2ecac60faaf03",
        placement="starpu-for-simgrid",
        when="+simgrid",
    )

    extends("python", when="+python")
    depends_on("py-numpy@1.23:", type=("build", "run"), when="+python")

    @property
    def simgrid_starpu(self):
        return join_path(self.prefix, "libexec", "startile", "starpu-simgrid")

    @run_before("cmake")
    def build_starpu_for_simgrid(self):
        if self.spec.satisfies("~simgrid"):
            return
        with working_dir(join_path(self.stage.source_path, "starpu-for-simgrid")):
            Executable("./configure")(
                f"--prefix={self.simgrid_starpu}",
                "--enable-simgrid",
                f"--with-simgrid-dir={self.spec['simgrid'].prefix}",
                f"--with-fxt={self.spec['fxt'].prefix}",
                f"--with-hwloc={self.spec['hwloc'].prefix}",
                *(f"--disable-{part}" for part in (
                    "cuda", "opencl", "hip", "mpi", "static", "openmp", "fortran", "mlr", "socl", "starpufft",
                    "starpupy", "build-doc", "build-tests", "build-examples")),
                "--enable-maxcpus=128",
                "--enable-maxcudadev=8",
            )
            make()
            make("install")

    def cmake_args(self):
        spec = self.spec
        arguments = [
            self.define_from_variant("STARTILE_CUDA", "cuda"),
            self.define_from_variant("STARTILE_MPI", "mpi"),
            self.define_from_variant("STARTILE_FORTRAN", "fortran"),
            self.define_from_variant("STARTILE_SIMULATION", "simgrid"),
            self.define("STARTILE_ILP64", True),
            self.define("STARTILE_TESTS", False),
            self.define("STARTILE_EXAMPLES", False),
            self.define("STARPU_PREFIX", spec["starpu"].prefix),
        ]
        if spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        if spec.satisfies("+simgrid"):
            arguments.append(self.define("STARPU_SIMGRID_PREFIX", self.simgrid_starpu))
        return arguments

    @run_after("install")
    def install_python(self):
        """Installs the package; its folder lib links to the library."""
        if self.spec.satisfies("~python"):
            return
        package = join_path(python_platlib, "startile")
        install_tree(join_path(self.stage.source_path, "tools", "python", "startile"), package)
        install(join_path(self.build_directory, "python", "startile", "_version.py"), package)
        mkdirp(join_path(package, "lib"))
        library = find_libraries("libstartile", root=self.prefix, recursive=True)[0]
        os.symlink(library, join_path(package, "lib", "libstartile.so.0"))
