#!/bin/sh
# A cable to a memory server on this machine over which everything takes a time, as between two machines. A copy of the
# cluster's file with the port it listens at leads over it. Runs until Ctrl-C.
#
#   verification/benchmarks/cable.sh PORT MEMORY_SERVERS_PORT MICROSECONDS      the time from one end to the other
set -eu

[ $# -eq 3 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
self=$(readlink -f "$0")
root=${self%/*/*/*}
. "$root/.mvn/find-jdk.sh"
find_jdk

(cd "$root" && ./mvnw -q -B -Dquick -DskipTests -pl :benchmarks -am package)
exec "$jdk/bin/java" -cp "$root/verification/benchmarks/target/quick/benchmarks.jar" org.namdb.workload.testbed.LongCable "$@"
