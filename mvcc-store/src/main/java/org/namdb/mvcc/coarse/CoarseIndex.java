package org.namdb.mvcc.coarse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedForecast;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeClient;
import org.namdb.timestamp.snapshot.Snapshot;

/// One thread's access to an ordered index whose entries are [spread by hash][HashPartitions]: a
/// memory server's worker does what is done to its part, by request. A look-up, an insert or
/// a removal is one round trip to one server; a range asks all of them at once.
///
/// What a worker leaves to its client ([Outcome#BUSY]) is done by verbs, and waits as long as the
/// thread's owner of latches does.
///
/// Source: tree-index paper, section 3 (coarse-grained, partitioned by hash).
public final class CoarseIndex implements OrderedIndex {
    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final LatchOwner owner;
    private final HashPartitions parts;

    /// For operations that are done alone.
    private final RequestBatch alone;

    /// For changes that are on their way together, and how far they are.
    private final RequestBatch together;

    private Stage stage = Stage.COLLECTING;

    /// By part, what does by verbs what its worker does not.
    private final @Nullable TreeClient[] clients;

    private final long[] key;

    private enum Stage {
        /// Changes are added.
        COLLECTING,
        /// They are posted.
        POSTED,
        /// What has come of them is known.
        LANDED,
        /// They could not be posted, as something else was asked of a server.
        LEFT
    }

    /// @param owner whose latches are taken, here and by workers
    public CoarseIndex(
            QueuePair queuePair,
            RemoteAllocator allocator,
            HashPartitions parts,
            LatchOwner owner) {
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.owner = owner;
        this.parts = parts;
        this.alone = new RequestBatch(queuePair, owner);
        this.together = new RequestBatch(queuePair, owner);
        this.clients = new @Nullable TreeClient[parts.count()];
        this.key = new long[parts.keyWords()];
    }

    @Override
    public boolean insert(long[] entry, Snapshot snapshot) {
        return change(Operation.INSERT, own(entry));
    }

    @Override
    public void remove(long[] entry) {
        boolean _ = change(Operation.REMOVE, own(entry));
    }

    private long[] own(long[] entry) {
        System.arraycopy(entry, 0, key, 0, key.length);
        return key;
    }

    /// Does a change, and waits until it is done.
    ///
    /// @return whether something was changed
    boolean change(Operation what, long[] entry) {
        int part = parts.partOf(entry);
        long anchor = parts.tree(part).anchor();
        awaitRequest(RemoteAddress.server(anchor));
        Outcome outcome;
        try (ViewScope _ = queuePair.openViews()) {
            alone.clear();
            int index = alone.add(what, anchor, entry, 0, entry);
            alone.post();
            queuePair.await();
            alone.land();
            outcome = alone.outcome(index);
        }
        return finish(what, entry, outcome);
    }

    /// A server that is asked something already answers that before it is asked something else.
    void awaitRequest(int server) {
        if (queuePair.hasRequest(server)) {
            queuePair.await();
        }
    }

    /// Does what is left of a change.
    ///
    /// @param outcome what has come of it
    /// @return whether something was changed
    boolean finish(Operation what, long[] entry, Outcome outcome) {
        int part = parts.partOf(entry);
        return switch (outcome) {
            case YES -> true;
            case NO -> false;
            case BUSY ->
                    what == Operation.INSERT
                            ? client(part).insert(entry)
                            : client(part).delete(entry);
            case FULL -> throw full(part);
            case NO_TREE, MORE -> throw unexpected(part, outcome);
        };
    }

    private MemoryFullException full(int part) {
        BLinkTree tree = parts.tree(part);
        return new MemoryFullException(
                RemoteAddress.server(tree.anchor()), tree.layout().nodeBytes());
    }

    FabricException unexpected(int part, Outcome outcome) {
        return new FabricException(
                FabricException.Kind.SYSTEM,
                "memory server %d answers %s about a tree at %s"
                        .formatted(
                                RemoteAddress.server(parts.tree(part).anchor()),
                                outcome,
                                RemoteAddress.describe(parts.tree(part).anchor())));
    }

    /// What works on a part by verbs.
    TreeClient client(int part) {
        TreeClient known = clients[part];
        if (known == null) {
            known = new TreeClient(queuePair, allocator, parts.tree(part), owner);
            clients[part] = known;
        }
        return known;
    }

    // ---- changes that go together

    /// Adds a change to those that are on their way together.
    ///
    /// @return its index; below 0 if it is to be done alone
    int collect(Operation what, long[] entry) {
        if (stage != Stage.COLLECTING) {
            together.clear();
            stage = Stage.COLLECTING;
        }
        long anchor = parts.tree(parts.partOf(entry)).anchor();
        int server = RemoteAddress.server(anchor);
        if (queuePair.hasRequest(server) || !together.hasSpaceFor(server, what, key.length, 0)) {
            return -1;
        }
        return together.add(what, anchor, entry, 0, entry);
    }

    /// Posts those that were collected.
    void postCollected() {
        if (stage != Stage.COLLECTING || together.size() == 0) {
            return;
        }
        stage = Stage.LEFT; // if something is asked of a server since they were collected
        for (int part = 0; part < parts.count(); part++) {
            int server = RemoteAddress.server(parts.tree(part).anchor());
            if (together.hasOperationsFor(server) && queuePair.hasRequest(server)) {
                return;
            }
        }
        together.post();
        stage = Stage.POSTED;
    }

    /// What has come of a change that was collected, after the await; `BUSY` if it was not done.
    Outcome collected(int index) {
        if (stage == Stage.POSTED) {
            together.land();
            stage = Stage.LANDED;
        }
        return stage == Stage.LANDED ? together.outcome(index) : Outcome.BUSY;
    }

    /// Something has failed: those that were not posted never are.
    void forgetCollected() {
        together.clear();
        stage = Stage.COLLECTING;
    }

    @Override
    public EntryChange insertion() {
        return new CoarseChange(this, Operation.INSERT, key.length);
    }

    @Override
    public EntryChange removal() {
        return new CoarseChange(this, Operation.REMOVE, key.length);
    }

    // ---- the rest

    /// Enough for leaves that are half full, if the entries are spread evenly.
    @Override
    public void makeRoom(int newEntries) {
        for (int part = 0; part < parts.count(); part++) {
            BLinkTree tree = parts.tree(part);
            int leaves = Math.ceilDiv(2 * newEntries, tree.layout().capacity(0) * parts.count());
            long bytes = 2L * leaves * tree.layout().nodeBytes();
            if (leaves > 1) { // else a lone insert would ask for it, too
                allocator.require(RemoteAddress.server(tree.anchor()), bytes);
            }
        }
    }

    @Override
    public OrderedCursor cursor() {
        return new CoarseCursor(queuePair, this, parts, new RequestBatch(queuePair, owner));
    }

    @Override
    public OrderedForecast forecast(VerbForecast into) {
        return new CoarseForecast(parts, into);
    }

    @Override
    public void discard() {
        for (TreeClient client : clients) {
            if (client != null) {
                client.discard();
            }
        }
        Arrays.fill(clients, null);
    }

    @Override
    public void close() {
        for (TreeClient client : clients) {
            if (client != null) {
                client.close();
            }
        }
        Arrays.fill(clients, null);
    }
}
