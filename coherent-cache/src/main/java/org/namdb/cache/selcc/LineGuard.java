package org.namdb.cache.selcc;

import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Guard;

/// A line that a thread has latched.
public final class LineGuard extends Guard {
    private final LineSession session;

    LineGuard(LineSession session, Frame frame, int lineBytes) {
        super(frame, lineBytes);
        this.session = session;
    }

    void latched(Frame frame, boolean exclusively) {
        open(frame, exclusively);
    }

    Frame held() {
        return frame();
    }

    void upgrade() {
        upgraded();
    }

    /// Its line is not latched any more.
    void lose() {
        boolean _ = end();
        session.remove(this);
    }

    @Override
    public void close() {
        if (end()) {
            session.closed(this, frame());
        }
    }
}
