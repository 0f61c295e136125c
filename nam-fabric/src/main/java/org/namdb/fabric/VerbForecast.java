package org.namdb.fabric;

/// How many verbs something is expected to take: by kind and memory server, with the bytes that
/// they move, and how often they are waited for. Numbers are averages, so they may be fractions.
/// Each class with a layout adds what an access to it posts; nothing is posted for a forecast. No
/// operation with a forecast uses fetch-and-add.
///
/// Not thread-safe.
public final class VerbForecast {
    private final QueuePair queuePair;
    private final double[] reads;
    private final double[] writes;
    private final double[] compareAndSwaps;
    private final double[] sends;
    private final double[] bytes;
    private double roundTrips;

    /// A forecast of nothing.
    ///
    /// @param queuePair by which the verbs would be posted
    /// @param servers how many memory servers there are
    public VerbForecast(QueuePair queuePair, int servers) {
        this.queuePair = queuePair;
        this.reads = new double[servers];
        this.writes = new double[servers];
        this.compareAndSwaps = new double[servers];
        this.sends = new double[servers];
        this.bytes = new double[servers];
    }

    /// What is expected of one memory server, or of all.
    ///
    /// @param reads READs
    /// @param writes WRITEs
    /// @param compareAndSwaps compare-and-swaps
    /// @param sends requests
    /// @param bytes what they move; an atomic moves its 8-byte word
    public record Verbs(
            double reads, double writes, double compareAndSwaps, double sends, double bytes) {}

    /// How many memory servers there are.
    public int servers() {
        return reads.length;
    }

    /// Adds READs.
    ///
    /// @param bytesEach what each of them reads
    public void read(int server, double count, double bytesEach) {
        reads[server] += count;
        bytes[server] += count * bytesEach;
    }

    /// Adds validated reads: the guard, where it needs a READ of its own; the body; the
    /// guard again.
    public void readValidated(int server, double count, double guardBytes, double bodyBytes) {
        if (!queuePair.readsInPlace(server)) {
            read(server, count, guardBytes);
        }
        read(server, count, bodyBytes);
        read(server, count, guardBytes);
    }

    /// Adds WRITEs.
    ///
    /// @param bytesEach what each of them writes
    public void write(int server, double count, double bytesEach) {
        writes[server] += count;
        bytes[server] += count * bytesEach;
    }

    /// Adds compare-and-swaps.
    public void cas(int server, double count) {
        compareAndSwaps[server] += count;
        bytes[server] += count * Long.BYTES;
    }

    /// Adds requests, each a SEND and a RECEIVE.
    public void request(int server, double count, double requestBytes, double replyBytes) {
        sends[server] += count;
        bytes[server] += count * (requestBytes + replyBytes);
    }

    /// Adds awaits that have something to wait for.
    public void roundTrips(double count) {
        roundTrips += count;
    }

    /// Adds all that is expected of something else, done after this.
    public void addAll(VerbForecast other) {
        for (int server = 0; server < reads.length; server++) {
            reads[server] += other.reads[server];
            writes[server] += other.writes[server];
            compareAndSwaps[server] += other.compareAndSwaps[server];
            sends[server] += other.sends[server];
            bytes[server] += other.bytes[server];
        }
        roundTrips += other.roundTrips;
    }

    /// What is expected of one memory server.
    public Verbs of(int server) {
        return new Verbs(
                reads[server],
                writes[server],
                compareAndSwaps[server],
                sends[server],
                bytes[server]);
    }

    /// What is expected of all of them together.
    public Verbs all() {
        return new Verbs(sum(reads), sum(writes), sum(compareAndSwaps), sum(sends), sum(bytes));
    }

    /// How often verbs are waited for.
    public double roundTrips() {
        return roundTrips;
    }

    /// Whether nothing is expected at all.
    public boolean isNothing() {
        return sum(bytes) == 0 && roundTrips == 0;
    }

    private static double sum(double[] counts) {
        double sum = 0;
        for (double count : counts) {
            sum += count;
        }
        return sum;
    }
}
