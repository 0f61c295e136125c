package org.namdb.cluster.config;

import java.util.Locale;

/// How verbs reach the memory servers.
public enum Transport {
    /// The fastest that there is to each of them: its memory itself where that can be mapped, as on
    /// one machine, else TCP.
    AUTO,
    /// The memory itself; a memory server whose memory can't be mapped is an error.
    SHM,
    /// Frames over sockets, executed by an agent of the memory server, on one machine too.
    TCP,
    /// Network cards, without a processor of the memory server, which must choose this, too: what
    /// is reached by cards is reached in no other way.
    RDMA;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
