package org.namdb.checker;

/// A rule for histories. The names are stable: programs and people may search for them.
///
/// They are in the order in which they explain: if one mistake violates several, the first explains
/// it best.
public enum Rule {
    /// No two transactions have the same commit timestamp.
    DUPLICATE_TIMESTAMP("duplicate-timestamp", "no commit timestamp is used twice"),
    /// Within a slot, the timestamps of a session's transactions rise.
    TIMESTAMP_ORDER(
            "timestamp-order", "a session's commit timestamps in a slot rise in session order"),
    /// A snapshot doesn't show the transaction that uses it.
    SEES_ITSELF("sees-itself", "no transaction's snapshot shows its own commit"),
    /// The unrepeatable kind of read, within one transaction.
    NON_REPEATABLE_READ(
            "non-repeatable-read", "two reads of a key in one transaction return the same"),
    /// A transaction doesn't find what it has written.
    OWN_WRITE_MISSED("own-write-missed", "a transaction reads its own last write of a key"),
    /// The value was never written.
    UNWRITTEN_READ("unwritten-read", "every value that is read was written"),
    /// Adya's G1a.
    ABORTED_READ("aborted-read", "no value of a failed transaction is read (G1a)"),
    /// Adya's G1b.
    INTERMEDIATE_READ(
            "intermediate-read", "no value is read that its own transaction replaced (G1b)"),
    /// A dirty read, or one of a commit that was later than the snapshot.
    FUTURE_READ("future-read", "no value is read that the snapshot doesn't show"),
    /// A version was missed.
    STALE_READ("stale-read", "a read returns the newest version that the snapshot shows"),
    /// P4.
    LOST_UPDATE("lost-update", "of two writers of a key, one's snapshot shows the other (P4)"),
    /// Two writers each before the other.
    VERSION_CYCLE("version-cycle", "two writers of a key don't both see each other (G0)"),
    /// A snapshot shows a transaction, but not what that has seen.
    TORN_SNAPSHOT(
            "torn-snapshot", "a snapshot shows all that the transactions which it shows have seen"),
    /// Two snapshots of which neither shows all that the other does.
    LONG_FORK("long-fork", "of any two snapshots, one shows all that the other shows"),
    /// A session is one client, which does one thing at a time.
    SESSION_OVERLAP("session-overlap", "a session's transactions don't overlap in time"),
    /// A session's snapshots go back.
    SESSION_ORDER(
            "session-order", "a session sees its own commits, and its snapshots never go back"),
    /// Strong snapshot isolation.
    REAL_TIME(
            "real-time",
            "a transaction sees all that was committed or seen by any that ended before it began");

    private final String label;
    private final String demand;

    Rule(String label, String demand) {
        this.label = label;
        this.demand = demand;
    }

    /// Its stable name, as in `lost-update`.
    public String label() {
        return label;
    }

    /// What it demands, in a few words.
    public String demand() {
        return demand;
    }
}
