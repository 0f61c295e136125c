package org.namdb.cluster.membership;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.HostPort;

/// A compute server that holds a lease.
///
/// @param process its number, which no other one ever had
/// @param pid its process on its host
/// @param host for people
/// @param peers where the other compute servers reach it; null if they can't
public record Member(int process, long pid, String host, @Nullable HostPort peers) {
    private static final String NO_PEERS = "-";

    byte[] bytes() {
        return "%d %s %s"
                .formatted(pid, peers == null ? NO_PEERS : peers, host)
                .getBytes(StandardCharsets.UTF_8);
    }

    static Member of(int process, byte[] bytes) {
        String[] words = new String(bytes, StandardCharsets.UTF_8).split(" ", 3);
        return new Member(
                process,
                Long.parseLong(words[0]),
                words[2],
                words[1].equals(NO_PEERS) ? null : HostPort.parse(words[1]));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "compute server %d (pid %d on %s)", process, pid, host);
    }
}
