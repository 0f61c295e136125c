package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.shm.ShmFabric;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/// A session that locks a record after an install sees what was installed: two transactions add 1
/// to the payload, and none is lost.
///
/// Results: how many have locked the record and installed their sum, and what was added in the end.
public final class LostUpdate {
    private LostUpdate() {}

    @Outcome(
            id = "1 committed, 1 added",
            expect = ACCEPTABLE,
            desc = "The other one has read what was replaced, and fails.")
    @Outcome(
            id = "2 committed, 2 added",
            expect = ACCEPTABLE,
            desc = "One after the other: the second has read what the first had installed.")
    @Outcome(
            id = "2 committed, 1 added",
            expect = FORBIDDEN,
            desc = "A lost update: the second locked before it could see what the first had done.")
    @Outcome(expect = FORBIDDEN, desc = "A payload that no transaction installed, or none won.")
    private static final class NoneIsLost {}

    @JCStressTest
    @JCStressMeta(NoneIsLost.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(LL_Result committed) {
            committed.r1 = Race.add(RACE.a, place, table);
        }

        @Actor
        public void b(LL_Result committed) {
            committed.r2 = Race.add(RACE.b, place, table);
        }

        @Arbiter
        public void sum(LL_Result result) {
            RACE.tell(place, result);
        }
    }

    @JCStressTest
    @JCStressMeta(NoneIsLost.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(LL_Result committed) {
            committed.r1 = Race.add(RACE.a, place, table);
        }

        @Actor
        public void b(LL_Result committed) {
            committed.r2 = Race.add(RACE.b, place, table);
        }

        @Arbiter
        public void sum(LL_Result result) {
            RACE.tell(place, result);
        }
    }

    @JCStressTest
    @Outcome(
            id = "2 committed, 2 added",
            expect = ACCEPTABLE,
            desc = "One after the other, by chance.")
    @Outcome(
            id = {"2 committed, 1 added", "2 committed, mixed", "2 committed, garbage"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "Without a lock, one adds to what the other is replacing.")
    @State
    public static class WithoutLock {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);

        @Actor
        public void a(LL_Result committed) {
            committed.r1 = Race.addWithoutLock(RACE.a, place, table);
        }

        @Actor
        public void b(LL_Result committed) {
            committed.r2 = Race.addWithoutLock(RACE.b, place, table);
        }

        @Arbiter
        public void sum(LL_Result result) {
            RACE.tell(place, result);
        }
    }

    private static final class Race {
        private final RecordSession.Server server;
        private final RecordSession a;
        private final RecordSession b;

        Race(ShmFabric.Options options) {
            server = new RecordSession.Server(options);
            a = server.session();
            b = server.session();
        }

        long place() {
            return server.place();
        }

        static Integer add(RecordSession session, long place, HashTable table) {
            session.begin();
            if (!session.readAndLock(table)) {
                return 0;
            }
            RecordClient client = session.client();
            long commitTimestamp = session.nextCommitTimestamp();
            client.install(place, commitTimestamp, client.lockedValue() + 1);
            session.publish(commitTimestamp);
            return 1;
        }

        static Integer addWithoutLock(RecordSession session, long place, HashTable table) {
            session.begin();
            session.client().overwrite(place, session.read(table) + 1);
            return 1;
        }

        /// Puts what the actors have counted and what they have left into words.
        void tell(long place, LL_Result result) {
            int committed = (Integer) result.r1 + (Integer) result.r2;
            result.r1 = committed == 1 ? "1 committed" : committed == 2 ? "2 committed" : "none";
            long value = server.word(OneRecord.payload(place));
            boolean mixed = false;
            for (int word = 1; word < OneRecord.PAYLOAD_WORDS; word++) {
                mixed |= server.word(OneRecord.payload(place) + 8L * word) != value;
            }
            long added = value - OneRecord.FIRST_VALUE;
            result.r2 =
                    mixed ? "mixed" : added == 1 ? "1 added" : added == 2 ? "2 added" : "garbage";
        }
    }
}
