package org.namdb.compute.commit;

import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// One record of a [WriteSet]: which one, and what becomes of it. Its payload and its key belong to
/// the caller that has added it, and stay as they are until the commit has ended.
public final class RecordChange {
    /// What becomes of the record.
    public enum Kind {
        /// Some columns get other values, or none: then it is only locked.
        UPDATE(1),
        /// It is deleted.
        DELETE(2),
        /// It is new, where there is none.
        INSERT(3);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        /// Its number in an [image][CommitImage] and in [PackedChanges].
        public byte code() {
            return code;
        }

        static Kind ofCode(byte code) {
            return switch (code) {
                case 1 -> UPDATE;
                case 2 -> DELETE;
                case 3 -> INSERT;
                default -> throw new IllegalStateException("no kind of change: " + code);
            };
        }
    }

    /// All columns.
    static final long ALL = -1L;

    final RecordWrite write;
    private Table table;
    private Kind kind = Kind.UPDATE;
    private RecordRead record;
    private long payload;
    private long columns;

    /// Local memory that the install needs; 0 for none.
    long scratch;

    /// Whether it has the memory that its install needs.
    boolean isPrepared;

    RecordChange(Table table, RecordRead record) {
        this.table = table;
        this.record = record;
        this.write = new RecordWrite(table.records());
    }

    void start(
            Table newTable, RecordRead newRecord, Kind newKind, long newPayload, long newColumns) {
        table = newTable;
        record = newRecord;
        kind = newKind;
        payload = newPayload;
        columns = newColumns;
        scratch = 0;
        isPrepared = false;
        if (newKind == Kind.INSERT) {
            write.prepareInsert(newTable.records());
        } else {
            write.prepareUpdate(newRecord);
        }
    }

    /// Starts over after a commit that was rolled back.
    void startOver() {
        start(table, record, kind, payload, columns);
    }

    /// Starts over as a change that is packed, with the commit's progress.
    ///
    /// @param found is made the lookup of its record
    /// @param scratch for a key
    void load(PackedChanges changes, int reference, RecordRead found, long[] scratch) {
        changes.restore(reference, found, scratch);
        Kind newKind = Kind.ofCode(changes.state(reference));
        long newColumns = newKind == Kind.UPDATE ? changes.changed(reference) : 0;
        start(
                changes.table(reference),
                found,
                newKind,
                newKind == Kind.DELETE ? 0 : changes.payload(reference),
                newKind == Kind.INSERT ? ALL : newColumns);
        isPrepared = changes.resume(reference, write);
    }

    /// Its table.
    public Table table() {
        return table;
    }

    /// What becomes of it.
    public Kind kind() {
        return kind;
    }

    /// Its primary key: as many words as the table's keys have; the array may be longer.
    public long[] key() {
        return record.key();
    }

    /// The header that the record has before the commit; [RecordHeader#FREE] where there is none.
    /// Of an insert, known when it is claimed.
    public long headerBefore() {
        return write.header();
    }

    /// Native address of the new payload, of which the [#columns()] are new: of an insert, all.
    /// None of a delete.
    public long payload() {
        return payload;
    }

    /// Which columns are new, as a mask of [org.namdb.mvcc.schema.Column#mask].
    public long columns() {
        return columns;
    }

    /// The lookup that has found the record, or its key alone.
    RecordRead record() {
        return record;
    }

    boolean isDelete() {
        return kind == Kind.DELETE;
    }

    /// The header that the commit leaves.
    long headerAfter(long commitTimestamp) {
        return isDelete()
                ? RecordHeader.deleted(commitTimestamp)
                : RecordHeader.installed(commitTimestamp);
    }

    /// Native address of the payload as it was, with [#columns()] in [#payload()] that are newer.
    /// Of an insert, the new one.
    long image() {
        return kind == Kind.INSERT ? payload : write.currentPayload();
    }

    /// Native address of the new body: a null versions word, and the payload.
    long body() {
        return payload - RecordBody.PAYLOAD_OFFSET;
    }

    /// Whether it writes over a record whose payload was not read.
    boolean isWithoutViews() {
        return kind == Kind.UPDATE && !write.hasViews();
    }

    int keyWords() {
        return table.records().layout().keyWords();
    }

    CommitOutcome conflict() {
        return new CommitOutcome.WriteConflict(table.name(), describeKey());
    }

    String describeKey() {
        return table.schema().key().describe(record.key());
    }
}
