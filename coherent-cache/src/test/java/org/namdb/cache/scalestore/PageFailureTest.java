package org.namdb.cache.scalestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cache.frame.Frame;
import org.namdb.cache.frame.Frame.State;
import org.namdb.cache.scalestore.PageMessage.Kind;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Threads;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerQueue;
import org.namdb.fabric.peer.PeerReply;

/// Nodes that fail, leave and come again, guards that are held for too long, and messages that make
/// no sense: no page is read as it was, and who is not concerned goes on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PageFailureTest {
    private static final PageStoreOptions SMALL =
            PageStoreOptions.DEFAULT
                    .withPageBytes(512)
                    .withFrames(8)
                    .withIoThreads(2)
                    .withWaitLimit(Duration.ofMillis(500));

    @TempDir private Path directory;

    /// Another node has changed what it has a copy of.
    @Test
    void aNodeThatHasFailedReadsNothing() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 2, false);
                PageSession failing = pages.store(1).open();
                PageSession other = pages.store(2).open()) {
            long page = other.allocate();
            write(other, page, 1);
            assertThat(read(failing, page)).isEqualTo(1);
            pages.store(1).fail(new IllegalStateException("any reason"));
            write(other, page, 2);
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> failing.shared(page))
                        .withMessage("the store of pages has failed: any reason");
            }
            assertThat(read(other, page)).isEqualTo(2);
        }
    }

    /// They may come in a batch with others' requests.
    @Test
    void malformedMessagesAreRejectedAlone() throws Exception {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession one = pages.store(0).open();
                PageSession other = pages.store(1).open();
                PeerFabric stranger = pages.join(9)) {
            long page = one.allocate();
            AtomicBoolean isEnd = new AtomicBoolean();
            Threads.run(
                    2,
                    thread -> {
                        if (thread == 0) {
                            PeerQueue queue = stranger.connect();
                            while (!isEnd.get()) {
                                queue.post(0, new byte[] {99});
                                queue.post(0, new byte[] {PageMessage.of(Kind.EVICT, 512)[0], 1});
                                queue.post(1, PageMessage.of(Kind.ALLOCATE, 512)); // it has no disk
                                PeerReply reply = queue.post(1, new byte[0]);
                                queue.await();
                                assertThat(reply.isAnswered()).isFalse();
                            }
                        } else {
                            for (int i = 1; i < 3_000; i++) {
                                write(one, page, i);
                                assertThat(read(other, page)).isEqualTo(i);
                            }
                            isEnd.set(true);
                        }
                    });
        }
    }

    /// ```
    /// this thread                                 node 1
    /// finds frame f of page y
    ///                (f gets page z)              requests z: f is in use, and marked
    /// f is marked: serves y, clears the mark
    /// ```
    @Test
    void theMarkOfAnotherPageStays() throws Exception {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession session = pages.store(0).open()) {
            long y = session.allocate();
            long z = session.allocate();
            Frame frame = pages.store(0).table().locate(z);
            PageGuard guard = session.exclusive(z);
            Threads.run(
                    2,
                    thread -> {
                        if (thread == 0) {
                            writeElsewhere(pages, z);
                        } else {
                            awaitMark(frame);
                            pages.store(0).owner().serve(y, frame);
                            guard.close();
                        }
                    });
            assertThat(read(session, z)).isEqualTo(2);
        }
    }

    /// It has found it as that of another page.
    @Test
    void whoReleasesAFrameServesThePageThatItHas() throws Exception {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession session = pages.store(0).open()) {
            long page = session.allocate();
            Frame frame = pages.store(0).table().locate(page);
            assertThat(frame.tryShared()).isTrue();
            Threads.run(
                    2,
                    thread -> {
                        if (thread == 0) {
                            writeElsewhere(pages, page);
                        } else {
                            awaitMark(frame);
                            pages.store(0).owner().releaseShared(frame);
                        }
                    });
            assertThat(read(session, page)).isEqualTo(2);
        }
    }

    private static void writeElsewhere(LocalPages pages, long page) {
        try (PageSession session = pages.store(1).open()) {
            write(session, page, 2);
        }
    }

    private static void awaitMark(Frame frame) {
        while (frame.waiting() == 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aFileThatIsOpenedAgainHasOtherPages() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession reader = pages.store(1).open()) {
            long before;
            try (PageSession session = pages.store(0).open()) {
                before = session.allocate();
                write(session, before, 5);
            }
            assertThat(read(reader, before)).isEqualTo(5);
            pages.store(0).close();
            try (PageStore again = pages.start(SMALL, directory.resolve("node-0"), 0);
                    PageSession session = again.open()) {
                long after = session.allocate();
                assertThat(after).isNotEqualTo(before);
                write(session, after, 6);
                assertThat(read(reader, after)).isEqualTo(6);
                assertThatIllegalArgumentException().isThrownBy(() -> session.shared(before));
                assertThatIllegalArgumentException().isThrownBy(() -> reader.exclusive(before));
                assertThat(reader.allocate()).isNotEqualTo(after);
            }
        }
    }

    /// And the page comes when it is closed, to whoever needs it then.
    @Test
    void aGuardThatIsHeldForLongTimesOutForOthers() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession holder = pages.store(0).open();
                PageSession other = pages.store(1).open()) {
            long page = holder.allocate();
            try (PageGuard guard = holder.exclusive(page)) {
                guard.putLong(0, 1);
                for (int i = 0; i < 2; i++) {
                    assertThatExceptionOfType(PageTimeoutException.class)
                            .isThrownBy(() -> other.shared(page))
                            .withMessageContaining("others are using it");
                }
                long free = other.allocate(); // the session goes on
                write(other, free, 7);
            }
            assertThat(read(other, page)).isEqualTo(1);
            write(holder, page, 2);
            assertThat(read(other, page)).isEqualTo(2);
        }
    }

    /// Each waits for what the other has.
    @Test
    void nodesThatLatchInAnotherOrderTimeOut() throws Exception {
        try (LocalPages pages = new LocalPages(SMALL, directory, 2, 0, false)) {
            long[] both = new long[2];
            for (int node = 0; node < 2; node++) {
                try (PageSession session = pages.store(node).open()) {
                    both[node] = session.allocate();
                }
            }
            AtomicLong timeouts = new AtomicLong();
            AtomicLong latched = new AtomicLong();
            Threads.run(
                    2,
                    node -> {
                        try (PageSession session = pages.store(node).open();
                                PageGuard _ = session.exclusive(both[node])) {
                            latched.incrementAndGet();
                            while (latched.get() < 2) {
                                Thread.onSpinWait();
                            }
                            session.exclusive(both[1 - node]).close();
                        } catch (PageTimeoutException e) {
                            timeouts.incrementAndGet();
                        }
                    });
            assertThat(timeouts.get()).isPositive();
            for (int node = 0; node < 2; node++) {
                try (PageSession session = pages.store(node).open()) {
                    write(session, both[0], node);
                    write(session, both[1], node);
                }
            }
        }
    }

    /// What it was to get is kept for it.
    @Test
    void aNodeLeavesThoughAnotherOneHasDied() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession session = pages.store(1).open()) {
            long page = session.allocate();
            pages.store(0).requireDirectory().request(5, page, true); // node 5 dies at once
            pages.store(1).close();
            assertThat(pages.store(1).state(page)).isNotEqualTo(State.SHARED);
        }
    }

    @Test
    void aPageWhoseOwnerHasDiedIsLostAndOthersAreNot() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 1, false);
                PageSession session = pages.store(1).open()) {
            long lost = session.allocate();
            long other = session.allocate();
            write(session, other, 1);
            try (PageSession own = pages.store(0).open()) {
                assertThat(read(own, lost)).isZero();
                write(own, lost, 1);
            }
            pages.store(0).requireDirectory().request(5, lost, true); // node 5 dies at once
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(FabricException.class)
                        .isThrownBy(() -> session.exclusive(lost))
                        .withMessageContaining("is lost: the node that had it is gone");
            }
            assertThat(read(session, other)).isEqualTo(1);
        }
    }

    /// The holder has evicted it meanwhile, as the directory has left.
    @Test
    void aPageOfADirectoryThatHasLeftIsNotThere() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 2, false);
                PageSession session = pages.store(1).open()) {
            long page = session.allocate();
            Grant grant = pages.store(0).requireDirectory().request(2, page, true);
            pages.store(0).close();
            pages.store(1).provider().stop();
            pages.store(1).provider().evictForeign();
            PeerQueue queue = pages.store(2).connect();
            PeerReply reply =
                    queue.post(1, PageMessage.of(Kind.TRANSFER, 512, page, grant.number()));
            queue.await();
            assertThat(reply.bytes()).containsExactly(PageMessage.GONE);
            assertThat(pages.store(1).isUsable()).isTrue();
        }
    }

    /// A reader has been sent there by the directory.
    @Test
    void whereASourceLeavesThePageIsOnTheDisk() throws Exception {
        PageStoreOptions options = SMALL.withFrames(64);
        try (LocalPages pages = new LocalPages(options, directory, 1, 2, false);
                PageSession own = pages.store(0).open();
                PageSession reader = pages.store(2).open()) {
            pages.store(1).close();
            for (int round = 0; round < 200; round++) {
                PageStore leaving = pages.start(SMALL, null, 1);
                long[] all = new long[6];
                try (PageSession session = leaving.open()) {
                    for (int i = 0; i < all.length; i++) {
                        all[i] = session.allocate();
                        write(session, all[i], i);
                        assertThat(read(own, all[i])).isEqualTo(i);
                    }
                }
                Threads.run(
                        2,
                        thread -> {
                            if (thread == 0) {
                                leaving.close();
                            } else {
                                for (int i = 0; i < all.length; i++) {
                                    assertThat(read(reader, all[i])).isEqualTo(i);
                                }
                            }
                        });
            }
        }
    }

    @Test
    void aNodeWithPagesOfAnotherSizeFailsAlone() {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 0, false);
                PageStore other = pages.start(SMALL.withPageBytes(1024), null, 1);
                PageSession session = pages.store(0).open();
                PageSession refused = other.open()) {
            long page = session.allocate();
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(RuntimeException.class)
                        .isThrownBy(() -> refused.shared(page & -1024 | 1024));
            }
            write(session, page, 1);
            assertThat(read(session, page)).isEqualTo(1);
        }
    }

    @Test
    void whoHoldsAllFramesIsTold() {
        try (LocalPages pages = new LocalPages(SMALL.withFrames(2), directory, 1, 0, false);
                PageSession session = pages.store(0).open()) {
            long first = session.allocate();
            long second = session.allocate();
            long third = session.allocate();
            try (PageGuard _ = session.shared(first);
                    PageGuard _ = session.shared(second)) {
                assertThatExceptionOfType(PageTimeoutException.class)
                        .isThrownBy(() -> session.shared(third))
                        .withMessageContaining("no frame is free; close guards");
            }
            assertThat(read(session, third)).isZero();
        }
    }

    @Test
    void anIdentifierThatIsGuessedHarmsNobody() throws Exception {
        try (LocalPages pages = new LocalPages(SMALL, directory, 1, 0, false)) {
            AtomicLong last = new AtomicLong();
            AtomicBoolean isEnd = new AtomicBoolean();
            Threads.run(
                    2,
                    thread -> {
                        try (PageSession session = pages.store(0).open()) {
                            if (thread == 0) {
                                for (int i = 0; i < 3_000; i++) {
                                    last.set(session.allocate());
                                    write(session, last.get(), i);
                                }
                                isEnd.set(true);
                            } else {
                                while (!isEnd.get()) {
                                    guess(session, last.get() + 512);
                                }
                            }
                        }
                    });
            assertThat(pages.store(0).isUsable()).isTrue();
        }
    }

    private static void guess(PageSession session, long page) {
        try {
            session.shared(page).close();
        } catch (IllegalArgumentException | FabricException e) {
            assertThat(e).hasMessageMatching(".* is no page: .*|.* is lost: .*");
        }
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
