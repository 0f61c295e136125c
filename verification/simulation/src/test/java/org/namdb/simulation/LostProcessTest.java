package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.simulated.SimHost;

/// A compute server crashes at the first verb of a transaction, at the second, and so on, up to one
/// that it survives. Its transaction changes two records on two memory servers, and later ones see
/// all of that or nothing, wait for no other, and get a conflict at worst.
/// ```
///   A  locks x and y, installs them, unlocks       crashes before it publishes
///   B  reads x and y: no snapshot shows the commit of their new versions, so it finds the old ones
///   B  writes x: a conflict, and for ever, until someone finishes or undoes what A has begun
/// ```
class LostProcessTest {
    private static final long X = 0;
    private static final long Y = 1;
    private static final int KEYS = 2;
    private static final int MAX_VERBS = 300;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));

    /// What was seen after a crash.
    private record Aftermath(
            boolean acknowledged, boolean crashed, long x, long y, boolean conflict) {}

    @Test
    void allOfItsTransactionIsSeenOrNothingWhereverItCrashes() {
        int seen = 0;
        int unseen = 0;
        int conflicts = 0;
        int verb = 1;
        Aftermath last = crashAt(verb);
        while (last.crashed() && verb < MAX_VERBS) {
            assertThat(last.x()).as("crash at verb %d: x and y", verb).isEqualTo(last.y());
            if (last.acknowledged()) {
                assertThat(last.x()).as("crash at verb %d, acknowledged", verb).isEqualTo(2);
            }
            seen += last.x() == 2 ? 1 : 0;
            unseen += last.x() == 1 ? 1 : 0;
            conflicts += last.conflict() ? 1 : 0;
            last = crashAt(++verb);
        }
        assertThat(last.acknowledged()).isTrue();
        assertThat(last.conflict()).isFalse();
        assertThat(unseen).as("crashes before it was visible").isGreaterThan(10);
        assertThat(seen).as("crashes after it was visible").isPositive();
        assertThat(conflicts).as("crashes that leave records locked").isPositive();
    }

    private static Aftermath crashAt(int verb) {
        try (TestCluster cluster = new TestCluster(7, OPTIONS)) {
            cluster.load(
                    db -> {
                        Registers.create(db, KEYS, 2, true, false);
                        write(db, 1);
                    },
                    3);
            return crashAt(verb, cluster);
        }
    }

    private static Aftermath crashAt(int verb, TestCluster cluster) {
        boolean[] acknowledged = new boolean[1];
        SimHost first =
                cluster.start(
                        "first",
                        (db, host) -> {
                            Registers registers = Registers.of(db);
                            try (Session session = db.session()) {
                                host.crashAtVerb(host.verbs() + verb);
                                session.transact(transaction -> {
                                    registers.write(transaction, X, 2);
                                    registers.write(transaction, Y, 2);
                                    return true;
                                });
                                acknowledged[0] = true;
                                host.crashAtVerb(Long.MAX_VALUE);
                            }
                        });
        cluster.run(3);
        Aftermath[] aftermath = new Aftermath[1];
        SimHost _ =
                cluster.start(
                        "second",
                        (db, host) -> {
                            Registers registers = Registers.of(db);
                            long[] found = new long[KEYS];
                            try (Session session = db.session()) {
                                session.transact(transaction -> {
                                    found[0] = registers.read(transaction, X);
                                    found[1] = registers.read(transaction, Y);
                                    return true;
                                });
                            }
                            aftermath[0] =
                                    new Aftermath(
                                            acknowledged[0],
                                            first.isDead(),
                                            found[0],
                                            found[1],
                                            !write(db, 3));
                        });
        cluster.run(3);
        assertThat(aftermath[0]).as("crash at verb %d: the second never waits", verb).isNotNull();
        return aftermath[0];
    }

    private static boolean write(NamDb db, long value) {
        Registers registers = Registers.of(db);
        try {
            return db.transact(transaction -> {
                registers.write(transaction, X, value);
                registers.write(transaction, Y, value);
                return true;
            });
        } catch (TransactionException e) {
            assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
            return false;
        }
    }
}
