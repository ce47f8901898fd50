#!/bin/sh
# Makes native code for the shipped trainings by short runs on synthetic images, so that a user's first training is as fast as the next ones.
set -eu
. "$(dirname -- "$0")/checkout.sh"

all='fc128_train:384 fc300_100_train:384 lenet1_train:384 lenet4_train:768 lenet5_train:672'
usage() {
    cat <<EOF
usage: scripts/make_native.sh [--out DIR] [TRAINING...]

Runs each TRAINING of configs/experiments (default: all) for a few updates, waits for the compiler, and puts the objects into DIR (default:
native in the build folder), where spinnsim finds them; SPINNSIM_NATIVE names another folder to it.  The cmake option SPINN_NATIVE_CODE
does this with every build.  A change of models/arm968 makes the objects useless: make them again.  BUILD names the build folder.

TRAINING is one of:
EOF
    for of in $all; do
        echo "  ${of%:*}"
    done
}

bad() {
    echo "make_native.sh: $1" >&2
    exit 2
}
out=
trainings=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --out)
        [ $# -gt 1 ] || bad "$1 wants a folder"
        out=$(absolute "$2")
        shift
        ;;
    -*) bad "unknown option $1; see --help" ;;
    *)
        case " $all" in
        *" $1:"*) trainings="$trainings $1" ;;
        *) bad "unknown training $1; see --help" ;;
        esac
        ;;
    esac
    shift
done
build=$(absolute "${BUILD:-build}")
out=${out:-$build/native}
program=$build/spinnsim
[ -x "$program" ] || bad "$program is missing: build first"
[ ! -e "$out" ] || [ -d "$out" ] || bad "$out is no folder"
if [ -d "$out" ] && [ -n "$(find "$out" -mindepth 1 ! -name '*.so' ! -name '*.list' -print -quit)" ]; then
    bad "$out has other files than native code: name a folder of its own"
fi
[ ! -e "$out.new" ] || bad "$out.new exists: remove it, or name another folder"
work=$(mktemp -d)
trap 'rm -rf "$work" "$out.new"' EXIT
trap 'exit 1' HUP INT TERM

for of in $all; do
    name=${of%:*}
    case " ${trainings:-$name} " in
    *" $name "*) ;;
    *) continue ;;
    esac
    XDG_CACHE_HOME=$work SPINNSIM_NATIVE='' "$program" run "configs/experiments/$name.yaml" --tier translator --progress none --force \
        --out "$work/result" --set accept=null --set data.set=synthetic --set "data.train_images=${of#*:}" --set data.test_images=16 \
        >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
done
objects=$work/spinnsim/native
[ -d "$objects" ] || bad "no object could be made: see models/arm968/translate/README.md for the folders that are trusted"
mkdir -p "$out.new"
cp "$objects"/*.so "$objects"/*.list "$out.new"
chmod 755 "$out.new"
chmod 644 "$out.new"/*
rm -rf "$out"
mv "$out.new" "$out"
echo "$(find "$out" -name '*.so' | wc -l) objects in $out"
