package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.journal.Cut;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.server.RegionLayout;
import org.namdb.simulated.SimDisk;

/// A recovery of a cluster from its memory servers' data directories: it may die and begin again,
/// does without one of the disks, and refuses directories, servers and requests of others.
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterRecoveryTest extends KeptClusterFixture {
    /// The disks are copied at each step of a recovery, and it is tried with the copies.
    ///
    /// @param lost the disk that was lost before; -1 for none
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1})
    void aRecoveryThatDiesIsBegunAgain(int lost) throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 2000, 1);
        }
        List<SimDisk> left = new ArrayList<>(disks.stream().map(SimDisk::killed).toList());
        end();
        List<List<SimDisk>> copies = new ArrayList<>();
        if (lost >= 0) {
            left.set(lost, new SimDisk());
        }
        disks = left;
        seen = () -> copies.add(disks.stream().map(SimDisk::killed).toList());
        NamDb again = start(RegionLayout.KEPT_SYNC);
        seen = () -> {};
        assertThat(rows(again, "t")).hasSize(2000);
        copies.add(disks.stream().map(SimDisk::killed).toList());
        end();
        assertThat(copies).hasSizeGreaterThan(3);
        SplittableRandom random = new SplittableRandom(SEED);
        for (int tries = 0; tries < 4; tries++) {
            disks =
                    tries == 0
                            ? copies.get(copies.size() - 2)
                            : copies.get(random.nextInt(copies.size()));
            NamDb recovered = start(RegionLayout.KEPT_SYNC);
            assertThat(rows(recovered, "t")).hasSize(2000);
            assertThat(recovered.findIndex("t_a")).isNotNull();
            end();
        }
    }

    /// Each image is on two disks.
    @Test
    void anyDiskCanBeLost() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        Table table = table(db, "t");
        List<Thread> threads = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int thread = 0; thread < 6; thread++) { // slots of all servers
            long from = 1000L * thread;
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Session session = db.session()) {
                                    for (long id = from; id < from + 50; id += 5) {
                                        put(session, table, id, id + 5, 1);
                                        put(session, table, id, id + 1, id);
                                    }
                                } catch (Throwable e) {
                                    failure.set(e);
                                }
                            }));
        }
        for (Thread each : threads) {
            each.join();
        }
        assertThat(failure.get()).isNull();
        Map<Long, Long> before = rows(db, "t");
        assertThat(before).hasSize(300);
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        for (int lost = 0; lost < SERVERS; lost++) {
            List<SimDisk> left = new ArrayList<>(whole.stream().map(SimDisk::killed).toList());
            left.set(lost, new SimDisk());
            disks = left;
            NamDb again = start(RegionLayout.KEPT_SYNC);
            assertThat(rows(again, "t")).as("without disk %d", lost).isEqualTo(before);
            NamDb later = restart(SimDisk::killed);
            assertThat(rows(later, "t")).as("on new disk %d", lost).isEqualTo(before);
            end();
        }
    }

    /// One directory is newer than the others, and these are older copies. Nothing is lost
    /// silently: neither what was committed since, nor what the newer one has alone.
    ///
    /// @param commits what followed the recovery: nothing, a commit, or a checkpoint, too
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9})
    void directoriesOfDifferentTimesAreRefused(int commits) throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        List<SimDisk> old = disks.stream().map(SimDisk::killed).toList();
        try (Session session = db.session()) {
            put(session, db.table("t"), 10, 20, 1);
        }
        List<List<SimDisk>> copies = new ArrayList<>();
        ended = () -> copies.add(disks.stream().map(SimDisk::killed).toList());
        NamDb later = restart(SimDisk::killed);
        ended = () -> {};
        if (commits > 0) {
            commit(later, () -> commits == 1 || areReplaced());
            copies.add(disks.stream().map(SimDisk::killed).toList());
        }
        end();
        for (int server = 0; server < SERVERS; server++) {
            disks = mixed(old, copies.getLast(), server);
            List<List<String>> before = disks.stream().map(SimDisk::list).toList();
            assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                    .isInstanceOf(JournalException.class)
                    .hasMessage(
                            "the data directory of memory server %d, disk %<d, has commits of generation 2, and the data directory of memory server %d, disk %<d, has none: the database would be recovered to generation 1, without them. Give each memory server the directory that it has written last"
                                    .formatted(server, server == 0 ? 1 : 0));
            assertThat(disks.stream().map(SimDisk::list).toList()).isEqualTo(before);
            end();
            disks = mixed(copies.getLast(), old, server); // two have all that was committed
            assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(commits > 0 ? 30 : 20);
            end();
            disks = mixed(old, Stream.generate(SimDisk::new).limit(SERVERS).toList(), server);
            assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
            end();
        }
    }

    /// ```
    /// the first recovery      has begun 2 on all, dies: memory server 1 alone has its cut
    /// the next one            takes generation 1; has 0 begin generation 3, which removes 2; dies
    /// ```
    @Test
    void aRecoveryAfterTwoThatHaveDiedIsNotRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        List<SimDisk> first = disks.stream().map(SimDisk::killed).toList();
        List<List<SimDisk>> steps = new ArrayList<>();
        seen = () -> steps.add(disks.stream().map(SimDisk::killed).toList());
        ended = seen;
        NamDb _ = restart(SimDisk::killed);
        seen = () -> {};
        ended = seen;
        end();
        SimDisk one = first.get(1).killed();
        SimDisk complete = steps.getLast().get(1);
        for (String name : complete.list()) {
            try (DiskFile from = complete.open(name);
                    DiskFile into = one.open(name)) {
                ByteBuffer bytes = ByteBuffer.allocate((int) from.size());
                int _ = from.read(0, bytes);
                into.write(0, bytes.flip());
            }
        }
        SimDisk zero = first.getFirst().killed();
        zero.open("g00000003-journal-00000001").write(0, ByteBuffer.allocate(SEGMENT_BYTES));
        disks = List.of(zero, one, steps.get(steps.size() - 2).get(2));
        assertThat(disks.get(1).list()).anyMatch(name -> name.startsWith("g00000002-"));
        assertThat(disks.get(2).list()).anyMatch(name -> name.startsWith("g00000002-"));
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
    }

    /// All of the first, but one of the others.
    private static List<SimDisk> mixed(List<SimDisk> most, List<SimDisk> others, int server) {
        List<SimDisk> mixed = new ArrayList<>(most);
        mixed.set(server, others.get(server));
        return mixed.stream().map(SimDisk::killed).toList();
    }

    /// Slots belong to servers by how many these are: without one, other journals would be merged.
    @Test
    void aRecoveryBeginsWithAllMemoryServersOnly() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 100, 1);
        }
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        disks = whole;
        reached = all -> all.subList(0, SERVERS - 1);
        List<List<String>> before = disks.stream().map(SimDisk::list).toList();
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(FabricException.class)
                .hasMessage("2 of 3 memory servers can be reached");
        assertThat(disks.stream().map(SimDisk::list).toList()).isEqualTo(before);
        end();
        reached = all -> all;
        disks = whole.stream().map(SimDisk::killed).toList();
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(100);
    }

    /// Memory server 0 retries the recovery where another one is not as it was, or not yet.
    @Test
    void aRecoveryFindsAMemoryServerThatHasAnotherLife() {
        NamDb _ = start(RegionLayout.KEPT_SYNC);
        assertThatThrownBy(() -> ClusterRecovery.run(OPTIONS, fabric, regions, SERVERS, progress))
                .isInstanceOf(FabricException.class)
                .hasMessage("memory server 0 has not restarted with empty memory yet");
        try (QueuePair queuePair = fabric.connect(regions)) {
            JournalClient client = new JournalClient(queuePair, 1);
            assertThatThrownBy(() -> client.begin(2, 1, 7))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memory server 1 has begun already");
            assertThatThrownBy(() -> client.generation(9).open("journal-00000001").size())
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("memory server 1 has no file g00000009-journal-00000001");
        }
    }

    /// A late request ends no life but the one that it is about.
    @Test
    void aMemoryServerIsRequestedToBeginOnceMore() {
        NamDb _ = start(RegionLayout.KEPT_SYNC);
        try (QueuePair queuePair = fabric.connect(regions)) {
            JournalClient client = new JournalClient(queuePair, 1);
            assertThat(client.contents().begun()).isEqualTo(1);
            client.end(0);
            client.end(2);
            assertThat(journals.get(1).isOver()).isFalse();
            client.end(1);
            assertThat(journals.get(1).isOver()).isTrue();
            assertThat(journals.get(0).isOver()).isFalse();
        }
    }

    /// A compute server takes it of the memory before, and memory server 1 has been started again.
    @Test
    void aCutOfAnotherLifeIsRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        byte[] late = new Cut(9_999, 0, 7, new long[] {1}, null).encode();
        for (int life = 1; life < 3; life++) {
            int generation = life;
            reached =
                    all -> {
                        requireRefused(all, generation, late); // nothing is begun yet
                        return all;
                    };
            NamDb again = restart(SimDisk::killed);
            requireRefused(regions, generation, late);
            assertThat(rows(again, "t")).hasSize(9 + life);
            try (Session later = again.session()) {
                put(later, again.table("t"), 10L * life, 10L * life + 1, 1);
            }
        }
    }

    private void requireRefused(List<Region> all, int generation, byte[] late) {
        try (QueuePair queuePair = fabric.connect(all)) {
            JournalClient client = new JournalClient(queuePair, 1, generation);
            assertThatThrownBy(() -> client.cut(late))
                    .isInstanceOf(FabricException.class)
                    .hasMessageContaining("takes no cut");
            assertThat(client.beginCheckpoint()).isZero();
            assertThatThrownBy(() -> client.dropBefore(0, 2)).isInstanceOf(FabricException.class);
        }
    }

    @Test
    void directoriesThatDontBelongTogetherAreRefused() throws Exception {
        NamDb db = start(RegionLayout.KEPT_SYNC);
        try (Session session = db.session()) {
            put(session, table(db, "t"), 0, 10, 1);
        }
        SimDisk used = disks.get(0);
        assertThatThrownBy(() -> journal(0, used, SERVERS)).hasMessageContaining("in use");
        List<SimDisk> whole = disks.stream().map(SimDisk::killed).toList();
        end();
        fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
        open.add(fabric);
        Region _ = fabric.register(1, SERVER_BYTES);
        disks = whole.stream().map(SimDisk::killed).toList();
        assertThatThrownBy(() -> journal(1, disks.get(0), SERVERS))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("memory server 0 of 3, and this is server 1 of 3");
        end();
        disks = List.of(whole.get(0).killed(), new SimDisk(), new SimDisk());
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("are missing: check the data directory of memory server 0");
        end();
        disks = Stream.generate(SimDisk::new).limit(SERVERS).toList();
        NamDb other = start(RegionLayout.KEPT_SYNC);
        assertThat(other.tableNames()).isEmpty();
        List<SimDisk> others = disks.stream().map(SimDisk::killed).toList();
        end();
        disks = List.of(whole.get(0).killed(), others.get(1), whole.get(2).killed());
        assertThatThrownBy(() -> start(RegionLayout.KEPT_SYNC))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("is of another database than");
        end();
        disks = whole;
        assertThat(rows(start(RegionLayout.KEPT_SYNC), "t")).hasSize(10);
    }
}
