package org.namdb.checker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// The rules literally, over all pairs of transactions, to compare the fast checker with. Shares
/// nothing with it.
final class NaiveChecker {
    private final List<Attempt> attempts;

    NaiveChecker(List<Attempt> attempts) {
        this.attempts = attempts;
    }

    boolean holds() {
        return attempts.stream()
                .allMatch(one ->
                        seesNotItself(one)
                                && readsWell(one)
                                && attempts.stream()
                                        .allMatch(other -> one == other || agree(one, other)));
    }

    private boolean agree(Attempt one, Attempt other) {
        return timestampsDiffer(one, other)
                && (dominates(one, other) || dominates(other, one))
                && !(hasTimestamp(other) && one.shows(other) && !dominates(one, other))
                && versionsAreOrdered(one, other)
                && sessionIsOrdered(one, other)
                && timeIsKept(one, other);
    }

    private static boolean hasTimestamp(Attempt attempt) {
        return attempt.status != Status.FAIL && attempt.slot >= 0;
    }

    private static boolean dominates(Attempt one, Attempt other) {
        for (int slot = 0; slot < other.snapshot.length; slot++) {
            if (one.element(slot) < other.snapshot[slot]) {
                return false;
            }
        }
        return true;
    }

    private boolean isCommitted(Attempt attempt) {
        if (attempt.status == Status.INFO && attempt.slot >= 0) {
            return attempts.stream()
                    .anyMatch(other ->
                            other.shows(attempt)
                                    || other != attempt && hasReadFrom(other, attempt));
        }
        return attempt.status == Status.OK;
    }

    private static boolean hasReadFrom(Attempt reader, Attempt writer) {
        return reader.operations.stream()
                .anyMatch(read ->
                        !read.isWrite()
                                && writer.operations.contains(
                                        Operation.write(read.key(), read.value())));
    }

    private static boolean seesNotItself(Attempt attempt) {
        return !hasTimestamp(attempt) || !attempt.shows(attempt);
    }

    private boolean timestampsDiffer(Attempt one, Attempt other) {
        if (!hasTimestamp(one) || !hasTimestamp(other) || one.slot != other.slot) {
            return true;
        }
        boolean inOrder =
                !one.session.equals(other.session)
                        || isBefore(one, other) == one.timestamp < other.timestamp;
        return one.timestamp != other.timestamp && inOrder;
    }

    /// Of two that began at the same time, the one that ended first is before.
    private boolean isBefore(Attempt one, Attempt other) {
        if (one.begin != other.begin || one.end == other.end) {
            return one.begin < other.begin
                    || one.begin == other.begin && attempts.indexOf(one) < attempts.indexOf(other);
        }
        return one.end < other.end;
    }

    private boolean versionsAreOrdered(Attempt one, Attempt other) {
        return !isCommitted(one)
                || !isCommitted(other)
                || finalWrites(one).keySet().stream().noneMatch(finalWrites(other)::containsKey)
                || one.shows(other) != other.shows(one);
    }

    private static boolean usedSnapshot(Attempt attempt) {
        return attempt.status == Status.OK
                || attempt.snapshot.length > 0
                || attempt.operations.stream().anyMatch(operation -> !operation.isWrite());
    }

    private boolean sessionIsOrdered(Attempt first, Attempt second) {
        if (!first.session.equals(second.session) || !isBefore(first, second)) {
            return true;
        }
        return first.end <= second.begin && (!usedSnapshot(second) || follows(first, second));
    }

    private static boolean timeIsKept(Attempt first, Attempt second) {
        return first.end >= second.begin || !usedSnapshot(second) || follows(first, second);
    }

    private static boolean follows(Attempt first, Attempt second) {
        return dominates(second, first) && (!first.isCommit() || second.shows(first));
    }

    private static Map<Long, Long> finalWrites(Attempt attempt) {
        Map<Long, Long> writes = new HashMap<>();
        for (Operation operation : attempt.operations) {
            if (operation.isWrite()) {
                writes.put(operation.key(), operation.value());
            }
        }
        return writes;
    }

    private boolean readsWell(Attempt reader) {
        Map<Long, Long> known = new HashMap<>();
        for (Operation operation : reader.operations) {
            if (operation.isWrite()) {
                known.put(operation.key(), operation.value());
            } else if (known.containsKey(operation.key())) {
                if (known.get(operation.key()) != operation.value()) {
                    return false;
                }
            } else {
                known.put(operation.key(), operation.value());
                if (!mayRead(reader, operation)) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean mayRead(Attempt reader, Operation read) {
        boolean fromUnknown =
                attempts.stream()
                        .filter(writer -> writer != reader)
                        .filter(writer -> writer.status == Status.INFO && writer.slot < 0)
                        .anyMatch(writer ->
                                finalWrites(writer).getOrDefault(read.key(), 0L) == read.value());
        if (read.value() != 0 && fromUnknown) {
            return true;
        }
        List<Attempt> shown =
                attempts.stream()
                        .filter(writer -> isCommitted(writer) && writer != reader)
                        .filter(writer -> finalWrites(writer).containsKey(read.key()))
                        .filter(reader::shows)
                        .toList();
        long newest =
                shown.stream()
                        .filter(writer -> shown.stream().noneMatch(next -> next.shows(writer)))
                        .findFirst()
                        .map(writer -> finalWrites(writer).get(read.key()))
                        .orElse(0L);
        return read.value() == newest;
    }
}
