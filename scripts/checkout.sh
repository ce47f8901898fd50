# checkout.sh - sourced by other scripts: changes to the root of the checkout that the script lies in.  Paths given by the user are relative
# to the user's working folder: absolute NAME prints the absolute path.
unset CDPATH # with it, cd would print, and might go elsewhere
stood=$PWD
cd -- "$(dirname -- "$0")/.."

absolute() {
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "${stood%/}/$1" ;;
    esac
}

if [ -n "${SPINNSIM_DATA:-}" ]; then
    SPINNSIM_DATA=$(absolute "$SPINNSIM_DATA")
    export SPINNSIM_DATA
fi
