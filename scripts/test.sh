#!/bin/sh
# Installs what is missing, builds, and runs the tests: the quick ones (some 10 minutes on two cores) or all.
set -eu
. "$(dirname -- "$0")/checkout.sh"
. scripts/quietly.sh

usage() {
    cat <<EOF
usage: scripts/test.sh [--full] [--no-install]

  --full          also the slow tests and fuzzing, everything again with sanitizers and with the second compiler, and
                  what has threads with the thread sanitizer
  --no-install    install nothing: check and say what is missing

MNIST is looked for in \$SPINNSIM_DATA, data/mnist and the user's cache; tests that need it are skipped without it.
EOF
}

full=no
what=--tests
check=
for option in "$@"; do
    case $option in
    --full)
        full=yes
        what=--full
        ;;
    --no-install) check=--check ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "test.sh: unknown option $option" >&2
        usage >&2
        exit 2
        ;;
    esac
done

jobs=$(nproc)

# Seconds that each part has taken, and in the end all of them in one line, also after a failure.
began=$(date +%s)
part_began=$began
parts=
part() {
    now=$(date +%s)
    echo "   $1 took $((now - part_began)) s"
    parts="$parts${parts:+, }$1 $((now - part_began))"
    part_began=$now
}
sum_up() {
    status=$?
    [ "$status" -eq 0 ] || part "$doing"
    echo "== all took $(($(date +%s) - began)) s: $parts"
    exit "$status"
}

# build_and_test PRESET [ctest options]
build_and_test() {
    preset=$1
    shift
    doing="$preset building"
    echo "== $preset: building"
    quietly cmake --preset "$preset"
    quietly cmake --build --preset "$preset" -j "$jobs"
    part "$doing"
    doing="$preset testing"
    echo "== $preset: testing"
    # One more than cores: some tests wait, for a killed process or a second of the clock.
    ctest --preset "$preset" -j $((jobs + 1)) "$@" >"build-$preset.log" 2>&1 || {
        grep -v -e '   Passed ' -e '^ *Start ' "build-$preset.log" || true
        echo "test.sh: tests failed in preset $preset; run again with: ctest --preset $preset --rerun-failed --output-on-failure" >&2
        return 1
    }
    grep -E '^[0-9]+% tests passed|^Total Test time' "build-$preset.log"
    grep -E '\(Skipped\)|\(Not Run\)|\(Disabled\)' "build-$preset.log" || true
    part "$doing"
    rm -f "build-$preset.log"
}

# sanitized_program PRESET VARIABLE: builds spinnsim with sanitizers, and names it to the tests that run it.
sanitized_program() {
    doing="$1 building spinnsim"
    echo "== $1: building spinnsim"
    quietly cmake --preset "$1"
    quietly cmake --build --preset "$1" -j "$jobs" --target spinnsim
    export "$2=$PWD/build-$1/spinnsim"
    part "$doing"
}

trap sum_up EXIT
doing="setting up"
scripts/setup.sh $what $check
part "$doing"
sanitized_program sanitize SPINN_SANITIZED_PROGRAM
if [ "$full" = no ]; then
    build_and_test release -LE slow
    exit 0
fi
sanitized_program thread SPINN_THREAD_PROGRAM
build_and_test clang -LE 'style|slow'
SPINN_OTHER_BUILD=$PWD/build-clang
export SPINN_OTHER_BUILD
build_and_test release
build_and_test sanitize -LE 'style|slow'
build_and_test thread # of the tests that have threads, as its preset says
doing=linting
echo "== lint, as far as it goes"
scripts/check_lint.sh --deep build
part "$doing"
