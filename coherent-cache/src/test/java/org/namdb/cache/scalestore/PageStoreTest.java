package org.namdb.cache.scalestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.tree.LineTree;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskException;
import org.namdb.fabric.disk.MachineDisk;
import org.namdb.fabric.peer.LocalPeers;

class PageStoreTest {
    private static final PageStoreOptions SMALL =
            PageStoreOptions.DEFAULT.withPageBytes(512).withFrames(8).withIoThreads(2);

    @TempDir private Path directory;

    @Test
    void aHitSendsNothing() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession session = pages.store(1).open()) {
            long page = session.allocate();
            long before = session.messages();
            for (int i = 0; i < 100; i++) {
                try (PageGuard guard = session.exclusive(page)) {
                    guard.putLong(0, guard.longAt(0) + 1);
                }
                try (PageGuard guard = session.shared(page)) {
                    assertThat(guard.longAt(0)).isEqualTo(i + 1);
                }
            }
            assertThat(session.messages()).isEqualTo(before);
        }
    }

    /// A page that another node may change: the directory, then that node.
    @Test
    void aMissIsTwoMessagesAndAReaderLeavesTheOwnerACopy() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 2, false);
                PageSession one = pages.store(1).open();
                PageSession other = pages.store(2).open()) {
            long page = one.allocate();
            write(one, page, 7);
            long before = other.messages();
            assertThat(read(other, page)).isEqualTo(7);
            assertThat(other.messages() - before).isEqualTo(2);
            assertThat(pages.store(1).state(page)).isEqualTo(State.SHARED);
            write(other, page, 8); // the directory, and the reader's copy
            assertThat(other.messages() - before).isEqualTo(4);
            assertThat(pages.store(1).state(page)).isEqualTo(State.INVALID);
            assertThat(pages.store(0).owners(page)).isEqualTo(1L << 2);
            assertThat(read(one, page)).isEqualTo(8);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 0, false", "2, 1, false", "1, 2, true"})
    void pagesGoToTheDiskAndComeBack(int disks, int others, boolean isTcp) throws Exception {
        int count = 300;
        try (LocalPages pages = new LocalPages(SMALL, directory, disks, others, isTcp)) {
            List<Long> all = new ArrayList<>();
            try (PageSession session = pages.store(disks + others - 1).open()) {
                for (int i = 0; i < count; i++) {
                    all.add(session.allocate());
                    write(session, all.get(i), i);
                }
            }
            Threads.run(
                    disks + others,
                    node -> {
                        try (PageSession session = pages.store(node).open()) {
                            for (int i = 0; i < count; i++) {
                                assertThat(read(session, all.get(i))).isEqualTo(i);
                            }
                        }
                    });
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1, false", "3, 0, false", "1, 1, true"})
    void noChangeIsLost(int disks, int others, boolean isTcp) throws Exception {
        int perThread = 2_000;
        int threads = 2 * (disks + others);
        long seed = new SplittableRandom().nextLong();
        try (LocalPages pages = new LocalPages(SMALL, directory, disks, others, isTcp)) {
            List<Long> all = new ArrayList<>();
            try (PageSession session = pages.store(0).open()) {
                for (int i = 0; i < 20; i++) {
                    all.add(session.allocate());
                }
            }
            Threads.run(
                    threads,
                    thread -> {
                        SplittableRandom random = new SplittableRandom(seed + thread);
                        try (PageSession session = pages.store(thread / 2).open()) {
                            for (int i = 0; i < perThread; i++) {
                                long page = all.get(random.nextInt(all.size()));
                                try (PageGuard guard = session.exclusive(page)) {
                                    guard.putLong(504, guard.longAt(504) + 1);
                                }
                            }
                        }
                    });
            long sum = 0;
            try (PageSession session = pages.store(0).open()) {
                for (long page : all) {
                    try (PageGuard guard = session.shared(page)) {
                        sum += guard.longAt(504);
                    }
                }
            }
            assertThat(sum).as("seed %d", seed).isEqualTo((long) threads * perThread);
        }
    }

    @Test
    void aTreeOfPagesDoesWhatAMapDoes() {
        long seed = new SplittableRandom().nextLong();
        try (LocalPages pages = new LocalPages(SMALL, directory, 2, 1, false);
                PageSession one = pages.store(0).open();
                PageSession other = pages.store(2).open()) {
            long root = LineTree.create(one);
            List<LineTree> trees = List.of(new LineTree(one, root), new LineTree(other, root));
            SplittableRandom random = new SplittableRandom(seed);
            NavigableMap<Long, Long> model = new TreeMap<>();
            for (int step = 0; step < 10_000; step++) {
                LineTree tree = trees.get(random.nextInt(100) < 95 ? step / 100 % 2 : step % 2);
                long key = random.nextInt(5_000);
                boolean isSame =
                        switch (random.nextInt(4)) {
                            case 0, 1 ->
                                    tree.insert(key, step)
                                            == (model.putIfAbsent(key, (long) step) == null);
                            case 2 ->
                                    tree.update(key, -step)
                                            == (model.replace(key, (long) -step) != null);
                            default -> tree.find(key, -1) == model.getOrDefault(key, -1L);
                        };
                assertThat(isSame).as("seed %d, step %d", seed, step).isTrue();
            }
            long[] keys = new long[model.size() + 1];
            long[] values = new long[keys.length];
            int found = trees.get(1).range(Long.MIN_VALUE, Long.MAX_VALUE, keys, values);
            assertThat(found).as("seed %d", seed).isEqualTo(model.size());
            int i = 0;
            for (var entry : model.entrySet()) {
                assertThat(keys[i]).isEqualTo(entry.getKey());
                assertThat(values[i++]).isEqualTo(entry.getValue());
            }
        }
    }

    @Test
    void aPageThatWasNeverAllocatedIsRefused() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false)) {
            for (int node = 0; node < 2; node++) {
                try (PageSession session = pages.store(node).open()) {
                    long page = session.allocate();
                    for (long wrong : new long[] {0, page + 8, page + 512, page | 5L << 56}) {
                        assertThatIllegalArgumentException()
                                .isThrownBy(() -> session.shared(wrong))
                                .withMessageContaining("is no page: use an identifier that was");
                        assertThatIllegalArgumentException()
                                .isThrownBy(() -> session.exclusive(wrong));
                    }
                    write(session, page, 3);
                    assertThat(read(session, page)).isEqualTo(3);
                }
            }
        }
    }

    @Test
    void aPageInUseTimesOut() throws Exception {
        PageStoreOptions options = SMALL.withWaitLimit(Duration.ofMillis(50));
        try (LocalPages pages = new LocalPages(options, directory, 1, 0, false);
                PageSession session = pages.store(0).open()) {
            long page = session.allocate();
            try (PageGuard _ = session.exclusive(page)) {
                Threads.run(
                        1,
                        _ -> {
                            try (PageSession other = pages.store(0).open()) {
                                assertThatExceptionOfType(PageTimeoutException.class)
                                        .isThrownBy(() -> other.shared(page))
                                        .withMessageContaining("close guards promptly");
                            }
                        });
            }
            assertThat(read(session, page)).isZero();
        }
    }

    /// What a node that leaves has changed is with the directories, and its own pages are gone.
    @Test
    void aNodeLeaves() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 2, 0, false);
                PageSession session = pages.store(0).open()) {
            long own = session.allocate();
            long foreign;
            try (PageSession other = pages.store(1).open()) {
                foreign = other.allocate();
                write(other, own, 5);
            }
            pages.store(1).close();
            assertThat(read(session, own)).isEqualTo(5);
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> session.shared(foreign))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.PEER_GONE));
            write(session, own, 6);
            assertThat(read(session, own)).isEqualTo(6);
        }
    }

    @Test
    void aDiskThatFailsEndsTheStore() {
        LocalPeers peers = new LocalPeers();
        Disk full =
                new org.namdb.fabric.disk.ForwardingDisk(new MachineDisk(directory)) {
                    @Override
                    public org.namdb.fabric.disk.DiskFile openDirect(String name, int unit) {
                        throw new DiskException("no space is left", null);
                    }
                };
        try (PageStore store =
                        new PageStore(
                                SMALL,
                                peers.join(0, Host.MACHINE),
                                full,
                                List.of(0),
                                Host.MACHINE);
                PageSession session = store.open()) {
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            session.allocate();
                        }
                    })
                    .withMessageContaining("no space is left");
        }
    }

    @Test
    void aDirectoryIsUsedOnce() {
        try (LocalPages _ = new LocalPages(SMALL, directory, 1, 0, false)) {
            assertThatExceptionOfType(DiskException.class)
                    .isThrownBy(() -> new LocalPages(SMALL, directory, 1, 0, false).close())
                    .withMessageContaining("is in use");
        }
    }

    @Test
    void badOptionsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SMALL.withPageBytes(1000))
                .withMessage(
                        "pages of 1,000 bytes: their size is a power of two from 512 to 32,768");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SMALL.withFrames(1))
                .withMessage("a cache of 1 pages: it has from 2 to 16,777,216");
        LocalPeers peers = new LocalPeers();
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new PageStore(
                                SMALL,
                                peers.join(64, Host.MACHINE),
                                null,
                                List.of(0),
                                Host.MACHINE))
                .withMessage("node 64 of a store of pages: numbers are below 64");
    }

    private static void write(PageSession session, long page, long value) {
        try (PageGuard guard = session.exclusive(page)) {
            guard.putLong(0, value);
        }
    }

    private static long read(PageSession session, long page) {
        try (PageGuard guard = session.shared(page)) {
            return guard.longAt(0);
        }
    }
}
