package org.namdb.cluster.config;

import java.util.Locale;

/// When a commit is acknowledged in a cluster whose memory servers have data directories.
public enum ClusterDurability {
    /// When it is on their disks.
    SYNC,
    /// When others can see it; it is on their disks shortly afterwards.
    ASYNC;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
