package org.namdb.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// A transaction of a history that tests make and then change.
final class Attempt {
    long tid;
    String session = "";
    Status status = Status.OK;
    int slot = -1;
    long timestamp = -1;
    long begin;
    long end;
    long[] snapshot = {};
    List<Operation> operations = new ArrayList<>();

    /// Whether it failed because a transaction with a known commit timestamp had written one of
    /// its keys.
    boolean lostRace;

    static History history(List<Attempt> attempts) {
        HistoryBuilder history = History.builder();
        attempts.forEach(attempt -> attempt.addTo(history));
        return history.build();
    }

    private void addTo(HistoryBuilder history) {
        history.add(tid, session, status, slot, timestamp, begin, end, snapshot, operations);
    }

    boolean isCommit() {
        return status == Status.OK && slot >= 0;
    }

    boolean shows(Attempt other) {
        return element(other.slot) >= other.timestamp;
    }

    long element(int slot) {
        return slot < snapshot.length ? snapshot[slot] : 0;
    }

    /// A line of a history file.
    String toJson() {
        return "{\"tid\":%d,\"sid\":\"%s\",\"status\":\"%s\",\"i\":%d,\"t\":%d,\"b\":%d,\"e\":%d,\"snap\":%s,\"ops\":%s}"
                .formatted(
                        tid,
                        session,
                        status.word(),
                        slot,
                        timestamp,
                        begin,
                        end,
                        Arrays.toString(snapshot),
                        operations.stream()
                                .map(operation ->
                                        "[\"%s\",%d,%d]"
                                                .formatted(
                                                        operation.isWrite() ? "w" : "r",
                                                        operation.key(),
                                                        operation.value()))
                                .toList());
    }

    /// As [Sketch] reads it.
    @Override
    public String toString() {
        String elements =
                Arrays.stream(snapshot).mapToObj(Long::toString).collect(Collectors.joining(","));
        return "%d %s %s %s %d-%d %s%s"
                .formatted(
                        tid,
                        session,
                        status.word(),
                        slot < 0 ? "-" : slot + "@" + timestamp,
                        begin,
                        end,
                        elements.isEmpty() ? "-" : elements,
                        operations.stream()
                                .map(operation ->
                                        (operation.isWrite() ? " w" : " r")
                                                + operation.key()
                                                + "="
                                                + operation.value())
                                .collect(Collectors.joining()));
    }
}
