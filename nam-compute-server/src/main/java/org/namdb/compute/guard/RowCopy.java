package org.namdb.compute.guard;

import org.namdb.cache.frame.LineStamp;
import org.namdb.fabric.PlantedFault;

/// The current version of a row.
final class RowCopy {
    private final LineStamp stamp;
    private final long header;
    private final long headerAddress;
    private final long bodyAddress;
    private final byte[] payload;

    /// @param stamp of its guard line, from before it was read
    /// @param header unlocked
    RowCopy(LineStamp stamp, long header, long headerAddress, long bodyAddress, byte[] payload) {
        this.stamp = stamp;
        this.header = header;
        this.headerAddress = headerAddress;
        this.bodyAddress = bodyAddress;
        this.payload = payload;
    }

    /// Whether it is still the current version, but for commits that have not begun to install.
    boolean isCurrent() {
        return stamp.isValid() || PlantedFault.COPY_OUTLIVES_GUARD.isPlanted();
    }

    long header() {
        return header;
    }

    long headerAddress() {
        return headerAddress;
    }

    long bodyAddress() {
        return bodyAddress;
    }

    byte[] payload() {
        return payload;
    }
}
