package org.namdb.compute.journal;

import java.util.HashMap;
import java.util.Map;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.hash.TablePart;

/// Takes a checkpoint's rows apart, and hands one of so many blocks over: the rows of a block are
/// neighbours by their hashes, so threads that load different blocks seldom meet in a bucket.
final class CheckpointRows implements CheckpointFile.Visitor {
    private final JournalContents contents;
    private final RowVisitor visitor;
    private final int part;
    private final int parts;
    private final Map<Integer, Integer> beginnings = new HashMap<>();
    private int blocks;
    private long[] key = {};

    CheckpointRows(JournalContents contents, RowVisitor visitor, int part, int parts) {
        this.contents = contents;
        this.visitor = visitor;
        this.part = part;
        this.parts = parts;
    }

    @Override
    public void table(
            CheckpointFile.Head head, DefinedTable table, TablePart ofTable, long[] seen) {
        int _ = beginnings.merge(table.number(), 1, Integer::sum);
    }

    @Override
    public void rows(CheckpointFile.Head head, int number, long rows, long memory) {
        TableWrites table = contents.find(head.generation(), number);
        if (table == null
                || !table.isCounted(beginnings.getOrDefault(number, 0))
                || blocks++ % parts != part) {
            return;
        }
        int words = table.keyWords();
        if (key.length != words) {
            key = new long[words];
        }
        long at = memory;
        for (long row = 0; row < rows; row++) {
            for (int word = 0; word < words; word++, at += 8) {
                key[word] = LocalMemory.longAt(at);
            }
            visitor.row(table, key, at);
            at += table.payloadBytes();
        }
    }
}
