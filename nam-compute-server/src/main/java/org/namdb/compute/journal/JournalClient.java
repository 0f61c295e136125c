package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.memory.server.Request;

/// One thread's requests to the [journal][MemoryJournal] of a memory server.
public final class JournalClient {
    private static final int MAX_BYTES = 32 << 10;
    private static final int REPLY_BYTES = 64;
    private static final String GIVEN_UP = "has given up checkpoint";

    private final QueuePair queuePair;
    private final int server;
    private final int generation;
    private final int pieceBytes;

    /// Requests that are not about what the memory server has in memory.
    public JournalClient(QueuePair queuePair, int server) {
        this(queuePair, server, 0);
    }

    /// Cuts and checkpoints, too, of a database in memory: a memory server that was started again
    /// refuses them, also if it has begun another generation, or none yet.
    /// ```
    /// compute server             memory server 1          memory server 0
    /// chooses S_905              dies, is started again
    /// requests cut 905           has begun nothing
    ///                                                     notices, recovers: has 1 begin
    ///                            the first cuts of this generation are 54, 55, ..: 905 would be
    ///                            taken for a later one
    /// ```
    ///
    /// @param generation the one that its memory servers have begun: what [#contents] returns as
    ///     long as their memory is the same
    public JournalClient(QueuePair queuePair, int server, int generation) {
        this.queuePair = queuePair;
        this.server = server;
        this.generation = generation;
        this.pieceBytes = Math.min(queuePair.batchBytes() / 2, MAX_BYTES);
    }

    /// What is in a data directory.
    ///
    /// @param database the number of the database; null if the directory is new
    /// @param begun the generation that this life of the memory server has begun; 0 if none
    /// @param generations that have files, in order
    public record Contents(@Nullable Long database, int begun, List<Integer> generations) {}

    /// How a journal does.
    ///
    /// @param place the directory
    /// @param bytes how many it has written in this life; -1 for none
    /// @param cutNanos the age of the last cut; -1 for none
    public record Status(String place, long bytes, long cutNanos) {}

    /// @throws FabricException if it keeps no journal
    private @Nullable ByteBuffer call(ByteBuffer request, int replyBytes) {
        byte[] bytes = new byte[request.remaining()];
        request.get(bytes);
        byte[] reply = queuePair.call(server, Request.of(Request.JOURNAL, bytes), replyBytes);
        if (reply[0] == Request.NOTHING) {
            return null;
        }
        if (reply[0] != Request.DONE) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "memory server %d has no data directory".formatted(server));
        }
        return ByteBuffer.wrap(reply).position(1);
    }

    private static ByteBuffer request(byte what, int bytes) {
        return ByteBuffer.allocate(1 + bytes).put(what);
    }

    /// About a database in memory.
    private ByteBuffer bound(byte what, int bytes) {
        return request(what, Integer.BYTES + bytes).putInt(generation);
    }

    private static ByteBuffer named(byte what, String name, int bytes) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return request(what, Integer.BYTES + text.length + bytes).putInt(text.length).put(text);
    }

    /// @throws FabricException if there is none, as the memory server may have been started again
    private ByteBuffer require(@Nullable ByteBuffer reply, String what) {
        if (reply == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "memory server %d %s: it may have been started again".formatted(server, what));
        }
        return reply;
    }

    /// What there is.
    public Contents contents() {
        ByteBuffer reply = require(call(request(MemoryJournal.CONTENTS, 0).flip(), MAX_BYTES), "");
        boolean isKnown = reply.get() != 0;
        long database = reply.getLong();
        int begun = reply.getInt();
        List<Integer> generations = new ArrayList<>();
        while (reply.hasRemaining()) {
            generations.add(reply.getInt());
        }
        return new Contents(isKnown ? database : null, begun, List.copyOf(generations));
    }

    /// Begins a generation, and removes all others but one.
    ///
    /// @param needed the one that is still needed; 0 for none
    /// @throws FabricException if this life of the memory server has begun one
    public void begin(int generation, int needed, long database) {
        ByteBuffer request =
                request(MemoryJournal.BEGIN, 2 * Integer.BYTES + Long.BYTES)
                        .putInt(generation)
                        .putInt(needed)
                        .putLong(database);
        ByteBuffer _ = require(call(request.flip(), REPLY_BYTES), "has begun already");
    }

    /// Has the memory server restart with empty memory.
    ///
    /// @param generation the one that it has begun; another one goes on
    public void end(int generation) {
        ByteBuffer _ = call(request(MemoryJournal.END, Integer.BYTES).putInt(generation).flip(), 1);
    }

    /// Requests a cut.
    ///
    /// @return what the server's word of forced cuts must reach
    public long cut(byte[] body) {
        return require(callInParts(MemoryJournal.CUT, body), "takes no cut").getLong();
    }

    /// @return the reply to the last part
    private @Nullable ByteBuffer callInParts(byte what, byte[] body) {
        long id = ThreadLocalRandom.current().nextLong();
        ByteBuffer reply = null;
        int at = 0;
        do {
            int bytes = Math.min(pieceBytes, body.length - at);
            ByteBuffer request =
                    bound(what, Long.BYTES + 2 * Integer.BYTES + bytes)
                            .putLong(id)
                            .putInt(body.length)
                            .putInt(at)
                            .put(body, at, bytes);
            reply = call(request.flip(), REPLY_BYTES);
            at += bytes;
        } while (at < body.length);
        return reply;
    }

    /// Whether a checkpoint is due, which this compute server is to write then. Of memory server 0.
    ///
    /// @return its number; 0 if none is due, or another compute server writes it
    public long beginCheckpoint() {
        ByteBuffer reply = call(bound(MemoryJournal.CHECKPOINT, 0).flip(), REPLY_BYTES);
        return reply == null ? 0 : reply.getLong();
    }

    /// Begins the second copy of a checkpoint. Of memory server 1.
    ///
    /// @param number that of the first
    public void beginSecond(long number) {
        ByteBuffer request = bound(MemoryJournal.SECOND, Long.BYTES).putLong(number);
        ByteBuffer _ = require(call(request.flip(), REPLY_BYTES), "writes a later checkpoint");
    }

    /// The first segment of the server's journal that is needed with a checkpoint.
    ///
    /// @param shown its first snapshot, slot by slot
    public int neededFrom(long[] shown) {
        ByteBuffer body = ByteBuffer.allocate(Long.BYTES * shown.length);
        body.asLongBuffer().put(shown);
        return require(callInParts(MemoryJournal.NEEDED, body.array()), "has begun nothing")
                .getInt();
    }

    /// A checkpoint is complete: has what it replaces removed.
    ///
    /// @param number its number, of memory servers 0 and 1; otherwise 0
    /// @param first the first segment that is needed
    public void dropBefore(long number, int first) {
        ByteBuffer request =
                bound(MemoryJournal.DROP_BEFORE, Long.BYTES + Integer.BYTES)
                        .putLong(number)
                        .putInt(first);
        ByteBuffer _ = require(call(request.flip(), REPLY_BYTES), "has given up the checkpoint");
    }

    /// Removes all generations but one.
    public void keepOnly(int generation) {
        ByteBuffer request = request(MemoryJournal.DROP, Integer.BYTES).putInt(generation);
        ByteBuffer _ = require(call(request.flip(), REPLY_BYTES), "removes nothing");
    }

    /// How it does.
    public Status status() {
        ByteBuffer reply = require(call(request(MemoryJournal.STATUS, 0).flip(), MAX_BYTES), "");
        long bytes = reply.getLong();
        long nanos = reply.getLong();
        return new Status(StandardCharsets.UTF_8.decode(reply).toString(), bytes, nanos);
    }

    /// The files of a generation, which can be read.
    public Disk generation(int generation) {
        String prefix = MemoryJournal.prefix(generation);
        return new PartDisk(new Files(0, prefix.length(), () -> {}), prefix);
    }

    /// The files of the generation in memory, where those of a checkpoint can be written.
    ///
    /// @param number the checkpoint's
    /// @param second of another memory server, which gets a copy of each file; null for none
    /// @param whileForced called again and again until a file is forced; what it throws ends that
    public Disk checkpoint(long number, @Nullable JournalClient second, Runnable whileForced) {
        String prefix = MemoryJournal.prefix(generation);
        Files files = new Files(number, prefix.length(), whileForced);
        Disk all =
                second == null
                        ? files
                        : new TwoDisks(
                                files, second.new Files(number, prefix.length(), whileForced));
        return new PartDisk(all, prefix);
    }

    /// Files of the server.
    final class Files implements Disk {
        private final long checkpoint;
        private final int prefixLength;
        private final Runnable whileForced;

        /// @param checkpoint by which number files are written; 0 for none
        /// @param prefixLength how much of their names the server adds
        Files(long checkpoint, int prefixLength, Runnable whileForced) {
            this.checkpoint = checkpoint;
            this.prefixLength = prefixLength;
            this.whileForced = whileForced;
        }

        @Override
        public List<String> list() {
            List<String> names = new ArrayList<>();
            String last = "";
            boolean isMore = true;
            while (isMore) {
                ByteBuffer request =
                        named(MemoryJournal.LIST, last, Integer.BYTES).putInt(pieceBytes - 1);
                ByteBuffer reply = require(call(request.flip(), pieceBytes), "lists no files");
                isMore = reply.hasRemaining();
                while (reply.hasRemaining()) {
                    last = Request.name(reply);
                    names.add(last);
                }
            }
            return List.copyOf(names);
        }

        @Override
        public RemoteFile open(String name) {
            return new RemoteFile(name, name.substring(prefixLength), checkpoint, whileForced);
        }

        @Override
        public void remove(String name) {
            requireWritable(checkpoint);
            call(numbered(MemoryJournal.REMOVE, checkpoint, name.substring(prefixLength), 0), name);
        }

        @Override
        public void forceNames() {
            requireWritable(checkpoint); // they are, with each file
        }

        @Override
        public Lock lock() {
            throw readOnly();
        }
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("files of memory servers are only read");
    }

    private static void requireWritable(long checkpoint) {
        if (checkpoint == 0) {
            throw readOnly();
        }
    }

    private ByteBuffer numbered(byte what, long number, String name, int bytes) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return bound(what, Long.BYTES + Integer.BYTES + text.length + bytes)
                .putLong(number)
                .putInt(text.length)
                .put(text);
    }

    /// A change of a checkpoint's file.
    private void call(ByteBuffer request, String name) {
        byte[] bytes = new byte[request.flip().remaining()];
        request.get(bytes);
        byte status = queuePair.call(server, Request.of(Request.JOURNAL, bytes), 1)[0];
        if (status != Request.DONE) {
            throw failed(status == Request.FULL ? "can't write" : GIVEN_UP, name);
        }
    }

    private DiskException failed(String what, String name) {
        return new DiskException("memory server %d %s %s".formatted(server, what, name), null);
    }

    final class RemoteFile implements DiskFile {
        private final String name;
        private final String ownName;
        private final long checkpoint;
        private final Runnable whileForced;
        private byte[] ahead = {};
        private long aheadFrom;

        /// @param ownName without what the server adds
        RemoteFile(String name, String ownName, long checkpoint, Runnable whileForced) {
            this.name = name;
            this.ownName = ownName;
            this.checkpoint = checkpoint;
            this.whileForced = whileForced;
        }

        private ByteBuffer read(long offset, int bytes) {
            ByteBuffer request =
                    named(MemoryJournal.READ, name, Long.BYTES + Integer.BYTES)
                            .putLong(offset)
                            .putInt(bytes);
            return require(call(request.flip(), 1 + Long.BYTES + bytes), "has no file " + name);
        }

        /// Without most of the zeroes at its end.
        @Override
        public long size() {
            return read(0, 0).getLong();
        }

        /// Reads ahead: most reads are of a block, behind the one before.
        @Override
        public int read(long offset, ByteBuffer into) {
            int read = 0;
            while (into.hasRemaining()) {
                long at = offset + read;
                if (at < aheadFrom || at >= aheadFrom + ahead.length) {
                    ByteBuffer reply = read(at, pieceBytes - 1 - Long.BYTES);
                    long _ = reply.getLong();
                    ahead = new byte[reply.remaining()];
                    aheadFrom = at;
                    reply.get(ahead);
                    if (ahead.length == 0) {
                        break;
                    }
                }
                int from = (int) (at - aheadFrom);
                int bytes = Math.min(into.remaining(), ahead.length - from);
                into.put(ahead, from, bytes);
                read += bytes;
            }
            return read;
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            requireWritable(checkpoint);
            long at = offset;
            while (from.hasRemaining()) {
                int bytes = Math.min(from.remaining(), pieceBytes);
                call(
                        numbered(MemoryJournal.WRITE, checkpoint, ownName, Long.BYTES + bytes)
                                .putLong(at)
                                .put(from.slice(from.position(), bytes)),
                        name);
                from.position(from.position() + bytes);
                at += bytes;
            }
        }

        @Override
        public void force() {
            forceAll(List.of(this));
        }

        /// Forces files of several memory servers at the same time. Each server is called until all
        /// are forced: to one that hears nothing for long, the writer is dead.
        static void forceAll(List<RemoteFile> files) {
            files.forEach(RemoteFile::beginForce);
            while (true) {
                boolean areForced = true;
                for (RemoteFile each : files) {
                    areForced &= each.isForced();
                }
                if (areForced) {
                    return;
                }
                files.getFirst().whileForced.run();
            }
        }

        private void beginForce() {
            requireWritable(checkpoint);
            JournalClient.this.call(numbered(MemoryJournal.FORCE, checkpoint, ownName, 0), name);
        }

        private boolean isForced() {
            ByteBuffer request = bound(MemoryJournal.FORCED, 0).flip();
            byte state =
                    require(JournalClient.this.call(request, REPLY_BYTES), "forces nothing").get();
            if (state == MemoryCheckpoints.FAILED || state == MemoryCheckpoints.GIVEN_UP) {
                throw failed(state == MemoryCheckpoints.FAILED ? "can't force" : GIVEN_UP, name);
            }
            return state == MemoryCheckpoints.FORCED;
        }

        @Override
        public void close() {
            // Each read is a request of its own.
        }
    }
}
