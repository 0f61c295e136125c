package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.List;

/// The schema can't be changed now, because a session or compute server still uses it at the
/// timeout; or it can't be used, because one still changes it. Nothing has changed; it may be tried
/// again.
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Integer> slots;
    private final transient List<Integer> computeServers;
    private final boolean isBeingChanged;

    SchemaBusyException(List<Integer> slots, List<Integer> computeServers) {
        this(
                "the schema can't be changed while transactions run: "
                        + holders(slots, computeServers),
                slots,
                computeServers,
                false);
    }

    private SchemaBusyException(
            String message,
            List<Integer> slots,
            List<Integer> computeServers,
            boolean isBeingChanged) {
        super(message);
        this.slots = List.copyOf(slots);
        this.computeServers = List.copyOf(computeServers);
        this.isBeingChanged = isBeingChanged;
    }

    static SchemaBusyException definedBy(int computeServer) {
        return new SchemaBusyException(
                "compute server "
                        + computeServer
                        + " is changing the schema, and has not ended in time; if it has died,"
                        + " others wait until it is recovered",
                List.of(),
                List.of(computeServer),
                true);
    }

    private static String holders(List<Integer> slots, List<Integer> computeServers) {
        List<String> holders = new ArrayList<>();
        if (!slots.isEmpty()) {
            holders.add("those of the sessions with slots " + slots + " have not ended in time");
        }
        if (!computeServers.isEmpty()) {
            holders.add(
                    "compute servers " + computeServers + " have not yielded before the timeout");
        }
        return holders.isEmpty() ? "another thread is changing it" : String.join("; ", holders);
    }

    /// Whether another compute server is changing the schema, so that not even a transaction can
    /// begin.
    public boolean isBeingChanged() {
        return isBeingChanged;
    }

    /// The slot numbers of the sessions of this compute server whose transactions have not ended.
    public List<Integer> slots() {
        return slots;
    }

    /// The numbers of the other compute servers that still use the schema as it was, or are
    /// changing it.
    public List<Integer> computeServers() {
        return computeServers;
    }
}
