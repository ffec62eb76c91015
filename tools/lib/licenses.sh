# shellcheck shell=bash
# Gathers license texts for tools/bundle and tools/wheel. The caller sets $top, the root of startile's sources.

# Origin of each copied program or library, by its name
declare -A origin_of=()

# Debian package of each origin, by its path
declare -A package_of=()

# copy_files FILE... FOLDER: copies programs and libraries to FOLDER and records their origins.
copy_files()
{
    local file folder=${*: -1}
    for file in "${@:1:$#-1}"; do
        cp -L "$file" "$folder/"
        origin_of[${file##*/}]=$file
    done
}

# find_packages FILE...: looks up the Debian packages of the files. Packages may name a file of /usr/lib as a file
# of /lib.
find_packages()
{
    local path line paths=()
    for path in "$@"; do
        path=$(readlink -f "$path")
        paths+=("$path" "${path#/usr}")
    done
    while read -r line; do
        path=${line##*: }
        package_of[/usr${path#/usr}]=${line%%[:,]*}
    done < <(dpkg-query --search "${paths[@]}" 2>/dev/null | grep -v '^diversion ')
}

# license_texts FILE: prints the license texts of the file: Debian's, else those of PyPI's scipy-openblas32, or of the
# prefix where StarPU, or the Open MPI of tools/setup, is installed. Ends the script if there are none.
license_texts()
{
    local path name=openmpi texts=
    path=$(readlink -f "$1")
    [[ $path != */libstarpu* ]] || name=starpu
    if [ -n "${package_of[$path]:-}" ]; then
        texts=$(find "/usr/share/doc/${package_of[$path]}/" -name copyright)
    elif [[ $path == */scipy_openblas32/* ]]; then
        texts=$(find "${path%/scipy_openblas32/*}" -path '*/scipy_openblas32-*.dist-info/*' -name LICENSE.txt)
    elif [[ ${path%/*} =~ ^(.*)/(bin|lib[^/]*)(/.*)?$ ]]; then
        texts=$(find "${BASH_REMATCH[1]}/share/doc/$name" -name 'COPYING*' -o -name 'LICENSE*' 2>/dev/null)
    fi
    [ -n "$texts" ] || die "no license text of $1: neither a Debian package nor share/doc/$name has one"
    echo "$texts"
}

# license_texts_of_build DIR: prints the license texts of startile built in DIR, which contains static BLAS and LAPACK.
license_texts_of_build()
{
    local file files
    IFS=';' read -r -a files < <(sed -n 's/^STARTILE_BLAS_FILES:INTERNAL=//p' "$1/CMakeCache.txt")
    find_packages "${files[@]+"${files[@]}"}"
    echo "${top:?}/LICENSE"
    for file in "${files[@]+"${files[@]}"}"; do
        license_texts "$file"
    done
}

# add_texts FOLDER FILE TEXT...: copies each TEXT, and the common licenses of Debian that it names, to FOLDER, and
# adds a line about FILE to FOLDER/files.txt.
add_texts()
{
    local folder=$1 file=$2 text name common names=()
    shift 2
    for text in "$@"; do
        name=startile
        [ "$text" = "$top/LICENSE" ] || name=$(basename "$(dirname "$text")")
        [[ $text != */scipy_openblas32-* ]] || name=scipy-openblas32
        names+=("$name/${text##*/}")
        [ ! -e "$folder/$name/${text##*/}" ] || continue
        mkdir -p "$folder/$name"
        cp -L "$text" "$folder/$name/"
        while read -r common; do
            mkdir -p "$folder/common-licenses"
            cp -L "$common" "$folder/common-licenses/"
        done < <(grep -oE '/usr/share/common-licenses/[A-Za-z0-9]+(-[0-9]+(\.[0-9]+)*)?' "$text" | sort -u)
    done
    printf '%s: %s\n' "$file" "${names[*]}" >>"$folder/files.txt"
}

# add_licenses ROOT FOLDER BUILD...: copies the license texts of all programs and libraries below ROOT to FOLDER,
# whose files.txt lists the texts of each. Files below a BUILD are startile's. Ends the script if a text is missing.
add_licenses()
{
    local root=$1 folder=$2 name build texts list
    local -A texts_of_build=()
    shift 2
    mkdir -p "$folder"
    find_packages "${origin_of[@]}"
    while read -r name; do
        [ -n "${origin_of[$name]:-}" ] || die "$name has no origin, so its license is unknown"
        texts=
        for build in "$@"; do
            [[ $(readlink -f "${origin_of[$name]}") == "$(readlink -f "$build")"/* ]] || continue
            [ -n "${texts_of_build[$build]:-}" ] ||
                texts_of_build[$build]=$(license_texts_of_build "$build") || exit
            texts=${texts_of_build[$build]}
        done
        [ -n "$texts" ] || texts=$(license_texts "${origin_of[$name]}") || exit
        mapfile -t list <<<"$texts"
        add_texts "$folder" "$name" "${list[@]}"
    done < <(find "$root" -type f \( -name '*.so' -o -name '*.so.*' -o -path "$root/bin/*" \) -printf '%f\n' | sort -u)
}
