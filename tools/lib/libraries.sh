# shellcheck shell=bash
# Functions that gather libraries for other machines, for tools/bundle and tools/wheel. Needs licenses.sh.

# Succeeds if the library $1 is one of CUDA's.
is_of_cuda()
{
    case ${1##*/} in
    libcuda.so* | libcudart* | libcublas* | libcusolver* | libcusparse* | libnv* | libcufft* | libcurand*) true ;;
    *) false ;;
    esac
}

# Succeeds if the machine where the folder will be used provides the library $1: the C library or one of CUDA's.
is_from_target()
{
    case ${1##*/} in
    ld-linux* | libc.so* | libm.so* | libmvec.so* | libdl.so* | librt.so* | libpthread.so* | linux-vdso*) true ;;
    *) is_of_cuda "$1" ;;
    esac
}

# copy_libraries FOLDER FILE...: copies the libraries that the files and the libraries in FOLDER need to FOLDER,
# until none is missing.
copy_libraries()
{
    local folder=$1 found=1 library
    shift
    while [ "$found" = 1 ]; do
        found=0
        while read -r library; do
            is_from_target "$library" && continue
            [ -e "$folder/${library##*/}" ] && continue
            copy_files "$library" "$folder"
            found=1
        done < <(LD_LIBRARY_PATH="$folder:${LD_LIBRARY_PATH:-}" ldd "$@" "$folder"/*.so* 2>/dev/null |
            awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -v "^$folder" | sort -u)
    done
}

# replace_sampling_folder FOLDER: replaces the path of StarPU's folder of sampled models, which is compiled into
# libstarpu, by /proc/self: a folder that exists everywhere, contains no models and cannot be written. If the
# folder does not exist, StarPU 1.4.10 prints "[_perf_model_add_dir] Warning: directory <...> as set by
# installation directory does not exist" at each start, even with STARPU_SILENT.
replace_sampling_folder()
{
    local library offset offsets
    for library in "$1"/libstarpu-[0-9]*.so*; do
        [ -e "$library" ] || continue
        offsets=$(LC_ALL=C grep -obUaP '(?<=\x00)/[^\x00]*/perfmodels/sampling(?=\x00)' "$library" |
            cut -d: -f1) || true
        for offset in $offsets; do
            printf '/proc/self\0' | dd of="$library" bs=1 seek="$offset" conv=notrunc status=none
        done
    done
}
