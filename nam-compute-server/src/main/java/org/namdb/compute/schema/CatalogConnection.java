package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;

/// The catalog's way to the memory servers, which hold it, for one thread at a time.
final class CatalogConnection {
    private Supplier<QueuePair> connections;
    private final int servers;
    private int computeServer;
    private QueuePair queuePair;
    private MemoryClient client;
    private TableStorage storage;
    private UnnamedStorage unnamed;
    private @Nullable CatalogPicture picture;

    /// [#oldVersionBytes] of connections that are no more.
    private long oldVersionBytesBefore;

    /// Held while the queue pair is used. Not a monitor: a simulated thread that waits for one
    /// would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    /// How many attempts to connect again have failed, and why the last one did.
    private final AtomicInteger failures = new AtomicInteger();

    private @Nullable FabricException lastFailure;

    /// @param connections connects to the memory servers; again when the connection is lost or
    ///     unreliable
    /// @param computeServer the number of the compute server
    CatalogConnection(Supplier<QueuePair> connections, int servers, int computeServer) {
        this.connections = connections;
        this.servers = servers;
        this.computeServer = computeServer;
        this.queuePair = connections.get();
        this.client = new MemoryClient(queuePair, servers);
        this.storage = new TableStorage(queuePair, client);
        this.unnamed = new UnnamedStorage(client, computeServer);
    }

    /// Runs `body`, which may use [#client], [#storage] and [#unnamed], by one thread at a time.
    <T extends @Nullable Object> T locked(Supplier<T> body) {
        int before = failures.get();
        lock.lock();
        try {
            if (queuePair.isInDoubt() || queuePair.isLost()) {
                requireNoFailureSince(before);
                connectAgain();
            }
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    /// Runs `body` in the same way; it may allocate what memory servers keep for deletes.
    <T extends @Nullable Object> T fromReserve(Supplier<T> body) {
        return locked(() -> client.fromReserve(body));
    }

    /// Connects as another compute server of this process; that before is fenced.
    void attach(Supplier<QueuePair> newConnections, int newComputeServer) {
        lock.lock();
        try {
            QueuePair before = queuePair;
            QueuePair connected = newConnections.get();
            connections = newConnections;
            computeServer = newComputeServer;
            use(connected);
            before.close();
        } finally {
            lock.unlock();
        }
    }

    private void use(QueuePair connected) {
        oldVersionBytesBefore += storage.oldVersionBytes();
        queuePair = connected;
        client = new MemoryClient(connected, servers);
        storage = new TableStorage(connected, client);
        unnamed = new UnnamedStorage(client, computeServer);
        picture = null;
    }

    /// A thread that has waited while another one failed to connect gets that failure, and does not
    /// wait for as long again.
    private void requireNoFailureSince(int before) {
        FabricException failure = lastFailure;
        if (failure != null && failures.get() != before) {
            throw new FabricException(
                    failure.kind(), String.valueOf(failure.getMessage()), failure);
        }
    }

    /// A queue pair that is unreliable, or whose connection is lost, can't be used any more, and
    /// the process goes on.
    private void connectAgain() {
        QueuePair before = queuePair;
        QueuePair connected;
        try {
            before.disconnect();
            connected = connections.get();
        } catch (FabricException e) {
            lastFailure = e;
            failures.incrementAndGet();
            throw e;
        }
        use(connected);
        before.close();
    }

    /// Adds an entry to the catalog. If the reply is lost, the catalog is read for it. For the
    /// thread that has [locked][#locked] the connection.
    ///
    /// @param undo run if the entry is not in the catalog, and will not be: frees the storage that
    ///     it names. Not run where the catalog can't be read: the storage may be in use
    /// @return whether there was no other entry of this name
    /// @throws MemoryFullException if there is no memory for the entry
    /// @throws FabricException if a memory server can't be reached
    boolean put(String name, byte[] entry, Runnable undo) {
        return write(() -> client.putCatalogEntry(name, entry), name, entry, undo);
    }

    /// Puts an entry in the place of the one of this name, as [#put] adds one.
    ///
    /// @return whether there was one
    boolean replace(String name, byte[] entry, Runnable undo) {
        return write(() -> client.replaceCatalogEntry(name, entry), name, entry, undo);
    }

    private boolean write(BooleanSupplier request, String name, byte[] entry, Runnable undo) {
        boolean isAbsent = false;
        try {
            isAbsent = !request.getAsBoolean();
        } catch (MemoryFullException e) {
            isAbsent = true;
            throw e;
        } catch (Throwable e) {
            isAbsent = !isThere(name, entry, e);
            if (isAbsent) {
                throw e;
            }
        } finally {
            if (isAbsent) {
                undo.run();
            }
        }
        return !isAbsent;
    }

    /// Whether an entry was added to the catalog though `failure` was thrown. Nothing that was
    /// posted before takes effect any more when this returns.
    ///
    /// @throws FabricException if that can't be read
    private boolean isThere(String name, byte[] entry, Throwable failure) {
        try {
            if (queuePair.isInDoubt() || queuePair.isLost()) {
                connectAgain();
            }
            boolean isThere = Arrays.equals(entry, client.catalogEntry(name));
            if (isThere) {
                boolean _ = client.replaceCatalogEntry(name, entry); // its version has to rise
            }
            return isThere;
        } catch (FabricException e) {
            e.addSuppressed(failure);
            throw e;
        }
    }

    /// Changes several entries of the catalog: all, or none if it has no memory for them. Where
    /// this fails otherwise, or the process dies, others [complete][#completeUpdate] it, or none is
    /// changed; they can't if the catalog has no memory for the redo record, as what frees memory
    /// must not fail for lack of it. For the thread that has [locked][#locked] the connection,
    /// while no other session changes the schema.
    ///
    /// @throws MemoryFullException if there is no memory for them; nothing has changed
    void update(CatalogUpdate update) {
        reserve(update.reserve(client::serverOf));
        Map<String, byte[]> record = update.record();
        putRecord(record);
        try {
            write(update.entries(), record.keySet());
        } catch (MemoryFullException e) {
            throw new IllegalStateException( // it is not true that nothing has changed
                    "the space that was reserved for a change of the catalog was taken: "
                            + e.getMessage(),
                    e);
        }
    }

    private void reserve(Map<String, byte[]> space) {
        try {
            space.forEach((name, bytes) -> {
                if (!put(name, bytes, () -> {})) { // left by a coordinator that has failed
                    boolean _ = replace(name, bytes, () -> {});
                }
            });
        } catch (MemoryFullException e) {
            space.keySet().forEach(client::removeCatalogEntry);
            throw e;
        }
    }

    private void putRecord(Map<String, byte[]> record) {
        try {
            record.forEach((name, bytes) -> {
                boolean isPut = put(name, bytes, () -> {});
                if (!isPut && name.equals(CatalogEntry.UPDATE)) {
                    throw new IllegalStateException(
                            "another change of the catalog is not complete");
                } else if (!isPut) { // its coordinator has failed before there was a whole record
                    boolean _ = replace(name, bytes, () -> {});
                }
            });
        } catch (MemoryFullException e) {
            record.keySet().stream()
                    .filter(CatalogConnection::isPart)
                    .forEach(client::removeCatalogEntry);
        }
    }

    private static boolean isPart(String name) {
        return name.startsWith(CatalogEntry.UPDATE_PART);
    }

    /// Makes the changes that an [#update] has left. May stop at any step, and be done by several
    /// compute servers, while none changes the schema. For the thread that has [locked][#locked]
    /// the connection.
    void completeUpdate() {
        byte[] left = client.catalogEntry(CatalogEntry.UPDATE);
        if (left == null) {
            return;
        }
        Map<String, byte @Nullable []> entries = CatalogEntry.decodeUpdate(left);
        List<String> record =
                new ArrayList<>(
                        entries.keySet().stream().filter(CatalogConnection::isPart).toList());
        entries.keySet().removeAll(record);
        for (String name : record) {
            byte[] part = client.catalogEntry(name);
            if (part == null) { // all entries are changed
                entries.clear();
                break;
            }
            entries.putAll(CatalogEntry.decodeUpdate(part));
        }
        record.add(CatalogEntry.UPDATE);
        write(entries, record);
    }

    /// @param record the names of the redo record's entries, which are removed then
    private void write(Map<String, byte @Nullable []> entries, Collection<String> record) {
        entries.forEach((name, entry) -> {
            if (entry == null) { // before the others, as that frees memory
                boolean _ = client.removeCatalogEntry(name);
            }
        });
        entries.forEach((name, entry) -> {
            if (entry != null && !client.replaceCatalogEntry(name, entry)) {
                boolean _ = client.putCatalogEntry(name, entry);
            }
        });
        record.forEach(client::removeCatalogEntry);
    }

    /// What the catalog holds, read again only if it has been altered since. For the thread that
    /// has the connection [locked][#locked].
    CatalogPicture picture() {
        CatalogPicture known = picture;
        return known != null && known.isCurrent(client) ? known : readPicture();
    }

    /// What the catalog holds, read now. A schema change whose coordinator has died may have
    /// altered it without raising its version, and others refresh their caches by this after it.
    CatalogPicture readPicture() {
        CatalogPicture read = new CatalogPicture(client);
        picture = read;
        return read;
    }

    /// Sends requests to memory servers. For the thread that has it [locked][#locked].
    MemoryClient client() {
        return client;
    }

    /// Reads memory. For the thread that has it [locked][#locked].
    QueuePair queuePair() {
        return queuePair;
    }

    /// Makes and drops tables and indexes. For the thread that has it [locked][#locked].
    TableStorage storage() {
        return storage;
    }

    /// The entries of tables and indexes without a name. For the thread that has it
    /// [locked][#locked].
    UnnamedStorage unnamed() {
        return unnamed;
    }

    /// The bytes of old versions that were freed with their tables: less than zero.
    long oldVersionBytes() {
        return locked(() -> oldVersionBytesBefore + storage.oldVersionBytes());
    }

    /// Disconnects.
    void close() {
        queuePair.close();
    }
}
