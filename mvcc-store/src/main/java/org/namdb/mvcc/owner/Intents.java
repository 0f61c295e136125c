package org.namdb.mvcc.owner;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;

/// What a session is about to lock, written to the memory servers before it does. A locked header
/// has no bits for its holder; so each slot has an area on each memory server in which it lists
/// what it locks there.
/// ```
/// start, addLock, addBucket ...     local
/// post                              WRITE of the list, to each server that has entries
/// CAS h -> h|L, latches, claims     on the same queue pair, so after it on each server
/// postLock, postBucket              one more WRITE each, for what was added later
///   committed: nothing more         the headers have moved on, and never come back
///   released: WRITE h ..., postEnd     one WRITE to each server: nothing of the attempt is held
/// ```
/// **Guarantee.** If a record is locked at `h|L`, with the header read after time T, each slot
/// which held that lock at T lists the record with `h` in its area from T until it has written the
/// header again. For the list is posted before the CAS, to the same server, and the next attempt's
/// list after the header's WRITE.
///
/// Belongs to one thread; nothing is allocated except for very large commits. `mvcc.recovery` uses
/// it.
public final class Intents {
    /// So many entries for one memory server fit without more memory.
    public static final int ENTRIES_WITHOUT_MEMORY = IntentLayout.AREA_ENTRIES - 1;

    private static final int MIN_EXTENT_ENTRIES = 64;
    static final int MAX_BYTES_PER_WRITE = 64 << 10;
    static final int ENTRY_BYTES = IntentLayout.ENTRY_BYTES;

    private final QueuePair queuePair;
    private final IntentLayout layout;
    private final int slot;
    private final RemoteAllocator allocator;
    private final ServerList[] lists;
    private long attempt;

    /// Whether nothing of the attempt is held any more.
    private boolean isOver = true;

    /// @param owner the slot's holder, a number that no other holder ever has: attempts are counted
    ///     from a hash of it, so that they are distinct
    /// @param allocator for the part of a list that does not fit into its area
    public Intents(
            QueuePair queuePair,
            IntentLayout layout,
            int slot,
            long owner,
            RemoteAllocator allocator) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.slot = slot;
        this.allocator = allocator;
        this.lists = new ServerList[layout.servers()];
        for (int server = 0; server < lists.length; server++) {
            lists[server] = new ServerList(server);
        }
        this.attempt = IntentLayout.firstAttempt(owner);
    }

    /// Starts another attempt: nothing of the last one is held any more. Posts nothing.
    public void start() {
        end();
        isOver = false;
        attempt += 2;
    }

    /// The number of the attempt that was started last; no other one has it.
    public long attempt() {
        return attempt;
    }

    /// Whether an attempt has been started, and not ended.
    public boolean isUnderWay() {
        return !isOver;
    }

    /// The attempt's locks have gone with the headers of a commit that is published: posts nothing.
    public void end() {
        isOver = true;
        for (ServerList list : lists) {
            list.clear();
        }
    }

    /// A record is going to be locked.
    ///
    /// @param header what its header is before
    /// @param table the table's number
    /// @param bodyAddress where its body is, if that is in the bucket; else null
    public void addLock(long headerAddress, long header, int table, long bodyAddress) {
        list(headerAddress)
                .add(
                        headerAddress,
                        header,
                        what(IntentLayout.LOCK, table, headerAddress, bodyAddress));
    }

    /// A home bucket is going to be latched, and entries may be claimed in it and its overflow
    /// areas.
    public void addBucket(long home, int table) {
        list(home).add(home, 0, IntentLayout.what(IntentLayout.BUCKET, table, 0));
    }

    /// The same in a hashed index.
    public void addIndexBucket(long home, int index) {
        list(home).add(home, 0, IntentLayout.what(IntentLayout.INDEX, index, 0));
    }

    /// A home bucket is going to be latched and split: records that are locked for that are not
    /// listed by themselves.
    ///
    /// @param child the new bucket
    /// @param isOfIndex whether `table` is the number of a hashed index
    /// @param depth how many bits of a hash choose the bucket
    /// @param root the number of the first bucket that it is a part of
    public void addSplit(
            long home, long child, int table, boolean isOfIndex, int depth, long root) {
        int kind = isOfIndex ? IntentLayout.INDEX_SPLIT : IntentLayout.SPLIT;
        list(home).add(home, child, IntentLayout.whatSplit(kind, table, depth, root));
    }

    /// Posts what was added since the last time, whose WRITEs were awaited. The locks and latches
    /// are posted next, on the same queue pair.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there are very many, and no memory to list
    ///     them
    public void post() {
        for (ServerList list : lists) {
            if (list.count > 0) {
                list.post();
            }
        }
    }

    /// Posts that one more record is going to be locked.
    public void postLock(long headerAddress, long header, int table, long bodyAddress) {
        list(headerAddress)
                .postOne(
                        headerAddress,
                        header,
                        what(IntentLayout.LOCK, table, headerAddress, bodyAddress));
    }

    /// Posts that one more home bucket is going to be latched.
    public void postBucket(long home, int table) {
        list(home).postOne(home, 0, IntentLayout.what(IntentLayout.BUCKET, table, 0));
    }

    /// Posts that a home bucket of a hashed index is going to be latched.
    public void postIndexBucket(long home, int index) {
        list(home).postOne(home, 0, IntentLayout.what(IntentLayout.INDEX, index, 0));
    }

    /// Posts that nothing of the attempt is held any more. The WRITEs that release the locks were
    /// posted before.
    public void postEnd() {
        isOver = true;
        for (ServerList list : lists) {
            if (list.isPosted) {
                queuePair.writeWord(list.area + IntentLayout.ATTEMPT_OFFSET, attempt + 1);
            }
            list.clear();
        }
    }

    /// Drops everything, and frees memory; for a session that ends, holding nothing.
    public void close() {
        postEnd();
    }

    /// Empties a dead slot's lists; everything that they name was recovered.
    public static void clear(QueuePair queuePair, IntentLayout layout, int slot) {
        for (int server = 0; server < layout.servers(); server++) {
            long attempt = layout.area(server, slot) + IntentLayout.ATTEMPT_OFFSET;
            long view = queuePair.read(attempt, Long.BYTES);
            queuePair.await();
            queuePair.writeWord(attempt, LocalMemory.longAcquire(view) | 1);
        }
        queuePair.await();
    }

    private static long what(int kind, int table, long headerAddress, long bodyAddress) {
        return IntentLayout.what(
                kind, table, RemoteAddress.isNull(bodyAddress) ? 0 : bodyAddress - headerAddress);
    }

    private ServerList list(long address) {
        return lists[IntentLayout.server(address)];
    }

    /// The list on one memory server.
    private final class ServerList {
        private final int server;
        private final long area;

        /// The words of the entries, three for each.
        private long[] entries = new long[3 * IntentLayout.AREA_ENTRIES];

        private int count;
        private boolean isPosted;

        /// The image of the area, then those of extents, in local memory; 0 before it is needed.
        private long image;

        private long extentImage;
        private int extentImageBytes;

        /// The extents of this attempt: address, bytes.
        private long[] extents = new long[4];

        private int extentCount;

        /// Where the next entry goes, and how many more fit there, the link not counted.
        private long next;

        private int capacity;

        ServerList(int server) {
            this.server = server;
            this.area = layout.area(server, slot);
        }

        void clear() {
            count = 0;
            isPosted = false;
            while (extentCount > 0) {
                extentCount--;
                allocator.free(extents[2 * extentCount], (int) extents[2 * extentCount + 1]);
            }
        }

        void add(long address, long header, long what) {
            if (3 * count == entries.length) {
                entries = Arrays.copyOf(entries, 2 * entries.length);
            }
            entries[3 * count] = address;
            entries[3 * count + 1] = header;
            entries[3 * count + 2] = what;
            count++;
        }

        void post() {
            if (isPosted) {
                postBehind();
                return;
            }
            openArea();
            int inArea = Math.min(count, capacity);
            int more = count - inArea;
            if (more > 0) {
                long link = postExtent(more, inArea);
                put(
                        image
                                + IntentLayout.ENTRIES_OFFSET
                                + (IntentLayout.AREA_ENTRIES - 1L) * ENTRY_BYTES,
                        link,
                        extents[2 * extentCount - 1],
                        IntentLayout.what(IntentLayout.EXTENT, 0, 0));
            } else {
                next = area + IntentLayout.ENTRIES_OFFSET + (long) count * ENTRY_BYTES;
                capacity -= count;
            }
            for (int i = 0; i < inArea; i++) {
                putEntry(image + IntentLayout.ENTRIES_OFFSET + (long) i * ENTRY_BYTES, i);
            }
            int bytes =
                    more > 0
                            ? IntentLayout.AREA_BYTES
                            : IntentLayout.ENTRIES_OFFSET + count * ENTRY_BYTES;
            if (!PlantedFault.INTENTS_UNWRITTEN.isPlanted()) {
                queuePair.write(area, image, bytes);
            }
            isPosted = true;
            count = 0;
        }

        /// Writes the entries behind those that were posted before.
        private void postBehind() {
            int posted = 0;
            while (posted < count) {
                if (capacity == 0) {
                    openExtent(Math.max(MIN_EXTENT_ENTRIES, count - posted + 1));
                }
                int some = Math.min(capacity, count - posted);
                growImage(some * ENTRY_BYTES);
                for (int i = 0; i < some; i++) {
                    putEntry(extentImage + (long) i * ENTRY_BYTES, posted + i);
                }
                postImage(next, some * ENTRY_BYTES);
                next += (long) some * ENTRY_BYTES;
                capacity -= some;
                posted += some;
                if (posted < count) {
                    queuePair.await(); // the image is used again
                }
            }
            count = 0;
        }

        private void openArea() {
            if (image == 0) {
                image = queuePair.localMemory(IntentLayout.AREA_BYTES);
            }
            LocalMemory.putLong(image + IntentLayout.ATTEMPT_OFFSET, attempt);
            next = area + IntentLayout.ENTRIES_OFFSET;
            capacity = ENTRIES_WITHOUT_MEMORY;
        }

        /// Writes the entries from `first` on to an extent, before the area that leads to it.
        private long postExtent(int more, int first) {
            int places = Math.max(MIN_EXTENT_ENTRIES, more + MIN_EXTENT_ENTRIES / 2);
            long extent = allocate(places);
            int bytes = more * ENTRY_BYTES;
            growImage(bytes);
            for (int i = 0; i < more; i++) {
                putEntry(extentImage + (long) i * ENTRY_BYTES, first + i);
            }
            postImage(extent, bytes);
            next = extent + bytes;
            capacity = places - 1 - more;
            return extent;
        }

        private void growImage(int bytes) {
            if (bytes > extentImageBytes) {
                extentImage = queuePair.localMemory(2L * bytes);
                extentImageBytes = 2 * bytes;
            }
        }

        private void postImage(long to, int bytes) {
            for (int at = 0; at < bytes; at += MAX_BYTES_PER_WRITE) {
                queuePair.write(
                        to + at, extentImage + at, Math.min(MAX_BYTES_PER_WRITE, bytes - at));
            }
        }

        /// Has the next entries go to a new extent, which the last place leads to.
        private void openExtent(int places) {
            long link = next;
            long extent = allocate(places);
            write(
                    link,
                    extent,
                    (long) places * ENTRY_BYTES,
                    IntentLayout.what(IntentLayout.EXTENT, 0, 0));
            next = extent;
            capacity = places - 1;
        }

        private long allocate(int places) {
            int bytes = places * ENTRY_BYTES;
            long extent = allocator.allocate(server, bytes);
            if (2 * extentCount == extents.length) {
                extents = Arrays.copyOf(extents, 2 * extents.length);
            }
            extents[2 * extentCount] = extent;
            extents[2 * extentCount + 1] = bytes;
            extentCount++;
            return extent;
        }

        /// Writes one more entry, behind the others.
        void postOne(long address, long header, long what) {
            if (!isPosted) {
                add(address, header, what);
                post();
                return;
            }
            if (capacity == 0) {
                openExtent(MIN_EXTENT_ENTRIES);
            }
            write(next, address, header, what);
            next += ENTRY_BYTES;
            capacity--;
        }

        private void write(long at, long address, long header, long what) {
            long offset = at - area;
            if (offset > 0 && offset < IntentLayout.AREA_BYTES) {
                put(image + offset, address, header, what);
                queuePair.write(at, image + offset, ENTRY_BYTES);
                return;
            }
            queuePair.writeWord(at + IntentLayout.ADDRESS_OFFSET, address);
            queuePair.writeWord(at + IntentLayout.HEADER_OFFSET, header);
            queuePair.writeWord(at + IntentLayout.WHAT_OFFSET, what);
            queuePair.writeWord(
                    at + IntentLayout.CHECK_OFFSET,
                    IntentLayout.check(attempt, address, header, what));
        }

        private void putEntry(long at, int entry) {
            put(at, entries[3 * entry], entries[3 * entry + 1], entries[3 * entry + 2]);
        }

        private void put(long at, long address, long header, long what) {
            LocalMemory.putLong(at + IntentLayout.ADDRESS_OFFSET, address);
            LocalMemory.putLong(at + IntentLayout.HEADER_OFFSET, header);
            LocalMemory.putLong(at + IntentLayout.WHAT_OFFSET, what);
            LocalMemory.putLong(
                    at + IntentLayout.CHECK_OFFSET,
                    IntentLayout.check(attempt, address, header, what));
        }
    }
}
