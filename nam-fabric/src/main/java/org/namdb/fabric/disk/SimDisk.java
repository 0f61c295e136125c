package org.namdb.fabric.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// A disk in memory that can [crash][#crash], for simulations: then what was not forced is lost, or
/// not, sector by sector and name by name.
public final class SimDisk implements Disk {
    private final TreeMap<String, Content> files = new TreeMap<>();

    /// The files by the names that last.
    private TreeMap<String, Content> forcedFiles = new TreeMap<>();

    @Override
    public DiskFile open(String name) {
        Disk.requirePlain(name);
        return files.computeIfAbsent(name, _ -> new Content());
    }

    @Override
    public void remove(String name) {
        Disk.requirePlain(name);
        if (files.remove(name) == null) {
            throw new DiskException("there is no file " + name, null);
        }
    }

    @Override
    public List<String> list() {
        return List.copyOf(files.keySet());
    }

    @Override
    public void forceNames() {
        forcedFiles = new TreeMap<>(files);
    }

    /// The process dies, or the machine. Files that are open must not be used any more.
    ///
    /// @param random decides for each sector, and each name, whether it is as it was forced last or
    ///     as it was then
    public void crash(SplittableRandom random) {
        TreeMap<String, Content> names = new TreeMap<>(files);
        names.putAll(forcedFiles);
        List<String> all = new ArrayList<>(names.keySet());
        TreeMap<String, Content> left = new TreeMap<>();
        for (String name : all) {
            Content content = random.nextBoolean() ? files.get(name) : forcedFiles.get(name);
            if (content != null) {
                left.put(name, content);
            }
        }
        files.clear();
        files.putAll(left);
        for (Content content : files.values()) {
            content.crash(random);
        }
        forceNames();
    }

    /// A file's bytes, as they are read and as they last.
    private static final class Content implements DiskFile {
        private byte[] bytes = new byte[0];
        private byte[] forced = new byte[0];

        /// The sectors that were written since.
        private final BitSet dirty = new BitSet();

        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public int read(long offset, ByteBuffer into) {
            if (offset >= bytes.length) {
                return 0;
            }
            int read = (int) Math.min(into.remaining(), bytes.length - offset);
            into.put(bytes, (int) offset, read);
            return read;
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            int at = Math.toIntExact(offset);
            int length = from.remaining();
            int before = bytes.length;
            if (at + length > before) {
                bytes = Arrays.copyOf(bytes, at + length);
            }
            from.get(bytes, at, length);
            if (length > 0) {
                dirty.set(
                        Math.min(at, before) / SECTOR_BYTES, (at + length - 1) / SECTOR_BYTES + 1);
            }
        }

        @Override
        public void force() {
            forced = bytes.clone();
            dirty.clear();
        }

        @Override
        public void close() {
            // What was written stays, and is not forced by this.
        }

        /// The file ends with the last sector that lasts; sectors before it that don't are as they
        /// were, or zeros.
        void crash(SplittableRandom random) {
            int most = Math.max(bytes.length, forced.length);
            byte[] after = Arrays.copyOf(forced, most);
            int end = forced.length;
            for (int sector = dirty.nextSetBit(0);
                    sector >= 0;
                    sector = dirty.nextSetBit(sector + 1)) {
                if (random.nextBoolean()) {
                    int from = sector * SECTOR_BYTES;
                    int to = Math.min(from + SECTOR_BYTES, bytes.length);
                    System.arraycopy(bytes, from, after, from, to - from);
                    end = Math.max(end, to);
                }
            }
            bytes = Arrays.copyOf(after, end);
            force();
        }
    }
}
