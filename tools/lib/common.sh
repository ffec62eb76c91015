# shellcheck shell=bash
# Functions of the scripts in tools/ and .ci/. The caller sets $prog, the prefix of its messages.

say() {
    printf '%s: %s\n' "${prog:?}" "$*"
}

die() {
    printf '%s: %s\n' "${prog:?}" "$*" >&2
    exit 1
}

# NVIDIA's installer does not add nvcc to PATH.
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

# show_progress LOG [TOTAL]: appends the output of a build from stdin to LOG and shows its progress: on a
# terminal in one line that changes, elsewhere a line at each tenth. Ninja prints its progress; for make,
# which compiles TOTAL files, lines "  CC ..." are counted.
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

# build_with_progress LOG FOLDER TARGET...: writes the output to LOG; on failure also its end to stderr.
build_with_progress() {
    local log=$1 folder=$2
    shift 2
    : >"$log"
    if ! cmake --build "$folder" ${1:+--target "$@"} 2>&1 </dev/null | show_progress "$log"; then
        tail -n 60 "$log" >&2
        die "building $folder failed; the whole log: $PWD/$log"
    fi
}

# quietly LOG WHAT COMMAND...: runs the command with its output in LOG; on failure also shows its end.
quietly() {
    local log=$1 what=$2
    shift 2
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        die "$what failed; the whole log: $PWD/$log"
    fi
}

# Prints the folders and stamps of the StarPUs in use. If they change, CMake must not use its cache, which
# keeps what it found of the earlier StarPU.
starpu_in_use() {
    local record prefix
    for record in "${XDG_CONFIG_HOME:-${HOME:-}/.config}"/startile/starpu-{,simgrid-}prefix; do
        if [ -r "$record" ]; then
            prefix=$(head -n 1 "$record")
            printf '%s\n' "$prefix"
            cat "$prefix/startile-starpu.stamp" 2>/dev/null || true
        fi
    done
}

# configure_and_build PRESET [CMAKE ARGUMENT...] [-- TARGET...]: configures and builds in build/PRESET;
# without a target, builds all.
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

# read_arguments ARGUMENT...: sets `preset`, and the arrays `setup_args` (options of tools/setup), `options`
# (of CMake) and `rest` (all other arguments). Builds with and without CUDA have separate folders, because
# CUDA kernels take minutes to compile.
read_arguments() {
    local arg cuda=AUTO simulation=AUTO
    setup_args=()
    rest=()
    for arg in "$@"; do
        case $arg in
        --with-cuda) cuda=ON ;;
        --without-cuda) cuda=OFF ;;
        --with-simgrid) simulation=ON ;;
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
    # Always passed, because CMake's cache keeps the values of an earlier call.
    # shellcheck disable=SC2034 # used by the caller
    options=("-DSTARTILE_CUDA=$cuda" "-DSTARTILE_SIMULATION=$simulation")
}

# Leaves tests out of the build, but keeps those of a folder that tools/test configured, so that its next run
# need not compile them again.
leave_out_tests() {
    grep -qs '^STARTILE_TESTS:BOOL=ON' "build/$preset/CMakeCache.txt" || options+=(-DSTARTILE_TESTS=OFF)
}

# Compiling the CUDA kernels took 18 minutes of one core (CUDA 13.0, sm_80 and sm_90).
say_how_long() {
    local cores
    cores=$(nproc)
    if [ "$preset" = release ] && [ ! -e build/release/libstartile.so ]; then
        say "CUDA kernels take about $(((18 + cores - 1) / cores)) minutes to compile on $cores cores;" \
            "--without-cuda leaves them out"
    fi
}
