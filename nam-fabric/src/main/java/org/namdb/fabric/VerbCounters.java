package org.namdb.fabric;

import java.util.Arrays;

/// What one queue pair has done since it was opened: verbs by kind and memory server, bytes, round
/// trips. They are the cost of a transaction that doesn't depend on the machine. Written by the
/// queue pair's thread alone.
/// ```
/// | reads | read bytes | writes | ... | 16 words of server 0 |  16 words of server 1 | ...
/// ```
public final class VerbCounters {
    private static final int READS = 0;
    private static final int READ_BYTES = 1;
    private static final int WRITES = 2;
    private static final int WRITE_BYTES = 3;
    private static final int SWAPS = 4;
    private static final int ADDS = 5;
    private static final int SENDS = 6;
    private static final int SEND_BYTES = 7;
    private static final int RECEIVES = 8;
    private static final int RECEIVE_BYTES = 9;
    private static final int CALLS = 10;
    private static final int SERVER_SHIFT = 4;

    /// As long as the highest server with verbs needs.
    private long[] counts = new long[1 << SERVER_SHIFT];

    private long roundTrips;

    void read(int server, int bytes) {
        int at = of(server);
        counts[at + READS]++;
        counts[at + READ_BYTES] += bytes;
    }

    void write(int server, int bytes) {
        int at = of(server);
        counts[at + WRITES]++;
        counts[at + WRITE_BYTES] += bytes;
    }

    void cas(int server) {
        int at = of(server);
        counts[at + SWAPS]++;
    }

    void add(int server) {
        int at = of(server);
        counts[at + ADDS]++;
    }

    void send(int server, int bytes) {
        int at = of(server);
        counts[at + SENDS]++;
        counts[at + SEND_BYTES] += bytes;
    }

    void receive(int server, int bytes) {
        int at = of(server);
        counts[at + RECEIVES]++;
        counts[at + RECEIVE_BYTES] += bytes;
        counts[at + CALLS]++;
    }

    void roundTrip() {
        roundTrips++;
    }

    private int of(int server) {
        int at = server << SERVER_SHIFT;
        if (at >= counts.length) {
            counts = Arrays.copyOf(counts, at + (1 << SERVER_SHIFT));
        }
        return at;
    }

    /// READs posted.
    public long reads() {
        return sum(READS);
    }

    /// Bytes requested by READs.
    public long readBytes() {
        return sum(READ_BYTES);
    }

    /// WRITEs posted.
    public long writes() {
        return sum(WRITES);
    }

    /// Bytes carried by WRITEs.
    public long writeBytes() {
        return sum(WRITE_BYTES);
    }

    /// Compare-and-swaps posted, successful or failed.
    public long compareAndSwaps() {
        return sum(SWAPS);
    }

    /// Fetch-and-adds posted.
    public long fetchAndAdds() {
        return sum(ADDS);
    }

    /// SENDs posted.
    public long sends() {
        return sum(SENDS);
    }

    /// Messages received.
    public long receives() {
        return sum(RECEIVES);
    }

    /// One-sided and two-sided verbs together.
    public long verbs() {
        return reads() + writes() + compareAndSwaps() + fetchAndAdds() + sends() + receives();
    }

    /// Bytes moved by all verbs; an atomic moves its 8-byte word.
    public long bytes() {
        return readBytes()
                + writeBytes()
                + Long.BYTES * (compareAndSwaps() + fetchAndAdds())
                + sum(SEND_BYTES)
                + sum(RECEIVE_BYTES);
    }

    /// Awaits that had something to wait for.
    public long roundTrips() {
        return roundTrips;
    }

    /// Memory servers with this number, or a higher one, had no verbs.
    public int servers() {
        return counts.length >> SERVER_SHIFT;
    }

    /// What was done so far.
    public VerbTally tally() {
        VerbTally all = new VerbTally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, roundTrips);
        for (int server = 0; server < servers(); server++) {
            VerbTally one = tally(server);
            all = all.plus(one).minus(roundTrips(one.roundTrips()));
        }
        return all;
    }

    /// What was done so far with memory server `server`.
    public VerbTally tally(int server) {
        if (server >= servers()) {
            return VerbTally.NOTHING;
        }
        int at = server << SERVER_SHIFT;
        return new VerbTally(
                counts[at + READS],
                counts[at + READ_BYTES],
                counts[at + WRITES],
                counts[at + WRITE_BYTES],
                counts[at + SWAPS],
                counts[at + ADDS],
                counts[at + SENDS],
                counts[at + SEND_BYTES],
                counts[at + RECEIVES],
                counts[at + RECEIVE_BYTES],
                counts[at + CALLS]);
    }

    private static VerbTally roundTrips(long some) {
        return new VerbTally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, some);
    }

    private long sum(int kind) {
        long sum = 0;
        for (int at = kind; at < counts.length; at += 1 << SERVER_SHIFT) {
            sum += counts[at];
        }
        return sum;
    }

    @Override
    public String toString() {
        return tally().toString();
    }
}
