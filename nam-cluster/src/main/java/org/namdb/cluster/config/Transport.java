package org.namdb.cluster.config;

import java.util.Locale;

/// How verbs reach the memory servers.
public enum Transport {
    /// The fastest that there is between the two: mapped memory on one machine, else TCP.
    AUTO,
    /// Frames over sockets, executed by an agent of the memory server.
    TCP;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
