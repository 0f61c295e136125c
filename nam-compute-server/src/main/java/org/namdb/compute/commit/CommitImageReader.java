package org.namdb.compute.commit;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;

/// Reads [images][CommitImage] of write sets.
/// ```java
/// if (reader.open(memory, available)) {
///     while (reader.nextWrite()) {
///         .. reader.kind() .. reader.headerBefore() .. reader.keyWord(0)
///         while (reader.nextRun()) { .. reader.runOffset() .. reader.runAddress() }
///     }
/// }
/// ```
/// An object is reused and belongs to one thread.
public final class CommitImageReader {
    private long image;
    private int bytes;
    private int writesLeft;
    private long write;
    private int runsLeft;

    /// The run that is open, and where its contents begin.
    private long run;

    private long next;

    /// Starts to read an image. One that is not whole, as its end was never written, or one that is
    /// damaged, is refused.
    ///
    /// @param memory its native address, aligned to 8
    /// @param available how many bytes there are at the most
    /// @return whether it is whole
    /// @throws IllegalStateException if it is whole, and of a format that this version doesn't know
    public boolean open(long memory, long available) {
        if (available < CommitImage.HEAD_BYTES) {
            return false;
        }
        int length = LocalMemory.intAt(memory + CommitImage.BYTES);
        if (length < CommitImage.HEAD_BYTES || length > available || length % 8 != 0) {
            return false;
        }
        if (LocalMemory.intAt(memory + CommitImage.CHECKSUM) != checksum(memory, length)) {
            return false;
        }
        long format = LocalMemory.intAt(memory + CommitImage.FORMAT_OFFSET);
        if (format != CommitImage.FORMAT) {
            throw new IllegalStateException(
                    "an image of format " + format + "; known is " + CommitImage.FORMAT);
        }
        image = memory;
        bytes = length;
        writesLeft = LocalMemory.intAt(memory + CommitImage.WRITES);
        runsLeft = 0;
        next = memory + CommitImage.HEAD_BYTES;
        return true;
    }

    private static int checksum(long memory, int length) {
        ByteBuffer all = LocalMemory.segment(memory, length).asByteBuffer();
        CRC32C checksum = new CRC32C();
        checksum.update(all.position(CommitImage.CHECKED_FROM));
        return (int) checksum.getValue();
    }

    /// How many bytes the image has.
    public int bytes() {
        return bytes;
    }

    /// How many of them were read, with the write that is open.
    public int position() {
        return (int) (next - image);
    }

    /// The commit timestamp, a word of [org.namdb.timestamp.CommitTimestamp].
    public long commitTimestamp() {
        return LocalMemory.longAt(image + CommitImage.COMMIT_TIMESTAMP);
    }

    /// The number of the member of the snapshot chain that the transaction has read.
    public long snapshot() {
        return LocalMemory.longAt(image + CommitImage.SNAPSHOT);
    }

    /// Moves to the next write; runs that were not read are passed over.
    ///
    /// @return whether there is one
    public boolean nextWrite() {
        while (nextRun()) {
            // passed over
        }
        if (writesLeft == 0) {
            return false;
        }
        writesLeft--;
        write = next;
        runsLeft = Short.toUnsignedInt(LocalMemory.shortAt(write + CommitImage.RUNS));
        next = write + CommitImage.WRITE_HEAD_BYTES + 8L * keyWords();
        return true;
    }

    /// The number of the table.
    public int table() {
        return LocalMemory.intAt(write + CommitImage.TABLE);
    }

    /// What becomes of the record.
    public RecordChange.Kind kind() {
        return RecordChange.Kind.ofCode(LocalMemory.byteAt(write + CommitImage.KIND));
    }

    /// The record's header before the commit.
    public long headerBefore() {
        return LocalMemory.longAt(write + CommitImage.HEADER_BEFORE);
    }

    /// How many words the primary key has.
    public int keyWords() {
        return LocalMemory.byteAt(write + CommitImage.KEY_WORDS);
    }

    /// A word of the primary key.
    public long keyWord(int word) {
        return LocalMemory.longAt(write + CommitImage.WRITE_HEAD_BYTES + 8L * word);
    }

    /// Moves to the next run of the write.
    ///
    /// @return whether there is one
    public boolean nextRun() {
        if (runsLeft == 0) {
            return false;
        }
        runsLeft--;
        run = next;
        next = run + CommitImage.RUN_HEAD_BYTES + runBytes();
        return true;
    }

    /// Where in the payload the run begins.
    public int runOffset() {
        return LocalMemory.intAt(run + CommitImage.RUN_OFFSET);
    }

    /// How many bytes it has.
    public int runBytes() {
        return LocalMemory.intAt(run + CommitImage.RUN_BYTES);
    }

    /// The native address of its bytes.
    public long runAddress() {
        return run + CommitImage.RUN_HEAD_BYTES;
    }
}
