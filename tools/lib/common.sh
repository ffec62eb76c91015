# shellcheck shell=bash
# Functions of the scripts in tools/ and .ci/. The caller sets $prog, the prefix of its messages.

say() {
    printf '%s: %s\n' "${prog:?}" "$*"
}

die() {
    printf '%s: %s\n' "${prog:?}" "$*" >&2
    exit 1
}

# Adds the folder of nvcc to PATH, which NVIDIA's installer does not do.
add_cuda_to_path() {
    local dir
    if command -v nvcc >/dev/null 2>&1; then
        return
    fi
    for dir in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
        if [ -n "$dir" ] && [ -x "$dir/bin/nvcc" ]; then
            PATH=$PATH:$dir/bin
            export PATH
            return
        fi
    done
}

has_gpu() {
    local device
    for device in /dev/nvidia[0-9]* /dev/dxg; do
        [ ! -e "$device" ] || return 0
    done
    return 1
}

# show_progress LOG [TOTAL]: appends the output of a build from stdin to LOG and shows the build's progress:
# on a terminal in one line that changes, elsewhere in a new line for each tenth. Reads Ninja's own progress
# messages. For make, which compiles TOTAL files, counts lines "  CC ...".
show_progress() {
    local log=$1 total=${2:-0} count=0 tenth=0 line on_terminal=''
    [ ! -t 1 ] || on_terminal=yes
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            count=${BASH_REMATCH[1]}
            total=${BASH_REMATCH[2]}
        elif [[ $line =~ ^\ +(CC|CXX|NVCC)\  ]] && [ "$count" -lt "$total" ]; then
            count=$((count + 1))
        else
            continue
        fi
        if [ -n "$on_terminal" ]; then
            printf '\r%s: [%s/%s]\033[K' "${prog:?}" "$count" "$total"
        elif [ $((count * 10 / total)) -gt "$tenth" ]; then
            tenth=$((count * 10 / total))
            say "[$count/$total]"
        fi
    done
    [ -z "$on_terminal" ] || printf '\r\033[K'
}

# build_with_progress LOG FOLDER TARGET...: builds the targets in the build folder FOLDER, or all without a
# target, shows the progress and writes the output to LOG. On failure prints the end of the output and
# exits.
build_with_progress() {
    local log=$1 folder=$2
    shift 2
    : >"$log"
    if ! cmake --build "$folder" ${1:+--target "$@"} 2>&1 </dev/null | show_progress "$log"; then
        tail -n 60 "$log" >&2
        die "building $folder failed; the whole log: $PWD/$log"
    fi
}

# quietly LOG WHAT COMMAND...: runs the command with its output in LOG. On failure prints the end of the
# output and the message "WHAT failed", and exits.
quietly() {
    local log=$1 what=$2
    shift 2
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        die "$what failed; the whole log: $PWD/$log"
    fi
}

# Prints the folders and stamps of the StarPUs in use. If this text changes, CMake must not use its cache,
# which keeps the paths of the earlier StarPU.
starpu_in_use() {
    local record prefix
    for record in "${XDG_CONFIG_HOME:-${HOME:-}/.config}"/startile/starpu-{,simgrid-,simgrid-mpi-,wheel-}prefix; do
        if [ -r "$record" ]; then
            prefix=$(head -n 1 "$record")
            printf '%s\n' "$prefix"
            cat "$prefix/startile-starpu.stamp" 2>/dev/null || true
        fi
    done
}

# configure_and_build PRESET [CMAKE ARGUMENT...] [-- TARGET...]: configures and builds the targets in
# build/PRESET, or all without a target.
configure_and_build() {
    local preset=$1 fresh=() options=() starpu
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    starpu=$(starpu_in_use)
    if [ -e "build/$preset.starpu" ] && [ "$starpu" != "$(cat "build/$preset.starpu")" ]; then
        fresh=(--fresh)
    fi
    say "configuring build/$preset"
    quietly "build/$preset.configure.log" "configuring build/$preset" \
        cmake --preset "$preset" "${fresh[@]+"${fresh[@]}"}" "${options[@]+"${options[@]}"}"
    printf '%s\n' "$starpu" >"build/$preset.starpu"
    say "building build/$preset"
    build_with_progress "build/$preset.build.log" "build/$preset" "$@"
}

# read_arguments ARGUMENT...: sets `preset`, and the arrays `setup_args` (options for tools/setup), `options`
# (options for CMake) and `rest` (all other arguments). Builds with and without CUDA have separate folders,
# because CUDA kernels take minutes to compile.
read_arguments() {
    local arg cuda=AUTO simulation=AUTO
    setup_args=()
    rest=()
    for arg in "$@"; do
        case $arg in
        --with-cuda | --with-cuda-mpi) cuda=ON ;;
        --without-cuda) cuda=OFF ;;
        --with-simgrid | --with-simgrid-mpi) simulation=ON ;;
        *)
            rest+=("$arg")
            continue
            ;;
        esac
        setup_args+=("$arg")
    done
    add_cuda_to_path
    preset=no-cuda
    if [ "$cuda" = ON ] || { [ "$cuda" = AUTO ] && has_gpu && command -v nvcc >/dev/null 2>&1; }; then
        preset=release
    else
        cuda=OFF
        if has_gpu && [ ${#setup_args[@]} -eq 0 ]; then
            say "found a GPU, but no nvcc on PATH, in \$CUDA_HOME/bin or in /usr/local/cuda/bin:" \
                "building without CUDA"
        fi
    fi
    # Both options are always passed, because CMake's cache keeps the values of an earlier call.
    # shellcheck disable=SC2034 # used by the caller
    options=("-DSTARTILE_CUDA=$cuda" "-DSTARTILE_SIMULATION=$simulation")
}

# Prints how many tests run at the same time: one more than cores, because tests also wait, for the disk and for
# other processes; at most four, because many tests start a worker on every core.
tests_at_once() {
    local most=$(($(nproc) + 1))
    printf '%d\n' $((most < 4 ? most : 4))
}

# Leaves tests out of the build, except in a folder that tools/test has configured, so that the next run of
# tools/test need not compile them again.
leave_out_tests() {
    grep -qs '^STARTILE_TESTS:BOOL=ON' "build/$preset/CMakeCache.txt" || options+=(-DSTARTILE_TESTS=OFF)
}

# Prints how long a first build with CUDA takes. Compiling the CUDA kernels took 18 minutes on one core (CUDA
# 13.0, sm_80 and sm_90).
say_how_long() {
    local cores
    cores=$(nproc)
    if [ "$preset" = release ] && [ ! -e build/release/libstartile.so ]; then
        say "CUDA kernels take about $(((18 + cores - 1) / cores)) minutes to compile on $cores cores;" \
            "--without-cuda leaves them out"
    fi
}

# leave_out_devices LIBRARY: without a GPU, makes the programs that this script starts from now on start faster. StarPU's
# hwloc does not look for devices: in a virtual machine it takes 0.04 s of CPU time to read the registers of a few PCI
# devices. The programs load stubs of cuBLAS, cuSOLVER and cuSPARSE, on which LIBRARY depends through StarPU. The real
# ones take 0.13 s of CPU time in each process, and 0.3 s with sanitizers, whose search for leaks reads their data.
# Without a GPU nothing calls them.
leave_out_devices() {
    local folder=$PWD/build/cuda-stubs name path
    has_gpu && return
    export HWLOC_COMPONENTS=-pci,-linux:pci,-linux:io
    mkdir -p "$folder"
    while read -r name path; do
        nm -D --defined-only "$path" | awk '$2 == "T" { sub(/@.*/, "", $3); print "int " $3 "(void) { return 1; }" }' |
            ${CC:-cc} -shared -fPIC -x c -o "$folder/$name" - "-Wl,-soname,$name" \
                "-Wl,--version-script=/dev/fd/3" 3<<<"$name { *; };"
    done < <(env -u LD_LIBRARY_PATH ldd "$1" | awk '$1 ~ /^lib(cublas|cublasLt|cusolver|cusparse)\.so/ { print $1, $3 }')
    export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}
