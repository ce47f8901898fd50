#!/bin/sh
# Installs the missing packages for building, running and testing spinnsim, on Debian 12 (or another system with apt-get).
set -eu

usage() {
    cat <<EOF
usage: scripts/setup.sh [--tests | --full] [--check]

Installs, as root or through sudo, the packages that are missing; without either it prints the exact line and stops.

  (none)     what building and running needs
  --tests    and what the quick tests need
  --full     and what scripts/test.sh --full needs (second compiler, emulators to compare with)
  --check    install nothing: say what is missing and stop
EOF
}

# package                   how to check for it on other systems
run_packages='
gcc                         command:gcc
g++                         command:g++
cmake                       command:cmake
ninja-build                 command:ninja
pkg-config                  command:pkg-config
libsystemc-dev              header:systemc.h
libyaml-cpp-dev             header:yaml-cpp/yaml.h
zlib1g-dev                  header:zlib.h
gcc-arm-none-eabi           command:arm-none-eabi-gcc
libnewlib-arm-none-eabi     file:newlib
gnuplot-nox                 command:gnuplot
'
test_packages='
libgtest-dev                header:gtest/gtest.h
binutils                    command:objdump
clang-format                command:clang-format
clang-tidy                  command:clang-tidy
curl                        command:curl
git                         command:git
python3-numpy               command:python3
'
full_packages='
clang                       command:clang
libclang-rt-14-dev          file:libclang_rt.fuzzer
qemu-user                   command:qemu-arm
libunicorn-dev              header:unicorn/unicorn.h
libhdf5-dev                 header:hdf5.h
libjansson-dev              header:jansson.h
gdb-multiarch               command:gdb-multiarch
protobuf-compiler           command:protoc
'

packages=$run_packages
check=no
for option in "$@"; do
    case $option in
    --tests) packages="$run_packages $test_packages" ;;
    --full) packages="$run_packages $test_packages $full_packages" ;;
    --check) check=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "setup.sh: unknown option $option" >&2
        usage >&2
        exit 2
        ;;
    esac
done

# On other systems: whether the command or the header exists.
has() {
    case $1 in
    command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
    header:*) echo "#include <${1#header:}>" | c++ -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1 ;;
    *) true ;; # comes with another package there
    esac
}

missing=
if command -v dpkg-query >/dev/null 2>&1; then
    for package in $(echo "$packages" | awk 'NF { print $1 }'); do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
else
    missing=$(echo "$packages" | while read -r package sign; do
        [ -z "$package" ] || has "$sign" || printf ' %s' "$package"
    done)
fi
if [ -z "$missing" ]; then
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: missing here, by their Debian names:$missing" >&2
    echo "setup.sh: this is no Debian system: install their like with its own means" >&2
    exit 1
fi
line="apt-get install -y --no-install-recommends$missing"
if [ "$check" = yes ]; then
    echo "setup.sh: missing:$missing" >&2
    echo "setup.sh: as root: $line" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    become=
elif command -v sudo >/dev/null 2>&1 && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    become=sudo
else
    echo "setup.sh: packages are missing, and this is neither root nor sudo.  As root, run:" >&2
    echo "    apt-get update && $line" >&2
    exit 1
fi

echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # one word per package
install() {
    $become apt-get update && $become env DEBIAN_FRONTEND=noninteractive $line
}
if [ -t 1 ]; then
    install
elif ! install >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup.sh: apt-get failed" >&2
    exit 1
fi
