package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.Snapshots;
import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// Two transactions insert the same key: exactly one claims an entry for it, under the
/// bucket's latch.
///
/// Results: what has become of A's insert, and of B's.
public final class DuplicateInsert {
    private DuplicateInsert() {}

    @Outcome(id = "CLAIMED, CONFLICT", expect = ACCEPTABLE, desc = "A was first.")
    @Outcome(id = "CONFLICT, CLAIMED", expect = ACCEPTABLE, desc = "B was first.")
    @Outcome(id = "CLAIMED, CLAIMED", expect = FORBIDDEN, desc = "The key is there twice.")
    @Outcome(expect = FORBIDDEN, desc = "One failed, and not for the other's claim.")
    private static final class OneClaims {}

    @JCStressTest
    @JCStressMeta(OneClaims.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(LL_Result outcome) {
            outcome.r1 = RACE.a.claim(table, RACE.snapshot);
        }

        @Actor
        public void b(LL_Result outcome) {
            outcome.r2 = RACE.b.claim(table, RACE.snapshot);
        }
    }

    @JCStressTest
    @JCStressMeta(OneClaims.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(LL_Result outcome) {
            outcome.r1 = RACE.a.claim(table, RACE.snapshot);
        }

        @Actor
        public void b(LL_Result outcome) {
            outcome.r2 = RACE.b.claim(table, RACE.snapshot);
        }
    }

    @JCStressTest
    @Outcome(
            id = {"CLAIMED, CONFLICT", "CONFLICT, CLAIMED"},
            expect = ACCEPTABLE,
            desc = "One was first, by chance.")
    @Outcome(
            id = "CLAIMED, CLAIMED",
            expect = ACCEPTABLE_INTERESTING,
            desc = "Without the latch, both have found the entry free, and taken it.")
    @State
    public static class WithoutLatch {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();

        @Actor
        public void a(LL_Result outcome) {
            outcome.r1 = RACE.a.claimWithoutLatch(place);
        }

        @Actor
        public void b(LL_Result outcome) {
            outcome.r2 = RACE.b.claimWithoutLatch(place);
        }
    }

    private static final class Race {
        private final StressRegion region;
        private final Inserter a;
        private final Inserter b;
        private final Snapshot snapshot = Snapshots.of(1);

        Race(ShmFabric.Options options) {
            region = new StressRegion(options, IntentLayout.bytes(2), OneRecord.PLACE_BYTES);
            IntentLayout layout = new IntentLayout(region.shared());
            HashTable any = OneRecord.table(region.nextPlace());
            a = new Inserter(region.connect(), any, layout, 0);
            b = new Inserter(region.connect(), any, layout, 1);
        }

        long place() {
            long place = region.nextPlace();
            OneRecord.putNone(region, place);
            return place;
        }
    }

    private static final class Inserter {
        private final QueuePair queuePair;
        private final int slot;
        private final InsertClaims claims;
        private final RecordRead key;
        private final RecordWrite write;

        Inserter(QueuePair queuePair, HashTable any, IntentLayout layout, int slot) {
            this.queuePair = queuePair;
            this.slot = slot;
            LatchOwner owner =
                    new LatchOwner(
                            slot, Host.MACHINE, Long.MAX_VALUE, LatchOwner.Cancellation.NEVER);
            OneRecord.OldVersions memory = new OneRecord.OldVersions();
            Intents intents = new Intents(queuePair, layout, slot, slot, memory);
            this.claims =
                    new InsertClaims(
                            queuePair,
                            memory,
                            owner,
                            intents,
                            new DueSplits(null),
                            queuePair::localMemory,
                            Long.MAX_VALUE);
            this.key = new RecordRead(any, OneRecord.SCHEMA.nothing());
            this.write = new RecordWrite(any);
        }

        InsertClaims.Outcome claim(HashTable table, Snapshot snapshot) {
            key.prepare(table, OneRecord.KEY, OneRecord.SCHEMA.nothing(), 0);
            write.prepareInsert(table);
            claims.clear();
            claims.add(key, write);
            claims.claimAll(snapshot);
            queuePair.await();
            return claims.outcome(0);
        }

        InsertClaims.Outcome claimWithoutLatch(long place) {
            long view = queuePair.read(OneRecord.header(place), 8);
            queuePair.await();
            if (LocalMemory.longAcquire(view) != RecordHeader.FREE) {
                return InsertClaims.Outcome.CONFLICT;
            }
            queuePair.writeWord(OneRecord.header(place) + BucketLayout.KEY_OFFSET, 1);
            queuePair.writeWord(OneRecord.header(place), RecordHeader.claimed(slot, 0));
            queuePair.await();
            return InsertClaims.Outcome.CLAIMED;
        }
    }
}
