package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.List;

/// The schema can't be changed now, because someone uses it and does not end in time. Nothing has
/// changed; it may be tried again.
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Integer> slots;
    private final transient List<Integer> computeServers;

    SchemaBusyException(List<Integer> slots, List<Integer> computeServers) {
        super(
                "the schema can't be changed while transactions run: "
                        + holders(slots, computeServers));
        this.slots = List.copyOf(slots);
        this.computeServers = List.copyOf(computeServers);
    }

    private static String holders(List<Integer> slots, List<Integer> computeServers) {
        List<String> holders = new ArrayList<>();
        if (!slots.isEmpty()) {
            holders.add("those of the sessions with slots " + slots + " have not ended in time");
        }
        if (!computeServers.isEmpty()) {
            holders.add("compute servers " + computeServers + " have not made way in time");
        }
        return holders.isEmpty() ? "another thread is changing it" : String.join("; ", holders);
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
