#!/usr/bin/env bash
# Builds StarPU into the package's prefix, then startile.
set -eux -o pipefail

(
    cd starpu
    ./configure --prefix="$PREFIX" --with-hwloc="$PREFIX" --with-mpicc="$PREFIX/bin/mpicc" \
        --enable-blocking-drivers --enable-maxcpus=128 --enable-maxcudadev=8 --disable-static \
        --disable-cuda --disable-opencl --disable-hip --disable-build-doc --disable-build-tests \
        --disable-build-examples --disable-starpufft --disable-socl --disable-starpupy --disable-mlr \
        --disable-openmp --disable-fortran
    make -j "$CPU_COUNT"
    make install
)
# shellcheck disable=SC2086 # CMAKE_ARGS has several words
cmake -S . -B build -G Ninja $CMAKE_ARGS -DCMAKE_BUILD_TYPE=Release -DSTARPU_PREFIX="$PREFIX" \
    -DSTARTILE_CUDA=OFF -DSTARTILE_MPI=ON -DSTARTILE_FORTRAN=ON -DSTARTILE_SIMULATION=OFF \
    -DSTARTILE_ILP64=ON -DSTARTILE_TESTS=OFF -DSTARTILE_EXAMPLES=OFF
cmake --build build --parallel "$CPU_COUNT"
cmake --install build
