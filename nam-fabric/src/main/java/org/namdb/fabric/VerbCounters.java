package org.namdb.fabric;

/// What one queue pair has done since it was opened: verbs by kind, bytes, round trips. They are the cost of a
/// transaction that doesn't depend on the machine. Written by the queue pair's thread alone.
public final class VerbCounters {
    long reads;
    long readBytes;
    long writes;
    long writeBytes;
    long swaps;
    long adds;
    long sends;
    long sendBytes;
    long receives;
    long receiveBytes;
    long roundTrips;

    /// READs posted.
    public long reads() {
        return reads;
    }

    /// Bytes asked for by READs.
    public long readBytes() {
        return readBytes;
    }

    /// WRITEs posted.
    public long writes() {
        return writes;
    }

    /// Bytes carried by WRITEs.
    public long writeBytes() {
        return writeBytes;
    }

    /// Compare-and-swaps posted, won or lost.
    public long swaps() {
        return swaps;
    }

    /// Fetch-and-adds posted.
    public long adds() {
        return adds;
    }

    /// SENDs posted.
    public long sends() {
        return sends;
    }

    /// Messages received.
    public long receives() {
        return receives;
    }

    /// One-sided and two-sided verbs together.
    public long verbs() {
        return reads + writes + swaps + adds + sends + receives;
    }

    /// Bytes moved by all verbs; an atomic moves its 8-byte word.
    public long bytes() {
        return readBytes + writeBytes + 8 * (swaps + adds) + sendBytes + receiveBytes;
    }

    /// Awaits that had something to wait for.
    public long roundTrips() {
        return roundTrips;
    }

    @Override
    public String toString() {
        return "READ "
                + reads
                + ", WRITE "
                + writes
                + ", CAS "
                + swaps
                + ", FAA "
                + adds
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
