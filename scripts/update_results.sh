#!/bin/sh
# Writes what is generated: docs/result_files.md from `spinnsim columns`, the generated parts of README.md, docs/reliability.md, and the pages and figures of the
# study (scripts/study/make_pages.sh).  Machine time, counts, joules and hashes are the same on every host with the same guest compiler; host-dependent are only
# the recorded baselines and what recorded trainings cost the host.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/update_results.sh [--check] [--columns] [--data DIR]

  --columns    only what needs no run: docs/result_files.md, what goes with what in README.md, and the pages made from recorded tables alone
  --check      write nothing: say whether all are what runs now (exit status 1 when they are not; 77 when that cannot be known here:
               no MNIST, no ARM programs, or programs of another compiler)
  --data DIR   where MNIST lies (else \$SPINNSIM_DATA and the other places)
The program is taken from \${BUILD:-build}; THREADS are the threads of a run (default: the cores of this computer).
EOF
}

check=no
columns=no
while [ $# -gt 0 ]; do
    case $1 in
    --check) check=yes ;;
    --columns) columns=yes ;;
    --data)
        if [ $# -lt 2 ]; then
            usage >&2
            exit 2
        fi
        SPINNSIM_DATA=$2
        export SPINNSIM_DATA
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

program=${BUILD:-build}/spinnsim
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
pages=$out/pages # what is generated, each file at its path
mkdir -p "$pages/docs"

# version FIGURE: the gnuplot that has drawn it.
version() {
    grep -m 1 'Produced by' "$1" || true
}

# put: makes the files of the checkout those of $pages, or compares them.
put() {
    for name in $(cd "$pages" && find . -type f | sort); do
        case $check,$name in
        yes,*.svg) # another gnuplot writes another file of the same figure
            [ "$(version "$name")" != "$(version "$pages/$name")" ] || cmp "$name" "$pages/$name"
            ;;
        yes,*) diff -u "$name" "$pages/$name" ;;
        *) cp "$pages/$name" "$name" ;;
        esac
    done
}

# insert NAME FILE [PAGE]: the part NAME of PAGE (README.md) becomes the lines of FILE.
insert() {
    page=$pages/${3:-README.md}
    awk -v name="$1" -v table="$2" '
        index($0, "<!-- end of " name) == 1 { skip = 0 }
        !skip
        index($0, "<!-- " name) == 1 { print ""; while ((getline row < table) > 0) print row; print ""; skip = 1 }' "$page" >"$out/page"
    mv "$out/page" "$page"
}

"$program" columns >"$pages/docs/result_files.md"
"$program" report --template docs/reliability.md.in docs >"$pages/docs/reliability.md"
cp README.md "$pages/"
"$program" config --matrix >"$out/matrix.md"
insert matrix "$out/matrix.md"
cp docs/backends.md "$pages/docs/"
"$program" backends --format markdown >"$out/backends.md"
insert backends "$out/backends.md" docs/backends.md
scripts/study/make_pages.sh recorded "$out"
put
if [ "$columns" = yes ]; then
    exit
fi

if [ "$check" = yes ]; then
    if [ ! -e "${BUILD:-build}/workloads/hello.elf" ]; then
        echo "skipped: no ARM programs were built"
        exit 77
    fi
    if ! "$program" run configs/experiments/lenet1_inference.yaml --set data.test_images=1 --set accept=null --force --out "$out/try" \
        >/dev/null 2>"$out/why"; then
        if grep -q 'data set mnist is not on this machine' "$out/why"; then
            echo "skipped: $(head -n 1 "$out/why")"
            exit 77
        fi
        cat "$out/why" >&2
        exit 1
    fi
    compiler=$(sed -n 's/.*"guest_compiler": "\(.*\)",*/\1/p' "$out/try/summary.json")
    if ! grep -qF "$compiler" docs/results/inference.md; then
        echo "skipped: the ARM programs were built with $compiler, those of docs/results with another compiler"
        exit 77
    fi
fi

scripts/study/make_pages.sh runs "$out"
# The quick start's table: what lenet1_inference prints, less the place of its results.
sed -e '/^results /d' -e 's/^/    /' "$out/lenet1_inference.txt" >"$out/quickstart"
insert quickstart "$out/quickstart"
# Code memory of the shipped programs.
mkdir -p "$pages/workloads"
cp workloads/README.md "$pages/workloads/"
"$program" program configs/experiments/*.yaml | awk -F, '
    NR == 1 { print "| program | compiled | bytes of code | free | bytes of data |\n| --- | --- | --- | --- | --- |"; next }
    !seen[$2]++ { printf "| `%s` | %s | %d | %d | %d |\n", $2, $3, $4, $5, $6 }' >"$out/programs"
insert programs "$out/programs" workloads/README.md
put
[ "$check" = yes ] || (cd "$pages" && find . -type f | sort | sed 's|^\./||')
