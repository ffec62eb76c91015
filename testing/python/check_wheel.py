"""check_wheel.py SITE BUILD: checks the wheel that is installed in SITE, made of the build in BUILD: what it contains,
which files it loads, that it solves a system."""
import importlib.metadata
import os
import sys

import numpy as np

site, build = sys.argv[1:]
sys.path.insert(0, site)
threads_before = len(os.listdir("/proc/self/task"))
import startile  # noqa: E402 pylint: disable=wrong-import-position

assert len(os.listdir("/proc/self/task")) == threads_before
assert "OPENBLAS_NUM_THREADS" not in os.environ

# Each library has a text of its license, and none is FxT.
wheel = importlib.metadata.distribution("startile")
files = {str(f): f for f in wheel.files}
licenses = f"startile-{wheel.version}.dist-info/licenses/"
libraries = {os.path.basename(f) for f in files if ".so" in f}
texts = dict(line.split(": ") for line in files[licenses + "files.txt"].read_text().splitlines())
assert libraries == texts.keys(), (libraries, texts)
assert {"libstartile.so.0.1", "libstartile_openblas.so", "libhwloc.so.15"} <= libraries and "libfxt.so.2" not in libraries, libraries
for library, names in texts.items():
    for name in names.split():
        assert len(files[licenses + name].read_text()) > 1000, (library, name)
assert "GNU LESSER" in files[licenses + "starpu/COPYING.LGPL"].read_text()
metadata = wheel.metadata
assert "libgfortran" in files[licenses + "scipy-openblas32/LICENSE.txt"].read_text()
assert {"BSD-3-Clause", "GPL-3.0-or-later WITH GCC-exception-3.1", "LGPL-2.1-or-later"} <= set(
    metadata["License-Expression"].split(" AND ")
), metadata["License-Expression"]
assert metadata["Summary"] and metadata["Project-URL"].startswith("Homepage, https://"), metadata.items()
named = {licenses + name for name in metadata.get_all("License-File")}
assert named == {f for f in files if f.startswith(licenses)}, named

if os.environ.get("STARTILE_TRACE"):
    try:
        startile.solve(np.eye(300), np.ones(300))
    except startile.StartileError as error:
        assert "StarPU was built without FxT" in str(error), error
    else:
        raise AssertionError("a trace without FxT")
    sys.exit()

a, b = np.array([[4.0, 1], [1, 3]]), np.array([1.0, 2])
assert startile.__file__.startswith(site)
assert startile.info()["blas"].startswith("OpenBLAS 0.3."), startile.info()
assert wheel.version == startile.__version__
assert np.allclose(a @ startile.solve(a, b, assume_a="pos"), b)
with open("/proc/self/maps", encoding="ascii") as maps:
    paths = {line.split()[-1] for line in maps}
assert not [p for p in paths if p.startswith(f"{build}/libstartile")], paths
starpu = [p for p in paths if "libstarpu" in p]
assert len(starpu) == 1 and starpu[0].startswith(site), starpu
