package org.namdb.compute.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.compute.commit.RecordChange;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.hash.TablePart;

/// What a first pass through a journal finds: which tables there are in the end, and what each
/// generation called them. So a second pass does nothing for dropped tables, and each table is made
/// as large as it will be.
final class JournalContents implements JournalVisitor {
    private final Map<Integer, Map<Integer, TableWrites>> byNumber = new HashMap<>();
    private final List<TableWrites> tables = new ArrayList<>();

    /// The steps so far of a schema change that has not ended; null outside of one.
    private @Nullable List<DefinedTable.Change> steps;

    /// Whether they count when the next commit is there.
    private boolean stepsEndWithCommit;

    private final CommitImageReader image = new CommitImageReader();
    private int checkpointGeneration;
    private long commits;
    private long commitBytes;

    /// There is a checkpoint of this generation.
    void checkpointOf(int generation) {
        checkpointGeneration = generation;
    }

    /// A table that the checkpoint has.
    ///
    /// @param part of it
    /// @param seen by slot, up to which timestamp the rows of this part are in it
    TableWrites checkpointed(int generation, DefinedTable table, TablePart part, long[] seen) {
        TableWrites writes = table(generation, table.number());
        writes.define(table);
        writes.beginRows(part, seen);
        return writes;
    }

    /// Rows of the checkpoint.
    void counted(int generation, int number, long rows) {
        table(generation, number).countRows(rows);
    }

    @Override
    public void start(int generation, List<DefinedTable> there) {
        stepsEndWithCommit = false;
        steps = null; // those of a process that has died meanwhile were never made
        if (generation == checkpointGeneration) {
            return; // the checkpoint has what became of these tables later
        }
        Map<String, TableWrites> before = new LinkedHashMap<>();
        for (TableWrites each : tables) {
            DefinedTable defined = each.defined();
            if (defined != null && each.isThere()) {
                before.put(defined.definition().name(), each);
            }
        }
        for (DefinedTable each : there) {
            TableWrites known = before.get(each.definition().name());
            if (known == null) {
                throw new JournalException(
                        JournalException.Kind.DAMAGED,
                        "generation %d of the journal begins with table %s, which was not there"
                                .formatted(generation, each.definition().name()),
                        null);
            }
            known.define(each);
            byNumber.computeIfAbsent(generation, _ -> new HashMap<>()).put(each.number(), known);
        }
    }

    @Override
    public void definition(int generation, DefinedTable.Change change) {
        if (change.isStep() && steps != null) {
            steps.add(change);
        } else {
            change(generation, change);
        }
    }

    private void change(int generation, DefinedTable.Change change) {
        for (int number : change.gone()) {
            table(generation, number).drop();
        }
        for (DefinedTable each : change.defined()) {
            table(generation, each.number()).define(each);
        }
    }

    @Override
    public void ddlBegins(boolean endsWithCommit) {
        steps = new ArrayList<>();
        stepsEndWithCommit = endsWithCommit;
    }

    @Override
    public void ddlEnds(int generation) {
        List<DefinedTable.Change> made = steps;
        steps = null;
        stepsEndWithCommit = false;
        if (made != null) {
            made.forEach(change -> change(generation, change));
        }
    }

    @Override
    public void commit(int generation, long memory, int bytes) {
        requireWhole(image.open(memory, bytes));
        commits++;
        commitBytes += bytes;
        if (stepsEndWithCommit) {
            ddlEnds(generation);
        }
        while (image.nextWrite()) {
            TableWrites table = table(generation, image.table());
            if (!isSeen(table, generation, image)) {
                RecordChange.Kind kind = image.kind();
                table.count(
                        kind == RecordChange.Kind.INSERT ? 1 : 0,
                        kind == RecordChange.Kind.DELETE ? 1 : 0);
            }
        }
    }

    static void requireWhole(boolean isWhole) {
        if (!isWhole) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "an image of a commit in the journal is damaged",
                    null);
        }
    }

    private TableWrites table(int generation, int number) {
        return byNumber.computeIfAbsent(generation, _ -> new HashMap<>())
                .computeIfAbsent(
                        number,
                        _ -> {
                            TableWrites made = new TableWrites();
                            tables.add(made);
                            return made;
                        });
    }

    /// The table that a generation has called so; null if it is not there in the end.
    @Nullable TableWrites find(int generation, int number) {
        Map<Integer, TableWrites> numbers = byNumber.get(generation);
        TableWrites found = numbers == null ? null : numbers.get(number);
        return found != null && found.isThere() ? found : null;
    }

    /// Whether the checkpoint has what a commit has made of a record of a table.
    ///
    /// @param image at that write
    boolean isSeen(TableWrites table, int generation, CommitImageReader image) {
        return generation == checkpointGeneration
                && !PlantedFault.CHECKPOINTED_REPLAYED.isPlanted()
                && table.isSeen(image);
    }

    /// The tables that are there in the end.
    List<TableWrites> tables() {
        return tables.stream().filter(TableWrites::isThere).toList();
    }

    long commits() {
        return commits;
    }

    /// How many bytes their images have.
    long commitBytes() {
        return commitBytes;
    }
}
