package org.namdb.compute;

import java.util.List;

/// The schema can't be changed now, because transactions run and don't end in time. Nothing has changed; it may be tried again.
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<Integer> slots;

    SchemaBusyException(List<Integer> slots) {
        super(
                "the schema can't be changed while transactions run: those of the sessions with slots "
                        + slots
                        + " have not ended in time");
        this.slots = List.copyOf(slots);
    }

    /// The slot numbers of the sessions whose transactions have not ended.
    public List<Integer> slots() {
        return slots;
    }
}
