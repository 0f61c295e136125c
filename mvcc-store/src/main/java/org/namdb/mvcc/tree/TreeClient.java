package org.namdb.mvcc.tree;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.snapshot.Snapshot;

/// One thread's access to a [BLinkTree]. Keys are arrays of the tree's `keyWords` words; they are
/// not kept. Not thread-safe, as its queue pair and its allocator are not.
///
/// A lookup takes one round trip, and one for each inner node that is not cached ([InnerNodes]); an
/// insert or delete takes two more: one for the latch and one for what changes. Inserts of one
/// batch share them; a run of many takes fewer, and splits nodes into as many as it needs
/// ([RunInsertion]).
///
/// Source: tree-index paper, section 4.2 and Listing 2. Unlike there, a writer does not write whole
/// nodes, but what changes in them; and a leaf that gets empty is removed at once.
public final class TreeClient implements OrderedIndex {
    private static final int LANDED_NODES = 8;

    private final QueuePair queuePair;
    private final BLinkTree tree;
    private final NodeLayout layout;
    private final Descent descent;
    private final @Nullable OrderedIndex separators;
    private final FreeNodes freeNodes;
    private final LatchOwner owner;
    private final long[] ownKey;
    private final NodeInsertion insertion;
    private final EntryDeletion deletion;
    private final List<TreeInsertion> insertions = new ArrayList<>();
    private final ChangeBatch leftOver;
    private @Nullable RunInsertion runs;
    private @Nullable TreeInsertion leader;

    /// @param owner whose latches it takes
    /// @throws IllegalArgumentException if the queue pair can not land eight nodes
    public TreeClient(
            QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree, LatchOwner owner) {
        this(queuePair, allocator, tree, owner, null);
    }

    /// The same for a tree without inner nodes, which has nothing but leaves.
    ///
    /// @param separators what says where the leaves are: this thread's access to an index that only
    ///     clients of this tree use. Its entries have one word more than keys of the tree. Closed
    ///     and discarded with this client. Null if the tree has inner nodes
    public TreeClient(
            QueuePair queuePair,
            RemoteAllocator allocator,
            BLinkTree tree,
            LatchOwner owner,
            @Nullable OrderedIndex separators) {
        this.queuePair = queuePair;
        this.tree = tree;
        this.layout = tree.layout();
        if (queuePair.landingBytes() < LANDED_NODES * layout.nodeBytes()) {
            throw new IllegalArgumentException(
                    "a queue pair that lands %d bytes can't read nodes of %d bytes"
                            .formatted(queuePair.landingBytes(), layout.nodeBytes()));
        }
        this.owner = owner;
        this.ownKey = new long[layout.keyWords()];
        this.descent = new Descent(queuePair, tree, owner, separators);
        this.separators = separators;
        this.freeNodes = new FreeNodes(queuePair, allocator, tree);
        this.insertion = new NodeInsertion(queuePair, tree, descent, freeNodes, owner);
        this.leftOver = new ChangeBatch(queuePair);
        NodeMerge merge = new NodeMerge(queuePair, layout, descent, freeNodes, owner);
        this.deletion = new EntryDeletion(queuePair, layout, descent, merge, owner);
    }

    /// Inserts `key`.
    ///
    /// @return whether it was not there; a key that was deleted is not there
    /// @throws org.namdb.mvcc.MemoryFullException if a memory server is full; nothing has changed.
    ///     Can't happen after [#reserveInsert]
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a node on the way stays latched;
    ///     nothing has changed. So for all operations
    public boolean insert(long[] key) {
        assert key.length == layout.keyWords() : "a key of " + key.length + " words";
        boolean isNew = insertion.insert(key);
        descent.end();
        return isNew;
    }

    /// Deletes `key`. A leaf in which no entry is left is taken out of the tree, if that can be
    /// done at once; [#collect] does it if not.
    ///
    /// @return whether it was there
    public boolean delete(long[] key) {
        assert key.length == layout.keyWords() : "a key of " + key.length + " words";
        boolean wasThere = deletion.delete(key);
        descent.end();
        return wasThere;
    }

    @Override
    public boolean insert(long[] entry, Snapshot snapshot) {
        return insert(own(entry));
    }

    @Override
    public EntryChange insertion() {
        TreeInsertion made = new TreeInsertion(this, descent, owner);
        insertions.add(made);
        return made;
    }

    /// Whether the insertion that was the last to go to a leaf by itself is on its way to this one,
    /// and takes another along; if not, the other one is the next.
    boolean isLed(TreeInsertion insertion, long leaf) {
        if (leader != null && leader != insertion && leader.leadsTo(leaf)) {
            return true;
        }
        leader = insertion;
        return false;
    }

    /// All insertions of this client, whether in use or not.
    List<TreeInsertion> insertions() {
        return insertions;
    }

    /// One of a batch was finished alone, as a leaf was full, or latched by another thread: the
    /// remaining ones are batched once more.
    void insertLeftOver() {
        leftOver.clear();
        for (int i = 0; i < insertions.size(); i++) { // an iterator would be allocated
            if (insertions.get(i).isLeftOver()) {
                leftOver.add(insertions.get(i));
            }
        }
        if (leftOver.size() > 1) {
            leftOver.run();
        }
    }

    /// Separators of a tree without inner nodes are added alone, so its entries are, too.
    @Override
    public boolean takesRuns() {
        return separators == null;
    }

    @Override
    public void insertRun(EntryRun run, Snapshot snapshot) {
        if (!takesRuns()) {
            OrderedIndex.super.insertRun(run, snapshot);
            return;
        }
        RunInsertion used = runs;
        if (used == null) {
            used = new RunInsertion(queuePair, layout, descent, freeNodes, insertion, owner);
            runs = used;
        }
        used.insert(run);
    }

    @Override
    public void remove(long[] entry) {
        boolean _ = delete(own(entry));
    }

    @Override
    public EntryChange removal() {
        return new TreeRemoval(queuePair, this, descent, owner);
    }

    /// Takes the leaf in whose range `key` is out of the tree, if it is nearly empty and that can
    /// be done at once.
    void mergeSparse(long[] key) {
        descent.open(key);
        long _ = deletion.mergeSparse(key);
        descent.end();
    }

    private long[] own(long[] entry) {
        System.arraycopy(entry, 0, ownKey, 0, ownKey.length);
        return ownKey;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    NodeLayout layout() {
        return layout;
    }

    /// Whether `key` is there.
    public boolean contains(long[] key) {
        assert key.length == layout.keyWords() : "a key of " + key.length + " words";
        descent.seek(key, 0);
        NodeView leaf = descent.node();
        while (true) {
            int at = leaf.lowerBound(key);
            boolean found = leaf.isKeyAt(at, key) && !leaf.isDeleted(at);
            if (leaf.isUnchanged()) {
                descent.end();
                return found;
            }
            descent.seekAgain(key, 0);
        }
    }

    @Override
    public double share(long[] from, long[] to) {
        return descent.share(from, to);
    }

    @Override
    public TreeCursor cursor() {
        return new TreeCursor(queuePair, layout, descent);
    }

    /// How many nodes an insert can take at most, by the tree's height as this client has cached
    /// it.
    public int worstCaseNodes() {
        return insertion.worstCaseNodes();
    }

    /// Sets memory aside, so that none of the next `inserts` inserts of this client runs out of it.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if a memory server is full; the set has not
    ///     changed
    public void reserveInsert(int inserts) {
        freeNodes.ensure(inserts * insertion.worstCaseNodes());
    }

    /// Goes over the whole leaf level: drops deleted entries, and merges leaves that are nearly
    /// empty. Others can use the tree meanwhile.
    ///
    /// @return how many leaves were taken out
    public long collect() {
        return deletion.collect();
    }

    /// Enough for nodes that are half full.
    @Override
    public void ensureCapacity(int newEntries) {
        int leaves = Math.ceilDiv(2 * newEntries, tree.layout().capacity(0));
        int inner = Math.ceilDiv(2 * leaves, tree.layout().capacity(1));
        if (separators == null) {
            freeNodes.ensureCapacity(leaves + 2 * inner);
        } else {
            freeNodes.ensureCapacity(leaves);
            separators.ensureCapacity(leaves);
        }
    }

    @Override
    public void discard() {
        freeNodes.discard();
        if (separators != null) {
            separators.discard();
        }
    }

    @Override
    public TreeForecast forecast(VerbForecast into) {
        return new TreeForecast(
                tree,
                descent.root(),
                descent.rootLevel(),
                TreeCursor.maxLeaves(queuePair, layout),
                separators == null ? null : separators.forecast(into),
                descent.isOneLeaf(),
                into);
    }

    /// Leaves the memory that it holds ready to the tree's other clients. Queue pair and allocator
    /// stay open.
    @Override
    public void close() {
        freeNodes.release();
        if (separators != null) {
            separators.close();
        }
    }
}
