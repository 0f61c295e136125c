package org.namdb.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.HostPort;

class ZooKeeperMembershipTest {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final HostPort ANYWHERE = new HostPort("127.0.0.1", 0);

    @TempDir Path directory;

    private EmbeddedZooKeeper server;

    @BeforeEach
    void start() {
        server = new EmbeddedZooKeeper(directory, ANYWHERE, TICK);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ZooKeeperMembership connect(String cluster, Duration timeout) {
        return new ZooKeeperMembership(List.of(server.address()), cluster, LEASE, timeout);
    }

    private ZooKeeperMembership connect() {
        return connect("test", TIMEOUT);
    }

    private static final HostPort HERE = new HostPort("127.0.0.1", 7500);

    private static Member member(int process) {
        return new Member(process, 100 + process, "here", process % 2 == 0 ? null : HERE);
    }

    @Test
    void aMemberIsListedUntilItLeaves() {
        try (ZooKeeperMembership first = connect();
                ZooKeeperMembership other = connect("another", TIMEOUT)) {
            assertThat(first.members()).isEmpty();
            first.join(member(1));
            try (ZooKeeperMembership second = connect()) {
                second.join(member(7));
                assertThat(first.members()).containsExactlyInAnyOrder(1, 7);
                assertThat(second.describe()).containsExactlyInAnyOrder(member(1), member(7));
            }
            assertThat(first.members()).containsExactly(1);
            assertThat(other.members()).isEmpty();
            assertThat(first.isLost()).isFalse();
        }
    }

    @Test
    void aWatcherIsNotifiedOfEveryChange() throws InterruptedException {
        Semaphore changes = new Semaphore(0);
        try (ZooKeeperMembership first = connect()) {
            first.watch(changes::release);
            first.join(member(1));
            for (int process = 2; process < 5; process++) {
                assertThat(first.members()).containsExactly(1);
                changes.drainPermits();
                try (ZooKeeperMembership second = connect()) {
                    second.join(member(process));
                    assertThat(changes.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                    assertThat(first.members()).containsExactlyInAnyOrder(1, process);
                    changes.drainPermits();
                }
                assertThat(changes.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void aMemberThatLosesItsLeaseIsNotifiedAndDoesNotComeBack() throws InterruptedException {
        Semaphore changes = new Semaphore(0);
        try (ZooKeeperMembership first = connect();
                ZooKeeperMembership second = connect()) {
            first.join(member(1));
            second.join(member(2));
            first.watch(changes::release);
            assertThat(server.endLease("test", 3)).isFalse();
            assertThat(server.endLease("test", 1)).isTrue();
            assertThat(second.members()).containsExactly(2);
            awaitTrue(changes, () -> !first.members().contains(1) && first.isLost());
            assertThat(second.members()).containsExactly(2);
            assertThat(second.isLost()).isFalse();
        }
    }

    @Test
    void anEnsembleThatIsAwayCostsNoLease() throws InterruptedException {
        Semaphore changes = new Semaphore(0);
        try (ZooKeeperMembership member = connect("test", Duration.ofMillis(300))) {
            member.join(member(1));
            member.watch(changes::release);
            HostPort address = server.address();
            server.close();
            assertThatThrownBy(member::members)
                    .isInstanceOf(MembershipException.class)
                    .hasMessageContaining(address.toString());
            Thread.sleep(2 * LEASE.toMillis()); // its client has given the session up
            assertThat(member.isLost()).isFalse();
            server = new EmbeddedZooKeeper(directory, address, TICK);
            changes.drainPermits();
            awaitTrue(changes, () -> isMember(member));
            assertThat(member.isLost()).isFalse();
        }
    }

    private static boolean isMember(Membership membership) {
        try {
            return membership.members().contains(1);
        } catch (MembershipException e) {
            return false;
        }
    }

    private static void awaitTrue(Semaphore changes, BooleanSupplier condition)
            throws InterruptedException {
        for (int tries = 0; !condition.getAsBoolean(); tries++) {
            assertThat(tries).as("tries").isLessThan(200);
            boolean _ = changes.tryAcquire(100, TimeUnit.MILLISECONDS);
        }
    }

    @Test
    void aNumberIsTakenOnce() {
        try (ZooKeeperMembership first = connect();
                ZooKeeperMembership second = connect()) {
            first.join(member(1));
            assertThatThrownBy(() -> second.join(member(1)))
                    .isInstanceOf(MembershipException.class)
                    .hasMessage(
                            "/namdb/test/compute/1 is there already: end the compute servers from"
                                    + " before the memory servers were restarted; if there are"
                                    + " none, give the cluster another name");
        }
    }

    @Test
    void theErrorNamesAnEnsembleThatDoesNotAnswer() {
        HostPort address = server.address();
        server.close();
        assertThatThrownBy(() -> connect("test", Duration.ofMillis(200)))
                .isInstanceOf(MembershipException.class)
                .hasMessage(
                        "can't request a lease: no ZooKeeper answers at "
                                + address
                                + " within 200 ms: is it running there?");
    }
}
