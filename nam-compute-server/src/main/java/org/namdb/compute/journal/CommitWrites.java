package org.namdb.compute.journal;

import java.util.List;
import java.util.function.LongConsumer;
import org.namdb.compute.commit.CommitImageReader;

/// Takes commits apart, and hands over what they have done to the records of one part, if it counts
/// and is not in the checkpoint.
final class CommitWrites implements JournalVisitor {
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;
    private static final int WRITES_PER_REPORT = 1 << 10;

    private final JournalContents contents;
    private final ReplayVisitor visitor;
    private final int part;
    private final int parts;
    private final LongConsumer progress;
    private final CommitImageReader image = new CommitImageReader();
    private long[] key = {};

    /// @param progress gets how many more bytes of images were taken apart
    CommitWrites(
            JournalContents contents,
            ReplayVisitor visitor,
            int part,
            int parts,
            LongConsumer progress) {
        this.contents = contents;
        this.visitor = visitor;
        this.part = part;
        this.parts = parts;
        this.progress = progress;
    }

    @Override
    public void start(int generation, List<DefinedTable> tables) {
        // That is known from the first pass.
    }

    @Override
    public void definition(int generation, DefinedTable.Change change) {
        // That is known from the first pass.
    }

    @Override
    public void ddlBegins(boolean endsWithCommit) {
        // That is known from the first pass.
    }

    @Override
    public void ddlEnds(int generation) {
        // That is known from the first pass.
    }

    @Override
    public void commit(int generation, long memory, int bytes) {
        JournalContents.requireWhole(image.open(memory, bytes));
        int reported = 0;
        for (int writes = 1; image.nextWrite(); writes++) {
            if (writes % WRITES_PER_REPORT == 0) { // a commit may have millions
                progress.accept(image.position() - reported);
                reported = image.position();
            }
            TableWrites table = contents.find(generation, image.table());
            if (table == null || contents.isSeen(table, generation, image)) {
                continue;
            }
            int words = image.keyWords();
            if (key.length != words) {
                key = new long[words];
            }
            for (int word = 0; word < words; word++) {
                key[word] = image.keyWord(word);
            }
            if (partOf(key) == part) {
                visitor.write(table, key, image);
            }
        }
        progress.accept(bytes - reported);
    }

    /// Each thread that recovers has all that was done to the records of its part.
    private int partOf(long[] key) {
        long hash = 0;
        for (long word : key) {
            hash = (hash ^ word) * GOLDEN_RATIO;
            hash ^= hash >>> 32;
        }
        return (int) Long.remainderUnsigned(hash, parts);
    }
}
