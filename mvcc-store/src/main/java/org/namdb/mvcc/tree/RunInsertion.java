package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;

/// Inserts many entries at once, in rounds. Each is for as many nodes of one level as fit in a
/// batch of READs, and takes as many round trips as one of them:
/// ```
/// choose   the nodes, by the copies of inner nodes   none, where those lead
/// read     READ of all                               1
/// latch    memory for new nodes; CAS of all          1; and 1 for memory
/// split    WRITE of all new nodes, latched           1, if there are any
/// change   WRITE of all that were read; unlatch      1; if none is split, with what comes next
/// unlatch  the new nodes                             with what comes next
/// ```
/// Then the separators of the new nodes are a run for the level above.
///
/// To each node, a round does what [NodeInsertion] does, in the same order, whichever the number of
/// entries: one node A becomes A, B1, B2 .. at once, and the new ones lead to each other and on to
/// where A led. So all that is said of one new node holds for all of them: there is no pointer to
/// them until A gets its right sibling; from then on, each is found by the links; and none dies
/// before its parent has its separator.
///
/// While it holds latches it waits for none: a node that is latched, or has changed since it was
/// read, is left out. Its first entry is inserted alone after the round, which waits, and the
/// others with a later one.
final class RunInsertion {
    private static final int IMAGES_BYTES = 128 << 10;
    private static final int MIN_IMAGES = 8;
    private static final int MAX_IMAGES = 128;

    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final Descent descent;
    private final FreeNodes freeNodes;
    private final NodeInsertion alone;
    private final LatchOwner owner;
    private final NodeImages images;

    /// By image, the address of the node.
    private final long[] addresses;

    private final RunTarget[] targets;
    private int targetCount;
    private final RunLevel[] levels = new RunLevel[NodeHeader.MAX_LEVEL + 2];
    private final ViewScope views;
    private final NodeView written;
    private final long[] separator;

    /// @param alone inserts what a round has left out
    RunInsertion(
            QueuePair queuePair,
            NodeLayout layout,
            Descent descent,
            FreeNodes freeNodes,
            NodeInsertion alone,
            LatchOwner owner) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.descent = descent;
        this.freeNodes = freeNodes;
        this.alone = alone;
        this.owner = owner;
        int count = Math.clamp(IMAGES_BYTES / layout.nodeBytes(), MIN_IMAGES, MAX_IMAGES);
        this.images = new NodeImages(queuePair, layout, count);
        this.addresses = new long[count];
        int landed = queuePair.batchBytes() / TreeChange.landedBytes(layout, 0);
        this.targets = new RunTarget[Math.clamp(landed, 1, count)];
        for (int i = 0; i < targets.length; i++) {
            targets[i] = new RunTarget(queuePair, layout);
        }
        this.views = new ViewScope(queuePair);
        this.written = new NodeView(queuePair, layout);
        this.separator = new long[layout.keyWords()];
    }

    /// Inserts the entries of a run, which are sorted.
    void insert(EntryRun run) {
        levels[0] = new RunLevel(run);
        insert(0, 0);
    }

    /// Inserts the run of a level from entry `from` on.
    private void insert(int level, int from) {
        RunLevel work = levels[level];
        work.start(from);
        while (!work.isEmpty()) {
            if (level == 0) {
                owner.checkCancelled();
            }
            if (work.isNextAlone()) {
                int index = work.from();
                work.take(index + 1);
                insertAlone(level, index);
            } else {
                insertTogether(work, level);
                addSeparators(level + 1);
            }
        }
    }

    private void insertAlone(int level, int index) {
        EntryRun run = levels[level].run;
        if (level > 0) {
            alone.addSeparatorAlone(level, run.entry(index), run.number(index));
        } else if (alone.insert(run.entry(index))) {
            run.setAdded(index);
        }
        descent.end();
    }

    /// Adds the separators of the nodes that were split off: nothing is latched any more. Without
    /// them, these are found by moves to the right.
    private void addSeparators(int level) {
        EntryRun separators = levels[level].run;
        if (separators.count() == 0) {
            return;
        }
        separators.sort();
        try {
            int added = 0;
            if (level > descent.rootLevel() && !descent.refreshRoot()) {
                insertAlone(level, added++); // makes a root
            }
            if (level <= descent.rootLevel()) {
                insert(level, added);
            }
        } catch (LatchTimeoutException | MemoryFullException e) {
            // As if this thread had died here: the entries are in the set.
        }
    }

    /// One round.
    private void insertTogether(RunLevel work, int level) {
        if (levels[level + 1] == null) {
            levels[level + 1] = new RunLevel(new EntryRun(layout.keyWords()));
        }
        levels[level + 1].run.clear();
        targetCount = 0;
        views.open();
        try {
            choose(work, level);
            if (plan(work, level)) {
                latch(work);
                write(work.run, level);
            }
        } catch (Throwable e) {
            ChangeBatch.abandon(queuePair, e, targetCount, i -> targets[i].abandon());
            throw e;
        } finally {
            views.close();
        }
    }

    /// Chooses nodes for the next entries.
    private void choose(RunLevel work, int level) {
        int most = keysAtATime(level);
        boolean isWhole = true;
        while (isWhole && targetCount < targets.length && !work.isEmpty() && !work.isNextAlone()) {
            int from = work.from();
            int end = Math.min(work.to(), from + most);
            int to = choose(targets[targetCount], work.run, level, from, end);
            isWhole = to < end || end == work.to(); // else the rest is for the same node
            work.take(to);
            targetCount++;
        }
    }

    /// The most entries for one node: its pieces have images.
    private int keysAtATime(int level) {
        int capacity = layout.capacity(level);
        return (images.count() - 2) * RunTarget.filling(capacity) - capacity;
    }

    /// Chooses the node for entry `from`, and for those behind it, up to `end`, that go there, too.
    ///
    /// @return below which number they are
    private int choose(RunTarget target, EntryRun run, int level, int from, int end) {
        int to = from + 1;
        descent.begin(run.entry(from), level);
        if (descent.startLevel() == level) {
            long address = descent.start();
            long parent = descent.startParent();
            while (to < end && leadsTo(address, run.entry(to), level)) {
                to++;
            }
            target.choose(address, parent, from, to);
            return to;
        }
        if (level == 0) {
            descent.seek(run.entry(from), level);
        } else {
            descent.seekUncancelled(run.entry(from), level);
        }
        NodeView node = descent.node();
        while (to < end && !node.isBeyond(run.entry(to))) {
            to++;
        }
        target.choose(node.address(), RemoteAddress.NULL, from, to);
        descent.end();
        return to;
    }

    private boolean leadsTo(long address, long[] key, int level) {
        descent.begin(key, level);
        return descent.startLevel() == level && descent.start() == address;
    }

    /// Reads the nodes, and plans what becomes of each. Gets memory for new ones.
    ///
    /// @return whether there is anything to change
    private boolean plan(RunLevel work, int level) {
        for (int i = 0; i < targetCount; i++) {
            targets[i].post();
        }
        queuePair.await();
        int made = 0;
        int planned = 0;
        for (int i = 0; i < targetCount; i++) {
            RunTarget target = targets[i];
            int end = target.to;
            if (!target.land(work.run, level)) {
                descent.forget(target.parent);
                work.pushAlone(target.from, end);
                continue;
            }
            if (target.to < end) {
                descent.forget(target.parent);
                work.push(target.to, end);
            }
            if (!target.plan(work.run, level)) {
                work.pushAlone(target.from, target.to);
            } else if (target.isPlanned() && made + target.pieces() > images.count()) {
                target.leave();
                work.push(target.from, target.to);
            } else if (target.isPlanned()) {
                target.image = made;
                made += target.pieces();
                planned++;
            }
        }
        if (made > planned) {
            freeNodes.ensure(made - planned + (level == 0 ? alone.worstCaseNodes() : 0));
        }
        return planned > 0;
    }

    private void latch(RunLevel work) {
        for (int i = 0; i < targetCount; i++) {
            if (targets[i].isPlanned()) {
                targets[i].postLatch(owner.slot());
            }
        }
        queuePair.await();
        for (int i = 0; i < targetCount; i++) {
            if (targets[i].isLatching() && !targets[i].takeLatch()) {
                work.pushAlone(targets[i].from, targets[i].to);
            }
        }
    }

    /// Changes the nodes that are latched, and unlatches them.
    private void write(EntryRun run, int level) {
        boolean isAnySplit = false;
        for (int i = 0; i < targetCount; i++) {
            if (targets[i].isLatched()) {
                makeImages(targets[i], run, level);
                postNew(targets[i]);
                isAnySplit |= targets[i].pieces() > 1;
            }
        }
        if (isAnySplit) {
            queuePair.await();
        }
        for (int i = 0; i < targetCount; i++) {
            if (targets[i].isLatched()) {
                targets[i].posted(); // if half of it is posted, its latch stays for the repair
                images.postBody(targets[i].image, targets[i].node.address());
                targets[i].node.postHeader(images.header(targets[i].image));
            }
        }
        if (isAnySplit) {
            queuePair.await();
        }
        for (int i = 0; i < targetCount; i++) {
            if (targets[i].isPosted()) {
                finish(targets[i], level);
            }
        }
    }

    private void makeImages(RunTarget target, EntryRun run, int level) {
        int first = target.image;
        int last = first + target.pieces() - 1;
        target.makeImages(run, images, level);
        images.putLink(last, target.node);
        addresses[first] = target.node.address();
        images.putHeader(
                first,
                NodeHeader.changed(target.node.header(), target.count(0, level), target.runEnd(0)));
        for (int image = first + 1; image <= last; image++) {
            int piece = image - first;
            addresses[image] = freeNodes.take();
            images.putRightSibling(image - 1, addresses[image]);
            images.putHeader(
                    image,
                    NodeHeader.renewed(
                            freeNodes.takenHeader(),
                            level,
                            target.count(piece, level),
                            target.runEnd(piece)));
        }
    }

    /// Posts the WRITEs of the nodes that are split off, the headers last.
    private void postNew(RunTarget target) {
        for (int piece = 1; piece < target.pieces(); piece++) {
            int image = target.image + piece;
            images.postBody(image, addresses[image]);
            queuePair.writeWord(
                    addresses[image], NodeHeader.latch(images.header(image), owner.slot()));
        }
    }

    /// Posts what unlatches the new nodes, to which others lead now. Inner nodes are cached as they
    /// are now; of the new ones, the separators are collected.
    private void finish(RunTarget target, int level) {
        for (int piece = 0; piece < target.pieces(); piece++) {
            int image = target.image + piece;
            if (piece > 0) {
                queuePair.writeWord(addresses[image], images.header(image));
                images.copyLowFence(image, separator);
                levels[level + 1].run.add(separator, addresses[image]);
            }
            if (level > 0) {
                written.takeImage(addresses[image], images.at(image));
                descent.keep(written);
            }
        }
    }
}
