#!/bin/sh
# Measures the timestamp oracles and draws docs/plots; prints the tables of docs/oracles.md. Some eight
# minutes.
#
#   verification/benchmarks/oracles.sh [JMH's options]     for example -f 1 -wi 2: quicker, less certain
set -eu

self=$(readlink -f "$0")
root=${self%/*/*/*}
. "$root/.mvn/find-jdk.sh"
find_jdk

target=$root/verification/benchmarks/target/quick
(cd "$root" && ./mvnw -q -B -Dquick -DskipTests -pl :benchmarks -am package)
"$jdk/bin/java" -jar "$target/benchmarks.jar" "Oracle(Begin|Publish)" -rf json -rff "$target/oracles.json" "$@"
"$jdk/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -cp "$target/benchmarks.jar" \
    org.namdb.benchmarks.OracleReport "$target/oracles.json" "$root/docs/plots"
