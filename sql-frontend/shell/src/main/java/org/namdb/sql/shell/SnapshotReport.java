package org.namdb.sql.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.namdb.sql.shell.ShellConnection.Status;

/// What `\tx` shows: the snapshot that the session reads, slot by slot, and what its transaction
/// has done.
final class SnapshotReport {
    private static final int SLOTS_IN_LINE = 4;
    private static final double MILLIS = 1e3;
    private static final double NANOS_PER_MILLI = 1e6;

    private SnapshotReport() {}

    static List<String> lines(String session, Status status, SnapshotFacts facts) {
        List<String> lines = new ArrayList<>();
        lines.add("session " + session + ", slot " + facts.ownSlot() + ": " + state(status, facts));
        if (facts.slots().isEmpty()) {
            lines.add(
                    facts.age() == null
                            ? "snapshot: none yet; a transaction's first statement takes one"
                            : "snapshot: nothing was committed before it");
        } else {
            lines.add("snapshot: the last commit that it sees of each slot (* its own)");
            lines.addAll(vector(facts));
        }
        lines.add(
                "write set: %,d row%s"
                        .formatted(facts.writtenRows(), facts.writtenRows() == 1 ? "" : "s"));
        lines.add(
                "old versions that this session has to keep: "
                        + StatementCost.size(facts.heldBytes()));
        return lines;
    }

    private static String state(Status status, SnapshotFacts facts) {
        return switch (status) {
            case IDLE -> "no transaction is open";
            case ACTIVE -> "in a transaction" + age(facts);
            case FAILED -> "in a transaction that has failed, ROLLBACK ends it" + age(facts);
        };
    }

    private static String age(SnapshotFacts facts) {
        Duration age = facts.age();
        if (age == null) {
            return "";
        }
        double millis = age.toNanos() / NANOS_PER_MILLI;
        return millis < MILLIS
                ? String.format(Locale.ROOT, ", its snapshot is %.1f ms old", millis)
                : String.format(Locale.ROOT, ", its snapshot is %.1f s old", millis / MILLIS);
    }

    /// As in `slot 0  17   slot 3*  4`: aligned, the own one with a star.
    private static List<String> vector(SnapshotFacts facts) {
        int slotWidth = facts.slots().lastKey().toString().length();
        int timeWidth =
                facts.slots().values().stream()
                        .mapToInt(t -> t.toString().length())
                        .max()
                        .orElse(1);
        String cell = "slot %" + slotWidth + "d%s %" + timeWidth + "d";
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        int inLine = 0;
        for (var slot : facts.slots().entrySet()) {
            String own = slot.getKey() == facts.ownSlot() ? "*" : " ";
            line.append("   ").append(cell.formatted(slot.getKey(), own, slot.getValue()));
            if (++inLine == SLOTS_IN_LINE) {
                lines.add(line.toString());
                line.setLength(0);
                inLine = 0;
            }
        }
        if (!line.isEmpty()) {
            lines.add(line.toString());
        }
        return lines;
    }
}
