package org.namdb.mvcc.hash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.fabric.PlantedFault;
import org.namdb.mvcc.CrashingQueuePair;
import org.namdb.mvcc.hash.BucketSplit.Outcome;
import org.namdb.mvcc.hash.SplitFixture.Client;
import org.namdb.mvcc.record.RecordHeader;

/// A session stands still at each verb of a split, while clients that have seen none or all of it
/// read, scan and write; then it is dead, another session recovers it, and dies at each verb of
/// that, and a third one recovers both.
class SplitCrashTest {
    /// One of so many batches of each course of a repair is tried, in turn, and every other verb of
    /// a living session; `-Dnamdb.stride=1`: each.
    private static final int STRIDE = Integer.getInteger("namdb.stride", 9);

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void recordsAreRepaired(boolean inPlace, boolean isInlined) {
        crashEverywhere(() -> new OfRecords(new SplitFixture(inPlace, isInlined)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void entriesAreRepaired(boolean inPlace) {
        crashEverywhere(() -> new OfEntries(new SplitFixture(inPlace)));
    }

    /// A living session has locked rows that the dead one was about to move, or has moved. It is
    /// waited for, and goes on.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void locksOfTheLivingAreLeftToThem(boolean isInlined) {
        List<int[]> batches;
        try (Course course = new OfRecords(new SplitFixture(false, isInlined))) {
            batches = course.split(-1, null);
        }
        int held = 0;
        int number = 0;
        for (int batch = 0; batch < batches.size(); batch++) {
            for (int[] cut : CrashingQueuePair.cuts(batches.get(batch))) {
                int step = Math.min(STRIDE, 2);
                for (int verb = number++ % step; verb < 20; verb += step) {
                    try (OfRecords course = new OfRecords(new SplitFixture(false, isInlined))) {
                        held += course.holdWhileItDies(batch, cut, verb);
                    }
                }
            }
        }
        assertThat(held).isGreaterThan(100);
    }

    /// It lists none of the rows that it has locked.
    @Test
    void aSplitThatIsUnderWayIsWaitedFor() {
        List<int[]> batches;
        try (Course course = new OfRecords(new SplitFixture(false, true))) {
            batches = course.split(-1, null);
        }
        int lost = 0;
        for (int batch = 0; batch < batches.size(); batch++) {
            for (int[] cut : CrashingQueuePair.cuts(batches.get(batch))) {
                try (OfRecords course = new OfRecords(new SplitFixture(false, true))) {
                    course.split(batch, cut);
                    lost += course.lockAndDie();
                }
            }
        }
        assertThat(lost).isGreaterThan(4);
    }

    /// Another session updates the rows before a verb of a split, which goes on: it meets them
    /// locked where they were, or where they are, or the split does not take place.
    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void updatesBesideASplitAreKept(boolean inPlace, boolean isInlined) {
        updateBeforeEachVerb(inPlace, isInlined);
    }

    private static void updateBeforeEachVerb(boolean inPlace, boolean isInlined) {
        int updated = 0;
        int met = 0;
        boolean isInTime = true;
        for (int verb = 0; isInTime; verb++) {
            try (OfRecords course = new OfRecords(new SplitFixture(inPlace, isInlined))) {
                int now = course.updateBeside(verb);
                isInTime = now >= 0;
                updated += Math.max(now, 0);
                met += isInTime && now < course.values.size() ? 1 : 0;
            }
        }
        assertThat(updated).isPositive();
        assertThat(met).as("verbs at which rows were locked").isGreaterThan(4);
    }

    /// A test of the tests: where the new bucket is written with rows that are not locked, the
    /// split overwrites what another session makes of them.
    @Test
    void rowsThatAreUnlockedTooEarlyAreFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.SPLIT_UNLOCKED.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PlantedSplit.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        assertThat(output).startsWith("found: ");
    }

    /// What runs in a JVM of its own, with the fault.
    static final class PlantedSplit {
        private PlantedSplit() {}

        public static void main(String[] arguments) {
            try {
                updateBeforeEachVerb(true, false);
            } catch (AssertionError e) {
                System.out.println("found: " + e.getMessage());
            }
        }
    }

    private interface Factory {
        Course make();
    }

    private static void crashEverywhere(Factory factory) {
        List<int[]> batches;
        try (Course course = factory.make()) {
            batches = course.split(-1, null);
            course.checkRepaired();
        }
        assertThat(batches.size()).isGreaterThan(2);
        int number = 0;
        for (int batch = 0; batch < batches.size(); batch++) {
            for (int[] cut : CrashingQueuePair.cuts(batches.get(batch))) {
                number++;
                crashRepairs(factory, batch, cut, number);
            }
        }
    }

    private static void crashRepairs(Factory factory, int batch, int[] cut, int number) {
        List<int[]> repair;
        try (Course course = factory.make()) {
            course.split(batch, cut);
            course.checkBeforeRepair();
            repair = course.repair(-1, null);
            course.checkRepaired();
        }
        for (int at = number % STRIDE; at < repair.size(); at += STRIDE) {
            for (int[] repairCut : CrashingQueuePair.cuts(repair.get(at))) {
                try (Course course = factory.make()) {
                    course.split(batch, cut);
                    course.checkBeforeRepair();
                    course.repair(at, repairCut);
                    course.repair(-1, null);
                    course.checkRepaired();
                }
            }
        }
    }

    /// A table with a bucket that is split.
    private abstract static class Course implements AutoCloseable {
        final SplitFixture fixture;
        final List<Long> groups;
        final Client writer;
        final Client stale;
        final Client dying;

        Course(SplitFixture fixture) {
            this.fixture = fixture;
            this.writer = fixture.new Client();
            this.stale = fixture.new Client();
            this.dying = fixture.new Client();
            this.groups = fixture.groups(2);
        }

        /// @return its batches, if it has not died
        List<int[]> split(int batch, int[] cut) {
            try {
                assertThat(dying.split(groups.getFirst(), batch, cut)).isEqualTo(Outcome.SPLIT);
                assertThat(batch).isNegative();
            } catch (CrashingQueuePair.Crash died) {
                assertThat(batch).isNotNegative();
            }
            return dying.batches();
        }

        List<int[]> repair(int batch, int[] cut) {
            Client recoverer = fixture.new Client();
            recoverer.arm(batch, cut);
            try {
                assertThat(recoverer.recover(dying)).isTrue();
                assertThat(batch).isNegative();
            } catch (CrashingQueuePair.Crash died) {
                assertThat(batch).isNotNegative();
            }
            return recoverer.batches();
        }

        abstract void checkBeforeRepair();

        abstract void checkRepaired();

        final void checkLatches() {
            for (long home : fixture.homes()) {
                assertThat(fixture.readWord(home)).as("latch").isZero();
            }
        }

        @Override
        public void close() {
            fixture.close();
        }
    }

    private static final class OfRecords extends Course {
        private final Map<List<Long>, Long> values = new HashMap<>();
        private long updates;

        OfRecords(SplitFixture fixture) {
            super(fixture);
            for (long group : groups) {
                for (long number = 0; number < 2; number++) {
                    writer.insert(group, number);
                    values.put(List.of(group, number), SplitFixture.value(group, number));
                }
            }
        }

        /// What one has written is what others see, however old their picture of the table is.
        @Override
        void checkBeforeRepair() {
            read(stale);
            update();
            read(fixture.new Client());
            read(stale);
        }

        /// By a session that may have found the new bucket already.
        private int update() {
            int updated = 0;
            groups.forEach(group -> assertThat(writer.read(group, 99)).isNull());
            for (var entry : values.entrySet()) {
                List<Long> row = entry.getKey();
                if (writer.update(row.getFirst(), row.getLast(), ++updates)) {
                    entry.setValue(updates);
                    updated++;
                    read(fixture.new Client());
                }
            }
            return updated;
        }

        /// The headers of all rows, without locks.
        private Map<List<Long>, Long> versions() {
            Client client = fixture.new Client();
            Map<List<Long>, Long> versions = new HashMap<>();
            for (List<Long> row : values.keySet()) {
                long header = client.find(row.getFirst(), row.getLast()).header();
                versions.put(row, RecordHeader.unlocked(header));
            }
            return versions;
        }

        private void read(Client client) {
            Client scanner = fixture.new Client();
            values.forEach((row, value) ->
                    assertThat(client.read(row.getFirst(), row.getLast())).isEqualTo(value));
            groups.forEach(group -> assertThat(client.read(group, 99)).isNull());
            for (long group : groups) {
                assertThat(fixture.new Client().neighbours(group))
                        .containsExactlyInAnyOrder(0L, 1L);
            }
            assertThat(scanner.scan(2, () -> {}))
                    .containsExactlyInAnyOrderElementsOf(values.keySet());
        }

        /// Updates all rows that are not locked before the session that splits posts a verb.
        ///
        /// @return how many; -1 if it posts fewer verbs
        int updateBeside(int verb) {
            int[] updated = {-1};
            Map<List<Long>, Long> versions = new HashMap<>();
            dying.beforeVerb(
                    verb,
                    () -> {
                        updated[0] = update();
                        versions.putAll(versions());
                    });
            Outcome outcome = dying.split(groups.getFirst());
            assertThat(outcome).isIn(Outcome.SPLIT, Outcome.PUT_OFF);
            if (updated[0] >= 0) {
                assertThat(versions()).as("before verb %d", verb).isEqualTo(versions);
            }
            read(fixture.new Client());
            read(stale);
            checkLatches();
            return updated[0];
        }

        /// Another session locks all rows that it can before the dying one posts a verb of its last
        /// batch, or after that.
        ///
        /// @return how many
        int holdWhileItDies(int batch, int[] cut, int verb) {
            Client holder = fixture.new Client();
            groups.forEach(group -> assertThat(holder.read(group, 99)).isNull());
            List<RecordWrite> held = new ArrayList<>();
            dying.beforeVerb(verb, () -> hold(holder, held));
            try {
                assertThat(dying.split(groups.getFirst(), batch, cut)).isNotNull();
            } catch (CrashingQueuePair.Crash died) {
                // As it was recorded.
            }
            if (held.isEmpty()) {
                hold(holder, held);
            }
            if (held.isEmpty()) {
                return 0;
            }
            Client recoverer = fixture.new Client();
            boolean _ = recoverer.recover(dying);
            Client other = fixture.new Client();
            for (RecordWrite write : held) {
                long header = fixture.readWord(write.headerAddress());
                assertThat(RecordHeader.isLocked(header)).isTrue();
                assertThat(RecordHeader.unlocked(header)).isEqualTo(write.header());
                write.postUnlock(holder.queuePair);
            }
            holder.queuePair.await();
            holder.intents.postEnd();
            holder.queuePair.await();
            assertThat(other.recover(dying)).isTrue();
            checkRepaired();
            return held.size();
        }

        private void hold(Client holder, List<RecordWrite> held) {
            List<RecordRead> found = new ArrayList<>();
            for (List<Long> row : values.keySet()) {
                found.add(holder.find(row.getFirst(), row.getLast()));
            }
            held.addAll(holder.lockAll(found));
        }

        /// A session that has found the rows where they were before the split locks them now, and
        /// dies.
        ///
        /// @return how many of the rows were locked by the split
        int lockAndDie() {
            List<RecordRead> found = new ArrayList<>();
            int locked = 0;
            Client second = fixture.new Client();
            for (List<Long> row : values.keySet()) {
                RecordRead read = stale.find(row.getFirst(), row.getLast());
                locked += RecordHeader.isLocked(read.header()) ? 1 : 0;
                found.add(read);
            }
            List<RecordWrite> _ = second.lockAll(found);
            Client recoverer = fixture.new Client();
            boolean isDone = recoverer.recover(second);
            if (locked > 0) {
                assertThat(isDone).isFalse();
            }
            for (RecordRead read : found) {
                long header = fixture.readWord(read.headerAddress());
                assertThat(RecordHeader.isLocked(header) || !RecordHeader.isLocked(read.header()))
                        .isTrue();
            }
            assertThat(recoverer.recover(dying, second)).isTrue();
            assertThat(recoverer.recover(second, dying)).isTrue();
            checkRepaired();
            return locked;
        }

        @Override
        void checkRepaired() {
            read(stale);
            assertThat(update()).isEqualTo(values.size());
            checkLatches();
            for (long group : groups) {
                assertThat(fixture.homes(group)).hasSize(1);
            }
            for (long group : groups) {
                assertThat(writer.split(group)).isNotEqualTo(Outcome.PUT_OFF);
            }
            read(stale);
            for (long group : groups) {
                writer.insert(group, 5);
                assertThat(stale.read(group, 5)).isEqualTo(SplitFixture.value(group, 5));
                assertThat(fixture.homes(group)).hasSize(1);
            }
        }
    }

    private static final class OfEntries extends Course {
        private final HashIndex index = writer.index();
        private final HashIndex old = stale.index();

        OfEntries(SplitFixture fixture) {
            super(fixture);
            for (long group : groups) {
                for (long number = 0; number < 2; number++) {
                    fixture.insert(index, group, number);
                }
            }
        }

        @Override
        void checkBeforeRepair() {
            lookUp(old);
            lookUp(fixture.new Client().index());
        }

        private void lookUp(HashIndex by) {
            for (long group : groups) {
                assertThat(fixture.lookUp(by, group)).containsExactlyInAnyOrder(0L, 1L);
            }
        }

        @Override
        void checkRepaired() {
            checkBeforeRepair();
            checkLatches();
            for (long group : groups) {
                assertThat(fixture.homes(group)).hasSize(1);
                assertThat(writer.split(group)).isNotEqualTo(Outcome.PUT_OFF);
                assertThat(fixture.insert(index, group, 2)).isTrue();
                assertThat(fixture.insert(old, group, 0)).isFalse();
                old.remove(SplitFixture.key(group, 2));
            }
            checkBeforeRepair();
        }
    }
}
