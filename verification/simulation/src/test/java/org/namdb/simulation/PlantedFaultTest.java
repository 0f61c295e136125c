package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.fabric.PlantedFault;

/// A test of the tests: with any of its safeguards taken out, the database is caught by the
/// simulation, within a thousand seeds. Another JVM plants one after the other, and tries the seed
/// that found it before, and if that is of no use any more, all from 1 on.
@Tag("long")
class PlantedFaultTest {
    private static final int MAX_SEEDS = 1000;

    private static @Nullable Process searching;

    @AfterAll
    static void end() {
        if (searching != null) {
            searching.destroy();
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(PlantedFault.SKIP_VALIDATION, 2),
                Arguments.of(PlantedFault.PUBLISH_EARLY, 1),
                Arguments.of(PlantedFault.PUBLISH_UNAWAITED, 21),
                Arguments.of(PlantedFault.OWN_SLOT_RAISED, 6),
                Arguments.of(PlantedFault.NO_HEADER_RECHECK, 1),
                Arguments.of(PlantedFault.NO_PLACE_RECHECK, 45),
                Arguments.of(PlantedFault.NO_CHAIN_RECHECK, 15),
                Arguments.of(PlantedFault.READ_BEFORE_CHOSEN, 2),
                Arguments.of(PlantedFault.CHAIN_NOT_FRESH, 1),
                Arguments.of(PlantedFault.PARTS_NOT_ORDERED, 18),
                Arguments.of(PlantedFault.COUNTER_RESET, 1),
                Arguments.of(PlantedFault.DUPLICATE_INSERT, 4),
                Arguments.of(PlantedFault.EARLY_COLLECTION, 4),
                Arguments.of(PlantedFault.ANNOUNCED_LATE, 73),
                Arguments.of(PlantedFault.VERSION_DROPPED, 6),
                Arguments.of(PlantedFault.MOVER_FREES_FIRST, 40),
                Arguments.of(PlantedFault.AGE_UNCHECKED, 277),
                Arguments.of(PlantedFault.UNLOCK_EARLY, 129),
                Arguments.of(PlantedFault.MOVED_BIT_IGNORED, 9),
                Arguments.of(PlantedFault.INDEX_ENTRY_FORGOTTEN, 1),
                Arguments.of(PlantedFault.INDEX_HIT_UNCHECKED, 1),
                Arguments.of(PlantedFault.INDEX_ENTRY_REMOVED_EARLY, 9),
                Arguments.of(PlantedFault.REQUIRED_EARLY, 35),
                Arguments.of(PlantedFault.EPOCH_NOT_AWAITED, 3),
                Arguments.of(PlantedFault.RECOVERED_BEFORE_FENCE, 17),
                Arguments.of(PlantedFault.FENCE_CONFIRMED_EARLY, 17),
                Arguments.of(PlantedFault.LEASES_READ_FIRST, 17),
                Arguments.of(PlantedFault.LEASE_TAKEN_AGAIN, 144),
                Arguments.of(PlantedFault.INTENTS_UNWRITTEN, 1),
                Arguments.of(PlantedFault.LATCHES_UNREPAIRED, 6),
                Arguments.of(PlantedFault.UNDO_OMITTED, 2),
                Arguments.of(PlantedFault.LOCKS_NOT_AWAITED, 518),
                Arguments.of(PlantedFault.RING_FREED_EARLY, 9),
                Arguments.of(PlantedFault.DOUBT_IGNORED, 3),
                Arguments.of(PlantedFault.FAILURE_NOT_ROLLED_BACK, 201),
                Arguments.of(PlantedFault.FAILED_STAYS_CONNECTED, 11),
                Arguments.of(PlantedFault.FAILED_NOT_HANDED_OVER, 29),
                Arguments.of(PlantedFault.SWEEP_OMITTED, 1),
                Arguments.of(PlantedFault.CHAIN_AT_REST, 29),
                Arguments.of(PlantedFault.OWN_TRANSACTION_TIME, 6),
                Arguments.of(PlantedFault.UNFILLED_INDEX_USED, 1),
                Arguments.of(PlantedFault.INDEX_SNAPSHOT_STALE, 1),
                Arguments.of(PlantedFault.SPLIT_UNREPAIRED, 13),
                Arguments.of(PlantedFault.SPLIT_FREED_EARLY, 45),
                Arguments.of(PlantedFault.SPLIT_UNPUBLISHED, 3),
                Arguments.of(PlantedFault.SENT_ON_UNLISTED, 190),
                Arguments.of(PlantedFault.GROWTH_NOT_READ_AGAIN, 4),
                Arguments.of(PlantedFault.LINK_COUNTS_ANEW, 2),
                Arguments.of(PlantedFault.LINE_READ_FIRST, 14),
                Arguments.of(PlantedFault.LINE_WRITER_IGNORED, 1),
                Arguments.of(PlantedFault.LINE_UPGRADE_UNCHECKED, 1),
                Arguments.of(PlantedFault.LINE_UNFLUSHED, 1),
                Arguments.of(PlantedFault.LINE_DIRTY_BOUND_SMALL, 1),
                Arguments.of(PlantedFault.LINE_FLUSHED_UNLATCHED, 35),
                Arguments.of(PlantedFault.LINE_ANSWERED_EARLY, 4),
                Arguments.of(PlantedFault.LINE_BIT_NOT_CHECKED, 40),
                Arguments.of(PlantedFault.LINE_USED_WHILE_RELEASED, 1),
                Arguments.of(PlantedFault.LINE_FORGET_SKIPPED, 82),
                Arguments.of(PlantedFault.PAGE_COPY_KEPT, 1),
                Arguments.of(PlantedFault.PAGE_GRANTS_UNORDERED, 3),
                Arguments.of(PlantedFault.PAGE_UNSAVED_DROPPED, 1),
                Arguments.of(PlantedFault.PAGE_ENDED_READER_SERVED, 4),
                Arguments.of(PlantedFault.GUARD_TAKEN_LATE, 2),
                Arguments.of(PlantedFault.GUARD_RELEASED_EARLY, 2),
                Arguments.of(PlantedFault.COPY_OUTLIVES_GUARD, 1),
                Arguments.of(PlantedFault.ONE_COPY_AWAITED, 10),
                Arguments.of(PlantedFault.WHOLE_IMAGE_UNDONE, 28),
                Arguments.of(PlantedFault.CUT_UNFORCED, 5),
                Arguments.of(PlantedFault.CUT_TOO_EARLY, 1),
                Arguments.of(PlantedFault.REPLAY_UNORDERED, 1),
                Arguments.of(PlantedFault.CUT_WHILE_RECOVERING, 14),
                Arguments.of(PlantedFault.UNNAMED_STORAGE_KEPT, 1));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void isFound(PlantedFault fault, int likelySeed) throws Exception {
        String found = search(fault.label(), likelySeed);
        System.out.println(fault.label() + ": " + found);
        assertThat(found).startsWith("found by seed ");
    }

    @Test
    void thePapersPlainReadOfTheVectorIsCaughtForking() throws Exception {
        String found = search("none", 75, "direct");
        System.out.println("direct read: " + found);
        assertThat(found).startsWith("found by seed ");
    }

    /// But for those that a test nearer to them plants.
    @Test
    void everyFaultHasItsSeed() {
        Set<PlantedFault> simulated = EnumSet.allOf(PlantedFault.class);
        simulated.remove(PlantedFault.REPAIR_TRUSTS_COUNT); // TreeRepairTest
        simulated.remove(PlantedFault.FENCE_NOT_COMPARED); // HybridIndexTest
        simulated.remove(PlantedFault.FENCE_BEFORE_REQUESTS); // SimRequestTest
        simulated.remove(PlantedFault.WORKER_LATCHES_AS_ITSELF); // RequestedTreeTest
        simulated.removeAll(
                EnumSet.of( // SplitCrashTest
                        PlantedFault.SPLIT_UNLOCKED,
                        PlantedFault.SPLIT_UNLOCKED_BLINDLY,
                        PlantedFault.SPLIT_NOT_AWAITED));
        simulated.remove(PlantedFault.REMOVAL_HOME_STALE); // RecordRemovalTest
        simulated.remove(PlantedFault.COLLECTED_BEFORE_DURABLE); // DurableReadsTest
        simulated.removeAll(
                EnumSet.range( // PlantedJournalTest
                        PlantedFault.ANSWERED_UNFORCED, PlantedFault.CHECKPOINTED_REPLAYED));
        assertThat(faults().map(arguments -> arguments.get()[0]))
                .containsExactlyInAnyOrderElementsOf(simulated);
    }

    @Test
    void withoutAFaultTheSearchFindsNothing() throws Exception {
        assertThat(search("none", 1, "chain", "30")).isEqualTo("not found in 30 seeds");
    }

    private static String search(String planted, int likelySeed, String... more)
            throws IOException {
        String most = more.length > 1 ? more[1] : String.valueOf(MAX_SEEDS);
        List<String> words = new ArrayList<>(List.of(planted, String.valueOf(likelySeed), most));
        if (more.length > 0) {
            words.add(more[0]);
        }
        Process process = searching();
        Writer searches = process.outputWriter();
        searches.write(String.join(" ", words) + "\n");
        searches.flush();
        return String.valueOf(process.inputReader().readLine());
    }

    private static Process searching() throws IOException {
        Process process = searching;
        if (process == null || !process.isAlive()) {
            process = start();
            searching = process;
        }
        return process;
    }

    private static Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Dnamdb.planted=several",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FaultSearch.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
