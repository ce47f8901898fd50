#!/bin/sh
# Tries the installed tree on a fresh Debian 12: in a root that debootstrap makes, with the checkout removed.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/bare_install.sh ROOT

Makes a Debian 12 in the folder ROOT, if it does not exist, and there, in this order:

  installs the packages that scripts/setup.sh names, and python3 with numpy
  clones this checkout's commit, builds it without tests, and installs it into /opt/spinnsim
  removes the checkout and the build, and moves the tree to /opt/moved
  builds and runs the installed examples, a run, a sweep, and the Python example

Needs root and debootstrap (Debian: debootstrap), 4 GB under ROOT, and about half an hour on two cores.  ROOT stays; remove it with rm -r.
MIRROR in the environment is another mirror of Debian than http://deb.debian.org/debian.
USAGE
}

if [ $# -ne 1 ]; then
    usage >&2
    exit 2
fi
case $1 in
-h | --help)
    usage
    exit 0
    ;;
-*)
    echo "bare_install.sh: unknown option $1" >&2
    exit 2
    ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "bare_install.sh: needs root: it makes and enters another root" >&2
    exit 1
fi
for command in debootstrap unshare chroot git; do
    if ! command -v "$command" >/dev/null 2>&1; then
        echo "bare_install.sh: $command is missing (Debian: apt-get install debootstrap util-linux coreutils git)" >&2
        exit 1
    fi
done
root=$(absolute "$1")

if [ ! -e "$root/etc/debian_version" ]; then
    echo "== a fresh Debian 12 in $root"
    log=$(mktemp)
    debootstrap --variant=minbase --include=ca-certificates,git bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "bare_install.sh: debootstrap failed" >&2
        exit 1
    }
    rm -f "$log"
fi
# The network as it is here: names, proxies, trust in mirrors.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
rm -rf "$root/root/spinnsim" "$root/opt/spinnsim" "$root/opt/moved" "$root/root/out"
git clone --quiet --no-hardlinks . "$root/root/spinnsim"

# inside COMMAND: runs a command in the root; the script ends if it fails.
inside() {
    echo "== $*"
    began=$(date +%s)
    status=0
    # Mounts and processes of its own: nothing stays behind.
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && chroot "$@"; exit $?' sh "$root" "$root" \
        /bin/sh -c "cd /root && export HOME=/root LC_ALL=C.UTF-8 && $*" </dev/null || status=$?
    echo "   exit status $status after $(($(date +%s) - began)) s"
    if [ "$status" != 0 ]; then
        echo "bare_install.sh: failed: $*" >&2
        exit 1
    fi
}

inside "spinnsim/scripts/setup.sh"
inside "DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3-numpy >/dev/null"
inside "cmake -G Ninja -S spinnsim -B spinnsim/build -DSPINN_BUILD_TESTS=OFF >/dev/null && cmake --build spinnsim/build >build.log || { tail -n 40 build.log; exit 1; }"
inside "cmake --install spinnsim/build --prefix /opt/spinnsim >/dev/null"
inside "rm -rf spinnsim && mv /opt/spinnsim /opt/moved && [ ! -e /root/spinnsim ]"
inside "cmake -S /opt/moved/share/spinnsim/examples -B out -DCMAKE_PREFIX_PATH=/opt/moved && cmake --build out && ctest --test-dir out --output-on-failure"
inside "/opt/moved/bin/spinnsim run /opt/moved/share/spinnsim/configs/experiments/ring.yaml --out out/ring"
inside "/opt/moved/bin/spinnsim sweep /opt/moved/share/spinnsim/configs/experiments/xor_train.yaml --set train.epochs=2 --set accept=null --axis seed=1,2 --out out/sweep"
inside "PYTHONPATH=/opt/moved/share/spinnsim/python python3 /opt/moved/share/spinnsim/examples/python/standing.py out"
echo "== all done"
