package org.namdb.simulation;

import java.util.function.Consumer;
import org.namdb.cache.line.LatchWord;
import org.namdb.cache.line.LineArea;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;

/// Lines without a cache: each access takes the latch, and lets go of it again, by verbs alone (SEL
/// in SELCC, section 7). A reader that meets a writer clears its bit.
final class UncachedLines implements LineClient {
    private static final long PAUSE_NANOS = 4_000;

    private final LineArea layout;
    private final QueuePair queuePair;
    private final int station;
    private final Host host;
    private final boolean isLatching;
    private final long source;

    /// @param station this thread's own
    /// @param isLatching whether it takes latches, as it must
    UncachedLines(
            LineArea layout, QueuePair queuePair, int station, Host host, boolean isLatching) {
        this.layout = layout;
        this.queuePair = queuePair;
        this.station = station;
        this.host = host;
        this.isLatching = isLatching;
        this.source = queuePair.localMemory(layout.lineBytes());
    }

    @Override
    public void read(long line, long[] into) {
        long latch = layout.latch(line);
        long bit = LatchWord.reader(station);
        for (boolean isRead = false; !isRead; ) {
            try (ViewScope _ = queuePair.openViews()) {
                long found = isLatching ? queuePair.fetchAndAdd(latch, bit) : 0;
                long view = queuePair.read(line, layout.lineBytes());
                queuePair.await();
                isRead = found == 0 || LatchWord.writerOf(LocalMemory.longAt(found)) == 0;
                copy(view, into);
                if (isLatching) {
                    queuePair.fetchAndAdd(latch, -bit);
                    queuePair.await();
                }
            }
            if (!isRead) {
                host.sleep(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void change(long line, int from, int to, Consumer<long[]> change) {
        long latch = layout.latch(line);
        long[] words = new long[layout.lineBytes() / Long.BYTES];
        long writer = LatchWord.writer(station);
        while (isLatching && queuePair.casWord(latch, LatchWord.FREE, writer) != LatchWord.FREE) {
            host.sleep(PAUSE_NANOS);
        }
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(line, layout.lineBytes());
            queuePair.await();
            copy(view, words);
            change.accept(words);
            for (int word = from; word < to; word++) {
                LocalMemory.putLong(source + (long) word * Long.BYTES, words[word]);
            }
            long offset = (long) from * Long.BYTES;
            queuePair.write(line + offset, source + offset, (to - from) * Long.BYTES);
            if (isLatching) {
                queuePair.fetchAndAdd(latch, -writer);
            }
            queuePair.await();
        }
    }

    private static void copy(long view, long[] into) {
        for (int word = 0; word < into.length; word++) {
            into[word] = LocalMemory.longAt(view + (long) word * Long.BYTES);
        }
    }

    @Override
    public void close() {
        queuePair.close();
    }
}
