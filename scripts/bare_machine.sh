#!/bin/sh
# Tries quickstart.sh and test.sh on a bare Debian 12: in a root that debootstrap makes, as a user without sudo and as one with it.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<USAGE
usage: scripts/bare_machine.sh ROOT

Makes a bare Debian 12 in the folder ROOT, if it does not exist, with git and sudo only, clones this checkout's commit for two users,
and runs there, in this order:

  without sudo    quickstart.sh --no-install and quickstart.sh must say what is missing, with the line for root, and stop
  with sudo       quickstart.sh, then test.sh
  without sudo    quickstart.sh and test.sh again: all packages are there now

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
    echo "bare_machine.sh: unknown option $1" >&2
    exit 2
    ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "bare_machine.sh: needs root: it makes and enters another root" >&2
    exit 1
fi
for command in debootstrap unshare chroot git; do
    if ! command -v "$command" >/dev/null 2>&1; then
        echo "bare_machine.sh: $command is missing (Debian: apt-get install debootstrap util-linux coreutils git)" >&2
        exit 1
    fi
done
root=$(absolute "$1")

if [ ! -e "$root/etc/debian_version" ]; then
    echo "== a bare Debian 12 in $root"
    log=$(mktemp)
    debootstrap --variant=minbase --include=ca-certificates,git,sudo bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "bare_machine.sh: debootstrap failed" >&2
        exit 1
    }
    rm -f "$log"
fi
# The network as it is here: names, proxies, trust in mirrors.
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
for user in without with; do
    [ -d "$root/home/$user" ] || chroot "$root" useradd --create-home --shell /bin/bash "$user"
    rm -rf "$root/home/$user/spinnsim"
    git clone --quiet --no-hardlinks . "$root/home/$user/spinnsim"
    chroot "$root" chown -R "$user:" "/home/$user/spinnsim"
done
echo 'with ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/with"

# as USER STATUS COMMAND...: runs a command in the user's checkout; the script ends unless its exit status is that.
as() {
    user=$1
    expected=$2
    shift 2
    echo "== $user sudo: $*"
    began=$(date +%s)
    status=0
    # Mounts and processes of its own: nothing stays behind.  The shell stays, too, as the first process, which takes notice of the end of others.
    unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && shift && chroot "$@"; exit $?' sh "$root" "$root" su - "$user" -c "cd spinnsim && $*" </dev/null || status=$?
    echo "   exit status $status after $(($(date +%s) - began)) s"
    if [ "$status" != "$expected" ]; then
        echo "bare_machine.sh: $* as a user $user sudo: exit status $status instead of $expected" >&2
        exit 1
    fi
}

as without 1 scripts/quickstart.sh --no-install
as without 1 scripts/quickstart.sh
as with 0 scripts/quickstart.sh
as with 0 scripts/test.sh
as without 0 scripts/quickstart.sh
as without 0 scripts/test.sh
