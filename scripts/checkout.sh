# checkout.sh - for scripts to source: goes to the checkout that the script lies in.  What users name is relative to where they stand:
# absolute NAME prints it as it is called from everywhere.
unset CDPATH # cd would print, and go elsewhere
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
