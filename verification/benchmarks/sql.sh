#!/bin/sh
# Measures statements of SQL, beside reads of the same records without it. Some three minutes.
#
#   verification/benchmarks/sql.sh [JMH's options]     for example SqlStatements -f 1 -wi 2: quicker, less certain
set -eu

self=$(readlink -f "$0")
root=${self%/*/*/*}
. "$root/.mvn/find-jdk.sh"
find_jdk

(cd "$root" && ./mvnw -q -B -Dquick -DskipTests -pl :benchmarks -am package)
[ $# -gt 0 ] || set -- "Sql(Statements|Queries)" -prof gc
"$jdk/bin/java" -jar "$root/verification/benchmarks/target/quick/benchmarks.jar" "$@"
