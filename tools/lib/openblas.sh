# shellcheck shell=bash
# PyPI's scipy-openblas32 for tools/wheel: the newest OpenBLAS as a shared library whose symbols begin with scipy_.
# The caller sets $top, the root of startile's sources.

# Sets `openblas` to the folder where the package is installed. Downloads it with the Python interpreter $1 if it is
# not there.
fetch_openblas()
{
    local requirements=$top/tools/lib/openblas.txt
    openblas=$top/build/scipy-openblas32
    if ! cmp -s "$requirements" "$openblas/requirements.txt"; then
        rm -rf "$openblas"
        quietly "$top/build/scipy-openblas32.log" "installing scipy-openblas32 from PyPI" "$1" -m pip install \
            --disable-pip-version-check --retries 1 --no-deps --only-binary :all: --target "$openblas" \
            --requirement "$requirements"
        cp "$requirements" "$openblas/"
    fi
}

# Renames the OpenBLAS in the folder $1 and makes the library libstartile.so.* there need the new name: under the old one
# the program may have loaded another OpenBLAS, which it shares and whose threads it sets.
rename_openblas()
{
    local old=libscipy_openblas.so new=libstartile_openblas.so library
    [ -e "$1/$old" ] || return 0
    mv "$1/$old" "$1/$new"
    origin_of[$new]=${origin_of[$old]}
    patchelf --set-soname "$new" "$1/$new"
    "$top/tools/lib/remove-destructors" "$1/$new"
    for library in "$1"/libstartile.so.*; do
        patchelf --replace-needed "$old" "$new" "$library"
    done
}
