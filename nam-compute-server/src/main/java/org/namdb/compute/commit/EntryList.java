package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.schema.KeyLayout;

/// Index entries of a commit, with where their records are, in the order in which they were added:
/// in native memory, as there may be millions.
/// ```
///  0 | number of the index (8)
///  8 | address of the record's header
/// 16 | address of its body
/// 24 | entry ...
/// ```
/// Read from the first to the last: `start()`, then [#next] until it is false; or by
/// `startInTurn()` and [#nextInTurn]. Reused.
final class EntryList {
    private static final int BLOCK_BYTES = 1 << 12;
    private static final int TURNS = ChangeBatch.MAX_CHANGES;
    private static final int HEADER_ADDRESS = 8;
    private static final int BODY_ADDRESS = 16;
    private static final int ENTRY = 24;

    /// In place of the number of an index: the block has no more entries.
    private static final long END_OF_BLOCK = -1;

    private final LocalAllocator memory;
    private Table[] tables = new Table[4];
    private Index[] indexes = new Index[4];
    private int indexCount;
    private long[] blocks = new long[4];
    private int blockCount;
    private int count;

    /// The block and the offset of the next entry that is added.
    private int endBlock;

    private int end;

    /// The same of the next one that is read, and how many were.
    private int nextBlock;

    private int next;
    private int read;
    private long at;

    /// Read in turn: the first of the blocks, which is next, and for each the offset of its next
    /// entry.
    private int turnBlock;

    private int turn;
    private final int[] turnNext = new int[TURNS];
    private final long[] entry = new long[KeyLayout.MAX_WORDS];

    /// @param memory lasts as long as a transaction
    EntryList(LocalAllocator memory) {
        this.memory = memory;
    }

    /// Makes it empty, to be filled by the same transaction.
    void clear() {
        count = 0;
        endBlock = 0;
        end = 0;
    }

    /// Makes it empty; its memory is another transaction's.
    void forget() {
        clear();
        blockCount = 0;
        Arrays.fill(tables, 0, indexCount, null);
        Arrays.fill(indexes, 0, indexCount, null);
        indexCount = 0;
    }

    /// Frees the space for many.
    void shrink() {
        forget();
        blocks = new long[4];
    }

    int count() {
        return count;
    }

    /// Adds a copy of an entry of a change's record, whose lock or claim is known.
    void add(RecordChange change, Index index, long[] words) {
        add(change.table(), index, words, change.write.headerAddress(), change.write.bodyAddress());
    }

    /// Adds a copy of another list's current entry.
    void add(EntryList list) {
        add(list.table(), list.index(), list.entry(), list.headerAddress(), list.bodyAddress());
    }

    private void add(Table table, Index index, long[] words, long headerAddress, long bodyAddress) {
        int bytes = bytes(index);
        if (end + bytes > BLOCK_BYTES) {
            if (end < BLOCK_BYTES) {
                LocalMemory.putLong(blocks[endBlock] + end, END_OF_BLOCK);
            }
            endBlock++;
            end = 0;
        }
        if (endBlock == blockCount) {
            if (blockCount == blocks.length) {
                blocks = Arrays.copyOf(blocks, 2 * blockCount);
            }
            blocks[blockCount] = memory.allocate(BLOCK_BYTES);
            blockCount++;
        }
        long to = blocks[endBlock] + end;
        LocalMemory.putLong(to, number(table, index));
        LocalMemory.putLong(to + HEADER_ADDRESS, headerAddress);
        LocalMemory.putLong(to + BODY_ADDRESS, bodyAddress);
        for (int word = 0; word < index.layout().words(); word++) {
            LocalMemory.putLong(to + ENTRY + 8L * word, words[word]);
        }
        end += bytes;
        count++;
    }

    private static int bytes(Index index) {
        return ENTRY + index.layout().words() * Long.BYTES;
    }

    private int number(Table table, Index index) {
        for (int i = 0; i < indexCount; i++) {
            if (indexes[i] == index && tables[i] == table) {
                return i;
            }
        }
        if (indexCount == indexes.length) {
            tables = Arrays.copyOf(tables, 2 * indexCount);
            indexes = Arrays.copyOf(indexes, 2 * indexCount);
        }
        tables[indexCount] = table;
        indexes[indexCount] = index;
        return indexCount++;
    }

    /// Restarts before the first entry.
    void start() {
        nextBlock = 0;
        next = 0;
        read = 0;
    }

    /// Moves to the next entry.
    ///
    /// @return whether there is one
    boolean next() {
        if (read == count) {
            return false;
        }
        if (next == BLOCK_BYTES || LocalMemory.longAt(blocks[nextBlock] + next) == END_OF_BLOCK) {
            nextBlock++;
            next = 0;
        }
        at = blocks[nextBlock] + next;
        next += bytes(index());
        read++;
        return true;
    }

    /// Restarts for [#nextInTurn].
    void startInTurn() {
        turnBlock = 0;
        turn = 0;
        Arrays.fill(turnNext, 0);
    }

    /// Moves to the next entry, of another block than the one before: entries behind each other may
    /// lie in one leaf, which a batch latches for one change after the other.
    ///
    /// @return whether there is one
    boolean nextInTurn() {
        while (turnBlock <= endBlock) {
            for (int tried = 0; tried < TURNS; tried++) {
                int now = turn;
                turn = (turn + 1) % TURNS;
                if (isAnyLeft(turnBlock + now, turnNext[now])) {
                    at = blocks[turnBlock + now] + turnNext[now];
                    turnNext[now] += bytes(index());
                    return true;
                }
            }
            turnBlock += TURNS;
            Arrays.fill(turnNext, 0);
        }
        return false;
    }

    private boolean isAnyLeft(int block, int offset) {
        if (block >= endBlock) {
            return block == endBlock && offset < end;
        }
        return offset < BLOCK_BYTES && LocalMemory.longAt(blocks[block] + offset) != END_OF_BLOCK;
    }

    /// The table of the current entry; also below.
    Table table() {
        return tables[(int) LocalMemory.longAt(at)];
    }

    Index index() {
        return indexes[(int) LocalMemory.longAt(at)];
    }

    long headerAddress() {
        return LocalMemory.longAt(at + HEADER_ADDRESS);
    }

    long bodyAddress() {
        return LocalMemory.longAt(at + BODY_ADDRESS);
    }

    /// Its words, until the next use of the list.
    long[] entry() {
        int words = index().layout().words();
        for (int word = 0; word < words; word++) {
            entry[word] = LocalMemory.longAt(at + ENTRY + 8L * word);
        }
        return entry;
    }
}
