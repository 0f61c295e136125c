package org.namdb.cache.scalestore;

import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Guard;

/// A page that a thread has latched: it stays in this node's memory until the guard is closed.
public final class PageGuard extends Guard {
    private final PageSession session;

    PageGuard(PageSession session, Frame frame, int pageBytes) {
        super(frame, pageBytes);
        this.session = session;
    }

    void latched(Frame frame, boolean exclusively) {
        open(frame, exclusively);
    }

    @Override
    public void close() {
        if (end()) {
            session.closed(this, frame(), isExclusive());
        }
    }
}
