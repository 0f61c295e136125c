package org.namdb.cache.frame;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.LocalMemory;

/// A table with a frame for each state that is alive, each of which has a line. As with the places
/// of a [StressRegion], they are used again in turn.
final class StressFrames {
    private static final int LINE_BYTES = 64;

    private final FrameTable table = new FrameTable(StressRegion.PLACES, LINE_BYTES);
    private final AtomicLong lines = new AtomicLong();
    private final AtomicInteger frames = new AtomicInteger();

    StressFrames() {
        for (int i = 0; i < StressRegion.PLACES; i++) {
            insertNext();
        }
    }

    FrameTable table() {
        return table;
    }

    /// A frame for another state.
    Frame next() {
        return table.frame(frames.getAndIncrement() & StressRegion.PLACES - 1);
    }

    /// A free frame gets a line that there was not yet; its first word is the line's address.
    void insertNext() {
        long line = LINE_BYTES * lines.incrementAndGet();
        Frame frame = table.insert(line);
        if (frame == null) {
            throw new IllegalStateException("no frame is free");
        }
        LocalMemory.putLong(frame.data(), line);
        frame.releaseExclusive();
    }

    /// The ownership of the line in a frame that no thread has latched exclusively.
    static LineStamp stamp(Frame frame) {
        if (!frame.tryShared()) {
            throw new IllegalStateException("a frame is in use");
        }
        LineStamp stamp = new LineStamp(frame);
        frame.releaseShared();
        return stamp;
    }
}
