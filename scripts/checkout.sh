# checkout.sh - sourced by other scripts: changes to the root of the checkout that the script lies in.  Paths given by the user are relative
# to the user's working folder: absolute NAME prints the absolute path.
unset CDPATH # with it, cd would print, and might go elsewhere
stood=$PWD
cd -- "$(dirname -- "$0")/.."
[ -d scripts ] || cd .. # from scripts/study

# CMake 3.25 and Ninja fail in folders with these characters, or build something else: tried one by one.
case $(pwd -P)x in
*[][\"\$\\\;\#\<\>\|[:cntrl:]]*)
    cat >&2 <<'END'
The path of this checkout has a character with which CMake cannot build: one of " $ \ ; # [ ] < > | or a control character.
    hint: move the checkout to another folder
END
    exit 2
    ;;
esac

absolute() {
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "${stood%/}/$1" ;;
    esac
}

# only LIST NAME...: ends the script with status 2 when a name is not in the list.
only() {
    list=$1
    shift
    for name in "$@"; do
        case " $list " in
        *" $name "*) ;;
        *)
            echo "$name is none of $list" >&2
            exit 2
            ;;
        esac
    done
}

if [ -n "${SPINNSIM_DATA:-}" ]; then
    SPINNSIM_DATA=$(absolute "$SPINNSIM_DATA")
    export SPINNSIM_DATA
fi
