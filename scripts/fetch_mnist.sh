#!/usr/bin/env bash
# fetch_mnist.sh - downloads and verifies the four MNIST files; spinnsim finds them by itself.
set -euo pipefail

readonly program="${0##*/}"

# The files as published (gzip), with their MD5 sums.
readonly files=(
    "train-images-idx3-ubyte.gz f68b3c2dcbeaaa9fbdd348bbdeb94873"
    "train-labels-idx1-ubyte.gz d53e105ee54ea40749a09fcbcd1e9432"
    "t10k-images-idx3-ubyte.gz 9fb629c4189551a2d022fa330f9573f3"
    "t10k-labels-idx1-ubyte.gz ec29112dd5afa0611ce80d1b7f02629c"
)

# Mirrors, tried in this order for each file.
mirrors=(
    "https://ossci-datasets.s3.amazonaws.com/mnist/"
    "https://storage.googleapis.com/cvdf-datasets/mnist/"
)

usage() {
    cat <<END
usage: $program [--mirror URL]... [FOLDER]

Downloads the four MNIST files (11 MB) into FOLDER and verifies them.  Files that are there and
right are kept.  Without FOLDER: \${XDG_CACHE_HOME:-\$HOME/.cache}/spinnsim/mnist, where spinnsim
looks by itself; another folder is given to spinnsim with --data or SPINNSIM_DATA.

  --mirror URL   fetch from URL/train-images-idx3-ubyte.gz and so on instead of the built-in
                 mirrors; may be given several times (file:///some/folder works with curl)
  --help         this text

Exit status: 0 all four files are in place, 1 a file could not be fetched or is wrong, 2 usage.
END
}

fail() {
    echo "$program: $1" >&2
    exit "${2:-1}"
}

fail_usage() {
    fail "$1 (--help shows the options)" 2
}

md5_of() {
    if command -v md5sum >/dev/null; then
        md5sum <"$1" | cut -d ' ' -f 1
    elif command -v md5 >/dev/null; then
        md5 -q "$1"
    else
        openssl md5 -r "$1" | cut -d ' ' -f 1
    fi
}

is_right() { # FILE MD5
    [[ -f $1 && $(md5_of "$1") == "$2" ]]
}

download() { # URL FILE
    if command -v curl >/dev/null; then
        local options=(--fail --location --retry 2 --connect-timeout 20 --output "$2")
        if [[ -t 2 ]]; then
            options+=(--progress-bar)
        else
            options+=(--silent --show-error)
        fi
        curl "${options[@]}" "$1"
    else
        local options=(--tries=3 --timeout=20 --output-document="$2")
        if [[ -t 2 ]]; then
            options+=(--quiet --show-progress)
        else
            options+=(--no-verbose)
        fi
        wget "${options[@]}" "$1"
    fi
}

partial=""
remove_partial() {
    if [[ -n $partial ]]; then
        rm -f -- "$partial"
    fi
}
trap remove_partial EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fetch() { # FOLDER NAME MD5
    local folder=$1 name=$2 md5=$3 mirror got
    if is_right "$folder/$name" "$md5"; then
        echo "$name: there already"
        return 0
    fi
    if [[ -e $folder/$name ]]; then
        echo "$program: $folder/$name is not the published file and will be replaced" >&2
    fi
    partial=$(mktemp "$folder/.$name.part-XXXXXX") || fail "cannot write into $folder"
    for mirror in "${mirrors[@]}"; do
        if ! download "${mirror%/}/$name" "$partial"; then
            echo "$program: no $name from $mirror" >&2
            continue
        fi
        if is_right "$partial" "$md5"; then
            chmod 644 "$partial"
            mv -f -- "$partial" "$folder/$name"
            partial=""
            echo "$name: fetched from $mirror"
            return 0
        fi
        got=$(md5_of "$partial")
        echo "$program: $name from $mirror is wrong: MD5 $got, expected $md5" >&2
    done
    fail "could not fetch $name (see above); what is complete was kept. Try again, or --mirror URL"
}

folder=""
given_mirrors=()
while (($# > 0)); do
    case $1 in
    --help | -h)
        usage
        exit 0
        ;;
    --mirror)
        if (($# < 2)) || [[ -z $2 ]]; then
            fail_usage "--mirror needs a URL"
        fi
        given_mirrors+=("$2")
        shift
        ;;
    --mirror=?*) given_mirrors+=("${1#--mirror=}") ;;
    -*) fail_usage "unknown option $1" ;;
    "") fail_usage "the name of the folder is empty" ;;
    *)
        [[ -z $folder ]] || fail_usage "more than one folder: $folder, $1"
        folder=$1
        ;;
    esac
    shift
done
if ((${#given_mirrors[@]} > 0)); then
    mirrors=("${given_mirrors[@]}")
fi
if [[ -z $folder ]]; then
    cache=${XDG_CACHE_HOME:-}
    if [[ -z $cache ]]; then
        [[ -n ${HOME:-} ]] || fail_usage "HOME is not set: name a folder"
        cache=$HOME/.cache
    fi
    folder=$cache/spinnsim/mnist
fi

command -v curl >/dev/null || command -v wget >/dev/null ||
    fail "neither curl nor wget is installed"
command -v md5sum >/dev/null || command -v md5 >/dev/null || command -v openssl >/dev/null ||
    fail "none of md5sum, md5 and openssl is installed"
mkdir -p -- "$folder" || fail "cannot make the folder $folder"

for entry in "${files[@]}"; do
    read -r name md5 <<<"$entry"
    fetch "$folder" "$name" "$md5"
done
echo "MNIST is complete in $folder"
