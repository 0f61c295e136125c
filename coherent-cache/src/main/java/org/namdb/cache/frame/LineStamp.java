package org.namdb.cache.frame;

/// This compute server's ownership of a line, from a moment on: it has a copy of it, and no session
/// has changed it, here or elsewhere. What is derived from the line, or from what the line guards,
/// is valid as long as the stamp is. To look at it posts nothing, and latches nothing.
public final class LineStamp {
    private final Frame frame;
    private final long version;

    /// @param frame latched together with other readers, and valid
    public LineStamp(Frame frame) {
        this.frame = frame;
        this.version = frame.version();
    }

    /// Whether the line was owned all the time, and not changed.
    public boolean isValid() {
        return frame.isAt(version);
    }
}
