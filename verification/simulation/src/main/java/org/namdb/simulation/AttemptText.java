package org.namdb.simulation;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// An attempted transaction in words.
final class AttemptText {
    private AttemptText() {}

    static String of(
            Status status, int slot, long timestamp, long[] snapshot, List<Operation> operations) {
        String outcome =
                switch (status) {
                    case OK ->
                            slot < 0
                                    ? "has read"
                                    : "is committed as <%d,%d>".formatted(slot, timestamp);
                    case FAIL -> "is aborted";
                    case INFO ->
                            "ends in the dark, as <%d,%d> if at all".formatted(slot, timestamp);
                };
        return "TRANSACTION %s; saw %s; %s"
                .formatted(
                        outcome,
                        Arrays.toString(snapshot).toLowerCase(Locale.ROOT),
                        operations.stream().map(AttemptText::of).collect(Collectors.joining(", ")));
    }

    private static String of(Operation operation) {
        return operation.isWrite()
                ? "k%d := %d".formatted(operation.key(), operation.value())
                : operation.value() == 0
                        ? "k%d is absent".formatted(operation.key())
                        : "k%d is %d".formatted(operation.key(), operation.value());
    }
}
