package org.namdb.cache.frame;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.fabric.LocalMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// A thread that searches a line reads no other one, though its frame gets another line meanwhile.
/// ```
///   E  latches the frame of x, takes x out of the table; the free frame gets y; unlatches it
///   R  finds the frame of x, latches it, looks whether it is that of x still, reads it
/// ```
public final class FrameReuse {
    private FrameReuse() {}

    @JCStressTest
    @Outcome(id = "x", expect = ACCEPTABLE, desc = "R came first.")
    @Outcome(id = "none", expect = ACCEPTABLE, desc = "x is gone.")
    @Outcome(id = "latched", expect = ACCEPTABLE, desc = "R has to try again.")
    @Outcome(id = "another", expect = FORBIDDEN, desc = "R takes another line for x.")
    @State
    public static class Checked {
        private static final StressFrames FRAMES = new StressFrames();
        private final Frame frame = FRAMES.next();
        private final long line = frame.line();

        @Actor
        public void evicting() {
            evict(FRAMES, frame);
        }

        @Actor
        public void reader(L_Result read) {
            read.r1 = read(FRAMES.table(), line, true);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"x", "none", "latched"},
            expect = ACCEPTABLE,
            desc = "By chance.")
    @Outcome(
            id = "another",
            expect = ACCEPTABLE_INTERESTING,
            desc = "The frame was found, and has got another line before it was latched.")
    @State
    public static class Unchecked {
        private static final StressFrames FRAMES = new StressFrames();
        private final Frame frame = FRAMES.next();
        private final long line = frame.line();

        @Actor
        public void evicting() {
            evict(FRAMES, frame);
        }

        @Actor
        public void reader(L_Result read) {
            read.r1 = read(FRAMES.table(), line, false);
        }
    }

    private static void evict(StressFrames frames, Frame frame) {
        while (!frame.tryExclusive()) {
            Thread.onSpinWait();
        }
        frames.table().remove(frame);
        frames.insertNext();
    }

    private static String read(FrameTable table, long line, boolean isChecked) {
        Frame frame = table.find(line);
        if (frame == null) {
            return "none";
        }
        if (!frame.tryShared()) {
            return "latched";
        }
        try {
            if (isChecked && frame.line() != line) {
                return "none";
            }
            return LocalMemory.longAt(frame.data()) == line ? "x" : "another";
        } finally {
            frame.releaseShared();
        }
    }
}
