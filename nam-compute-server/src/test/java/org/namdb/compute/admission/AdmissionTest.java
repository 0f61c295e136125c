package org.namdb.compute.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.fabric.Threads;

/// Which sessions run, which wait, and that none waits for ever.
class AdmissionTest {
    private static final int PERMITS = 2;

    private final Admission admission = new Admission(Host.MACHINE, PERMITS);

    @Test
    void oneTransactionAfterTheOtherKeepsThePermitAndNoSessionWaits() {
        Admission.Participant participant = admission.participant(() -> true, () -> {});
        for (int i = 0; i < 1_000; i++) {
            participant.enter();
            participant.leave();
        }
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void aPermitWhoseSessionRunsNothingMayBeTaken() {
        List<Admission.Participant> participants = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            participants.add(admission.participant(() -> true, () -> {}));
        }
        for (Admission.Participant participant : participants) {
            participant.enter(); // would wait for ever if earlier sessions kept their permits
            participant.leave();
        }
        for (Admission.Participant participant : participants) {
            participant.enter();
            participant.leave();
        }
        assertThat(admission.waiting()).isZero();
    }

    /// A statement in the middle of a transaction ends: its permit is not kept for the next one.
    @Test
    void aPausedSessionLeavesItsPermitToWaiters() {
        for (int i = 0; i < 10; i++) {
            Admission.Participant participant = admission.participant(() -> true, () -> {});
            participant.enter(); // would wait for ever if earlier sessions kept their permits
            participant.pause();
        }
        assertThat(admission.waiting()).isZero();
    }

    /// A statement runs a procedure: if that took a second permit, it would wait for its own.
    @Test
    void nestedRunsShareThePermit() {
        Admission one = new Admission(Host.MACHINE, 1, 0, Long.MAX_VALUE);
        Admission.Participant participant = one.participant(() -> true, () -> {});
        participant.enter();
        participant.enter();
        participant.leave();
        participant.enter();
        participant.leave();
        participant.leave();
        Admission.Participant other = one.participant(() -> true, () -> {});
        other.enter();
        other.leave();
        assertThat(one.waiting()).isZero();
    }

    /// A permit is handed off after every transaction, and no session counts as asleep.
    @Test
    void noMoreRunAtATimeThanThereArePermits() throws Exception {
        Admission strict = new Admission(Host.MACHINE, PERMITS, 0, Long.MAX_VALUE);
        int threads = 16;
        int turns = 2_000;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int[] done = new int[threads];
        Threads.run(
                threads,
                thread -> {
                    Admission.Participant participant = strict.participant(() -> true, () -> {});
                    for (int i = 0; i < turns; i++) {
                        participant.enter();
                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                        done[thread]++;
                        running.decrementAndGet();
                        participant.leave();
                    }
                });
        assertThat(done).containsOnly(turns);
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(PERMITS);
        assertThat(strict.waiting()).isZero();
    }

    /// Only a session that is going to hand off its permit knows that before it leaves.
    @Test
    void theLastOfASliceIsKnown() throws Exception {
        Admission one = new Admission(Host.MACHINE, 1, 0, Long.MAX_VALUE);
        CountDownLatch admitted = new CountDownLatch(1);
        Threads.run(
                2,
                thread -> {
                    Admission.Participant participant = one.participant(() -> true, () -> {});
                    if (thread == 0) {
                        participant.enter();
                        assertThat(participant.isLastOfSlice()).isFalse();
                        admitted.countDown();
                        while (one.waiting() == 0) {
                            Thread.onSpinWait();
                        }
                        assertThat(participant.isLastOfSlice()).isTrue();
                        participant.enter();
                        assertThat(participant.isLastOfSlice()).isFalse(); // the outer one goes on
                        participant.leave();
                    } else {
                        admitted.await();
                        participant.enter();
                    }
                    participant.leave();
                });
        assertThat(one.waiting()).isZero();
    }

    /// It has garbage that waits for others' snapshots, for example, and slows the others down
    /// until that was collected.
    @Test
    void theNextHolderOfAPermitCollectsUntilAllIsDone() {
        assertThat(maintenanceTries(List.of(true))).isEqualTo(1);
        assertThat(maintenanceTries(List.of(false, false, true))).isEqualTo(3);
    }

    /// A session with many transactions can't collect another one's garbage for ever.
    @Test
    void aSessionThatCanNotCollectAnotherOnesGarbageGivesUp() {
        assertThat(maintenanceTries(Collections.nCopies(100, false))).isBetween(2, 10);
    }

    /// @param answers what the predecessor returns, one after the other: whether all is done
    /// @return how often it was called, in many transactions of the next session
    private static int maintenanceTries(List<Boolean> answers) {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        AtomicInteger tries = new AtomicInteger();
        Admission.Participant left =
                one.participant(() -> answers.get(tries.getAndIncrement()), () -> {});
        left.enter();
        left.maintainPredecessor(); // there is none, least of all itself
        assertThat(tries.get()).isZero();
        host.sleeps.add(left::leave);
        Admission.Participant next = one.participant(() -> true, () -> {});
        for (int i = 0; i < answers.size() + 10; i++) {
            next.enter();
            next.maintainPredecessor();
            next.leave();
        }
        return tries.get();
    }

    /// It is not there any more to take the permit that it would be handed.
    @Test
    void aFailedWaitLeavesTheQueue() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Participant admitted = one.participant(() -> true, () -> {});
        Admission.Participant failing = one.participant(() -> true, () -> {});
        Admission.Participant next = one.participant(() -> true, () -> {});
        admitted.enter();
        host.sleeps.add(ScriptedHost::fail);
        assertThatThrownBy(failing::enter).isInstanceOf(OutOfMemoryError.class);
        assertThat(one.waiting()).isZero();
        host.sleeps.add(admitted::leave);
        next.enter();
        next.leave();
        failing.enter();
        failing.leave();
        assertThat(host.sleeps).isEmpty();
        assertThat(host.asked).as("each as the first in the queue").hasSize(1);
    }

    @Test
    void aFailedWaitReleasesAPermitThatWasJustHandedOff() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Participant admitted = one.participant(() -> true, () -> {});
        Admission.Participant failing = one.participant(() -> true, () -> {});
        Admission.Participant next = one.participant(() -> true, () -> {});
        admitted.enter();
        host.sleeps.add(() -> {
            admitted.leave();
            ScriptedHost.fail();
        });
        assertThatThrownBy(failing::enter).isInstanceOf(OutOfMemoryError.class);
        next.enter(); // at once
        next.leave();
        assertThat(one.waiting()).isZero();
    }

    @Test
    void aWaitForAPermitCanBeCancelled() {
        ScriptedHost host = new ScriptedHost();
        Admission one = new Admission(host, 1, 0, Long.MAX_VALUE);
        Admission.Participant admitted = one.participant(() -> true, () -> {});
        Admission.Participant cancelled = one.participant(() -> true, ScriptedHost::fail);
        admitted.enter();
        host.sleeps.add(() -> {});
        assertThatThrownBy(cancelled::enter).isInstanceOf(OutOfMemoryError.class);
        assertThat(one.waiting()).isZero();
        admitted.leave();
        cancelled.enter(); // at once
        cancelled.leave();
    }

    /// Each sleep runs the next action of a script; more sleeps than that are wasted.
    private static final class ScriptedHost implements Host {
        final Deque<Runnable> sleeps = new ArrayDeque<>();

        /// How long it was to sleep.
        final Set<Long> asked = new HashSet<>();

        static void fail() {
            throw new OutOfMemoryError("planted");
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Instant instant() {
            return Instant.now();
        }

        @Override
        public void sleep(long nanos) {
            asked.add(nanos);
            sleeps.remove().run();
        }

        @Override
        public Thread start(String name, Runnable work) {
            throw new UnsupportedOperationException();
        }
    }

    /// Two procedures that sleep until a third has run: they would wait for each other for ever.
    @Test
    void aSessionThatSleepsInAProcedureBlocksNoOther() throws Exception {
        CountDownLatch admitted = new CountDownLatch(PERMITS);
        CountDownLatch third = new CountDownLatch(1);
        Threads.run(
                PERMITS + 1,
                thread -> {
                    Admission.Participant participant = admission.participant(() -> true, () -> {});
                    if (thread == PERMITS) {
                        admitted.await();
                        participant.enter();
                        participant.leave();
                        third.countDown();
                    } else {
                        participant.enter();
                        admitted.countDown();
                        third.await();
                        participant.leave();
                        participant.enter();
                        participant.leave();
                    }
                });
        assertThat(admission.waiting()).isZero();
    }

    /// A session that steps aside for longer than the others run: the waiters get its permit.
    @Test
    void aSessionThatStopsComingLeavesItsPermitToWaiters() throws Exception {
        int threads = 4 * PERMITS;
        Threads.run(
                threads,
                thread -> {
                    Admission.Participant participant = admission.participant(() -> true, () -> {});
                    for (int round = 0; round < 20; round++) {
                        participant.enter();
                        participant.leave();
                        Thread.sleep(thread % 3);
                    }
                });
        assertThat(admission.waiting()).isZero();
    }

    @Test
    void bodiesThatMeetInsideTheirTransactionsAllGetIn() throws Exception {
        int threads = 6;
        CountDownLatch all = new CountDownLatch(threads);
        try (NamDb db = NamDb.embedded(EmbeddedOptions.DEFAULT.withConcurrency(PERMITS))) {
            Threads.run(
                    threads,
                    thread ->
                            db.transact(transaction -> {
                                all.countDown();
                                try {
                                    all.await();
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                return thread;
                            }));
        }
        assertThat(all.getCount()).isZero();
    }
}
