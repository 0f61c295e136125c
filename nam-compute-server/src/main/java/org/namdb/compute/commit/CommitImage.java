package org.namdb.compute.commit;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;
import org.namdb.mvcc.schema.ChangedRuns;

/// A write set as bytes, with its commit timestamp: what a journal keeps. All numbers are
/// little-endian words, or parts of one; lengths are multiples of 8.
/// ```
///        63              48 47              32 31                                0
/// image | CRC-32C of what follows this word   | bytes of the image                |   0
///       | writes                              | 0                | format         |   8
///       | commit timestamp: slot, t                                               |  16
///       | number of the snapshot that the transaction has read                    |  24
///       | the writes, one behind the other                                        |  32
///
/// write | runs             | key words | kind | number of the table               |   0
///       | the record's header before the commit; 0 where there is none            |   8
///       | the primary key                                                         |  16
///       | the runs, one behind the other
///
/// run   | bytes                               | offset in the payload             |   0
///       | so many bytes of the new payload                                        |   8
/// ```
/// An insert has one run, the whole payload. An update has the words that hold changed columns, and
/// none if the record was only locked; a delete has none. By the header before, replay orders the
/// versions of a record without any order among commits, and finds out when one is missing.
///
/// An object is reused and belongs to one thread. [CommitImageReader] reads it.
public final class CommitImage {
    static final int FORMAT = 1;
    static final int BYTES = 0;
    static final int CHECKSUM = 4;
    static final int CHECKED_FROM = 8;
    static final int FORMAT_OFFSET = 8;
    static final int WRITES = 12;
    static final int COMMIT_TIMESTAMP = 16;
    static final int SNAPSHOT = 24;
    static final int HEAD_BYTES = 32;

    static final int TABLE = 0;
    static final int KIND = 4;
    static final int KEY_WORDS = 5;
    static final int RUNS = 6;
    static final int HEADER_BEFORE = 8;
    static final int WRITE_HEAD_BYTES = 16;

    static final int RUN_OFFSET = 0;
    static final int RUN_BYTES = 4;
    static final int RUN_HEAD_BYTES = 8;

    private final long memory;
    private final int capacity;
    private final ByteBuffer view;
    private final CRC32C checksum = new CRC32C();
    private final ChangedRuns runs = new ChangedRuns();

    /// An image in `capacity` bytes of native memory, aligned to 8.
    public CommitImage(long memory, int capacity) {
        this.memory = memory;
        this.capacity = capacity;
        this.view = LocalMemory.segment(memory, capacity).asByteBuffer();
    }

    /// The commit timestamp of an image.
    ///
    /// @param image its native address
    public static long commitTimestamp(long image) {
        return LocalMemory.longAt(image + COMMIT_TIMESTAMP);
    }

    /// How many bytes the image of a write set has.
    public long bytes(WriteSet writes) {
        long bytes = HEAD_BYTES;
        for (int i = 0; i < writes.size(); i++) {
            RecordChange change = writes.change(i);
            bytes += WRITE_HEAD_BYTES + 8L * keyWords(change);
            if (change.kind() == RecordChange.Kind.INSERT) {
                bytes += RUN_HEAD_BYTES + change.table().schema().payloadBytes();
            } else {
                runs.start(change.table().schema(), change.columns());
                while (runs.next()) {
                    bytes += RUN_HEAD_BYTES + runs.to() - runs.from();
                }
            }
        }
        return bytes;
    }

    /// Writes the image of a write set whose records are all locked, or claimed.
    ///
    /// @param commitTimestamp a word of [org.namdb.timestamp.CommitTimestamp]
    /// @param snapshot the number of the member of the snapshot chain that the transaction has read
    /// @return how many bytes it has
    /// @throws IllegalArgumentException if it is larger than the memory
    public int encode(WriteSet writes, long commitTimestamp, long snapshot) {
        if (bytes(writes) > capacity) {
            throw new IllegalArgumentException(
                    "an image of %d bytes in %d".formatted(bytes(writes), capacity));
        }
        LocalMemory.putLong(memory + FORMAT_OFFSET, FORMAT);
        LocalMemory.putInt(memory + WRITES, writes.size());
        LocalMemory.putLong(memory + COMMIT_TIMESTAMP, commitTimestamp);
        LocalMemory.putLong(memory + SNAPSHOT, snapshot);
        long at = memory + HEAD_BYTES;
        for (int i = 0; i < writes.size(); i++) {
            at = encode(writes.change(i), at);
        }
        int bytes = (int) (at - memory);
        LocalMemory.putInt(memory + BYTES, bytes);
        check(bytes);
        return bytes;
    }

    private void check(int bytes) {
        checksum.reset();
        checksum.update(view.limit(bytes).position(CHECKED_FROM));
        LocalMemory.putInt(memory + CHECKSUM, (int) checksum.getValue());
    }

    /// Gives the image that was written last another commit timestamp and snapshot.
    void stamp(long commitTimestamp, long snapshot) {
        LocalMemory.putLong(memory + COMMIT_TIMESTAMP, commitTimestamp);
        LocalMemory.putLong(memory + SNAPSHOT, snapshot);
        check(LocalMemory.intAt(memory + BYTES));
    }

    private long encode(RecordChange change, long start) {
        LocalMemory.putLong(start, 0);
        LocalMemory.putInt(start + TABLE, change.table().records().id());
        LocalMemory.putByte(start + KIND, change.kind().code());
        LocalMemory.putByte(start + KEY_WORDS, (byte) keyWords(change));
        LocalMemory.putLong(start + HEADER_BEFORE, change.headerBefore());
        long at = start + WRITE_HEAD_BYTES;
        for (int word = 0; word < keyWords(change); word++, at += 8) {
            LocalMemory.putLong(at, change.key()[word]);
        }
        int count = 0;
        if (change.kind() == RecordChange.Kind.INSERT) {
            at = encodeRun(change, 0, change.table().schema().payloadBytes(), at);
            count = 1;
        } else {
            runs.start(change.table().schema(), change.columns());
            while (runs.next()) {
                at = encodeRun(change, runs.from(), runs.to(), at);
                count++;
            }
        }
        LocalMemory.putShort(start + RUNS, (short) count);
        return at;
    }

    private static long encodeRun(RecordChange change, int from, int to, long at) {
        LocalMemory.putInt(at + RUN_OFFSET, from);
        LocalMemory.putInt(at + RUN_BYTES, to - from);
        LocalMemory.copy(change.payload() + from, at + RUN_HEAD_BYTES, to - from);
        return at + RUN_HEAD_BYTES + to - from;
    }

    private static int keyWords(RecordChange change) {
        return change.table().records().layout().keyWords();
    }
}
