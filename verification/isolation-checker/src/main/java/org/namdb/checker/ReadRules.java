package org.namdb.checker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.history.Write;

/// A read returns what the transaction itself wrote last; else the newest version that its snapshot
/// shows, or 0.
///
/// The newest one is recognised by its successor, which the snapshot doesn't show: versions that a
/// snapshot shows are the first ones of their key, if the other rules hold. Reads of transactions
/// that have failed, or whose outcome is unknown, are checked as all others.
final class ReadRules {
    private static final int MAX_KEPT = 100;

    private final Evidence evidence;
    private final Findings findings;
    private final WriteSkews skews;
    private final ReadExplanations explanations;

    /// By key, what a transaction's next read has to return: its last write, else its first read.
    private Map<Long, Operation> known = new HashMap<>();

    ReadRules(Evidence evidence, Findings findings, WriteSkews skews) {
        this.skews = skews;
        this.evidence = evidence;
        this.findings = findings;
        this.explanations = new ReadExplanations(evidence);
    }

    void check() {
        for (Transaction reader : evidence.history().transactions()) {
            checkReads(reader);
        }
    }

    private void checkReads(Transaction reader) {
        List<Operation> operations = reader.operations();
        evidence.steps().add(operations.size());
        if (known.size() > MAX_KEPT) {
            known = new HashMap<>(); // clearing a large one for each small transaction takes long
        }
        known.clear();
        for (Operation operation : operations) {
            if (operation.isWrite()) {
                known.put(operation.key(), operation);
                continue;
            }
            Operation before = known.putIfAbsent(operation.key(), operation);
            if (before == null) {
                checkRead(reader, operation);
            } else if (before.value() != operation.value()) {
                findings.add(
                        before.isWrite() ? Rule.OWN_WRITE_MISSED : Rule.NON_REPEATABLE_READ,
                        1,
                        reader.endNanos(),
                        () -> explanations.repeated(reader, before, operation));
            }
        }
    }

    private void checkRead(Transaction reader, Operation read) {
        @Nullable Write write =
                read.value() == 0
                        ? null
                        : evidence.history().writes().find(read.key(), read.value());
        if (write == null) {
            if (read.value() == 0) {
                checkNewest(reader, read, evidence.versions().oldest(read.key()));
            } else {
                findings.add(
                        Rule.UNWRITTEN_READ,
                        1,
                        reader.endNanos(),
                        () -> explanations.unwritten(reader, read));
            }
        } else if (write.writer() == reader) {
            findings.add(
                    Rule.FUTURE_READ,
                    1,
                    reader.endNanos(),
                    () -> explanations.ownFuture(reader, read));
        } else {
            checkVersion(reader, read, write);
        }
    }

    private void checkVersion(Transaction reader, Operation read, Write write) {
        Transaction writer = write.writer();
        if (writer.status() == Status.FAIL) {
            findings.add(
                    Rule.ABORTED_READ,
                    2,
                    reader.endNanos(),
                    () -> explanations.aborted(reader, write));
        } else if (!write.isFinal()) {
            findings.add(
                    Rule.INTERMEDIATE_READ,
                    2,
                    reader.endNanos(),
                    () -> explanations.intermediate(reader, write));
        } else if (writer.hasTimestamp()) {
            if (reader.snapshot().shows(writer)) {
                checkNewest(reader, read, evidence.versions().next(write));
            } else {
                findings.add(
                        Rule.FUTURE_READ,
                        2,
                        reader.endNanos(),
                        () -> explanations.future(reader, write));
            }
        }
        // Else its commit timestamp is unknown, so it is not certain that the snapshot doesn't show
        // it.
    }

    /// @param next the version after the one that was read
    private void checkNewest(Transaction reader, Operation read, @Nullable Write next) {
        if (next == null || next.writer() == reader) {
            return;
        }
        if (!reader.snapshot().shows(next.writer())) {
            skews.add(reader, next.writer());
        } else {
            findings.add(
                    Rule.STALE_READ,
                    2,
                    reader.endNanos(),
                    () -> explanations.stale(reader, read, next));
        }
    }
}
