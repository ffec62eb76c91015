# shellcheck shell=bash disable=SC2034,SC2154
# Builds an Open MPI that takes addresses of GPU memory, for tools/setup, whose functions and variables it uses.

openmpi_stamp=startile-openmpi.stamp
# Only what one host needs, and TCP. ScaLAPACK needs the Fortran types.
openmpi_options=(--enable-mpi-fortran=mpifh --disable-mpi-cxx --disable-mpi-java --disable-oshmem
    --disable-io-romio --without-verbs --without-ucx --without-psm --without-psm2 --without-ofi
    --without-portals4 --without-slurm --without-tm --without-lsf --without-sge
    --with-hwloc=external --with-libevent=external --with-pmix=internal)
openmpi_packages=(gfortran libevent-dev)

# Prints what a build of Open MPI depends on.
openmpi_request() {
    printf 'system: %s\ncuda: %s\noptions: %s\n' "$system" "$cuda_version" "${openmpi_options[*]}"
}

has_openmpi() {
    [ -x "$openmpi/bin/mpicc" ] && [ -e "$openmpi/share/doc/openmpi/LICENSE" ] &&
        [ "$(cat "$openmpi/$openmpi_stamp" 2>/dev/null)" = "$(openmpi_request)" ]
}

make_openmpi() {
    make -C "$work/openmpi" V=0 -j "$(nproc)" 2>&1 | show_progress "$log" 2000
}

# Two defaults: no warning without NVIDIA's driver; no message that page-locking of a buffer has failed, which
# 4.1.4 prints with driver 580.159. Copies between GPUs do not need this buffer.
write_openmpi_defaults() {
    printf '%s\n' 'opal_warn_on_missing_libcuda = 0' 'mpi_common_cuda_register_memory = 0' \
        >>"$stage$openmpi/etc/openmpi-mca-params.conf"
}

# install_openmpi_licenses SOURCE: installs the licenses of Open MPI and of the PMIx in it, for tools/bundle.
install_openmpi_licenses() {
    local folder=$stage$openmpi/share/doc/openmpi
    mkdir -p "$folder"
    cp "$1/LICENSE" "$folder/LICENSE"
    cp "$1/opal/mca/pmix/pmix3x/pmix/LICENSE" "$folder/LICENSE.pmix"
}

# Builds Open MPI in $openmpi, if it is not there. Needs the folders $work and $stage. Takes Debian 12's or
# Ubuntu's version: 5 was not tried.
ensure_openmpi() {
    local source suites=(bookworm)
    [ "$family" != ubuntu ] || suites=("$codename")
    ! has_openmpi || return 0
    if [ -e "$openmpi" ] && [ ! -f "$openmpi/$openmpi_stamp" ]; then
        fail "$openmpi was not made by tools/setup: give another folder with --prefix"
    fi
    fetch_source openmpi "Open MPI" 4.1 5 "install Open MPI 4.1 yourself" "${suites[@]}"
    source=$(find "$work/source" -maxdepth 2 -name configure -printf '%h\n' | head -n 1)
    mkdir "$work/openmpi"
    say "building Open MPI $source_version (CUDA $cuda_version): takes some ten minutes on two cores"
    if ! { logged_job env -C "$work/openmpi" "$source/configure" --prefix="$openmpi" \
        --with-cuda="$(cuda_folder)" "${openmpi_options[@]}" && job make_openmpi &&
        logged_job make -C "$work/openmpi" install DESTDIR="$stage"; }; then
        fail "could not build Open MPI $source_version: $(reason)"
    fi
    install_openmpi_licenses "$source"
    write_openmpi_defaults
    openmpi_request >"$stage$openmpi/$openmpi_stamp"
    rm -rf "$openmpi"
    mv -T "$stage$openmpi" "$openmpi" || fail "could not move Open MPI into $openmpi"
    say "Open MPI $source_version (CUDA $cuda_version) is in $openmpi"
}
