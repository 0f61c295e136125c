# Read by ../nam and ../mvnw with `.`: find_jdk sets `jdk` to the home of a JDK of at least version 25.
# It reads the file `release` of each candidate and starts no JVM: this is on the path of every start of ./nam.

minimum_java=25

is_recent_jdk() {
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 1
    while IFS='=' read -r key value || [ -n "$key" ]; do
        [ "$key" = JAVA_VERSION ] || continue
        feature=${value#\"}
        feature=${feature%%[!0-9]*}
        [ -n "$feature" ] && [ "$feature" -ge "$minimum_java" ] && return 0
        return 1
    done <"$1/release"
    return 1
}

find_jdk() {
    if [ -n "${JAVA_HOME:-}" ] && is_recent_jdk "$JAVA_HOME"; then
        jdk=$JAVA_HOME
        return 0
    fi
    if java_command=$(command -v java); then
        java_command=$(readlink -f "$java_command" 2>/dev/null) || java_command=
        jdk=${java_command%/bin/java}
        is_recent_jdk "$jdk" && return 0
    fi
    for jdk in /usr/lib/jvm/* /usr/java/* /opt/*jdk* /opt/java/* \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/* "${HOME:-/nonexistent}"/.jdks/* \
        /Library/Java/JavaVirtualMachines/*/Contents/Home; do
        is_recent_jdk "$jdk" && return 0
    done
    jdk=
    echo "${0##*/}: no JDK $minimum_java or later found: install one (for example Eclipse Temurin $minimum_java)" \
        "or set JAVA_HOME to where it is." >&2
    return 1
}
