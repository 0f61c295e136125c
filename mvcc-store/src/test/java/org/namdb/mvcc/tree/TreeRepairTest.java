package org.namdb.mvcc.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.CrashingQueuePair;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRun;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.timestamp.snapshot.Snapshot;

/// A client dies at each of its verbs, in every way in which the batch may have taken effect on its
/// three servers; a repairer dies too, now and then; another repairs all. Then the tree is whole,
/// no key is lost, and there is none that was never inserted. Nodes have three entries.
///
/// `-Dnamdb.rounds=N`: N random trees in place of 120. `-Dnamdb.cuts=N`: at most N of the ways in
/// which a batch may have taken effect, in place of 24.
@Timeout(300)
final class TreeRepairTest {
    private static final NodeLayout TINY = new NodeLayout(5, 256);
    private static final int SERVERS = 3;
    private static final int DEAD = 7;
    private static final int DEAD_REPAIRER = 8;
    private static final int REPAIRER = 9;
    private static final int MAX_CUTS = Integer.getInteger("namdb.cuts", 24);
    private static final int ROUNDS = Integer.getInteger("namdb.rounds", 120);

    /// Both are zeroed for each of thousands of trees: not much more than these need.
    private static final int LANDING_BYTES = 1 << 14;

    private static final long REGION_BYTES = 1 << 20;

    /// What the client does that dies, to a tree that was prepared for it.
    enum Operation {
        /// Into the middle of a leaf that is not full.
        INSERT(
                keys -> {
                    fill(keys, 0, 90, 10);
                    keys.insert(15);
                },
                client -> client.insert(key(5)),
                5),
        INSERT_FIRST(keys -> fill(keys, 10, 50, 10), client -> client.insert(key(5)), 5),
        INSERT_LAST(keys -> fill(keys, 0, 40, 10), client -> client.insert(key(45)), 45),
        INSERT_INTO_EMPTY(keys -> {}, client -> client.insert(key(14)), 14),
        INSERT_AMONG_DELETED(
                keys -> {
                    fill(keys, 0, 90, 10);
                    keys.delete(30);
                    keys.delete(50);
                },
                client -> client.insert(key(35)),
                35),
        INSERT_AGAIN(
                keys -> {
                    fill(keys, 0, 90, 10);
                    keys.delete(40);
                },
                client -> client.insert(key(40)),
                40),
        COMPACT(
                keys -> {
                    fill(keys, 0, 90, 10);
                    keys.delete(30);
                },
                client -> client.insert(key(45)),
                45),
        DELETE(keys -> fill(keys, 0, 90, 10), client -> client.delete(key(40)), 40),
        FIRST_SPLIT(keys -> fill(keys, 0, 30, 10), client -> client.insert(key(15)), 15),
        SPLIT(keys -> fill(keys, 0, 90, 10), client -> client.insert(key(35)), 35),
        SPLIT_AT_END(keys -> fill(keys, 0, 90, 10), client -> client.insert(key(95)), 95),
        SPLIT_THROUGHOUT(keys -> fill(keys, 0, 810, 10), client -> client.insert(key(35)), 35),
        MERGE_EMPTY_LEAF(
                keys -> {
                    fill(keys, 0, 300, 10);
                    keys.delete(100);
                    keys.delete(110);
                    keys.delete(90);
                    keys.insert(85);
                    keys.delete(130);
                    keys.delete(140);
                },
                client -> client.delete(key(120)),
                120),
        COLLECT(
                keys -> {
                    fill(keys, 0, 600, 10);
                    for (int key = 0; key < 600; key += 10) {
                        if (key % 40 != 0) {
                            keys.delete(key);
                        }
                    }
                },
                TreeClient::collect,
                -1),
        /// Deletes from the left, so that a parent with one child takes some from its full
        /// neighbour.
        SHARE_TO_THE_LEFT(
                keys -> {
                    fill(keys, 0, 810, 10);
                    for (int key = 0; key < 90; key += 10) {
                        keys.delete(key);
                    }
                },
                client -> deleteAll(client, 90, 240, 10),
                90),
        /// The same from the right.
        SHARE_TO_THE_RIGHT(
                keys -> fill(keys, 0, 810, 10), client -> deleteAll(client, 800, 600, -10), 800),
        /// Several at once into the middle of a leaf.
        INSERT_RUN(keys -> fill(keys, 0, 50, 10), client -> insertAll(client, 11, 32, 13, 33), 11),
        /// Into a leaf that they fill, before what is there.
        RUN_INTO_LEAF(keys -> keys.insert(20), client -> insertRun(client, 11, 13, 1), 11),
        /// A leaf becomes five, and so do their parents.
        RUN_AMONG_OTHERS(keys -> fill(keys, 0, 90, 10), client -> insertRun(client, 31, 39, 1), 31),
        RUN_AT_END(keys -> fill(keys, 0, 90, 10), client -> insertRun(client, 91, 130, 3), 91),
        /// A root becomes a tree.
        RUN_INTO_EMPTY(keys -> {}, client -> insertRun(client, 1, 30, 1), 1),
        /// Many leaves are divided together, and each of their parents.
        RUN_THROUGHOUT(
                keys -> {
                    fill(keys, 0, 300, 10);
                    keys.delete(150);
                    keys.delete(160);
                },
                client -> insertRun(client, 5, 300, 4),
                5);

        @SuppressWarnings("ImmutableEnumChecker") // a lambda that keeps nothing
        private final Consumer<Keys> prepare;

        @SuppressWarnings("ImmutableEnumChecker") // a lambda that keeps nothing
        private final Consumer<TreeClient> perform;

        /// The key that it inserts or deletes.
        private final int uncertain;

        Operation(Consumer<Keys> prepare, Consumer<TreeClient> perform, int uncertain) {
            this.prepare = prepare;
            this.perform = perform;
            this.uncertain = uncertain;
        }

        /// Whether a key may be there or not after the crash.
        boolean isUncertain(int key) {
            return switch (this) {
                case SHARE_TO_THE_LEFT -> key >= 90 && key < 240;
                case SHARE_TO_THE_RIGHT -> key > 600;
                case INSERT_RUN,
                        RUN_INTO_LEAF,
                        RUN_AMONG_OTHERS,
                        RUN_AT_END,
                        RUN_INTO_EMPTY,
                        RUN_THROUGHOUT ->
                        key % 10 != 0;
                default -> key == uncertain;
            };
        }
    }

    /// The keys of a tree, and all that were ever in it.
    private static final class Keys {
        private final TreeClient client;
        private final TreeSet<Integer> live = new TreeSet<>();
        private final Set<Integer> ever = new HashSet<>();

        Keys(TreeClient client) {
            this.client = client;
        }

        void insert(int key) {
            assertThat(client.insert(key(key))).isTrue();
            live.add(key);
            ever.add(key);
        }

        void delete(int key) {
            assertThat(client.delete(key(key))).isTrue();
            live.remove(key);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyCrashIsRepaired(Operation operation) {
        crashEverywhere(operation, false);
    }

    /// Without inner nodes, a run is inserts one after the other.
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = "RUN_.*")
    void everyCrashIsRepairedWithoutInnerNodes(Operation operation) {
        crashEverywhere(operation, true);
    }

    static void crashEverywhere(Operation operation, boolean isHybrid) {
        SplittableRandom random = Seeds.random();
        List<int[]> batches = run(operation, isHybrid, -1, new int[SERVERS], random);
        int states = 0;
        for (int batch = 0; batch < batches.size(); batch++) {
            List<int[]> cuts = CrashingQueuePair.cuts(batches.get(batch));
            for (int i = 0; i < Math.min(cuts.size(), MAX_CUTS); i++) {
                int[] cut = cuts.get(cuts.size() <= MAX_CUTS ? i : random.nextInt(cuts.size()));
                run(operation, isHybrid, batch, cut, random);
                states++;
            }
        }
        assertThat(states).isGreaterThan(5);
    }

    /// Random operations on a random tree.
    @Test
    void everyCrashInARandomTreeIsRepaired() {
        SplittableRandom random = Seeds.random();
        for (int round = 0; round < ROUNDS; round++) {
            long seed = random.nextLong();
            int operations = random.nextInt(10, 300);
            List<int[]> batches = runRandom(seed, operations, -1, new int[SERVERS], random);
            for (int i = 0; i < 4 && !batches.isEmpty(); i++) {
                int batch = random.nextInt(batches.size());
                List<int[]> cuts = CrashingQueuePair.cuts(batches.get(batch));
                runRandom(seed, operations, batch, cuts.get(random.nextInt(cuts.size())), random);
            }
        }
    }

    private static List<int[]> runRandom(
            long seed, int operations, int batch, int[] cut, SplittableRandom repairs) {
        SplittableRandom random = new SplittableRandom(seed);
        try (TreeFixture fixture = open().hybrid(random.nextBoolean())) {
            Keys keys = new Keys(fixture.client());
            int range = random.nextInt(20, 400);
            boolean growing = true;
            for (int i = 0; i < operations; i++) {
                growing = random.nextInt(50) == 0 ? !growing : growing;
                int key = random.nextInt(range);
                if (!keys.live.contains(key) && (growing || random.nextInt(5) == 0)) {
                    keys.insert(key);
                } else if (keys.live.contains(key) && (!growing || random.nextInt(5) == 0)) {
                    keys.delete(key);
                }
            }
            int uncertain = random.nextInt(range);
            boolean deletes = keys.live.contains(uncertain);
            boolean collects = random.nextInt(10) == 0;
            Consumer<TreeClient> perform =
                    client -> {
                        if (collects) {
                            client.collect();
                        } else if (deletes) {
                            client.delete(key(uncertain));
                        } else {
                            client.insert(key(uncertain));
                        }
                    };
            String name = "seed %d, %d operations".formatted(seed, operations);
            return crashAndRepair(
                    fixture,
                    keys,
                    perform,
                    new Crash(batch, cut, repairs, name),
                    key -> !collects && key == uncertain);
        }
    }

    private static List<int[]> run(
            Operation operation, boolean isHybrid, int batch, int[] cut, SplittableRandom random) {
        try (TreeFixture fixture = open().hybrid(isHybrid)) {
            Keys keys = new Keys(fixture.client());
            operation.prepare.accept(keys);
            return crashAndRepair(
                    fixture,
                    keys,
                    operation.perform,
                    new Crash(batch, cut, random, operation.name()),
                    operation::isUncertain);
        }
    }

    /// In which batch the client dies, and after how many verbs to each server.
    private static final class Crash {
        private final int batch;
        private final int[] cut;
        private final SplittableRandom repairs;
        private final String name;

        Crash(int batch, int[] cut, SplittableRandom repairs, String name) {
            this.batch = batch;
            this.cut = cut;
            this.repairs = repairs;
            this.name = name;
        }
    }

    private static TreeFixture open() {
        Fabric fabric = new ShmFabric(new ShmFabric.Options(false, LANDING_BYTES, null));
        return new TreeFixture(fabric, SERVERS, TINY, REGION_BYTES);
    }

    /// Returns the batches of the operation, if it is not to die; else nothing of interest.
    private static List<int[]> crashAndRepair(
            TreeFixture fixture,
            Keys keys,
            Consumer<TreeClient> perform,
            Crash crash,
            IntPredicate isUncertain) {
        CrashingQueuePair queuePair = new CrashingQueuePair(fixture.connect(), SERVERS);
        TreeClient dying = fixture.client(queuePair, TreeFixture.owner(DEAD));
        TreeClient witness = fixture.client(1);
        for (int key : keys.live) {
            assertThat(witness.contains(key(key))).isTrue();
        }
        queuePair.arm(crash.batch, crash.batch < 0 ? null : crash.cut);
        try {
            perform.accept(dying);
            assertThat(crash.batch).as("it was to die").isNegative();
            return queuePair.batches();
        } catch (CrashingQueuePair.Crash died) {
            // As it was recorded.
        }
        String name = crash.name + " " + queuePair;
        repairAndDie(fixture, crash.repairs);
        for (BLinkTree tree : fixture.trees()) {
            new TreeRepair(
                            fixture.connect(),
                            tree,
                            TreeFixture.owner(REPAIRER),
                            DeadSlots.of(DEAD, DEAD_REPAIRER))
                    .repair();
        }
        try {
            fixture.check(true);
            compare(fixture.client(2), keys, isUncertain);
            goOn(fixture, witness, keys, isUncertain);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(name, e);
        }
        return List.of();
    }

    /// A repairer that dies somewhere, or not at all.
    private static void repairAndDie(TreeFixture fixture, SplittableRandom random) {
        if (random.nextBoolean()) {
            return;
        }
        CrashingQueuePair queuePair = new CrashingQueuePair(fixture.connect(), SERVERS);
        int[] cut = new int[SERVERS];
        for (int server = 0; server < SERVERS; server++) {
            cut[server] = random.nextInt(6);
        }
        queuePair.arm(random.nextInt(40), cut);
        try {
            for (BLinkTree tree : fixture.trees()) {
                new TreeRepair(
                                queuePair,
                                tree,
                                TreeFixture.owner(DEAD_REPAIRER),
                                DeadSlots.of(DEAD))
                        .repair();
            }
        } catch (CrashingQueuePair.Crash died) {
            // Half-way.
        }
    }

    private static void compare(TreeClient client, Keys keys, IntPredicate isUncertain) {
        TreeCursor cursor = client.cursor();
        cursor.ascendFrom(new long[5]);
        TreeSet<Integer> found = new TreeSet<>();
        int last = -1;
        while (cursor.next()) {
            int key = (int) cursor.word(4);
            assertThat(key).isGreaterThan(last);
            found.add(key);
            assertThat(keys.ever.contains(key) || isUncertain.test(key)).as("%d", key).isTrue();
            last = key;
        }
        for (int key : keys.live) {
            if (!isUncertain.test(key)) {
                assertThat(found).as("%d is lost", key).contains(key);
            }
        }
    }

    /// Sessions that used the tree before, and others, go on with it.
    private static void goOn(
            TreeFixture fixture, TreeClient witness, Keys keys, IntPredicate isUncertain) {
        for (int key : keys.live) {
            assertThat(witness.contains(key(key)) || isUncertain.test(key)).as("%d", key).isTrue();
        }
        int from = keys.ever.stream().mapToInt(Integer::intValue).min().orElse(0) - 1;
        int to = keys.ever.stream().mapToInt(Integer::intValue).max().orElse(0) + 2;
        TreeClient client = fixture.client(2);
        for (int key = Math.max(from, 0); key < to; key++) {
            client.insert(key(key));
        }
        fixture.check(true);
        for (int key = Math.max(from, 0); key < to; key++) {
            assertThat(client.contains(key(key))).isTrue();
            assertThat(witness.delete(key(key))).as("%d is there", key).isTrue();
        }
        client.collect();
        fixture.check(true);
    }

    /// The parent of the leaves that a run has made has got their separators, but not their count.
    @Test
    void separatorsBehindTheCountAreFound() {
        NodeLayout wide = new NodeLayout(5, 1024);
        int last = 0;
        for (int batch : new int[] {-1, 0}) {
            Fabric fabric = new ShmFabric(new ShmFabric.Options(false, 1 << 16, null));
            try (TreeFixture fixture = new TreeFixture(fabric, 1, wide, REGION_BYTES)) {
                Keys keys = new Keys(fixture.client());
                fill(keys, 0, 1000, 10);
                CrashingQueuePair queuePair = new CrashingQueuePair(fixture.connect(), 1);
                TreeClient dying = fixture.client(queuePair, TreeFixture.owner(DEAD));
                assertThat(dying.contains(key(500))).isTrue();
                int leaves = fixture.check().leaves();
                queuePair.arm(batch + last, batch < 0 ? null : new int[] {1});
                try {
                    insertRun(dying, 501, 599, 1);
                    last = queuePair.batches().size() - 1;
                    assertThat(queuePair.batches().getLast()).containsExactly(2);
                } catch (CrashingQueuePair.Crash died) {
                    new TreeRepair(
                                    fixture.connect(),
                                    fixture.tree(),
                                    TreeFixture.owner(REPAIRER),
                                    DeadSlots.of(DEAD))
                            .repair();
                }
                assertThat(fixture.check(false).leaves()).isGreaterThan(leaves + 2);
            }
        }
    }

    /// A test of the tests: with a repair that believes the count, a key is lost.
    @Test
    void aRepairThatTrustsTheCountIsFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.REPAIR_TRUSTS_COUNT.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PlantedRepair.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        assertThat(output).contains("found: [10 is lost]");
    }

    /// What runs in a JVM of its own, with the fault.
    static final class PlantedRepair {
        private PlantedRepair() {}

        public static void main(String[] arguments) {
            try {
                crashEverywhere(Operation.INSERT, false);
            } catch (AssertionError e) {
                System.out.println("found: " + e.getCause().getMessage());
            }
        }
    }

    @Test
    void aWaitForANodeEndsAndNamesTheHolder() {
        try (TreeFixture fixture = open()) {
            Keys keys = new Keys(fixture.client());
            fill(keys, 0, 90, 10);
            CrashingQueuePair queuePair = new CrashingQueuePair(fixture.connect(), SERVERS);
            TreeClient dying =
                    new TreeClient(
                            queuePair,
                            fixture.allocator(),
                            fixture.foreignTree(),
                            TreeFixture.owner(DEAD));
            queuePair.arm(fixture.check().height(), new int[] {9, 9, 9}); // the latch
            assertThatThrownBy(() -> dying.delete(key(40)))
                    .isInstanceOf(CrashingQueuePair.Crash.class);
            TreeClient waiting =
                    new TreeClient(
                            fixture.connect(),
                            fixture.allocator(),
                            fixture.tree(),
                            new LatchOwner(
                                    1, Host.MACHINE, 20_000_000, LatchOwner.Cancellation.NEVER));
            assertThatThrownBy(() -> waiting.contains(key(40)))
                    .isInstanceOfSatisfying(
                            LatchTimeoutException.class,
                            e -> {
                                assertThat(e.kind()).isEqualTo(LatchKind.TREE_NODE);
                                assertThat(e.holder()).isEqualTo(DEAD);
                            });
            TreeRepair repair =
                    new TreeRepair(
                            fixture.connect(),
                            fixture.tree(),
                            TreeFixture.owner(REPAIRER),
                            DeadSlots.of(DEAD));
            assertThat(repair.repair()).isEqualTo(1);
            assertThat(repair.repair()).isZero();
            assertThat(waiting.contains(key(40))).isTrue();
        }
    }

    private static void fill(Keys keys, int from, int to, int step) {
        for (int key = from; key < to; key += step) {
            keys.insert(key);
        }
    }

    private static void insertAll(TreeClient client, int... keys) {
        ChangeBatch batch = new ChangeBatch(client.queuePair());
        for (int key : keys) {
            EntryChange insertion = client.insertion();
            insertion.prepare(key(key), Snapshot.EVERYTHING);
            batch.add(insertion);
        }
        batch.run();
        for (int i = 0; i < keys.length; i++) {
            assertThat(batch.finish(i)).isTrue();
        }
        client.queuePair().await();
    }

    /// Without tens.
    private static void insertRun(TreeClient client, int from, int to, int step) {
        EntryRun run = new EntryRun(5);
        for (int key = from; key < to; key += step) {
            if (key % 10 != 0) {
                run.add(key(key), key);
            }
        }
        run.sort();
        client.insertRun(run, Snapshot.EVERYTHING);
        client.queuePair().await();
    }

    private static void deleteAll(TreeClient client, int from, int to, int step) {
        for (int key = from; step > 0 ? key < to : key > to; key += step) {
            client.delete(key(key));
        }
    }

    /// Equal words first, so that the last one decides.
    private static long[] key(int value) {
        return new long[] {1, 2, 3, 4, value};
    }
}
