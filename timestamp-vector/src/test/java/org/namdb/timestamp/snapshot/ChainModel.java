package org.namdb.timestamp.snapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.SteppedQueuePair;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// The state machine of `SnapshotChain.tla` with the real code in it: threads that begin, read what
/// all have installed, install, and publish, each with a slot of its own, in an interleaving that
/// is chosen word by word. Reads are posted together with the last step of the begin.
final class ChainModel implements AutoCloseable {
    private static final ShmFabric.Options OPTIONS = new ShmFabric.Options(false, 1 << 13, null);

    private final ShmFabric fabric = new ShmFabric(OPTIONS);
    private final TimestampVectorLayout layout;
    private final QueuePair own;
    private final List<SteppedQueuePair> queuePairs = new ArrayList<>();
    private final Function<TimestampSlot, SnapshotOracle> oracle;
    private boolean observing;
    private boolean vectorsWithGuards;
    private Interleaving interleaving = new Interleaving(count -> 0);

    ChainModel(int slots, Function<TimestampSlot, SnapshotOracle> oracle) {
        this(slots, 1, oracle);
    }

    /// @param servers how many the slots lie on
    ChainModel(int slots, int servers, Function<TimestampSlot, SnapshotOracle> oracle) {
        this.oracle = oracle;
        layout = new TimestampVectorLayout(RemoteAddress.of(0, 0), slots, servers);
        List<Region> regions = new ArrayList<>();
        for (int server = 0; server < servers; server++) {
            regions.add(fabric.register(server, layout.bytesOn(server) + 8L * slots));
        }
        own = fabric.connect(regions);
        for (int slot = 0; slot < slots; slot++) {
            queuePairs.add(new SteppedQueuePair(fabric.connect(regions)).step(this::step));
        }
    }

    ChainModel each(Consumer<SteppedQueuePair> change) {
        queuePairs.forEach(change);
        return this;
    }

    /// Makes no steps between the words of a chain buffer's vector, nor at what is installed.
    ChainModel vectorsWithGuards() {
        vectorsWithGuards = true;
        return this;
    }

    /// Has the threads observe the low watermark too, after each transaction. Makes no steps at
    /// what is installed.
    ChainModel observing() {
        observing = true;
        return this;
    }

    /// Runs `transactions` transactions in each slot, from the empty vector on.
    ///
    /// @param choice of the thread that goes on
    History run(int transactions, IntUnaryOperator choice) {
        layout.format(own);
        for (int slot = 0; slot < layout.maxSlots(); slot++) {
            own.writeWord(installed(slot), 0);
        }
        own.await();
        History history = new History(layout.maxSlots());
        interleaving = new Interleaving(choice);
        for (SteppedQueuePair queuePair : queuePairs) {
            TimestampSlot slot = TimestampSlot.take(layout, queuePair, 1);
            SnapshotOracle slotsOracle = oracle.apply(slot);
            interleaving.add(() -> transact(slot, slotsOracle, transactions, history));
        }
        interleaving.run();
        return history;
    }

    /// The first violation in runs from random seeds, or null.
    @Nullable String firstViolation(
            Function<History, @Nullable String> property, int transactions, long seed, int runs) {
        for (int run = 0; run < runs; run++) {
            Random random = new Random(seed + run);
            each(queuePair -> queuePair.wordsInAnyOrder(random));
            if (layout.isPartitioned()) {
                each(queuePair -> queuePair.serversInAnyOrder(random));
            }
            String violation = property.apply(run(transactions, random::nextInt));
            if (violation != null) {
                return violation + " (-Dnamdb.seed=" + (seed + run) + ")";
            }
        }
        return null;
    }

    private void transact(
            TimestampSlot slot, SnapshotOracle slotsOracle, int transactions, History history) {
        LowWatermark watermark =
                new LowWatermark(layout, slot.queuePair(), Long.MAX_VALUE, () -> 0);
        Snapshot snapshot = new Snapshot();
        for (int transaction = 0; transaction < transactions; transaction++) {
            long[] needed = published();
            beginAndRead(slot.queuePair(), slotsOracle, snapshot, history);
            long commitTimestamp = slot.next();
            history.add(
                    slot.number(), CommitTimestamp.timestamp(commitTimestamp), needed, snapshot);
            slot.queuePair()
                    .writeWord(
                            installed(slot.number()), CommitTimestamp.timestamp(commitTimestamp));
            slot.queuePair().await();
            slot.publish(commitTimestamp);
            slot.queuePair().await();
            if (observing) {
                checkWatermark(snapshot, watermark, history);
                if (slotsOracle.usesMembers() && transaction % 2 == 0) {
                    watermark.observe(snapshot);
                } else {
                    watermark.observe();
                }
            }
        }
        slotsOracle.release();
    }

    private void beginAndRead(
            QueuePair queuePair, SnapshotOracle slotsOracle, Snapshot into, History history) {
        long[] views = new long[layout.maxSlots()];
        boolean isChosen = slotsOracle.start(into);
        do {
            for (int slot = 0; slot < views.length; slot++) {
                views[slot] = queuePair.read(installed(slot), 8);
            }
            queuePair.await();
            isChosen = isChosen || slotsOracle.settle(into);
        } while (!isChosen);
        long[] read = new long[views.length];
        boolean isMissing = false;
        for (int slot = 0; slot < views.length; slot++) {
            read[slot] = LocalMemory.longAt(views[slot]);
            isMissing |= read[slot] < into.timestamp(slot);
        }
        if (isMissing) {
            history.missed(into, read);
        }
    }

    /// The word that a slot's commits write before they are published, on another server than the
    /// slot's where there are several.
    private long installed(int slot) {
        int server = (slot + 1) % layout.servers();
        return RemoteAddress.of(server, layout.bytesOn(server) + 8L * slot);
    }

    private void checkWatermark(Snapshot snapshot, LowWatermark watermark, History history) {
        long view = own.read(layout.watermark(), 8);
        own.await();
        long sequence = LocalMemory.longAt(view);
        if (sequence > snapshot.sequence() || !snapshot.dominates(watermark.snapshot())) {
            history.passed(snapshot, sequence);
        }
    }

    private long[] published() {
        long[] vector = new long[layout.maxSlots()];
        for (int slot = 0; slot < vector.length; slot++) {
            vector[slot] = own.readWord(layout.slot(slot));
        }
        return vector;
    }

    private void step(long address) {
        long firstBuffer = layout.chainBuffer(0, 0);
        int server = RemoteAddress.server(address);
        boolean installed = RemoteAddress.offset(address) >= layout.bytesOn(server);
        if (installed) {
            if (!vectorsWithGuards && !observing) {
                interleaving.step();
            }
            return;
        }
        boolean onFirst = server == 0;
        boolean inBuffer = onFirst && address >= firstBuffer;
        boolean announcement = onFirst && !inBuffer && address >= layout.announcement(0);
        boolean vector =
                inBuffer && (address - firstBuffer) % (layout.chainBuffer(0, 1) - firstBuffer) != 0;
        boolean skipped =
                address == layout.slotsInUse()
                        || (announcement && !observing)
                        || (vector && vectorsWithGuards);
        if (!skipped) {
            interleaving.step();
        }
    }

    @Override
    public void close() {
        fabric.close();
        queuePairs.forEach(SteppedQueuePair::close);
        own.close();
    }
}
