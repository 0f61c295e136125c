package org.namdb.fabric;

/// How many verbs there were, by kind, and the bytes they moved: of one memory server or of all, at
/// one moment. The difference of two tallies is what was done in between.
///
/// @param reads READs posted
/// @param readBytes bytes requested by READs
/// @param writes WRITEs posted
/// @param writeBytes bytes carried by WRITEs
/// @param compareAndSwaps compare-and-swaps posted, successful or failed
/// @param fetchAndAdds fetch-and-adds posted
/// @param sends SENDs posted
/// @param sendBytes bytes carried by SENDs
/// @param receives messages received
/// @param receiveBytes bytes carried by them
/// @param roundTrips awaits that had something to wait for; an await is for all servers, so of one
///     server only those of its SENDs
public record VerbTally(
        long reads,
        long readBytes,
        long writes,
        long writeBytes,
        long compareAndSwaps,
        long fetchAndAdds,
        long sends,
        long sendBytes,
        long receives,
        long receiveBytes,
        long roundTrips) {
    /// No verbs at all.
    public static final VerbTally NOTHING = new VerbTally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /// What was done since `earlier`.
    public VerbTally minus(VerbTally earlier) {
        return new VerbTally(
                reads - earlier.reads,
                readBytes - earlier.readBytes,
                writes - earlier.writes,
                writeBytes - earlier.writeBytes,
                compareAndSwaps - earlier.compareAndSwaps,
                fetchAndAdds - earlier.fetchAndAdds,
                sends - earlier.sends,
                sendBytes - earlier.sendBytes,
                receives - earlier.receives,
                receiveBytes - earlier.receiveBytes,
                roundTrips - earlier.roundTrips);
    }

    /// Both together.
    public VerbTally plus(VerbTally other) {
        return minus(NOTHING.minus(other));
    }

    /// One-sided and two-sided verbs together.
    public long verbs() {
        return reads + writes + compareAndSwaps + fetchAndAdds + sends + receives;
    }

    /// Bytes moved by all verbs; an atomic moves its 8-byte word.
    public long bytes() {
        return readBytes
                + writeBytes
                + Long.BYTES * (compareAndSwaps + fetchAndAdds)
                + sendBytes
                + receiveBytes;
    }

    @Override
    public String toString() {
        return "READ "
                + reads
                + ", WRITE "
                + writes
                + ", CAS "
                + compareAndSwaps
                + ", FAA "
                + fetchAndAdds
                + ", SEND "
                + sends
                + ", RECEIVE "
                + receives
                + ", "
                + bytes()
                + " bytes, "
                + roundTrips
                + " round trips";
    }
}
