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

/// One thread's access to an ordered index whose entries are [divided by hash or by
/// ranges][Partitions]: a memory server's worker does all operations on its part, by request. A
/// lookup, an insert or a removal is one round trip to one server; a range takes one to all of them
/// at once, or, by range, one to each server that it touches, one after the other.
///
/// What a worker leaves to its client ([Outcome#BUSY]) is done by verbs, and waits as long as the
/// thread's owner of latches does.
///
/// Source: tree-index paper, section 3 (coarse-grained, partitioned by hash or range).
public final class CoarseIndex implements OrderedIndex {
    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final LatchOwner owner;
    private final Partitions parts;

    private final SharedRequests requests;

    /// For changes that are done alone.
    private final CoarseChange lonelyInsertion;

    private final CoarseChange lonelyRemoval;

    /// By part, what does by verbs what its worker does not.
    private final @Nullable TreeClient[] clients;

    /// @param owner whose latches are taken, here and by workers
    public CoarseIndex(
            QueuePair queuePair, RemoteAllocator allocator, Partitions parts, LatchOwner owner) {
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.owner = owner;
        this.parts = parts;
        this.requests = SharedRequests.of(queuePair, owner);
        this.clients = new @Nullable TreeClient[parts.count()];
        this.lonelyInsertion = new CoarseChange(this, Operation.INSERT, parts.keyWords());
        this.lonelyRemoval = new CoarseChange(this, Operation.REMOVE, parts.keyWords());
    }

    @Override
    public boolean insert(long[] entry, Snapshot snapshot) {
        lonelyInsertion.prepare(entry, snapshot);
        return lonelyInsertion.finish();
    }

    @Override
    public void remove(long[] entry) {
        lonelyRemoval.prepare(entry, Snapshot.EVERYTHING);
        boolean _ = lonelyRemoval.finish();
    }

    /// Has a change done by the next await.
    ///
    /// @return false if there is no space for it before that
    boolean request(CoarseChange change, Operation what, long[] entry) {
        long anchor = parts.tree(parts.partOf(entry)).anchor();
        return requests.add(change, RemoteAddress.server(anchor), what, anchor, entry, 0, entry);
    }

    /// Has a change done, and waits until it is.
    void requestAlone(CoarseChange change, Operation what, long[] entry) {
        try (ViewScope _ = queuePair.openViews()) {
            while (!request(change, what, entry)) {
                queuePair.await();
            }
            queuePair.await();
        }
    }

    /// Nothing comes of a change that is not done yet.
    void forget(CoarseChange change) {
        requests.forget(change);
    }

    /// Does what is left of a change.
    ///
    /// @param outcome its outcome
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

    @Override
    public EntryChange insertion() {
        return new CoarseChange(this, Operation.INSERT, parts.keyWords());
    }

    @Override
    public EntryChange removal() {
        return new CoarseChange(this, Operation.REMOVE, parts.keyWords());
    }

    /// Enough for leaves that are half full, if each part gets its share.
    @Override
    public void ensureCapacity(int newEntries) {
        for (int part = 0; part < parts.count(); part++) {
            BLinkTree tree = parts.tree(part);
            int leaves =
                    (int)
                            Math.ceil(
                                    2.0
                                            * newEntries
                                            * parts.share(part)
                                            / tree.layout().capacity(0));
            long bytes = 2L * leaves * tree.layout().nodeBytes();
            if (leaves > 1) { // else a single insert would allocate it, too
                allocator.require(RemoteAddress.server(tree.anchor()), bytes);
            }
        }
    }

    @Override
    public OrderedCursor cursor() {
        return new CoarseCursor(queuePair, this, parts, requests);
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
