package org.namdb.cluster.membership;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// A compute server that holds a lease.
///
/// @param process its number, which no other one ever had
/// @param pid its process on its host
/// @param host for people
public record Member(int process, long pid, String host) {
    byte[] bytes() {
        return "%d %s".formatted(pid, host).getBytes(StandardCharsets.UTF_8);
    }

    static Member of(int process, byte[] bytes) {
        String[] words = new String(bytes, StandardCharsets.UTF_8).split(" ", 2);
        return new Member(process, Long.parseLong(words[0]), words[1]);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "compute server %d (pid %d on %s)", process, pid, host);
    }
}
