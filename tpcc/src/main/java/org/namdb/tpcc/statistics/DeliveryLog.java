package org.namdb.tpcc.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.namdb.tpcc.Scale;
import org.namdb.workload.statistics.MeasuredWindow;

/// One thread's record of what its deferred deliveries did (clause 2.7.2.2): how many orders they
/// delivered in the measured window and, for result files, when each was queued and done, and which
/// order of each district it delivered. Grows by large pieces, so that most entries allocate
/// nothing, and ends at a million entries: later ones are left out.
/// ```
/// | queued, nanos | done, nanos | warehouse << 32 | carrier | order of district 1 | .. | of 10 |
/// ```
public final class DeliveryLog {
    private static final int FIXED_WORDS = 3;
    private static final int WORDS = FIXED_WORDS + Scale.DISTRICTS;
    private static final int PIECE_ENTRIES = 4_096;
    private static final int MAX_ENTRIES = 1_000_000;

    private final List<long[]> pieces = new ArrayList<>();
    private final MeasuredWindow window;
    private final boolean isKept;
    private int entries;
    private long ordersDelivered;
    private long districtsSkipped;

    /// One deferred delivery.
    ///
    /// @param queuedNanos when it was queued, on the clock of [System#nanoTime]
    /// @param doneNanos when it was committed
    /// @param orders the order that was delivered in each district; 0 where there was none
    public record Entry(
            long queuedNanos, long doneNanos, int warehouse, int carrier, List<Long> orders) {
        public Entry {
            orders = List.copyOf(orders);
        }
    }

    /// An empty log.
    ///
    /// @param window what is counted
    /// @param isKept whether there are entries, too
    public DeliveryLog(MeasuredWindow window, boolean isKept) {
        this.window = window;
        this.isKept = isKept;
    }

    /// Adds an entry.
    ///
    /// @param orders the order that was delivered in each district; 0 where there was none
    public void add(long queuedNanos, long doneNanos, int warehouse, int carrier, long[] orders) {
        if (window.contains(doneNanos)) {
            for (long order : orders) {
                ordersDelivered += order == 0 ? 0 : 1;
                districtsSkipped += order == 0 ? 1 : 0;
            }
        }
        if (!isKept || entries == MAX_ENTRIES) {
            return;
        }
        int inPiece = entries % PIECE_ENTRIES;
        if (inPiece == 0) {
            pieces.add(new long[PIECE_ENTRIES * WORDS]);
        }
        long[] piece = pieces.getLast();
        int word = inPiece * WORDS;
        piece[word] = queuedNanos;
        piece[word + 1] = doneNanos;
        piece[word + 2] = (long) warehouse << 32 | carrier;
        System.arraycopy(orders, 0, piece, word + FIXED_WORDS, Scale.DISTRICTS);
        entries++;
    }

    /// Orders that were delivered in the measured window.
    public long ordersDelivered() {
        return ordersDelivered;
    }

    /// Districts where no order was to be delivered (clause 2.7.4.2), in the measured window.
    public long districtsSkipped() {
        return districtsSkipped;
    }

    /// How many entries there are.
    public int entries() {
        return entries;
    }

    /// Entry `index`, from 0.
    public Entry entry(int index) {
        long[] piece = pieces.get(index / PIECE_ENTRIES);
        int word = index % PIECE_ENTRIES * WORDS;
        long[] orders = Arrays.copyOfRange(piece, word + FIXED_WORDS, word + WORDS);
        return new Entry(
                piece[word],
                piece[word + 1],
                (int) (piece[word + 2] >>> 32),
                (int) piece[word + 2],
                Arrays.stream(orders).boxed().toList());
    }
}
