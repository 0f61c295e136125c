#!/usr/bin/env bash
# Compares statements over many rows with PostgreSQL 15, without its parallel workers: in a fresh process, and warm.
#
#   verification/benchmarks/postgres.sh [ROWS [RUNS]]      1,000,000 rows, 3 runs; some 5 minutes
#
# A run is a fresh server of PostgreSQL, then a fresh shell of NamDB with the settings that it has by default; each loads the table
# and runs each statement 5 times. Prints the medians over the runs, in milliseconds: of the first time (a process that has just
# loaded the table; COPY: that has just begun), and of the median of the other four. PostgreSQL writes no log to the disk before it
# answers (.ci/postgres), as NamDB without a data directory does not. Needs PostgreSQL 15 (or installs it) and its psql.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
rows=${1:-1000000}
runs=${2:-3}
readonly root rows runs
readonly times=5

command -v psql > /dev/null || { echo "postgres.sh: there is no psql: install postgresql-client" >&2; exit 1; }
(cd "$root" && ./mvnw -q -B -Dquick -DskipTests -pl :nam-cli -am package)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same rows each time: five columns, some 45 bytes.
make_rows() {
    awk -v rows="$rows" 'BEGIN {
        seed = 1
        for (i = 1; i <= rows; i++) {
            seed = (seed * 16807) % 2147483647
            printf "%d,%d,name number %d,2024-%02d-%02d,%d.%02d\n", i, seed % rows + 1, i % 1000, i % 12 + 1, i % 28 + 1, i % 10000, i % 100
        }
    }' > "$work/m.csv"
}

table() {
    echo "CREATE TABLE $1 (id INT PRIMARY KEY, k INT, name VARCHAR(40), d DATE, amount DECIMAL(12,2));"
}

# The statements that are timed, a name before each.
statements() {
    cat << END
count and sum|SELECT count(*), sum(amount) FROM m;
GROUP BY|SELECT name, count(*), sum(amount) FROM m GROUP BY name ORDER BY name LIMIT 3;
join by key|SELECT count(*), sum(b.amount) FROM m a JOIN m b ON b.id = a.k;
ORDER BY .. LIMIT 5|SELECT * FROM m ORDER BY amount DESC, id LIMIT 5;
END
}

script() {
    local i name sql
    echo '\timing on'
    for i in $(seq "$times"); do
        table "copy$i"
        echo "\\echo @COPY in"
        echo "\\copy copy$i from '$work/m.csv' csv"
        [ "$i" -eq 1 ] || echo "DROP TABLE copy$i;"
    done
    echo "ALTER TABLE copy1 RENAME TO m;"
    statements | while IFS='|' read -r name sql; do
        for i in $(seq "$times"); do
            echo "\\echo @$name"
            echo "$sql"
        done
    done
}

# Of the output of a script: name, first time, median of the others.
times_of() {
    awk '
        /^@/ { name = substr($0, 2); if (!(name in count)) order[++names] = name; wanted = 1 }
        /^Time: / && wanted { time[name, ++count[name]] = $2; wanted = 0 }
        END {
            for (n = 1; n <= names; n++) {
                name = order[n]
                last = count[name]
                for (i = 2; i <= last; i++) for (j = i + 1; j <= last; j++) if (time[name, j] + 0 < time[name, i] + 0) {
                    swap = time[name, i]; time[name, i] = time[name, j]; time[name, j] = swap
                }
                print name "|" time[name, 1] "|" time[name, int((2 + last) / 2)]
            }
        }' "$1"
}

compare() {
    local run
    for run in $(seq "$runs"); do
        PGOPTIONS='-c max_parallel_workers_per_gather=0' "$root/.ci/postgres" bash -c '
            address=${COMPARED_POSTGRES#jdbc:}; psql -X -q -v ON_ERROR_STOP=1 "$address" -f "$1"' bash "$work/script.sql" > "$work/postgres.$run"
        "$root/nam" sql -f "$work/script.sql" > "$work/namdb.$run"
        times_of "$work/postgres.$run" > "$work/postgres.$run.times"
        times_of "$work/namdb.$run" > "$work/namdb.$run.times"
    done
}

median() { # file-prefix name column
    cat "$work/$1".*.times | awk -F'|' -v name="$2" -v column="$3" '$1 == name { print $column }' | sort -g \
        | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

make_rows
script > "$work/script.sql"
compare
echo "$rows rows, medians of $runs runs, ms"
echo "| | PostgreSQL, first | NamDB, first | ratio | PostgreSQL, warm | NamDB, warm | ratio |"
echo "|---|---|---|---|---|---|---|"
{ echo "COPY in|"; statements; } | while IFS='|' read -r name _; do
    echo "$name $(median postgres "$name" 2) $(median namdb "$name" 2) $(median postgres "$name" 3) $(median namdb "$name" 3)" \
        | awk -v name="$name" '{ n = NF; printf "| %s | %.0f | %.0f | %.1f | %.0f | %.0f | %.1f |\n",
            name, $(n - 3), $(n - 2), $(n - 2) / $(n - 3), $(n - 1), $n, $n / $(n - 1) }'
done
