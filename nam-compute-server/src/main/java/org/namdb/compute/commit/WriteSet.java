package org.namdb.compute.commit;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.schema.KeyLayout;

/// What a transaction is going to change, as a value: one [RecordChange] for each record. The
/// session makes it when the transaction's body has ended; the commit and its journal read it.
///
/// ```
/// overwrites   records that are there: locked by their headers, then updated or deleted
/// inserts      records that are not: entries are claimed, then filled
/// ```
/// The changes of a large transaction are [packed][#setPacked]. Then there are objects for
/// [#WINDOW] changes: a new one takes the place of an earlier one, which is packed again with the
/// commit's progress. So a walk through the set works on no more than that many at a time, and
/// leaves nothing in flight.
///
/// Reused by one thread: nothing is allocated, unless a set is larger than any before.
public final class WriteSet {
    /// How many packed changes are objects at a time.
    static final int WINDOW = 2048;

    /// After so many changes a walk through a packed set checks whether the commit is cancelled.
    private static final int CHECKED_AFTER = 1 << 14;

    private static final int NONE = -1;
    private static final int PREFETCHED = 64;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private final LocalAllocator memory;
    private final Changes overwrites = new Changes();
    private final Changes inserts = new Changes();
    private @Nullable PackedChanges packed;

    /// Throws if the commit of a packed set is cancelled.
    private Runnable check = () -> {};

    /// Of a packed set, the references of all changes in their order, a word each.
    private long references;

    private int packedOverwrites;
    private int packedInserts;
    private RecordChange[] window = {};
    private int[] windowReferences = {};

    /// What [#prefetch] has loaded. Nothing needs it, but the compiler would leave out a load whose
    /// value goes nowhere.
    long prefetched;

    private final long[] key = new long[KeyLayout.MAX_WORDS];

    /// @param memory lasts as long as a transaction
    public WriteSet(LocalAllocator memory) {
        this.memory = memory;
    }

    /// Makes it empty.
    public void clear() {
        packed = null;
        overwrites.count = 0;
        inserts.count = 0;
    }

    /// Makes it empty, and frees the buffers of a large set.
    public void shrink() {
        packed = null;
        window = new RecordChange[0];
        windowReferences = new int[0];
        overwrites.shrink();
        inserts.shrink();
    }

    /// Adds a record that gets other values.
    ///
    /// @param found the lookup that has found its current version
    /// @param payload native address of the new values
    /// @param columns which of them are new; 0 to lock the record
    public RecordChange update(Table table, RecordRead found, long payload, long columns) {
        return overwrites.add(table, found, RecordChange.Kind.UPDATE, payload, columns);
    }

    /// Adds a record that is deleted.
    ///
    /// @param found the lookup that has found its current version
    public RecordChange delete(Table table, RecordRead found) {
        return overwrites.add(table, found, RecordChange.Kind.DELETE, 0, 0);
    }

    /// Adds a record that is new.
    ///
    /// @param key has its key
    /// @param payload native address of its values, behind a null versions word
    public RecordChange insert(Table table, RecordRead key, long payload) {
        return inserts.add(table, key, RecordChange.Kind.INSERT, payload, RecordChange.ALL);
    }

    /// Makes it the set of all packed changes, of which nothing is locked. Nothing else is added.
    ///
    /// @param changes stay as they are until the commit has ended
    /// @param checkCancelled throws if the commit is cancelled; called now and then, as long as
    ///     nothing has changed, or all can be rolled back
    public void setPacked(PackedChanges changes, Runnable checkCancelled) {
        assert size() == 0 && packed == null : "nothing else is in it";
        check = checkCancelled;
        packedOverwrites = 0;
        packedInserts = 0;
        int walked = 0;
        for (int at = changes.first(); at != changes.end(); at = changes.next(at)) {
            checkNowAndThen(walked++);
            packedOverwrites += isOverwrite(changes.state(at)) ? 1 : 0;
            packedInserts += isInsert(changes.state(at)) ? 1 : 0;
        }
        if (window.length == 0) {
            window = new RecordChange[WINDOW];
            windowReferences = new int[WINDOW];
        }
        Arrays.fill(windowReferences, NONE);
        references = memory.allocate((packedOverwrites + packedInserts) * Long.BYTES);
        packed = changes;
        long overwriteAt = references;
        long insertAt = references + (long) packedOverwrites * Long.BYTES;
        for (int at = changes.first(); at != changes.end(); at = changes.next(at)) {
            checkNowAndThen(walked++);
            byte state = changes.state(at);
            changes.startCommit(at);
            if (isOverwrite(state)) {
                LocalMemory.putLong(overwriteAt, at);
                overwriteAt += Long.BYTES;
            } else if (isInsert(state)) {
                LocalMemory.putLong(insertAt, at);
                insertAt += Long.BYTES;
            }
        }
    }

    private void checkNowAndThen(int walked) {
        if (walked % CHECKED_AFTER == 0) {
            check.run();
        }
    }

    /// Makes all changes what they were before a commit that was rolled back.
    void startOver() {
        PackedChanges changes = packed;
        if (changes == null) {
            for (int i = 0; i < size(); i++) {
                change(i).startOver();
            }
            return;
        }
        Arrays.fill(windowReferences, NONE);
        for (int at = changes.first(); at != changes.end(); at = changes.next(at)) {
            changes.startCommit(at);
        }
    }

    private static boolean isOverwrite(byte state) {
        return state == RecordChange.Kind.UPDATE.code() || state == RecordChange.Kind.DELETE.code();
    }

    private static boolean isInsert(byte state) {
        return state == RecordChange.Kind.INSERT.code();
    }

    /// Sorts the inserts of a packed set so that those of one home bucket, as far as is known, are
    /// behind each other, and its latch is taken once.
    void sortInserts() {
        PackedChanges changes = packed;
        if (changes == null) {
            return;
        }
        long from = references + (long) packedOverwrites * Long.BYTES;
        for (int i = 0; i < packedInserts; i++) {
            checkNowAndThen(i);
            int reference = (int) LocalMemory.longAt(from + 8L * i);
            long home = changes.home(reference, key) * MIX;
            LocalMemory.putLong(from + 8L * i, home & -1L << 32 | reference);
        }
        sortInserts(Integer.SIZE);
    }

    /// Sorts the inserts as they were added: often in the order of their keys, so that their
    /// entries go to ordered indexes as runs. [#sortInsertsAgain] takes that back.
    void sortInsertsAsAdded() {
        sortInserts(0);
    }

    /// Sorts the inserts as [#sortInserts] has sorted them.
    void sortInsertsAgain() {
        sortInserts(Integer.SIZE);
    }

    /// Sorts the words of inserts by 32 of their bits: the upper ones say where a record's home is,
    /// the lower ones when it was added.
    private void sortInserts(int fromBit) {
        int bytes = packedInserts * Long.BYTES;
        if (bytes == 0 || packed == null) {
            return;
        }
        packAll();
        Arrays.fill(windowReferences, NONE); // each will be an object at another place
        long from = references + (long) packedOverwrites * Long.BYTES;
        long to = memory.allocate(bytes);
        long scratch = to;
        int[] starts = new int[1 << 16];
        // Twice: the end is where the start was.
        for (int shift = fromBit; shift < fromBit + Integer.SIZE; shift += 16) {
            Arrays.fill(starts, 0);
            for (int i = 0; i < packedInserts; i++) {
                checkNowAndThen(i); // as long as all are where they were
                starts[digit(LocalMemory.longAt(from + 8L * i), shift)]++;
            }
            int sum = 0;
            for (int digit = 0; digit < starts.length; digit++) {
                int number = starts[digit];
                starts[digit] = sum;
                sum += number;
            }
            for (int i = 0; i < packedInserts; i++) {
                long word = LocalMemory.longAt(from + 8L * i);
                LocalMemory.putLong(to + 8L * starts[digit(word, shift)]++, word);
            }
            long cas = from;
            from = to;
            to = cas;
        }
        memory.free(scratch, bytes);
    }

    private static int digit(long word, int shift) {
        return (int) (word >>> shift) & 0xffff;
    }

    /// Whether the set is [packed][#setPacked].
    public boolean isPacked() {
        return packed != null;
    }

    /// The change of the record with this key in a packed set, as it was when it was packed last,
    /// to be read alone; null if there is none.
    public @Nullable RecordChange findPacked(Table table, long[] words) {
        PackedChanges changes = packed;
        int reference = changes == null ? PackedChanges.NONE : changes.find(table, words);
        if (changes == null || reference == PackedChanges.NONE) {
            return null;
        }
        packAll();
        byte state = changes.state(reference);
        if (!isInsert(state) && !isOverwrite(state)) {
            return null;
        }
        RecordRead record = new RecordRead(table.records(), table.schema().nothing());
        RecordChange found = new RecordChange(table, record);
        found.load(changes, reference, record, key);
        return found;
    }

    /// Whether it deletes records, and does nothing else.
    public boolean isOfDeletes() {
        PackedChanges changes = packed;
        boolean isOfDeletes = inserts() == 0;
        if (changes == null) {
            for (int i = 0; i < overwrites.count && isOfDeletes; i++) {
                isOfDeletes = overwrites.changes[i].isDelete();
            }
            return isOfDeletes;
        }
        for (int at = changes.first(); at != changes.end() && isOfDeletes; at = changes.next(at)) {
            isOfDeletes = changes.state(at) != RecordChange.Kind.UPDATE.code();
        }
        return isOfDeletes;
    }

    public boolean isEmpty() {
        return size() == 0;
    }

    /// How many records there are.
    public int size() {
        return overwrites() + inserts();
    }

    /// Record `index`, from 0; those that are written over are first.
    public RecordChange change(int index) {
        if (packed != null) {
            return packed(index);
        }
        return index < overwrites.count
                ? overwrites.changes[index]
                : inserts.changes[index - overwrites.count];
    }

    /// Loads the first words of packed changes from `from` on: those of inserts lie anywhere in
    /// memory, and the processor waits for their cache misses together then.
    ///
    /// Source: Chen, Ailamaki, Gibbons and Mowry, "Improving Hash Join Performance through
    /// Prefetching", section 4 (group prefetching).
    ///
    /// @return below which number they are
    int prefetch(int from) {
        int to = Math.min(size(), from + PREFETCHED);
        PackedChanges changes = Objects.requireNonNull(packed);
        for (int index = from; index < to; index++) {
            prefetched += changes.firstWords((int) LocalMemory.longAt(references + 8L * index));
        }
        return to;
    }

    private RecordChange packed(int index) {
        int place = index & WINDOW - 1;
        int reference = (int) LocalMemory.longAt(references + 8L * index);
        RecordChange change = window[place];
        if (windowReferences[place] != reference) {
            pack(place);
            PackedChanges changes = Objects.requireNonNull(packed);
            if (change == null) {
                Table table = changes.table(reference);
                change =
                        new RecordChange(
                                table, new RecordRead(table.records(), table.schema().nothing()));
                window[place] = change;
            }
            change.load(changes, reference, change.record(), key);
            windowReferences[place] = reference;
        }
        return change;
    }

    private void pack(int place) {
        PackedChanges changes = packed;
        if (windowReferences[place] != NONE && changes != null) {
            RecordChange change = window[place];
            assert !change.write.isUnsettled() : "its lock is under way";
            changes.save(windowReferences[place], change.write, change.isPrepared);
        }
    }

    /// Packs all that are objects, which stay so.
    private void packAll() {
        for (int place = 0; place < window.length; place++) {
            pack(place);
        }
    }

    int overwrites() {
        return packed == null ? overwrites.count : packedOverwrites;
    }

    RecordChange overwrite(int index) {
        return packed == null ? overwrites.changes[index] : packed(index);
    }

    int inserts() {
        return packed == null ? inserts.count : packedInserts;
    }

    RecordChange insert(int index) {
        return packed == null ? inserts.changes[index] : packed(packedOverwrites + index);
    }

    /// The table of insert `index`; of a packed set, without an object for it.
    Table insertTable(int index) {
        return packed == null ? inserts.changes[index].table() : packed.table(reference(index));
    }

    /// The hash of the key of insert `index`, in the same way.
    long insertHash(int index) {
        return packed == null
                ? inserts.changes[index].table().records().hash(inserts.changes[index].key())
                : packed.hash(reference(index), key);
    }

    /// Of a packed insert.
    private int reference(int index) {
        return (int) LocalMemory.longAt(references + 8L * (packedOverwrites + index));
    }

    /// Changes, reused.
    private static final class Changes {
        private static final int USUAL = 32;

        private RecordChange[] changes = new RecordChange[USUAL];
        private int count;

        RecordChange add(
                Table table,
                RecordRead record,
                RecordChange.Kind kind,
                long payload,
                long columns) {
            if (count == changes.length) {
                changes = Arrays.copyOf(changes, 2 * count);
            }
            RecordChange change = changes[count];
            if (change == null) {
                change = new RecordChange(table, record);
                changes[count] = change;
            }
            change.start(table, record, kind, payload, columns);
            count++;
            return change;
        }

        void shrink() {
            changes = new RecordChange[USUAL];
            count = 0;
        }
    }
}
