package org.namdb.mvcc.hash;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.namdb.concurrency.StressRegion;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.CommitTimestamp;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/// A transaction installs its record and then publishes its slot, in two places of memory: a
/// transaction whose snapshot sees the commit finds what it has installed, and one whose snapshot
/// does not, what was there before. R begins and reads several times.
public final class SlotPublication {
    private SlotPublication() {}

    @Outcome(
            id = "old",
            expect = ACCEPTABLE,
            desc =
                    "R began before the publication, and has read the old version, wherever that is.")
    @Outcome(id = "new", expect = ACCEPTABLE, desc = "R began after the publication.")
    @Outcome(
            id = {"sees it, reads old", "mixed", "absent"},
            expect = FORBIDDEN,
            desc = "The commit is published, and not all of it can be seen.")
    @Outcome(
            id = "reads new, does not see it",
            expect = FORBIDDEN,
            desc = "R has read what its snapshot does not see.")
    private static final class InstalledFirst {}

    @JCStressTest
    @JCStressMeta(InstalledFirst.class)
    @State
    public static class InPlace {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            seen.commitTimestamp = RACE.commit(place, table);
        }

        @Actor
        public void reader() {
            RACE.beginAndRead(table, seen);
        }

        @Arbiter
        public void compare(L_Result result) {
            result.r1 = seen.tell();
        }
    }

    @JCStressTest
    @JCStressMeta(InstalledFirst.class)
    @State
    public static class Landing {
        private static final Race RACE = new Race(StressRegion.LANDING);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            seen.commitTimestamp = RACE.commit(place, table);
        }

        @Actor
        public void reader() {
            RACE.beginAndRead(table, seen);
        }

        @Arbiter
        public void compare(L_Result result) {
            result.r1 = seen.tell();
        }
    }

    @JCStressTest
    @Outcome(
            id = {"old", "new"},
            expect = ACCEPTABLE,
            desc = "What R has read is what its snapshot sees, by chance.")
    @Outcome(
            id = {"sees it, reads old", "mixed", "absent"},
            expect = ACCEPTABLE_INTERESTING,
            desc = "Published before it was installed: R sees the commit, and not what it did.")
    @State
    public static class PublishedFirst {
        private static final Race RACE = new Race(StressRegion.IN_PLACE);
        private final long place = RACE.place();
        private final HashTable table = OneRecord.table(place);
        private final Seen seen = new Seen();

        @Actor
        public void writer() {
            seen.commitTimestamp = RACE.commitTooEarly(place, table);
        }

        @Actor
        public void reader() {
            RACE.beginAndRead(table, seen);
        }

        @Arbiter
        public void compare(L_Result result) {
            result.r1 = seen.tell();
        }
    }

    /// What the actors leave for the arbiter.
    private static final class Seen {
        private long commitTimestamp;

        /// The last value that R has read, and what it saw of W's slot then.
        private long value;

        private long readTimestamp;

        /// What R saw of W's slot when it read the old version last.
        private long oldReadTimestamp;

        String tell() {
            long committed = CommitTimestamp.timestamp(commitTimestamp);
            if (oldReadTimestamp >= committed) {
                return "sees it, reads old";
            }
            if (value == OneRecord.FIRST_VALUE) {
                return "old";
            }
            if (value == Race.NEW_VALUE) {
                return readTimestamp >= committed ? "new" : "reads new, does not see it";
            }
            return value == OneRecord.MIXED ? "mixed" : "absent";
        }
    }

    private static final class Race {
        private static final long NEW_VALUE = 2;

        /// How often R begins and reads: about as long as W takes.
        private static final int READS = 8;

        private final RecordSession.Server server;
        private final RecordSession writer;
        private final RecordSession reader;

        Race(ShmFabric.Options options) {
            server = new RecordSession.Server(options);
            writer = server.session();
            reader = server.session();
        }

        long place() {
            return server.place();
        }

        long commit(long place, HashTable table) {
            lock(table);
            long commitTimestamp = writer.nextCommitTimestamp();
            writer.client().install(place, commitTimestamp, NEW_VALUE);
            writer.publish(commitTimestamp);
            return commitTimestamp;
        }

        long commitTooEarly(long place, HashTable table) {
            lock(table);
            long commitTimestamp = writer.nextCommitTimestamp();
            writer.publish(commitTimestamp);
            writer.client().install(place, commitTimestamp, NEW_VALUE);
            return commitTimestamp;
        }

        private void lock(HashTable table) {
            writer.begin();
            boolean locked = writer.readAndLock(table);
            assert locked : "there is no other writer";
        }

        void beginAndRead(HashTable table, Seen seen) {
            seen.value = OneRecord.FIRST_VALUE;
            for (int read = 0; read < READS && seen.value == OneRecord.FIRST_VALUE; read++) {
                reader.begin();
                seen.oldReadTimestamp = seen.readTimestamp;
                seen.readTimestamp = reader.seenOf(writer);
                seen.value = reader.read(table);
            }
            if (seen.value == OneRecord.FIRST_VALUE) {
                seen.oldReadTimestamp = seen.readTimestamp;
            }
        }
    }
}
