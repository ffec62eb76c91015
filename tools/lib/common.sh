# shellcheck shell=bash
# Shared by the scripts in tools/ and .ci/; the caller sets $prog, the name its messages begin with.

say() {
    printf '%s: %s\n' "${prog:?}" "$*"
}

die() {
    printf '%s: %s\n' "${prog:?}" "$*" >&2
    exit 1
}

# NVIDIA's installer leaves PATH alone, so a working toolkit is often not on it.
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

# quietly LOG WHAT COMMAND...: the output matters only when the command fails.
quietly() {
    local log=$1 what=$2
    shift 2
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 60 "$log" >&2
        die "$what failed; the whole log: $PWD/$log"
    fi
}

# What CMake found of StarPU stays in its cache, also when tools/setup has since put another one
# there. Prints what tells two of them apart.
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

# configure_and_build PRESET [CMAKE ARGUMENT...]: the preset's binary directory is build/PRESET.
configure_and_build() {
    local preset=$1 fresh=() starpu
    shift
    starpu=$(starpu_in_use)
    if [ -e "build/$preset.starpu" ] && [ "$starpu" != "$(cat "build/$preset.starpu")" ]; then
        fresh=(--fresh)
    fi
    say "configuring build/$preset"
    quietly "build/$preset.configure.log" "configuring build/$preset" \
        cmake --preset "$preset" "${fresh[@]+"${fresh[@]}"}" "$@"
    printf '%s\n' "$starpu" >"build/$preset.starpu"
    say "building build/$preset"
    quietly "build/$preset.build.log" "building build/$preset" \
        cmake --build "build/$preset"
}

# prepare ARGUMENT...: everything up to a built release preset. Leaves in the array `rest` the
# arguments that are not setup's.
prepare() {
    local arg cuda=AUTO simulation=AUTO setup_args=()
    rest=()
    for arg in "$@"; do
        case $arg in
        --with-cuda)
            cuda=ON
            setup_args+=("$arg")
            ;;
        --without-cuda)
            cuda=OFF
            setup_args+=("$arg")
            ;;
        --with-simgrid)
            simulation=ON
            setup_args+=("$arg")
            ;;
        *) rest+=("$arg") ;;
        esac
    done
    tools/setup "${setup_args[@]+"${setup_args[@]}"}"
    add_cuda_to_path
    # Always given: a value cached by an earlier call must not outlive that call's option.
    configure_and_build release "-DSTARTILE_CUDA=$cuda" "-DSTARTILE_SIMULATION=$simulation"
}
