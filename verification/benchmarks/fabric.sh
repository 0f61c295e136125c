#!/bin/sh
# READs from a memory server in another process of this machine, over TCP and by its mapped memory. Under a minute.
#
#   verification/benchmarks/fabric.sh [SECONDS]     how long each load is measured, after as long a warm-up
set -eu

self=$(readlink -f "$0")
root=${self%/*/*/*}
. "$root/.mvn/find-jdk.sh"
find_jdk

(cd "$root" && ./mvnw -q -B -Dquick -DskipTests -pl :benchmarks -am package)
"$jdk/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -cp "$root/verification/benchmarks/target/quick/benchmarks.jar" org.namdb.benchmarks.FabricReads "$@"
