package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.timestamp.SlotOwners;

/// What fails where the sessions of a compute server share a chain, and where they are opened: no
/// slot is lost, and sessions that are opened afterwards are usable.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedChainFailureTest {
    private static final int SLOTS = 32;
    private static final int MAX_STEPS = 200;
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(64 << 20)
                    .withSlots(SLOTS / 2)
                    .withOracle(EmbeddedOptions.Oracle.SHARED_CHAIN)
                    .withRetryPolicy(RetryPolicy.NONE)
                    .withMaintenanceInterval(Duration.ofHours(1));

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 64 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());
    private NamDb db;

    @BeforeEach
    void open() {
        DatabaseLayout.format(fabric, regions, SLOTS, OPTIONS.maxTransactionTime());
        db = AttachedDatabase.open(OPTIONS, fabric, regions);
        while (db.server().sessions().all().isEmpty()) {
            Thread.onSpinWait(); // background maintenance's
        }
    }

    @AfterEach
    void close() {
        fabric.heal();
        db.close();
        server.close();
        fabric.close();
    }

    private long held() {
        FailedCommitTest.awaitRecovery(db);
        try (QueuePair queuePair = fabric.connect(regions)) {
            long[] words = new SlotOwners(DatabaseLayout.vector(SLOTS), queuePair).read();
            return Arrays.stream(words).filter(word -> word != 0).count();
        }
    }

    private static FabricException lost() {
        return new FabricException(FabricException.Kind.CONNECTION_LOST, "planted");
    }

    /// One fails at each step of the way; then one is opened.
    private int openAtLast() {
        for (int step = 0; step < MAX_STEPS; step++) {
            fabric.failAt(step, SharedChainFailureTest::lost);
            try {
                Session session = db.session();
                if (!fabric.heal()) {
                    session.close();
                    return step;
                }
            } catch (FabricException e) {
                assertThat(fabric.heal()).isTrue();
                FailedCommitTest.awaitRecovery(db);
            }
        }
        throw new AssertionError("every step fails");
    }

    @Test
    void noSlotIsLostWhereASessionCanNotBeOpened() {
        try (Session session = db.session()) {
            session.begin(); // the first one looks at the schema
            session.rollback();
            fabric.failAt(0, SharedChainFailureTest::lost);
            assertThatThrownBy(session::begin).isInstanceOf(FabricException.class);
        }
        assertThat(openAtLast()).isGreaterThan(20);
        assertThat(held()).isLessThanOrEqualTo(db.server().sessions().all().size() + 1);
    }

    /// It does not know whether what it has posted is done.
    @Test
    void aQueuePairThatCanNotBeDisconnectedKeepsItsSlotOnlyForThatTime() {
        long before = held();
        fabric.failDisconnect(1, SharedChainFailureTest::lost);
        fabric.failAt(4, SharedChainFailureTest::lost);
        assertThatExceptionOfType(FabricException.class).isThrownBy(db::session);
        fabric.heal();
        assertThat(held()).isEqualTo(before);
    }

    /// Whatever verb finds that the connection is lost.
    @Test
    void aChainWhoseConnectionIsLostIsReplacedAndItsSlotIsFree() {
        for (int step = 0; step < 8; step++) {
            Session session = db.session();
            fabric.failAt(step, SharedChainFailureTest::lost);
            try {
                session.begin();
                session.rollback();
            } catch (FabricException e) {
                assertThat(session.isFailed()).isTrue();
            }
            fabric.heal();
            session.close();
            try (Session next = db.session()) {
                next.begin();
                next.rollback();
            }
            // The last one's may wait for the next session that is opened.
            assertThat(held())
                    .as("step %d", step)
                    .isLessThanOrEqualTo(db.server().sessions().all().size() + 2);
        }
    }

    /// A lost connection stays lost: every verb on it fails from then on.
    @Test
    void aChainThatIsLostWhileNoSessionUsesItIsReplaced() {
        Session session = db.session();
        session.begin();
        session.rollback();
        fabric.loseAll();
        assertThatThrownBy(session::begin).isInstanceOf(FabricException.class);
        session.close();
        try (Session next = db.session()) {
            next.begin();
            next.rollback();
        }
    }
}
