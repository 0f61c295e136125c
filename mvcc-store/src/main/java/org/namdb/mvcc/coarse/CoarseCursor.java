package org.namdb.mvcc.coarse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.tree.TreeCursor;

/// A scan over the entries of a [CoarseIndex], up or down. Of parts by hash it requests the next
/// entries from all memory servers at once, and merges them; of parts by range it requests them
/// from one server after the other, and from no more than the range touches. Each part is in order,
/// and an entry is in one of them; so an entry that is there throughout is seen, once and in order.
///
/// The number of entries in a request follows from how many are [expected][#expect]: by hash, a
/// part's share of them, and three standard deviations more.
final class CoarseCursor implements OrderedCursor {
    private final QueuePair queuePair;
    private final CoarseIndex index;
    private final Partitions parts;
    private final SharedRequests requests;
    private final Part[] all;

    /// The parts that the next entries come from: all of them by hash; by range, the one that the
    /// scan has come to.
    private final Part[] sources;

    private final long[] last;

    /// The part of that entry.
    private int lastPart;

    private final int keyBytes;
    private int expected;
    private boolean ascending;

    /// The native address of the current entry; 0 if there is none.
    private long current;

    /// What is known of a memory server's part.
    private final class Part implements SharedRequests.Requester {
        final int number;

        /// The entries that are here, from `next` on to `count`, in the order of the scan.
        long entries;

        int capacity;
        int next;
        int count;

        /// Where the scan goes on in it.
        final long[] from;

        /// Nothing is left in it: up to `last`, or at all.
        boolean isDone;

        boolean isOver;

        /// Its worker leaves the next entries to verbs.
        boolean isBusy;

        boolean isRequested;

        /// What its worker can't have answered, and has; null if there is no such thing.
        @Nullable Outcome unexpected;

        @Nullable TreeCursor byVerbs;

        Part(int number, int keyWords) {
            this.number = number;
            this.from = new long[keyWords];
        }

        boolean isEmpty() {
            return next == count;
        }

        boolean needsEntries() {
            return isEmpty() && !isDone && !isOver;
        }

        @Override
        public void landed(Outcome result, int entriesHere, long first) {
            isRequested = false;
            switch (result) {
                case YES -> isDone = true;
                case MORE -> {}
                case BUSY -> isBusy = entriesHere == 0;
                case NO, FULL, NO_TREE -> unexpected = result;
            }
            makeSpace(this, entriesHere);
            if (entriesHere > 0) {
                LocalMemory.copy(first, entries, (long) entriesHere * keyBytes);
                took(this, entriesHere);
            }
        }
    }

    CoarseCursor(
            QueuePair queuePair, CoarseIndex index, Partitions parts, SharedRequests requests) {
        this.queuePair = queuePair;
        this.index = index;
        this.parts = parts;
        this.requests = requests;
        this.keyBytes = Long.BYTES * parts.keyWords();
        this.last = new long[parts.keyWords()];
        this.all = new Part[parts.count()];
        for (int part = 0; part < all.length; part++) {
            all[part] = new Part(part, parts.keyWords());
            all[part].isOver = true;
        }
        this.sources = parts.isByRange() ? new Part[] {all[0]} : all;
    }

    @Override
    public void ascendFrom(long[] entry) {
        start(entry, true);
    }

    @Override
    public void descendFrom(long[] entry) {
        start(entry, false);
    }

    private void start(long[] entry, boolean up) {
        ascending = up;
        expected = 1;
        current = 0;
        Arrays.fill(last, up ? -1L : 0);
        lastPart = up ? all.length - 1 : 0;
        for (Part part : all) {
            System.arraycopy(entry, 0, part.from, 0, part.from.length);
            part.next = 0;
            part.count = 0;
            part.isDone = false;
            part.isOver = false;
            part.isBusy = false;
            forget(part);
        }
        if (parts.isByRange()) {
            sources[0] = all[parts.partOf(entry)];
        }
    }

    /// By range: if nothing is left in the part that the scan has come to, and the range touches
    /// the next one, goes on there.
    ///
    /// @return whether it does
    private boolean goOn() {
        Part part = sources[0];
        if (!parts.isByRange()
                || !part.isEmpty()
                || part.needsEntries()
                || (ascending ? part.number >= lastPart : part.number <= lastPart)) {
            return false;
        }
        sources[0] = all[part.number + (ascending ? 1 : -1)];
        return true;
    }

    @Override
    public void expect(int entries, long[] to) {
        expected = Math.max(1, entries);
        if (!Arrays.equals(last, 0, last.length, to, 0, last.length)) {
            System.arraycopy(to, 0, last, 0, last.length);
            lastPart = parts.partOf(last);
            for (Part part : all) {
                part.isDone = false;
            }
        }
    }

    @Override
    public boolean isNextHere() {
        boolean _ = goOn();
        boolean isAny = false;
        for (Part part : sources) {
            if (part.needsEntries()) {
                return false;
            }
            isAny |= !part.isEmpty();
        }
        return isAny;
    }

    @Override
    public boolean post() {
        boolean _ = goOn();
        for (Part part : sources) {
            if (part.needsEntries() && part.isBusy) {
                return false;
            }
        }
        return request();
    }

    /// Requests the next entries of all parts of which none are here.
    ///
    /// @return whether any are requested: not if there is no space for it before the next await
    private boolean request() {
        boolean isAny = false;
        for (Part part : sources) {
            if (part.needsEntries() && !part.isBusy) {
                forget(part);
                isAny |= request(part);
            }
        }
        return isAny;
    }

    private boolean request(Part part) {
        Operation what = ascending ? Operation.ASCEND : Operation.DESCEND;
        long anchor = parts.tree(part.number).anchor();
        int server = RemoteAddress.server(anchor);
        int wanted = wanted();
        while (wanted > 1 && !requests.hasSpaceFor(server, what, last.length, wanted)) {
            wanted /= 2;
        }
        part.isRequested = requests.add(part, server, what, anchor, part.from, wanted, last);
        return part.isRequested;
    }

    /// What was requested of a part, and was not awaited, is not wanted any more.
    private void forget(Part part) {
        if (part.isRequested) {
            requests.forget(part);
            part.isRequested = false;
        }
    }

    /// How many entries of a part are requested.
    private int wanted() {
        if (sources.length == 1) {
            return expected;
        }
        double mean = (double) expected / sources.length;
        return (int) Math.ceil(mean + 3 * Math.sqrt(mean)) + 1;
    }

    @Override
    public int landedBytes() {
        int each = TreeRequest.RESULT_BYTES + 2 * TreeRequest.REPLY_HEAD_BYTES;
        return Math.min(sources.length * (each + wanted() * keyBytes), queuePair.batchBytes());
    }

    @Override
    public boolean land() {
        boolean isTaken = true;
        for (Part part : sources) {
            Outcome unexpected = part.unexpected;
            if (unexpected != null) {
                part.unexpected = null;
                throw index.unexpected(part.number, unexpected);
            }
            isTaken &= !part.isBusy;
        }
        return !goOn() && isTaken;
    }

    private void makeSpace(Part part, int count) {
        if (part.capacity < count) {
            int capacity = Math.max(16, 2 * count);
            part.entries = queuePair.localMemory((long) capacity * keyBytes);
            part.capacity = capacity;
        }
    }

    /// So many entries are there: the scan of the part goes on behind the last one.
    private void took(Part part, int count) {
        part.next = 0;
        part.count = count;
        long lastOne = part.entries + (long) (count - 1) * keyBytes;
        for (int word = 0; word < part.from.length; word++) {
            part.from[word] = LocalMemory.longAt(lastOne + 8L * word);
        }
        part.isOver = !step(part.from);
    }

    /// Makes a key the next one in the direction of the scan.
    ///
    /// @return whether there is one
    private boolean step(long[] from) {
        for (int word = from.length - 1; word >= 0; word--) {
            if (ascending ? ++from[word] != 0 : from[word]-- != 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean next() {
        do {
            fetch();
        } while (goOn());
        Part first = null;
        for (Part part : sources) {
            if (!part.isEmpty() && (first == null || isBefore(part, first))) {
                first = part;
            }
        }
        if (first == null) {
            current = 0;
            return false;
        }
        current = first.entries + (long) first.next++ * keyBytes;
        return true;
    }

    /// Waits until each of the sources has its next entry here, or none.
    private void fetch() {
        if (isAnyMissing()) {
            try (ViewScope _ = queuePair.openViews()) {
                while (isAnyMissing()) {
                    boolean _ = request();
                    queuePair.await();
                    boolean _ = land();
                }
            }
        }
        for (Part part : sources) {
            if (part.needsEntries()) {
                readByVerbs(part);
            }
        }
    }

    /// Whether the next entries of a part are to be requested of its worker.
    private boolean isAnyMissing() {
        for (Part part : sources) {
            if (part.needsEntries() && !part.isBusy) {
                return true;
            }
        }
        return false;
    }

    /// Reads a part's next entries by verbs, as its worker leaves them.
    private void readByVerbs(Part part) {
        TreeCursor cursor = part.byVerbs;
        if (cursor == null) {
            cursor = index.client(part.number).cursor();
            part.byVerbs = cursor;
        }
        if (ascending) {
            cursor.ascendFrom(part.from);
        } else {
            cursor.descendFrom(part.from);
        }
        int wanted = wanted();
        cursor.expect(wanted, last);
        makeSpace(part, wanted);
        int count = 0;
        while (count < wanted && !part.isDone) {
            if (!cursor.next() || isBehindLast(cursor)) {
                part.isDone = true;
            } else {
                long to = part.entries + (long) count++ * keyBytes;
                for (int word = 0; word < last.length; word++) {
                    LocalMemory.putLong(to + 8L * word, cursor.word(word));
                }
            }
        }
        part.isBusy = false;
        if (count > 0) {
            took(part, count);
        }
    }

    private boolean isBehindLast(TreeCursor cursor) {
        for (int word = 0; word < last.length; word++) {
            int order = Long.compareUnsigned(cursor.word(word), last[word]);
            if (order != 0) {
                return ascending ? order > 0 : order < 0;
            }
        }
        return false;
    }

    private boolean isBefore(Part one, Part other) {
        long left = one.entries + (long) one.next * keyBytes;
        long right = other.entries + (long) other.next * keyBytes;
        for (int word = 0; word < last.length; word++) {
            int order =
                    Long.compareUnsigned(
                            LocalMemory.longAt(left + 8L * word),
                            LocalMemory.longAt(right + 8L * word));
            if (order != 0) {
                return ascending ? order < 0 : order > 0;
            }
        }
        return false;
    }

    @Override
    public long word(int word) {
        assert current != 0 : "no current entry";
        return LocalMemory.longAt(current + 8L * word);
    }
}
