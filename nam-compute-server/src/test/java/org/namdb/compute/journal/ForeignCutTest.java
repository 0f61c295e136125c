package org.namdb.compute.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.timestamp.snapshot.Snapshot;

/// A compute server outlives the memory that it has committed to, and joins again:
/// ```
/// session                          compute server
/// publishes
///                                  the memory is lost; is recovered, without the commit
///                                  joins again: takes cuts of the other memory
/// waits for a cut of the former
/// ```
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignCutTest {
    private final DatabaseJournal journal = DatabaseJournal.of(null, 8);
    private final Cuts before = cuts(ForeignCutTest::fail);
    private final Cuts after = cuts(() -> {});

    private static Cuts cuts(Runnable check) {
        return new Cuts(Host.MACHINE, Durability.SYNC, Duration.ofMillis(10), () -> true, check);
    }

    private static void fail() {
        throw new FabricException(FabricException.Kind.FENCED, "the memory is lost");
    }

    @AfterEach
    void close() {
        before.close();
        after.close();
    }

    private void joinAgain() {
        after.start(() -> {});
        journal.keepBy(after);
    }

    @Test
    void aCommitIsNotAcknowledgedByACutOfAnotherMemory() {
        before.start(ForeignCutTest::fail);
        journal.keepBy(before);
        SessionJournal session = journal.session(1, before, new Snapshot());
        session.begin();
        session.published();
        joinAgain();
        assertThat(session.wouldWait()).isTrue();
        assertThatThrownBy(session::await).hasMessage("the memory is lost");
    }

    @Test
    void aCommitThatIsPublishedLateWaitsForTheCutsOfItsMemory() {
        before.start(ForeignCutTest::fail);
        journal.keepBy(before);
        SessionJournal session = journal.session(1, before, new Snapshot());
        session.begin();
        joinAgain();
        session.published();
        assertThatThrownBy(session::await).hasMessage("the memory is lost");
    }

    @Test
    void aSchemaChangeIsNotAcknowledgedByACutOfAnotherMemory() {
        before.start(ForeignCutTest::fail);
        journal.keepBy(before);
        joinAgain();
        assertThatThrownBy(() -> journal.await(before)).hasMessage("the memory is lost");
        journal.await(after);
    }
}
