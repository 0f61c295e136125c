package org.namdb.simulated;

import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What happened in a simulation. As a fingerprint always, so that two runs can be compared; as
/// text if it is wanted.
public final class SimTrace {
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final @Nullable Consumer<String> lines;
    private LongFunction<String> names = org.namdb.fabric.RemoteAddress::describe;
    private long fingerprint;
    private long events;

    private SimTrace(@Nullable Consumer<String> lines) {
        this.lines = lines;
    }

    /// Only the fingerprint.
    public static SimTrace off() {
        return new SimTrace(null);
    }

    /// A line for everything.
    public static SimTrace to(Consumer<String> lines) {
        return new SimTrace(lines);
    }

    /// How remote addresses are called in the lines.
    public void nameAddresses(LongFunction<String> newNames) {
        names = newNames;
    }

    /// Of all that has happened so far, in this order.
    public long fingerprint() {
        return fingerprint;
    }

    /// How much has happened so far.
    public long events() {
        return events;
    }

    /// Something that isn't a verb.
    public void say(long nanos, String who, Supplier<String> what) {
        mix(nanos, who.hashCode(), 0, 0);
        if (lines != null) {
            lines.accept(line(nanos, who, what.get()));
        }
    }

    void verb(long nanos, String who, SimVerb verb, String result) {
        if (lines != null) {
            lines.accept(line(nanos, who, verb.describe(names) + result));
        }
    }

    /// Mixes something that happened into the fingerprint.
    void mix(long nanos, long what, long where, long value) {
        events++;
        fingerprint = (Long.rotateLeft(fingerprint, 5) ^ nanos) * MULTIPLIER + what;
        fingerprint = (Long.rotateLeft(fingerprint, 5) ^ where) * MULTIPLIER + value;
    }

    boolean isOn() {
        return lines != null;
    }

    private static String line(long nanos, String who, String what) {
        return "%12.3f µs  %-22s %s".formatted(nanos / 1e3, who, what);
    }
}
