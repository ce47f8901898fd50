#!/bin/sh
# Checks that no sources of models and sim call each other in a circle: file A uses a function or an object of file B, and B, perhaps by way
# of others, one of A.  A circle of files can only be read as a whole.  scripts/check_includes.sh sees circles of folders; this script
# looks at what the compiler has left undefined and defined in each object file.
# usage: scripts/check_circles.sh BUILD-FOLDER
set -eu
. "$(dirname -- "$0")/checkout.sh"
if [ $# -ne 1 ] || [ ! -d "$(absolute "$1")/models" ]; then
    echo "usage: scripts/check_circles.sh BUILD-FOLDER" >&2
    exit 2
fi
cd "$(absolute "$1")"
nm=nm
command -v gcc-nm >/dev/null 2>&1 && nm=gcc-nm # also reads objects for optimization at link time

# Files of sim that are still in a circle, most of them tables of kinds and what the kinds share.  A file that no longer is must leave the
# list.
known=''

# Object files are named FOLDER/CMakeFiles/TARGET.dir/SOURCE.o.
find models sim -name '*.o' | sort | xargs "$nm" -A -P 2>/dev/null | awk -v known="$known" '
    {
        object = $1
        sub(/:$/, "", object)
        folder = object
        sub(/\/CMakeFiles\/.*/, "", folder)
        source = object
        sub(/.*\.dir\//, "", source)
        sub(/\.o$/, "", source)
        source = folder "/" source
        if ($3 == "U") {
            needs[source, ++count[source]] = $2
            files[source] = 1
        } else if ($3 ~ /^[TDBRVWC]$/) {
            home[$2] = source
            files[source] = 1
        }
    }
    function connect(    file, i, to) {
        for (file in files) {
            for (i = 1; i <= count[file]; i++) {
                if (needs[file, i] in home) {
                    to = home[needs[file, i]]
                    if (to != file && !((file, to) in edge)) {
                        edge[file, to] = needs[file, i]
                        out[file] = out[file] " " to
                    }
                }
            }
        }
    }
    # Takes away files that use none of the rest, until there are no more.
    function peel(    file, some, list, i, n) {
        do {
            some = 0
            for (file in files) {
                n = split(out[file], list, " ")
                for (i = 1; i <= n && !(list[i] in files); i++) { }
                if (i > n) {
                    delete files[file]
                    some = 1
                }
            }
        } while (some)
    }
    # Whether a file reaches itself.
    function circles(start,    todo, seen, file, list, i, n) {
        todo = start
        while (split(todo, list, " ") > 0) {
            file = list[1]
            sub(/^ *[^ ]+/, "", todo)
            n = split(out[file], list, " ")
            for (i = 1; i <= n; i++) {
                if (list[i] == start) {
                    return 1
                }
                if (list[i] in files && !(list[i] in seen)) {
                    seen[list[i]] = 1
                    todo = todo " " list[i]
                }
            }
        }
        return 0
    }
    END {
        for (file in files) {
            total++
            exists[file] = 1
        }
        if (total < 2) {
            print "check_circles.sh: no object files: build first"
            exit 2
        }
        connect()
        peel()
        n = split(known, list, /[ \n]+/)
        for (i = 1; i <= n; i++) {
            if (list[i] != "") {
                allowed[list[i]] = 1
            }
        }
        for (file in files) {
            if (circles(file)) {
                in_circle[file] = 1
            }
        }
        for (file in in_circle) {
            if (file in allowed) {
                continue
            }
            bad = 1
            n = split(out[file], list, " ")
            for (i = 1; i <= n; i++) {
                if (list[i] in in_circle) {
                    print "in a circle: " file " uses " edge[file, list[i]] " of " list[i] | "sort"
                }
            }
        }
        close("sort")
        for (file in allowed) {
            if (file in exists && !(file in in_circle)) {
                bad = 1
                print "no longer in a circle, so not to be listed in check_circles.sh: " file
            }
        }
        exit bad
    }'
