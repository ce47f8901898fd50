#!/bin/sh
# Checks that the tests named in SECURITY.md exist: `Suite`, `Suite.Name` and `fuzz.KIND`.
set -eu
. "$(dirname -- "$0")/checkout.sh"

missing=0
for name in $(grep -o '`[A-Za-z0-9.]*`' SECURITY.md | tr -d '`' | sort -u); do
    case $name in
    fuzz.*) pattern="^spinn_add_harness(${name#fuzz.} " ;;
    [A-Z]*.[A-Z]*) pattern="^TEST\(_[FP]\)\{0,1\}(${name%.*}, ${name#*.})" ;;
    [A-Z]*[a-z]*) pattern="^TEST\(_[FP]\)\{0,1\}($name," ;;
    *) continue ;;
    esac
    if ! grep -rqs --include='*.cpp' --include=CMakeLists.txt "$pattern" tests; then
        echo "SECURITY.md: no test $name"
        missing=$((missing + 1))
    fi
done
[ "$missing" -eq 0 ]
