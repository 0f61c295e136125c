#!/bin/sh
# Measures TPC-C on a revision and on the working tree in alternating runs: the machine drifts, and a pair of neighbours
# drifts least. Of the working tree, what is there at the start counts, so it may be changed meanwhile. A run takes some
# half a minute.
#
#   verification/benchmarks/compare.sh REVISION [RUNS] [-- OPTIONS]
#
#   RUNS       runs of each, 5 by default
#   OPTIONS    of `nam tpcc`, which come before these: --warehouses 4 --threads 2 --warmup 10s --duration 8s
#
# Exit status: 0; 1 if a build or a run fails; 2 for wrong usage; 130 after Ctrl-C.
set -eu

usage() {
    [ $# -eq 0 ] || echo "compare.sh: $1" >&2
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

case ${1:-} in
-h | --help)
    sed -n '2,11s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
'' | -*) usage ;;
esac
revision=$1
shift
runs=5
if [ $# -gt 0 ] && [ "$1" != -- ]; then
    runs=$1
    shift
fi
case $runs in
*[!0-9]* | '' | 0*) usage "RUNS is a number from 1 on, not '$runs'" ;;
esac
if [ $# -gt 0 ]; then
    [ "$1" = -- ] || usage "options of nam tpcc come after --, not '$1'"
    shift
fi

self=$(readlink -f "$0")
root=${self%/*/*/*}
[ "$(git -C "$root" rev-parse --show-toplevel 2>/dev/null)" = "$root" ] || {
    echo "compare.sh: $root is no Git checkout, so it has no other revisions." >&2
    exit 2
}
commit=$(git -C "$root" rev-parse --quiet --verify --end-of-options "$revision^{commit}") || {
    echo "compare.sh: '$revision' is no revision of $root." >&2
    exit 2
}
git -C "$root" cat-file -e "$commit:nam" 2>/dev/null || {
    echo "compare.sh: revision '$revision' has no ./nam." >&2
    exit 2
}

# Whether one of the options is among the arguments after --.
has() {
    names=$1
    shift
    for argument; do
        for name in $names; do
            case $argument in "$name" | "$name"=*) return 0 ;; esac
        done
    done
    return 1
}

if has "--out --check --help -h" "$@"; then
    usage "--out, --check and --help are not for OPTIONS"
fi
has "--warehouses --cluster" "$@" || set -- "$@" --warehouses 4
has --threads "$@" || set -- "$@" --threads 2
if ! has --transactions "$@"; then
    has --warmup "$@" || set -- "$@" --warmup 10s
    has --duration "$@" || set -- "$@" --duration 8s
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$work/before" "$work/after" "$work/objects"

# The working tree as a tree object of an index and a store of its own, so that the checkout's are not touched.
after_tree() (
    GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git -C "$root" rev-parse --path-format=absolute --git-path objects)
    GIT_OBJECT_DIRECTORY=$work/objects
    GIT_INDEX_FILE=$work/index
    export GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY GIT_INDEX_FILE
    git -C "$root" read-tree HEAD
    git -C "$root" add -A
    tree=$(git -C "$root" write-tree)
    git -C "$root" archive --output "$work/after.tar" "$tree"
)

git -C "$root" archive --output "$work/before.tar" "$commit"
after_tree
for side in before after; do
    tar -xf "$work/$side.tar" -C "$work/$side"
    echo "building $side ..." >&2
    "$work/$side/nam" --version >/dev/null
done

# A run's line in $work/SIDE.runs: transactions/s, and round trips of a transaction or nothing if they are not reported.
run() {
    side=$1
    shift
    if ! "$work/$side/nam" tpcc "$@" --out "$work/result" >"$work/log" 2>&1; then
        tail -n 20 "$work/log" >&2
        echo "compare.sh: a run of $side failed." >&2
        exit 1
    fi
    awk -v runs="$work/$side.runs" -v side="$side" '
        $1 == "\"tps\"" && !tps { tps = $3 + 0 }
        $1 == "\"count\"" { count = $3 + 0 }
        $1 == "\"roundTrips\"" { trips += count * $3; transactions += count }
        END {
            reported = transactions ? sprintf("%.2f", trips / transactions) : ""
            print tps, reported >runs ".new"
            printf "%-6s %9.0f/s%s\n", side, tps, reported == "" ? "" : sprintf("%9s round trips", reported)
        }' "$work/result/result.json"
    cat "$work/$side.runs.new" >>"$work/$side.runs"
    rm -rf "$work/result"
}

echo "before: $(git -C "$root" log -1 --format='%h %s' "$commit")"
echo "after:  the working tree, at $(git -C "$root" log -1 --format=%h)" \
    "$([ -z "$(git -C "$root" status --porcelain)" ] || echo "with changes")"
echo "nam tpcc $*"
echo
pair=0
while [ "$pair" -lt "$runs" ]; do
    if [ $((pair % 2)) -eq 0 ]; then order="before after"; else order="after before"; fi
    for side in $order; do
        run "$side" "$@"
    done
    pair=$((pair + 1))
done

# Prints median, least and most of a file's numbers in this form of printf.
spread() {
    sort -n "$1" | awk -v form="$2 (${2# } - ${2# })" '
        { value[NR] = $1 }
        END { printf form, (value[int((NR + 1) / 2)] + value[int((NR + 2) / 2)]) / 2, value[1], value[NR] }'
}

echo
for side in before after; do
    cut -d ' ' -f 1 "$work/$side.runs" >"$work/tps"
    cut -d ' ' -f 2 "$work/$side.runs" | sed '/^$/d' >"$work/trips"
    printf '%-13s %s transactions/s' "$side" "$(spread "$work/tps" %.0f)"
    [ ! -s "$work/trips" ] || printf ', %s round trips' "$(spread "$work/trips" %.2f)"
    echo
done
cut -d ' ' -f 1 "$work/before.runs" | paste -d ' ' - "$work/after.runs" | awk '{ print $2 / $1 }' >"$work/ratios"
printf '%-13s %s by pairs\n' after/before "$(spread "$work/ratios" %.3f)"
