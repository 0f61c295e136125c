#!/usr/bin/env bash
# Compares `nam server` with PostgreSQL 15 by PostgreSQL's own pgbench, over loopback.
#
#   verification/benchmarks/pgbench.sh [SECONDS [RUNS]]      10 s a measurement, 3 runs; some 10 minutes
#
# A run is a fresh server of PostgreSQL, then a fresh one of NamDB with its default settings but for 8 GB of memory. Each loads pgbench's
# tables (scale 16) and four warehouses of TPC-C's tables (tpcc/schema.sql), and runs each workload twice, the first time unmeasured:
#   point SELECT   pgbench -S, prepared, by 1 client (median latency) and by 16
#   TPC-B          pgbench's own, prepared, 16 clients
#   TPC-C          NewOrder and Payment, 45 to 43, prepared, 16 clients: CALLs of procedures in PL/pgSQL, and statement by statement
# Transactions that a conflict ends are tried again. PostgreSQL runs with repeatable read, which is snapshot isolation as NamDB's, and
# writes no log to the disk before it answers (.ci/postgres), as NamDB without a data directory does not. Prints the medians over the
# runs. Needs PostgreSQL 15 with pgbench (or installs it).
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
seconds=${1:-10}
runs=${2:-3}
readonly root seconds runs
readonly clients=16 warehouses=4 tries=1000

command -v pgbench > /dev/null || "$root/.ci/postgres" true
pgbench=$(command -v pgbench || echo /usr/lib/postgresql/15/bin/pgbench)
"$root/nam" --version > /dev/null # builds it

work=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

bench() { # address clients ARGUMENT...
    local address=$1 many=$2
    shift 2
    (cd "$work" && "$pgbench" -n -M prepared -c "$many" -j 2 --max-tries="$tries" -D warehouses="$warehouses" "$@" "$address")
}

rate() { # address clients ARGUMENT...
    bench "$@" -T $((seconds / 2 + 1)) > /dev/null 2>&1
    bench "$@" -T "$seconds" 2> /dev/null | awk '/^tps/ { print $3 }'
}

median_latency() { # address ARGUMENT...
    local address=$1
    shift
    bench "$address" 1 "$@" -T $((seconds / 2 + 1)) > /dev/null 2>&1
    rm -f "$work"/latency.*
    bench "$address" 1 "$@" -T "$seconds" -l --log-prefix=latency > /dev/null 2>&1
    cat "$work"/latency.* | awk '{ print $3 }' | sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# One line a workload: its name, and what was measured.
measure() { # address
    local scripts=$root/verification/benchmarks/tpcc
    "$pgbench" -i -q -s "$clients" "$1" > /dev/null 2>&1
    psql -X -q -v ON_ERROR_STOP=1 -v w="$warehouses" "$1" -f "$scripts/schema.sql"
    psql -X -q "$1" -c "ANALYZE"
    echo "point SELECT, 1 client, µs|$(median_latency "$1" -S)"
    echo "point SELECT, $clients clients, 1/s|$(rate "$1" "$clients" -S)"
    echo "TPC-B, $clients clients, 1/s|$(rate "$1" "$clients")"
    local kind
    for kind in call statements; do
        echo "NewOrder and Payment by $kind, $clients clients, 1/s|$(rate "$1" "$clients" \
            -f "$scripts/new-order-$kind.sql@45" -f "$scripts/payment-$kind.sql@43")"
    done
}

measure_namdb() {
    local port=$((20000 + RANDOM % 12000))
    "$root/nam" server --trust --listen "127.0.0.1:$port" --memory 8g > "$work/server.log" 2>&1 &
    server=$!
    until grep -q '^listening' "$work/server.log"; do
        kill -0 "$server" || { cat "$work/server.log" >&2; return 1; }
        sleep 0.2
    done
    measure "postgresql://namdb@127.0.0.1:$port/namdb"
    kill "$server"
    wait "$server" || true
    server=''
}

export -f measure rate bench median_latency
export root seconds clients warehouses tries pgbench work

for run in $(seq "$runs"); do
    PGOPTIONS='-c default_transaction_isolation=repeatable\ read' "$root/.ci/postgres" bash -c '
        set -euo pipefail
        measure "${COMPARED_POSTGRES#jdbc:}"' > "$work/postgres.$run"
    measure_namdb > "$work/namdb.$run"
done

median() { # file-prefix name
    cat "$work/$1".[0-9]* | awk -F'|' -v name="$2" '$1 == name { print $2 }' | sort -g \
        | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

echo "medians of $runs runs of $seconds s"
echo "| | PostgreSQL | NamDB | ratio |"
echo "|---|---|---|---|"
cut -d'|' -f1 "$work/namdb.1" | while read -r name; do
    echo "$(median postgres "$name") $(median namdb "$name")" \
        | awk -v name="$name" '{ printf "| %s | %.0f | %.0f | %.2f |\n", name, $1, $2, $2 / $1 }'
done
