package org.namdb.checker;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.history.Write;

/// Explains what is wrong with a read.
final class ReadExplanations {
    private final Evidence evidence;
    private final Dependencies dependencies;

    ReadExplanations(Evidence evidence) {
        this.evidence = evidence;
        this.dependencies = new Dependencies(evidence);
    }

    Violation repeated(Transaction reader, Operation before, Operation read) {
        return alone(
                before.isWrite() ? Rule.OWN_WRITE_MISSED : Rule.NON_REPEATABLE_READ,
                reader,
                read,
                "%s %s %s, and then read %s."
                        .formatted(
                                reader.name(),
                                before.isWrite() ? "wrote" : "read",
                                Words.assignment(before.key(), before.value()),
                                Words.assignment(read.key(), read.value())));
    }

    Violation unwritten(Transaction reader, Operation read) {
        return alone(
                Rule.UNWRITTEN_READ,
                reader,
                read,
                "%s read %s, which no transaction wrote."
                        .formatted(reader.name(), Words.assignment(read.key(), read.value())));
    }

    Violation ownFuture(Transaction reader, Operation read) {
        return alone(
                Rule.FUTURE_READ,
                reader,
                read,
                "%s read %s before it wrote that itself."
                        .formatted(reader.name(), Words.assignment(read.key(), read.value())));
    }

    Violation aborted(Transaction reader, Write write) {
        return new Violation(
                Rule.ABORTED_READ,
                List.of(write.writer(), reader),
                List.of(write.key()),
                "%s, which has failed.".formatted(from(reader, write)),
                List.of());
    }

    Violation intermediate(Transaction reader, Write write) {
        return Violation.ofCycle(
                Rule.INTERMEDIATE_READ,
                List.of(write.key()),
                "%s, which itself wrote k%d = %d after that."
                        .formatted(from(reader, write), write.key(), finalValue(write)),
                List.of(
                        new Dependency(write.writer(), Kind.WR, write.key(), reader),
                        new Dependency(reader, Kind.RW, write.key(), write.writer())));
    }

    Violation future(Transaction reader, Write write) {
        Transaction writer = write.writer();
        return Violation.ofCycle(
                Rule.FUTURE_READ,
                List.of(write.key()),
                "%s, whose commit %s its snapshot doesn't show: it has slot %d at %d."
                        .formatted(
                                from(reader, write),
                                writer.commitTimestamp(),
                                writer.slot(),
                                reader.snapshot().element(writer.slot())),
                List.of(
                        new Dependency(writer, Kind.WR, write.key(), reader),
                        dependencies.misses(reader, writer)));
    }

    /// @param next the version after the one that was read, which the snapshot shows
    Violation stale(Transaction reader, Operation read, Write next) {
        Write newest = newestShown(reader, next);
        String shown =
                newest.equals(next)
                        ? "its snapshot shows %s's commit %s"
                                .formatted(next.writer().name(), next.writer().commitTimestamp())
                        : "its snapshot shows %s's commit %s, and newer ones up to %s's %s"
                                .formatted(
                                        next.writer().name(),
                                        next.writer().commitTimestamp(),
                                        newest.writer().name(),
                                        newest.writer().commitTimestamp());
        return Violation.ofCycle(
                Rule.STALE_READ,
                List.of(read.key()),
                "%s read %s instead of %d: %s."
                        .formatted(
                                reader.name(),
                                Words.assignment(read.key(), read.value()),
                                newest.value(),
                                shown),
                List.of(
                        dependencies.seenBy(next.writer(), reader),
                        new Dependency(reader, Kind.RW, read.key(), next.writer())));
    }

    private Write newestShown(Transaction reader, Write shown) {
        @Nullable Write next = evidence.versions().next(shown);
        while (next != null && reader.snapshot().shows(next.writer())) {
            shown = next;
            next = evidence.versions().next(shown);
        }
        return shown;
    }

    private static Violation alone(
            Rule rule, Transaction reader, Operation read, String explanation) {
        return new Violation(rule, List.of(reader), List.of(read.key()), explanation, List.of());
    }

    private static String from(Transaction reader, Write write) {
        return "%s read %s from %s"
                .formatted(
                        reader.name(),
                        Words.assignment(write.key(), write.value()),
                        write.writer().name());
    }

    private static long finalValue(Write write) {
        return write.writer().operations().stream()
                .filter(operation -> operation.isWrite() && operation.key() == write.key())
                .reduce((first, second) -> second)
                .orElseThrow()
                .value();
    }
}
