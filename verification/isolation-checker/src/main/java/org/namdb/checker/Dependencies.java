package org.namdb.checker;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.history.Write;

/// Draws cycles. An edge names a key wherever one shows it, since that can be understood without
/// snapshots. Used for explanations only, so it may search longer.
final class Dependencies {
    /// How many transactions are tried as a witness before the best so far is taken.
    private static final int MAX_WITNESSES = 256;

    private final History history;
    private final SlotCommits commits;

    Dependencies(Evidence evidence) {
        history = evidence.history();
        commits = evidence.commits();
    }

    /// `reader`'s snapshot shows `writer`.
    Dependency seenBy(Transaction writer, Transaction reader) {
        for (Operation operation : reader.operations()) {
            if (!operation.isWrite() && isWriter(writer, operation)) {
                return new Dependency(writer, Kind.WR, operation.key(), reader);
            }
        }
        return new Dependency(writer, Kind.SEEN_BY, null, reader);
    }

    /// `reader`'s snapshot doesn't show `writer`.
    Dependency misses(Transaction reader, Transaction writer) {
        return misses(reader, writer, null);
    }

    /// As above, and if there is a choice, by this key.
    Dependency misses(Transaction reader, Transaction writer, @Nullable Long preferred) {
        Set<Long> written = new HashSet<>();
        for (Operation operation : writer.operations()) {
            if (operation.isWrite()) {
                written.add(operation.key());
            }
        }
        @Nullable Long shown = null;
        for (Operation operation : reader.operations()) {
            if (operation.isWrite()) {
                written.remove(operation.key()); // from here on it reads its own
            } else if (written.contains(operation.key()) && !isWriter(writer, operation)) {
                if (shown == null || preferred != null && preferred == operation.key()) {
                    shown = operation.key();
                }
            }
        }
        return new Dependency(reader, shown == null ? Kind.MISSES : Kind.RW, shown, writer);
    }

    /// A transaction that `sees`' snapshot shows and `misses`' doesn't: the one whose edges name
    /// most keys. Null if the history has none but these two.
    @Nullable Transaction witness(Transaction sees, Transaction misses) {
        return commits.between(sees.snapshot(), misses.snapshot(), MAX_WITNESSES).stream()
                .filter(commit -> commit != sees && commit != misses)
                .max(
                        Comparator.comparingInt(commit ->
                                named(seenBy(commit, sees)) + named(misses(misses, commit))))
                .orElse(null);
    }

    /// What `first` has seen, `second` misses, though it is later, for a reason of this kind. Empty
    /// if no transaction of the history shows it.
    List<Dependency> goesBack(Transaction first, Kind kind, Transaction second) {
        Transaction seen = witness(first, second);
        return seen == null
                ? List.of()
                : List.of(
                        seenBy(seen, first),
                        new Dependency(first, kind, null, second),
                        misses(second, seen));
    }

    /// The slots in which one snapshot shows less than another, in words: the first of them.
    static String firstDifference(Snapshot less, Snapshot more) {
        int slot = 0;
        while (less.element(slot) >= more.element(slot)) {
            slot++;
        }
        return "slot %d at %d instead of %d"
                .formatted(slot, less.element(slot), more.element(slot));
    }

    private static int named(Dependency dependency) {
        return dependency.key() == null ? 0 : 1;
    }

    private boolean isWriter(Transaction writer, Operation read) {
        Write write = history.writes().find(read.key(), read.value());
        return write != null && write.writer() == writer;
    }
}
