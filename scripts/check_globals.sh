#!/bin/sh
# Checks that the C code of the given libraries has no writable globals: state belongs to a struct with an owner.
# (C++ files are skipped; they have the globals of SystemC's and yaml-cpp's headers.)
# usage: scripts/check_globals.sh LIBRARY.a...
set -eu
if [ $# -eq 0 ]; then
    echo "usage: scripts/check_globals.sh LIBRARY.a..." >&2
    exit 2
fi
for library in "$@"; do
    if [ ! -e "$library" ]; then
        echo "check_globals.sh: $library is missing" >&2
        exit 2
    fi
done
# Data objects outside read-only sections.  .data.rel.ro counts as read-only: tables of addresses, written once by relocation.
found=$(objdump -t "$@" | awk '
    /file format/ { object = $1 }
    object !~ /\.c\.o:$/ || !(/ O / || /\.t(bss|data)\t/) { next }
    / \.(bss|data|sbss|sdata|tbss|tdata)[^ \t]*\t/ || / \*COM\*\t/ {
        if ($0 ~ /\.data\.rel\.ro/ || $NF ~ /^__(gcov|llvm|asan|ubsan)/) next
        print "  " object " " $NF
    }')
if [ -n "$found" ]; then
    echo "writable globals:"
    echo "$found"
    exit 1
fi
