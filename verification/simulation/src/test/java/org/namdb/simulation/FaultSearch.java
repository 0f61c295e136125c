package org.namdb.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Verdict;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.fabric.PlantedFault;
import org.namdb.simulated.SimTrace;

/// Looks for seeds that find faults, which it plants in this JVM, and prints each with what was
/// found.
final class FaultSearch {
    /// Those of cached lines.
    static final EnumSet<PlantedFault> PAGE_FAULTS =
            EnumSet.of(
                    PlantedFault.PAGE_COPY_KEPT,
                    PlantedFault.PAGE_GRANTS_UNORDERED,
                    PlantedFault.PAGE_UNSAVED_DROPPED,
                    PlantedFault.PAGE_ENDED_READER_SERVED);

    static final EnumSet<PlantedFault> LINE_FAULTS =
            EnumSet.of(
                    PlantedFault.LINE_READ_FIRST,
                    PlantedFault.LINE_WRITER_IGNORED,
                    PlantedFault.LINE_UPGRADE_UNCHECKED,
                    PlantedFault.LINE_UNFLUSHED,
                    PlantedFault.LINE_DIRTY_BOUND_SMALL,
                    PlantedFault.LINE_FLUSHED_UNLATCHED,
                    PlantedFault.LINE_USED_WHILE_RELEASED,
                    PlantedFault.LINE_ANSWERED_EARLY,
                    PlantedFault.LINE_BIT_NOT_CHECKED,
                    PlantedFault.LINE_FORGET_SKIPPED);

    /// Those of cached tables.
    private static final EnumSet<PlantedFault> GUARD_FAULTS =
            EnumSet.of(
                    PlantedFault.GUARD_TAKEN_LATE,
                    PlantedFault.GUARD_RELEASED_EARLY,
                    PlantedFault.COPY_OUTLIVES_GUARD);

    /// Those of a cluster's data directories.
    private static final EnumSet<PlantedFault> CUT_FAULTS =
            EnumSet.of(
                    PlantedFault.CUT_UNFORCED,
                    PlantedFault.CUT_TOO_EARLY,
                    PlantedFault.REPLAY_UNORDERED,
                    PlantedFault.CUT_WHILE_RECOVERING);

    private FaultSearch() {}

    /// Searches for one fault after the other: each line of the standard input is a search, and
    /// its result a line of the standard output. The words of a line are a fault's label, or
    /// `none`; a seed to try first; how many to try then, from 1 on; and maybe `direct`, for the
    /// paper's plain vector read in place of the chain.
    public static void main(String[] arguments) throws IOException {
        BufferedReader searches = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = searches.readLine(); line != null; line = searches.readLine()) {
            List<String> words = List.of(line.split(" "));
            PlantedFault.plant(words.get(0).equals("none") ? "" : words.get(0));
            search(
                    Long.parseLong(words.get(1)),
                    Long.parseLong(words.get(2)),
                    words.contains("direct"));
        }
    }

    private static void search(long likely, long most, boolean direct) {
        boolean isFound = finds(likely, direct);
        for (long seed = 1; seed <= most && !isFound; seed++) {
            isFound = finds(seed, direct);
        }
        if (!isFound) {
            System.out.println("not found in " + most + " seeds");
        }
    }

    private static boolean finds(long seed, boolean direct) {
        if (PlantedFault.REQUIRED_EARLY.isPlanted()) {
            return findsAnOrphan(seed);
        }
        if (PlantedFault.EPOCH_NOT_AWAITED.isPlanted()) {
            return findsAStray(seed);
        }
        if (PlantedFault.UNFILLED_INDEX_USED.isPlanted()
                || PlantedFault.INDEX_SNAPSHOT_STALE.isPlanted()) {
            return findsAMissingEntry(seed);
        }
        if (PlantedFault.UNNAMED_STORAGE_KEPT.isPlanted()) {
            return findsLostMemory(seed);
        }
        if (PlantedFault.LOCKS_NOT_AWAITED.isPlanted()) {
            return findsALostUpdate(seed);
        }
        if (PlantedFault.SPLIT_UNLOCKED.isPlanted()
                || PlantedFault.SPLIT_FREED_EARLY.isPlanted()
                || PlantedFault.SPLIT_UNPUBLISHED.isPlanted()
                || PlantedFault.SPLIT_UNLOCKED_BLINDLY.isPlanted()
                || PlantedFault.SPLIT_UNREPAIRED.isPlanted()
                || PlantedFault.SPLIT_NOT_AWAITED.isPlanted()) {
            return findsALostRow(seed);
        }
        if (CUT_FAULTS.stream().anyMatch(PlantedFault::isPlanted)) {
            return findsALostCommit(seed);
        }
        if (LINE_FAULTS.stream().anyMatch(PlantedFault::isPlanted)) {
            return findsAWrongLine(seed);
        }
        if (PAGE_FAULTS.stream().anyMatch(PlantedFault::isPlanted)) {
            return found(seed, PageMeeting.of(seed));
        }
        SimulationOptions options = SimulationOptions.ofSeed(seed, allowed()).withCached(false);
        if (PlantedFault.PARTS_NOT_ORDERED.isPlanted()) {
            options = busy(options);
        }
        if (PlantedFault.NO_CHAIN_RECHECK.isPlanted()
                || PlantedFault.READ_BEFORE_CHOSEN.isPlanted()) {
            options = crowded(options);
        }
        if (GUARD_FAULTS.stream().anyMatch(PlantedFault::isPlanted)) {
            options = CachedTablesRunTest.options(seed, allowed());
        }
        if (PlantedFault.ANNOUNCED_LATE.isPlanted()) {
            options = paused(options);
        }
        SimulationVerdict verdict =
                SimulationRun.of(
                        direct ? options.withOracle(Oracle.DIRECT) : options, SimTrace.off());
        if (!verdict.holds()) {
            System.out.println("found by seed " + seed + ": " + what(verdict));
        }
        return !verdict.holds();
    }

    /// The head moves on twice during a begin only where many transactions are short and commit.
    private static SimulationOptions busy(SimulationOptions options) {
        return options.withServers(2, 3).withRegisters(4, 30, new RegisterWorkload(10, 2, 0.5));
    }

    /// A session whose CAS has failed as others have appended twice goes on with their member.
    private static SimulationOptions crowded(SimulationOptions options) {
        return options.withServers(1, 3).withRegisters(8, 60, new RegisterWorkload(10, 1, 0.5));
    }

    /// The low watermark passes a snapshot that is not announced yet, and what that needs is
    /// collected, only where a transaction stands still for as long as others take for many.
    private static SimulationOptions paused(SimulationOptions options) {
        return options.withServers(1, 2)
                .withRegisters(3, 60, new RegisterWorkload(3, 2, 0.3))
                .withPausesOnly(1.0 / 150, 3_000_000);
    }

    /// The clients of a run require nothing; these do.
    private static boolean findsAnOrphan(long seed) {
        boolean isFound = ReferenceMeeting.of(seed).isFailed();
        if (isFound) {
            System.out.println("found by seed " + seed + ": a child without its parent");
        }
        return isFound;
    }

    /// The clients of a run change no schema; these do.
    private static boolean findsAStray(long seed) {
        SchemaMeeting.Result meeting = DdlMeeting.of(seed);
        if (meeting.isFailed()) {
            System.out.println("found by seed " + seed + ": " + meeting.wrong());
        }
        return meeting.isFailed();
    }

    /// These make indexes, and use them.
    private static boolean findsAMissingEntry(long seed) {
        SchemaMeeting.Result meeting = IndexMeeting.of(seed);
        if (meeting.isFailed()) {
            System.out.println("found by seed " + seed + ": " + meeting.wrong());
        }
        return meeting.isFailed();
    }

    private static boolean findsLostMemory(long seed) {
        boolean isFound = DeadDdlSessionTest.losesMemory(seed);
        if (isFound) {
            System.out.println("found by seed " + seed + ": memory stays taken");
        }
        return isFound;
    }

    /// In a run it is rare that a session dies just when its lock CAS has failed, and the winner
    /// goes on.
    private static boolean findsALostUpdate(long seed) {
        RecoveryMeeting meeting = RecoveryMeeting.of(seed);
        if (meeting.isFailed()) {
            System.out.println("found by seed " + seed + ": " + meeting);
        }
        return meeting.isFailed();
    }

    /// A run keeps nothing on disks.
    private static boolean findsALostCommit(long seed) {
        try {
            KeptClusterRunTest.Run _ = KeptClusterRunTest.Run.of(seed);
            return false;
        } catch (AssertionError e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            String what = cause.toString().replaceAll("\\s+", " ");
            System.out.println("found by seed " + seed + ": " + what);
            return true;
        }
    }

    /// In a run, few sessions die while they split a bucket.
    private static boolean findsALostRow(long seed) {
        SplitMeeting meeting = SplitMeeting.of(seed);
        if (meeting.wrong() != null) {
            System.out.println("found by seed " + seed + ": " + meeting.wrong());
        }
        return meeting.wrong() != null;
    }

    private static boolean findsAWrongLine(long seed) {
        String wrong =
                PlantedFault.LINE_FORGET_SKIPPED.isPlanted()
                        ? DeadLineMeeting.of(seed)
                        : PlantedFault.LINE_BIT_NOT_CHECKED.isPlanted()
                                        || PlantedFault.LINE_ANSWERED_EARLY.isPlanted()
                                ? CachedLineMeeting.ofFragile(seed)
                                : CachedLineMeeting.of(seed);
        return found(seed, wrong);
    }

    private static boolean found(long seed, @Nullable String wrong) {
        if (wrong != null) {
            System.out.println(
                    "found by seed " + seed + ": " + wrong.lines().findFirst().orElse(""));
        }
        return wrong != null;
    }

    /// A memory server's crash ends a run early, and finds nothing; partitions find what is wrong
    /// with fences, and only leases find what is wrong with leases.
    private static EnumSet<Fault> allowed() {
        EnumSet<Fault> allowed = EnumSet.allOf(Fault.class);
        allowed.remove(Fault.MEMORY_CRASH);
        if (isOfLeases()) {
            return allowed;
        }
        allowed.remove(Fault.LEASE);
        allowed.remove(Fault.DRIFT);
        if (!PlantedFault.FENCE_CONFIRMED_EARLY.isPlanted()) {
            allowed.remove(Fault.PARTITION);
        }
        return allowed;
    }

    private static boolean isOfLeases() {
        return PlantedFault.LEASES_READ_FIRST.isPlanted()
                || PlantedFault.LEASE_TAKEN_AGAIN.isPlanted();
    }

    private static String what(SimulationVerdict verdict) {
        Verdict history = verdict.history();
        if (history != null && !history.holds()) {
            return history.smallest().orElseThrow().rule().label();
        }
        return String.valueOf(verdict.failure()).lines().findFirst().orElse("");
    }
}
