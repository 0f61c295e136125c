package org.namdb.simulated;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;

/// A disk in memory that can [crash][#crash], or be copied [as it would be after a
/// crash][#crashed] while it is in use: what was not forced is lost then, or not, sector by sector
/// and name by name. A copy can also be [what a killed process leaves][#killed]. It can also be
/// full, or fail. Safe for use by many threads.
public final class SimDisk implements Disk {
    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock mutex = new ReentrantLock();

    private final TreeMap<String, Content> files = new TreeMap<>();

    /// The files by the names that last.
    private TreeMap<String, Content> forcedFiles = new TreeMap<>();

    private boolean isLocked;
    private long capacity = Long.MAX_VALUE;
    private long forces;
    private long failsAtForce = Long.MAX_VALUE;

    @Override
    public DiskFile open(String name) {
        Disk.requirePlain(name);
        mutex.lock();
        try {
            return files.computeIfAbsent(name, _ -> new Content());
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void remove(String name) {
        Disk.requirePlain(name);
        mutex.lock();
        try {
            if (files.remove(name) == null) {
                throw new DiskException("there is no file " + name, null);
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public List<String> list() {
        mutex.lock();
        try {
            return List.copyOf(files.keySet());
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void forceNames() {
        mutex.lock();
        try {
            countForce();
            forcedFiles = new TreeMap<>(files);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public Lock lock() {
        mutex.lock();
        try {
            if (isLocked) {
                throw new DiskException("the disk is in use: another database has it open", null);
            }
            isLocked = true;
            return () -> isLocked = false;
        } finally {
            mutex.unlock();
        }
    }

    /// From now on all files together can't grow beyond so many bytes.
    public void limit(long bytes) {
        mutex.lock();
        try {
            capacity = bytes;
        } finally {
            mutex.unlock();
        }
    }

    /// From the `number`th force on, counted from now, none succeeds. What it should have forced is
    /// not there after a crash, or is.
    public void failForces(int number) {
        mutex.lock();
        try {
            failsAtForce = forces + number;
        } finally {
            mutex.unlock();
        }
    }

    /// How many times anything was forced.
    public long forces() {
        mutex.lock();
        try {
            return forces;
        } finally {
            mutex.unlock();
        }
    }

    /// How many bytes all files have.
    public long bytes() {
        mutex.lock();
        try {
            return files.values().stream().mapToLong(each -> each.bytes.length).sum();
        } finally {
            mutex.unlock();
        }
    }

    private void countForce() {
        if (++forces >= failsAtForce) {
            throw new DiskException("input/output error", null);
        }
    }

    /// The process dies, or the machine. Files that are open must not be used any more.
    ///
    /// @param random decides for each sector, and each name, whether it is as it was forced last or
    ///     as it was then
    public void crash(SplittableRandom random) {
        mutex.lock();
        try {
            Map<String, Content> left = left(random, files, forcedFiles);
            files.clear();
            files.putAll(left);
            for (Content content : files.values()) {
                content.crash(random);
            }
            forcedFiles = new TreeMap<>(files);
            isLocked = false;
            failsAtForce = Long.MAX_VALUE;
        } finally {
            mutex.unlock();
        }
    }

    /// The disk that would be there if the machine crashed now. This one goes on.
    ///
    /// @param random decides as for [#crash]
    public SimDisk crashed(SplittableRandom random) {
        SimDisk after = new SimDisk();
        mutex.lock();
        try {
            for (var file : left(random, files, forcedFiles).entrySet()) {
                Content copy = after.new Content(file.getValue());
                copy.crash(random);
                after.files.put(file.getKey(), copy);
            }
        } finally {
            mutex.unlock();
        }
        after.forcedFiles = new TreeMap<>(after.files);
        return after;
    }

    /// The disk as the next process finds it if this one is killed now, while the machine goes on:
    /// all that was written can be read, and what was not forced is still lost by a later crash.
    /// This disk goes on.
    public SimDisk killed() {
        SimDisk after = new SimDisk();
        Map<Content, Content> copies = new HashMap<>();
        mutex.lock();
        try {
            copy(files, after.files, after, copies);
            copy(forcedFiles, after.forcedFiles, after, copies);
        } finally {
            mutex.unlock();
        }
        return after;
    }

    private static void copy(
            Map<String, Content> from,
            Map<String, Content> into,
            SimDisk of,
            Map<Content, Content> copies) {
        from.forEach((name, content) ->
                into.put(name, copies.computeIfAbsent(content, each -> of.new Content(each))));
    }

    private static Map<String, Content> left(
            SplittableRandom random, Map<String, Content> files, Map<String, Content> forced) {
        TreeMap<String, Content> names = new TreeMap<>(files);
        names.putAll(forced);
        List<String> all = new ArrayList<>(names.keySet());
        Map<String, Content> left = new TreeMap<>();
        for (String name : all) {
            Content content = random.nextBoolean() ? files.get(name) : forced.get(name);
            if (content != null) {
                left.put(name, content);
            }
        }
        return left;
    }

    /// A file's bytes, as they are read and as they last. An array that lasts is not changed any
    /// more, so copies share it.
    @SuppressWarnings("ReferenceEquality") // whether it is the array that lasts
    private final class Content implements DiskFile {
        private byte[] bytes = new byte[0];
        private byte[] forced = bytes;

        /// The sectors that were written since.
        private final BitSet dirty = new BitSet();

        Content() {}

        /// A copy.
        Content(Content of) {
            forced = of.forced;
            bytes = of.bytes == forced ? forced : of.bytes.clone();
            dirty.or(of.dirty);
        }

        @Override
        public long size() {
            mutex.lock();
            try {
                return bytes.length;
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public int read(long offset, ByteBuffer into) {
            mutex.lock();
            try {
                if (offset >= bytes.length) {
                    return 0;
                }
                int read = (int) Math.min(into.remaining(), bytes.length - offset);
                into.put(bytes, (int) offset, read);
                return read;
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            int at = Math.toIntExact(offset);
            int length = from.remaining();
            mutex.lock();
            try {
                int before = bytes.length;
                if (at + length > before) {
                    if (SimDisk.this.bytes() - before + at + length > capacity) {
                        throw new DiskException("no space left on the disk", null);
                    }
                    bytes = Arrays.copyOf(bytes, at + length);
                } else if (bytes == forced) {
                    bytes = forced.clone();
                }
                from.get(bytes, at, length);
                if (length > 0) {
                    dirty.set(
                            Math.min(at, before) / SECTOR_BYTES,
                            (at + length - 1) / SECTOR_BYTES + 1);
                }
            } finally {
                mutex.unlock();
            }
        }

        @Override
        public void force() {
            mutex.lock();
            try {
                countForce();
                forceAll();
            } finally {
                mutex.unlock();
            }
        }

        private void forceAll() {
            forced = bytes;
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
            bytes = end == most ? after : Arrays.copyOf(after, end);
            forced = bytes;
            dirty.clear();
        }
    }
}
