package org.namdb.timestamp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;

class TimestampSlotTest {
    private final VectorFixture fixture = VectorFixture.landing(3);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void slotsAreTakenInOrderUntilThereAreNone() {
        assertThat(fixture.slots(3)).extracting(TimestampSlot::number).containsExactly(0, 1, 2);
        assertThatExceptionOfType(SlotsExhaustedException.class)
                .isThrownBy(fixture::slot)
                .withMessageStartingWith("all 3 slots of the timestamp vector are taken");
    }

    @Test
    void aReleasedSlotIsTakenAgain() {
        List<TimestampSlot> slots = fixture.slots(3);
        slots.get(1).release();
        assertThat(fixture.slot().number()).isEqualTo(1);
    }

    @Test
    void theNumberOfSlotsInUseOnlyRises() {
        List<TimestampSlot> slots = fixture.slots(2);
        slots.forEach(TimestampSlot::release);
        assertThat(fixture.word(fixture.layout.slotsInUse())).isEqualTo(2);
        fixture.slot();
        assertThat(fixture.word(fixture.layout.slotsInUse())).isEqualTo(2);
    }

    @Test
    void commitTimestampsCountUpAndArePublishedByOneWrite() {
        TimestampSlot slot = fixture.slot();
        VerbCounters counters = slot.queuePair().counters();
        long verbs = counters.verbs();
        long commitTimestamp = slot.next();
        assertThat(commitTimestamp).isEqualTo(CommitTimestamp.of(0, 1));
        assertThat(counters.verbs()).isEqualTo(verbs);
        long roundTrips = counters.roundTrips();
        slot.publish(commitTimestamp);
        slot.queuePair().await();
        assertThat(counters.verbs()).isEqualTo(verbs + 1);
        assertThat(counters.roundTrips()).isEqualTo(roundTrips + 1);
        assertThat(fixture.word(fixture.layout.slot(0))).isEqualTo(1);
        assertThat(slot.published()).isEqualTo(1);
    }

    @Test
    void aReleasedSlotContinuesItsCounterWithoutAGap() {
        TimestampSlot slot = fixture.slot();
        VectorFixture.commit(slot);
        VectorFixture.commit(slot);
        slot.release();
        TimestampSlot again = fixture.slot();
        assertThat(again.published()).isEqualTo(2);
        assertThat(again.next()).isEqualTo(CommitTimestamp.of(0, 3));
    }

    /// The row *restart*: 58 was installed, 57 published.
    @Test
    void aSlotThatIsTakenOverDoesNotUseATimestampAgain() {
        QueuePair queuePair = fixture.connect();
        TimestampSlot dead = TimestampSlot.take(fixture.layout, queuePair, 7);
        for (int t = 1; t <= 57; t++) {
            VectorFixture.commit(dead);
        }
        assertThat(dead.next()).isEqualTo(CommitTimestamp.of(0, 58));
        assertThat(fixture.slot().number()).isEqualTo(1);
        TimestampSlot heir = TimestampSlot.takeOver(fixture.layout, fixture.connect(), 0, 7, 8);
        assertThat(fixture.word(fixture.layout.slot(0))).isEqualTo(57);
        assertThat(CommitTimestamp.timestamp(heir.next())).isGreaterThan(58);
    }

    /// Recoveries may take a slot over many times before one completes.
    @Test
    void takingASlotOverReservesNoMoreThanIsUsed() {
        TimestampSlot _ = TimestampSlot.take(fixture.layout, fixture.connect(), 7);
        long reserved = fixture.word(fixture.layout.reservation(0));
        for (int i = 0; i < 100; i++) {
            TimestampSlot _ = TimestampSlot.takeOver(fixture.layout, fixture.connect(), 0, 7, 7);
        }
        assertThat(fixture.word(fixture.layout.reservation(0))).isEqualTo(reserved);
        TimestampSlot heir = TimestampSlot.takeOver(fixture.layout, fixture.connect(), 0, 7, 7);
        assertThat(heir.next()).isEqualTo(CommitTimestamp.of(0, reserved + 1));
        assertThat(fixture.word(fixture.layout.reservation(0))).isEqualTo(reserved + 1);
    }

    @Test
    void aSlotIsTakenOverOnce() {
        TimestampSlot.take(fixture.layout, fixture.connect(), 7);
        TimestampSlot.takeOver(fixture.layout, fixture.connect(), 0, 7, 8);
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> TimestampSlot.takeOver(fixture.layout, fixture.connect(), 0, 7, 9))
                .withMessage("slot 0 is not held by 0x7");
    }

    @Test
    void noTimestampIsHandedOutThatIsNotReserved() {
        TimestampSlot slot = fixture.slot();
        long reservation = fixture.layout.reservation(0);
        for (long t = 1; t < 4 * TimestampSlot.RESERVED_BLOCK; t++) {
            long commitTimestamp = slot.next();
            if (t % 1_000 == 0 || t % TimestampSlot.RESERVED_BLOCK < 2) {
                assertThat(fixture.word(reservation)).isGreaterThanOrEqualTo(t);
            }
            // Now and then, long stretches without a publication: of transactions that abort late.
            if (t % (3 * TimestampSlot.RESERVED_BLOCK) < TimestampSlot.RESERVED_BLOCK) {
                slot.publish(commitTimestamp);
                slot.queuePair().await();
            } else {
                slot.giveUp(commitTimestamp);
            }
        }
    }

    /// The row *half an install*: 1 was handed out and its install has failed.
    @Test
    void afterAFailedInstallASlotNeverPublishesAgain() {
        TimestampSlot slot = fixture.slot();
        long failed = slot.next();
        assertThatIllegalStateException()
                .isThrownBy(slot::next)
                .withMessageStartingWith("slot 0 stands still");
        assertThatIllegalStateException()
                .isThrownBy(() -> slot.publish(CommitTimestamp.of(0, 2)))
                .withMessage("timestamp 2 of slot 0 was not handed out last");
        assertThatIllegalStateException()
                .isThrownBy(slot::release)
                .withMessageStartingWith("slot 0 stands still");
        assertThat(fixture.word(fixture.layout.slot(0))).isZero();
        assertThat(fixture.slot().number()).isEqualTo(1);
        slot.giveUp(failed);
        assertThat(slot.next()).isEqualTo(CommitTimestamp.of(0, 2));
    }

    @Test
    void aTimestampIsPublishedOrGivenUpOnce() {
        TimestampSlot slot = fixture.slot();
        long first = slot.next();
        slot.publish(first);
        assertThatIllegalStateException().isThrownBy(() -> slot.publish(first));
        assertThatIllegalStateException().isThrownBy(() -> slot.giveUp(first));
        long second = slot.next();
        slot.giveUp(second);
        assertThatIllegalStateException().isThrownBy(() -> slot.publish(second));
    }

    @Test
    void reservationsCostNoRoundTripOfTheirOwn() {
        TimestampSlot slot = fixture.slot();
        long commits = 3 * TimestampSlot.RESERVED_BLOCK;
        long before = slot.queuePair().counters().roundTrips();
        for (long t = 0; t < commits; t++) {
            VectorFixture.commit(slot);
        }
        assertThat(slot.queuePair().counters().roundTrips() - before).isEqualTo(commits);
    }

    @Test
    void threadsThatTakeSlotsAtTheSameTimeGetDifferentOnes() throws Exception {
        try (VectorFixture many = VectorFixture.inPlace(600)) {
            Set<Integer> numbers = ConcurrentHashMap.newKeySet();
            Threads.run(
                    4,
                    thread -> {
                        QueuePair queuePair = many.connect();
                        for (int n = 0; n < 150; n++) {
                            numbers.add(many.slot(queuePair).number());
                        }
                    });
            assertThat(numbers).hasSize(600);
            assertThat(many.word(many.layout.slotsInUse())).isEqualTo(600);
        }
    }
}
