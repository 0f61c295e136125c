package org.namdb.compute.commit;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordWrite;

/// The changed records of a large transaction in native memory, in the order of their first
/// changes, and a hash table that finds them by their keys. An entry of 64 bytes and the key:
/// ```
///  0 | table (2) | state (1) | flags (1) | row (4)     | the object that has taken the record over
///  8 | serial of the insert (4)          | undo (4)    | its newest entry in the savepoints
/// 16 | native address of the payload, behind a null versions word; 0 for none
/// 24 | header that was read, or is locked
/// 32 | address of the header
/// 40 | address of the body
/// 48 | changed columns
/// 56 | columns that were read; in a commit, the old-version buffer or the overflow version that it
///    | has got, or the overflow version that it has cut off
/// 64 | key ...
/// ```
/// An entry has a *reference*: its place in blocks of 64 KiB, in words. References rise in the
/// order in which entries are added. A slot of the hash table is a word, 32 bits of the key's hash
/// and the reference, so that rehashing, and most comparisons with other keys, read no entries.
///
/// The memory is the transaction's: nothing is freed before its end, except what a rollback to a
/// savepoint takes out, which later entries use. Belongs to one thread.
public final class PackedChanges {
    /// For [#find]: there is none.
    public static final int NONE = -1;

    /// The states: those of [RecordChange.Kind#code], and two of records that are not written.
    public static final byte UNCHANGED = 0;

    /// Inserted and deleted by the same transaction.
    public static final byte NOTHING = 4;

    /// The flags: what the lookup of the record has found, and whether there was one.
    private static final int PRESENT = 1;

    private static final int CURRENT = 2;
    private static final int BLIND = 4;

    /// The flags that a commit sets.
    private static final int CLAIMED = 8;

    private static final int LOCKED = 16;
    private static final int PREPARED = 32;
    private static final int FRESH_BUFFER = 64;

    /// The overflow version is cut off.
    private static final int CUT = 128;

    private static final int BLOCK_BYTES = 1 << 16;
    private static final int BLOCK_WORDS_BITS = 13;
    private static final int WITHIN_BLOCK = (1 << BLOCK_WORDS_BITS) - 1;
    private static final int FIRST_SLOTS = 1 << 12;
    private static final int MAX_SLOTS = 1 << 27;
    private static final long REFERENCE = 0xffff_ffffL;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private static final int TABLE = 0;
    private static final int STATE = 2;
    private static final int FLAGS = 3;
    private static final int ROW = 4;
    private static final int SERIAL = 8;
    private static final int UNDO = 12;
    private static final int PAYLOAD = 16;
    private static final int HEADER = 24;
    private static final int HEADER_ADDRESS = 32;
    private static final int BODY_ADDRESS = 40;
    private static final int CHANGED = 48;
    private static final int LOADED = 56;
    private static final int KEY = 64;
    private static final int HEAD_WORDS = KEY / Long.BYTES;

    /// In place of a table's number: the block has no more entries.
    private static final short END_OF_BLOCK = -1;

    private final LocalAllocator memory;
    private Table[] tables = new Table[4];
    private int tableCount;
    private long[] blocks = new long[16];
    private int blockCount;

    /// The next entry's reference, if it fits in the block.
    private int end;

    private int count;
    private long slots;
    private int slotCount;

    /// @param memory lasts as long as a transaction
    public PackedChanges(LocalAllocator memory) {
        this.memory = memory;
    }

    /// A transaction begins or ends: its memory is another one's.
    public void clear() {
        if (slotCount > 0) {
            Arrays.fill(tables, null);
            tableCount = 0;
            blockCount = 0;
            blocks = new long[16];
            end = 0;
            count = 0;
            slots = 0;
            slotCount = 0;
        }
    }

    /// How many there are.
    public int count() {
        return count;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /// Adds a record; all but its key is still to be set.
    ///
    /// @return its reference
    public int add(Table table, RecordRead read) {
        int keyWords = table.records().layout().keyWords();
        int words = HEAD_WORDS + keyWords;
        if (4L * (count + 1) > 3L * slotCount) {
            grow();
        }
        int within = end & WITHIN_BLOCK;
        if (within + words > WITHIN_BLOCK + 1) {
            LocalMemory.putShort(at(end), END_OF_BLOCK);
            end += WITHIN_BLOCK + 1 - within;
            within = 0;
        }
        if (within == 0 && end >>> BLOCK_WORDS_BITS == blockCount) {
            addBlock();
        }
        int reference = end;
        long at = at(reference);
        LocalMemory.putShort(at + TABLE, (short) number(table));
        LocalMemory.putInt(at + ROW, NONE);
        for (int word = 0; word < keyWords; word++) {
            LocalMemory.putLong(at + KEY + 8L * word, read.key()[word]);
        }
        int slot = slot(hash(table, read.key(), keyWords));
        while (LocalMemory.longAt(slots + 8L * slot) != 0) {
            slot = slot + 1 & slotCount - 1;
        }
        putSlot(slot, hash(table, read.key(), keyWords), reference);
        end += words;
        count++;
        return reference;
    }

    private void addBlock() {
        if (blockCount == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * blockCount);
        }
        blocks[blockCount] = memory.allocate(BLOCK_BYTES);
        blockCount++;
    }

    private int number(Table table) {
        for (int i = tableCount - 1; i >= 0; i--) {
            if (tables[i] == table) {
                return i;
            }
        }
        if (tableCount == tables.length) {
            tables = Arrays.copyOf(tables, 2 * tableCount);
        }
        tables[tableCount] = table;
        return tableCount++;
    }

    /// Whether there may be records of a table.
    public boolean has(Table table) {
        for (int i = 0; i < tableCount; i++) {
            if (tables[i] == table) {
                return true;
            }
        }
        return false;
    }

    /// The record with this key, or [#NONE].
    public int find(Table table, long[] key) {
        if (count == 0) {
            return NONE;
        }
        int keyWords = table.records().layout().keyWords();
        int hash = hash(table, key, keyWords);
        for (int slot = slot(hash); ; slot = slot + 1 & slotCount - 1) {
            long word = LocalMemory.longAt(slots + 8L * slot);
            if (word == 0) {
                return NONE;
            }
            if ((int) (word >>> 32) == hash && isOf(reference(word), table, key, keyWords)) {
                return reference(word);
            }
        }
    }

    private boolean isOf(int reference, Table table, long[] key, int keyWords) {
        long at = at(reference);
        boolean isSame = tables[LocalMemory.shortAt(at + TABLE)] == table;
        for (int word = 0; word < keyWords && isSame; word++) {
            isSame = LocalMemory.longAt(at + KEY + 8L * word) == key[word];
        }
        return isSame;
    }

    private void grow() {
        int formerCount = slotCount;
        long former = slots;
        if (formerCount == MAX_SLOTS) {
            throw new IllegalStateException("a transaction changes at most 100,000,000 records");
        }
        int bigger = Math.max(FIRST_SLOTS, 2 * formerCount);
        slots = memory.allocate(bigger * Long.BYTES);
        slotCount = bigger;
        LocalMemory.zero(slots, 8L * bigger);
        for (int i = 0; i < formerCount; i++) {
            long word = LocalMemory.longAt(former + 8L * i);
            if (word != 0) {
                place(word);
            }
        }
        if (formerCount > 0) {
            memory.free(former, formerCount * Long.BYTES);
        }
    }

    private void place(long word) {
        int slot = slot((int) (word >>> 32));
        while (LocalMemory.longAt(slots + 8L * slot) != 0) {
            slot = slot + 1 & slotCount - 1;
        }
        LocalMemory.putLong(slots + 8L * slot, word);
    }

    private void putSlot(int slot, int hash, int reference) {
        LocalMemory.putLong(slots + 8L * slot, (long) hash << 32 | reference + 1L);
    }

    private static int reference(long slot) {
        return (int) ((slot & REFERENCE) - 1);
    }

    /// Where probing for a key with this hash begins.
    private int slot(int hash) {
        return hash & slotCount - 1;
    }

    private static int hash(Table table, long[] key, int words) {
        long hash = table.records().id();
        for (int word = 0; word < words; word++) {
            hash = (hash ^ key[word]) * MIX;
            hash ^= hash >>> 32;
        }
        return (int) (hash * MIX >>> 32);
    }

    /// The first record, for a walk through all: `for (at = first(); at != end(); at = next(at))`.
    public int first() {
        return from(0);
    }

    /// The record after another one; [#end] after the last one.
    public int next(int reference) {
        Table table = tables[LocalMemory.shortAt(at(reference) + TABLE)];
        return from(reference + HEAD_WORDS + table.records().layout().keyWords());
    }

    /// Below the reference of every record that is added from now on, and above all others.
    public int end() {
        return end;
    }

    /// The first record whose reference is not below `reference`, which is that of a record, or
    /// what [#end] was at some moment.
    public int from(int reference) {
        boolean isEndOfBlock =
                reference < end
                        && (reference & WITHIN_BLOCK) != 0
                        && LocalMemory.shortAt(at(reference)) == END_OF_BLOCK;
        return Math.min(end, isEndOfBlock ? (reference | WITHIN_BLOCK) + 1 : reference);
    }

    /// Takes out all records from `mark` on, what [#end] was at some moment.
    public void truncate(int mark) {
        for (int at = from(mark); at != end; at = next(at)) {
            remove(at);
            count--;
        }
        end = mark;
    }

    /// Takes a reference out of the hash table: those behind it in its run that would not be found
    /// any more move up.
    private void remove(int reference) {
        Table table = table(reference);
        int mask = slotCount - 1;
        int hole =
                slot(
                        hash(
                                table,
                                key(reference, new long[keyWords(reference)]),
                                keyWords(reference)));
        while (reference(LocalMemory.longAt(slots + 8L * hole)) != reference) {
            hole = hole + 1 & mask;
        }
        for (int slot = hole + 1 & mask; ; slot = slot + 1 & mask) {
            long word = LocalMemory.longAt(slots + 8L * slot);
            if (word == 0) {
                break;
            }
            int wanted = slot((int) (word >>> 32));
            if ((slot - wanted & mask) >= (slot - hole & mask)) {
                LocalMemory.putLong(slots + 8L * hole, word);
                hole = slot;
            }
        }
        LocalMemory.putLong(slots + 8L * hole, 0);
    }

    private long at(int reference) {
        return blocks[reference >>> BLOCK_WORDS_BITS] + 8L * (reference & WITHIN_BLOCK);
    }

    public Table table(int reference) {
        return tables[LocalMemory.shortAt(at(reference) + TABLE)];
    }

    private int keyWords(int reference) {
        return table(reference).records().layout().keyWords();
    }

    /// Copies the key to `into`.
    ///
    /// @return `into`
    public long[] key(int reference, long[] into) {
        long at = at(reference) + KEY;
        int words = keyWords(reference);
        for (int word = 0; word < words; word++) {
            into[word] = LocalMemory.longAt(at + 8L * word);
        }
        return into;
    }

    /// What becomes of the record: the code of a [RecordChange.Kind], [#UNCHANGED] or [#NOTHING].
    public byte state(int reference) {
        return LocalMemory.byteAt(at(reference) + STATE);
    }

    public void setState(int reference, byte state) {
        LocalMemory.putByte(at(reference) + STATE, state);
    }

    /// Takes what a lookup has found, if it was made.
    ///
    /// @param isBlind whether it was not made
    public void setRead(int reference, RecordRead read, boolean isBlind) {
        long at = at(reference);
        int flags =
                (read.isPresent() ? PRESENT : 0)
                        | (read.isCurrent() ? CURRENT : 0)
                        | (isBlind ? BLIND : 0);
        LocalMemory.putByte(at + FLAGS, (byte) flags);
        LocalMemory.putLong(at + HEADER, read.header());
        LocalMemory.putLong(at + HEADER_ADDRESS, read.headerAddress());
        LocalMemory.putLong(at + BODY_ADDRESS, read.bodyAddress());
    }

    /// Makes `read` the lookup that has found the record.
    public void restore(int reference, RecordRead read, long[] scratch) {
        long at = at(reference);
        int flags = LocalMemory.byteAt(at + FLAGS);
        read.restore(
                table(reference).records(),
                key(reference, scratch),
                (flags & PRESENT) != 0,
                (flags & CURRENT) != 0,
                LocalMemory.longAt(at + HEADER),
                LocalMemory.longAt(at + HEADER_ADDRESS),
                LocalMemory.longAt(at + BODY_ADDRESS));
    }

    /// Saves a commit's progress with the record.
    void save(int reference, RecordWrite write, boolean isPrepared) {
        long at = at(reference);
        boolean isCut = !RemoteAddress.isNull(write.deadOverflow());
        int flags =
                LocalMemory.byteAt(at + FLAGS) & (PRESENT | CURRENT | BLIND)
                        | (write.isClaimed() ? CLAIMED : 0)
                        | (write.isLocked() ? LOCKED : 0)
                        | (isPrepared ? PREPARED : 0)
                        | (write.hasFreshBuffer() ? FRESH_BUFFER : 0)
                        | (isCut ? CUT : 0);
        LocalMemory.putByte(at + FLAGS, (byte) flags);
        LocalMemory.putLong(at + HEADER, write.header());
        LocalMemory.putLong(at + HEADER_ADDRESS, write.headerAddress());
        LocalMemory.putLong(at + BODY_ADDRESS, write.bodyAddress());
        long kept = write.hasFreshBuffer() ? write.versions() : write.moved();
        LocalMemory.putLong(at + LOADED, isCut ? write.deadOverflow() : kept);
    }

    /// Has `write` continue a commit's progress with the record, if it has begun.
    ///
    /// @return whether it was prepared
    boolean resume(int reference, RecordWrite write) {
        long at = at(reference);
        int flags = LocalMemory.byteAt(at + FLAGS);
        if ((flags & (CLAIMED | LOCKED)) != 0) {
            long kept = LocalMemory.longAt(at + LOADED);
            boolean isFresh = (flags & FRESH_BUFFER) != 0;
            boolean isCut = (flags & CUT) != 0;
            write.resume(
                    table(reference).records(),
                    LocalMemory.longAt(at + HEADER),
                    LocalMemory.longAt(at + HEADER_ADDRESS),
                    LocalMemory.longAt(at + BODY_ADDRESS),
                    isFresh ? kept : RemoteAddress.NULL,
                    (flags & CLAIMED) != 0,
                    (flags & LOCKED) != 0,
                    isFresh,
                    isFresh || isCut ? RemoteAddress.NULL : kept,
                    isCut ? kept : RemoteAddress.NULL);
        }
        return (flags & PREPARED) != 0;
    }

    /// Nothing of the record is locked: a commit begins.
    void startCommit(int reference) {
        long at = at(reference) + FLAGS;
        LocalMemory.putByte(at, (byte) (LocalMemory.byteAt(at) & (PRESENT | CURRENT | BLIND)));
    }

    /// Words of both cache lines that most of an entry is in.
    long firstWords(int reference) {
        long at = at(reference);
        return LocalMemory.longAt(at) + LocalMemory.longAt(at + KEY);
    }

    /// The home bucket for the key, as far as this process knows.
    long home(int reference, long[] scratch) {
        return table(reference).records().home(hash(reference, scratch));
    }

    /// The hash of the key.
    long hash(int reference, long[] scratch) {
        return table(reference).records().hash(key(reference, scratch));
    }

    /// Whether there was a record before, as the snapshot shows it.
    public boolean isPresent(int reference) {
        return (LocalMemory.byteAt(at(reference) + FLAGS) & PRESENT) != 0;
    }

    /// Whether the record was inserted without a lookup.
    public boolean isBlind(int reference) {
        return (LocalMemory.byteAt(at(reference) + FLAGS) & BLIND) != 0;
    }

    /// Native address of the payload, behind a null versions word; 0 for none.
    public long payload(int reference) {
        return LocalMemory.longAt(at(reference) + PAYLOAD);
    }

    public void setPayload(int reference, long payload) {
        LocalMemory.putLong(at(reference) + PAYLOAD, payload);
    }

    /// Which columns are changed.
    public long changed(int reference) {
        return LocalMemory.longAt(at(reference) + CHANGED);
    }

    public void setChanged(int reference, long columns) {
        LocalMemory.putLong(at(reference) + CHANGED, columns);
    }

    /// Which columns the payload has.
    public long loaded(int reference) {
        return LocalMemory.longAt(at(reference) + LOADED);
    }

    public void setLoaded(int reference, long columns) {
        LocalMemory.putLong(at(reference) + LOADED, columns);
    }

    /// Which insert of the transaction made the record; 0 if none did.
    public int serial(int reference) {
        return LocalMemory.intAt(at(reference) + SERIAL);
    }

    public void setSerial(int reference, int serial) {
        LocalMemory.putInt(at(reference) + SERIAL, serial);
    }

    /// Its newest entry in the savepoints; -1 for none.
    public int undo(int reference) {
        return LocalMemory.intAt(at(reference) + UNDO);
    }

    public void setUndo(int reference, int entry) {
        LocalMemory.putInt(at(reference) + UNDO, entry);
    }

    /// The number of the object that has taken the record over, and is newer; [#NONE] if it is
    /// packed.
    public int row(int reference) {
        return LocalMemory.intAt(at(reference) + ROW);
    }

    public void setRow(int reference, int row) {
        LocalMemory.putInt(at(reference) + ROW, row);
    }
}
