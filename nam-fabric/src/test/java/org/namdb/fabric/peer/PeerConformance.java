package org.namdb.fabric.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.Threads;

/// What every provider of peers must do. A provider's test extends this class and has processes
/// join.
public abstract class PeerConformance {
    private static final int REQUESTER = 3;
    private static final int PEER = 1 << 20;
    private static final int OTHER = 7;
    private static final byte[] NOTHING = new byte[0];

    /// A process joins, on a host of its own.
    protected abstract PeerFabric join(int process);

    /// Ends a process without a farewell, as far as the provider can.
    protected abstract void kill(PeerFabric peer);

    /// Starts a thread of a process.
    protected abstract void start(PeerFabric peer, Runnable work);

    private PeerFabric echo(int process) {
        PeerFabric peer = join(process);
        peer.serve(batch -> batch.forEach(request -> request.answer(request.bytes())));
        return peer;
    }

    private static byte[] bytes(int number) {
        return ByteBuffer.allocate(4).putInt(number).array();
    }

    private static int number(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt();
    }

    private static Kind failure(PeerReply reply) {
        assertThat(reply.isAnswered()).isFalse();
        FabricException[] failure = new FabricException[1];
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(reply::bytes)
                .satisfies(e -> failure[0] = e);
        return failure[0].kind();
    }

    @Test
    void aRequestIsReceivedWithItsSenderAndAnswered() {
        PeerFabric peer = join(PEER);
        peer.serve(batch ->
                batch.forEach(request ->
                        request.answer(bytes(request.from() + number(request.bytes())))));
        PeerQueue queue = join(REQUESTER).connect();
        PeerReply reply = queue.post(PEER, bytes(10));
        assertThatIllegalStateException().isThrownBy(() -> unawaited(reply));
        queue.await();
        assertThat(reply.isAnswered()).isTrue();
        assertThat(reply.peer()).isEqualTo(PEER);
        assertThat(number(reply.bytes())).isEqualTo(REQUESTER + 10);
    }

    private static void unawaited(PeerReply reply) {
        if (reply.isAnswered()) {
            throw new IllegalStateException("it was fast");
        }
        byte[] _ = reply.bytes();
    }

    @Test
    void manyRequestsToSeveralPeersAreOneRoundTrip() {
        echo(PEER);
        echo(OTHER);
        PeerQueue queue = join(REQUESTER).connect();
        List<PeerReply> replies = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            replies.add(queue.post(i % 2 == 0 ? PEER : OTHER, bytes(i)));
        }
        queue.await();
        queue.await();
        assertThat(queue.messages()).isEqualTo(100);
        assertThat(queue.roundTrips()).isEqualTo(1);
        assertThat(replies.stream().map(reply -> number(reply.bytes())))
                .containsExactlyElementsOf(IntStream.range(0, 100).boxed().toList());
    }

    @Test
    void theRequestsOfAQueueToOnePeerAreReceivedInOrder() {
        List<Integer> received = new ArrayList<>();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            for (PeerRequest request : batch) {
                received.add(number(request.bytes()));
                request.answer(NOTHING);
            }
        });
        PeerQueue queue = join(REQUESTER).connect();
        for (int i = 0; i < 1_000; i++) {
            queue.post(PEER, bytes(i));
        }
        queue.await();
        assertThat(received).containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
    }

    @Test
    void answersMayComeLaterInAnyOrderAndFromAnotherThread() {
        List<PeerRequest> deferred = new ArrayList<>();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            deferred.addAll(batch);
            if (deferred.size() == 50) {
                start(
                        peer,
                        () -> {
                            Collections.reverse(deferred);
                            for (PeerRequest request : deferred) {
                                request.answer(request.bytes());
                            }
                        });
            }
        });
        PeerQueue queue = join(REQUESTER).connect();
        List<PeerReply> replies = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            replies.add(queue.post(PEER, bytes(i)));
        }
        queue.await();
        for (int i = 0; i < 50; i++) {
            assertThat(number(replies.get(i).bytes())).isEqualTo(i);
        }
    }

    /// Its answer comes while the next request is under way.
    @Test
    void aRequestThatIsAbandonedFailsAndItsAnswerIsDropped() {
        List<PeerRequest> deferred = new ArrayList<>();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            deferred.addAll(batch);
            if (deferred.size() == 2) {
                deferred.forEach(request -> request.answer(request.bytes()));
            }
        });
        PeerQueue queue = join(REQUESTER).connect();
        PeerReply late = queue.post(PEER, bytes(1));
        assertThat(queue.await(1_000_000)).isFalse();
        assertThat(late.isDone()).isFalse();
        queue.abandon(late);
        assertThat(failure(late)).isEqualTo(Kind.CONNECTION_LOST);
        assertThat(late.isHandled()).isFalse();
        assertThat(queue.await(1_000_000)).isTrue();
        PeerReply next = queue.post(PEER, bytes(2));
        assertThat(queue.await(10_000_000_000L)).isTrue();
        assertThat(number(next.bytes())).isEqualTo(2);
        assertThat(failure(late)).isEqualTo(Kind.CONNECTION_LOST);
        assertThat(late.isHandled()).isTrue(); // its answer came before the next one's
        assertThat(queue.roundTrips()).isEqualTo(2);
    }

    @Test
    void aRequestIsAnsweredOnce() {
        AtomicInteger refused = new AtomicInteger();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            for (PeerRequest request : batch) {
                request.answer(bytes(1));
                try {
                    request.answer(bytes(2));
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
            }
        });
        PeerQueue queue = join(REQUESTER).connect();
        PeerReply first = queue.post(PEER, NOTHING);
        queue.await();
        PeerReply second = queue.post(PEER, NOTHING);
        queue.await();
        assertThat(number(first.bytes())).isEqualTo(1);
        assertThat(number(second.bytes())).isEqualTo(1);
        assertThat(refused.get()).isPositive(); // of the second request it may not be over
    }

    @Test
    void manyThreadsOfSeveralProcessesEachGetTheirOwnAnswers() throws Exception {
        AtomicInteger received = new AtomicInteger();
        for (int process = 0; process < 2; process++) {
            PeerFabric peer = join(process);
            peer.serve(batch -> {
                for (PeerRequest request : batch) {
                    received.incrementAndGet();
                    request.answer(bytes(number(request.bytes()) + peer.process()));
                }
            });
        }
        PeerFabric[] requesters = {join(10), join(11)};
        ConcurrentLinkedQueue<Integer> wrong = new ConcurrentLinkedQueue<>();
        Threads.run(
                4,
                thread -> {
                    PeerQueue queue = requesters[thread % 2].connect();
                    for (int i = 0; i < 300; i++) {
                        PeerReply zero = queue.post(0, bytes(thread * 1_000 + i));
                        PeerReply one = queue.post(1, bytes(thread * 1_000 + i));
                        queue.await();
                        if (number(zero.bytes()) != thread * 1_000 + i
                                || number(one.bytes()) != thread * 1_000 + i + 1) {
                            wrong.add(thread * 1_000 + i);
                        }
                    }
                });
        assertThat(wrong).isEmpty();
        assertThat(received.get()).isEqualTo(4 * 300 * 2);
    }

    @Test
    void messagesOf64KiBArriveWholeAndLargerOnesAreRefused() {
        PeerFabric peer = join(PEER);
        AtomicInteger tooLarge = new AtomicInteger();
        peer.serve(batch -> {
            for (PeerRequest request : batch) {
                try {
                    request.answer(new byte[PeerFabric.MAX_BYTES + 1]);
                } catch (FabricException e) {
                    tooLarge.addAndGet(e.kind() == Kind.TOO_LARGE ? 1 : 0);
                }
                request.answer(request.bytes().clone());
            }
        });
        PeerQueue queue = join(REQUESTER).connect();
        byte[] message = new byte[PeerFabric.MAX_BYTES];
        new SplittableRandom(Seeds.next()).nextBytes(message);
        PeerReply reply = queue.post(PEER, message);
        queue.await();
        assertThat(reply.bytes()).isEqualTo(message);
        assertThat(tooLarge.get()).isEqualTo(1);
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> queue.post(PEER, new byte[PeerFabric.MAX_BYTES + 1]))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.TOO_LARGE));
        queue.await();
        assertThat(queue.messages()).isEqualTo(1);
    }

    @Test
    void aPeerThatIsNotThereIsGoneAndFailsNoOther() {
        echo(PEER);
        PeerQueue queue = join(REQUESTER).connect();
        PeerReply gone = queue.post(OTHER, NOTHING);
        PeerReply there = queue.post(PEER, bytes(5));
        queue.await();
        assertThat(failure(gone)).isEqualTo(Kind.PEER_GONE);
        assertThat(number(there.bytes())).isEqualTo(5);
    }

    @Test
    void unansweredRequestsFailWhenThePeerLeavesOrDies() {
        PeerQueue queue = join(REQUESTER).connect();
        PeerFabric leaver = join(PEER);
        leaver.serve(batch -> start(leaver, leaver::close));
        PeerReply left = queue.post(PEER, NOTHING);
        PeerFabric mortal = join(OTHER);
        mortal.serve(batch -> kill(mortal));
        PeerReply died = queue.post(OTHER, NOTHING);
        queue.await();
        assertThat(failure(left)).isEqualTo(Kind.PEER_GONE);
        assertThat(failure(died)).isEqualTo(Kind.PEER_GONE);
        PeerReply later = queue.post(PEER, NOTHING);
        queue.await();
        assertThat(failure(later)).isEqualTo(Kind.PEER_GONE);
    }

    @Test
    void aPeerThatLeavesIsNotAnswered() {
        PeerFabric peer = join(PEER);
        PeerFabric requester = join(REQUESTER);
        peer.serve(batch -> start(requester, requester::close));
        PeerQueue queue = requester.connect();
        PeerReply reply = queue.post(PEER, NOTHING);
        queue.await();
        assertThat(failure(reply)).isEqualTo(Kind.CONNECTION_LOST);
        PeerReply later = queue.post(PEER, NOTHING);
        queue.await();
        assertThat(failure(later)).isEqualTo(Kind.CONNECTION_LOST);
    }

    @Test
    void aRefusedPeerIsNeitherHeardNorAnswered() {
        AtomicInteger heard = new AtomicInteger();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            heard.addAndGet(batch.size());
            batch.forEach(request -> request.answer(NOTHING));
        });
        PeerFabric zombie = join(REQUESTER);
        List<PeerRequest> kept = Collections.synchronizedList(new ArrayList<>());
        zombie.serve(kept::addAll);
        PeerQueue ofPeer = peer.connect();
        PeerReply pending = ofPeer.post(REQUESTER, NOTHING);
        while (kept.isEmpty()) {
            Threads.giveWay();
        }
        peer.refuse(REQUESTER);
        ofPeer.await();
        assertThat(failure(pending)).isEqualTo(Kind.PEER_GONE);
        kept.getFirst().answer(bytes(1)); // too late
        assertThat(failure(pending)).isEqualTo(Kind.PEER_GONE);
        PeerReply further = ofPeer.post(REQUESTER, NOTHING);
        ofPeer.await();
        assertThat(failure(further)).isEqualTo(Kind.PEER_GONE);
        PeerQueue ofZombie = zombie.connect();
        PeerReply unheard = ofZombie.post(PEER, NOTHING);
        ofZombie.await();
        assertThat(failure(unheard)).isEqualTo(Kind.FENCED);
        assertThat(heard.get()).isZero();
    }

    /// ```
    /// handler of the peer                 a thread of the peer
    /// begins with the zombie's request
    ///                                     refuses the zombie: must wait
    /// does its work
    ///                                     goes on, and relies on it
    /// ```
    @Test
    void aRefusalWaitsForTheRequestThatIsUnderWay() {
        AtomicInteger step = new AtomicInteger();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            step.set(1);
            for (int i = 0; i < 50; i++) {
                Threads.giveWay();
            }
            step.set(2);
            batch.forEach(request -> request.answer(NOTHING));
        });
        PeerFabric zombie = join(REQUESTER);
        start(zombie, () -> zombie.connect().post(PEER, NOTHING));
        while (step.get() == 0) {
            Threads.giveWay();
        }
        peer.refuse(REQUESTER);
        assertThat(step.get()).isEqualTo(2);
    }

    /// What the handler uses can be closed after its peers.
    @Test
    void leavingWaitsForTheHandler() {
        AtomicInteger step = new AtomicInteger();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            step.set(1);
            for (int i = 0; i < 50; i++) {
                Threads.giveWay();
            }
            step.set(2);
        });
        PeerFabric requester = join(REQUESTER);
        start(requester, () -> requester.connect().post(PEER, NOTHING));
        while (step.get() == 0) {
            Threads.giveWay();
        }
        peer.close();
        assertThat(step.get()).isEqualTo(2);
    }

    @Test
    void aHandlerThatThrowsGoesOnWithTheNextBatch() {
        AtomicInteger batches = new AtomicInteger();
        PeerFabric peer = join(PEER);
        peer.serve(batch -> {
            if (batches.getAndIncrement() == 0) {
                Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
                throw new IllegalStateException("once");
            }
            batch.forEach(request -> request.answer(request.bytes()));
        });
        PeerQueue queue = join(REQUESTER).connect();
        PeerReply first = queue.post(PEER, bytes(1));
        queue.await();
        assertThat(failure(first)).isEqualTo(Kind.FENCED);
        PeerReply second = queue.post(PEER, bytes(2));
        queue.await();
        assertThat(number(second.bytes())).isEqualTo(2);
    }
}
