package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.driver.Terminal;
import org.namdb.tpcc.driver.TerminalWork;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.tpcc.schema.TpccSchema;

/// A client of TPC-C: one transaction after the other from a shuffled deck, at times an audit, and
/// another session when the connection is lost.
final class TpccClient {
    private static final int ATTEMPTS_PER_AUDIT = 20;

    private final Workload.ComputeServer server;
    private final SplittableRandom random;
    private final Deck deck;

    TpccClient(Workload.ComputeServer server, SplittableRandom random) {
        this.server = server;
        this.random = random;
        this.deck = new Deck(Mix.STANDARD, TpccRandom.stream(random.nextLong(), 0));
    }

    /// Runs so many transactions.
    ///
    /// @throws IllegalStateException if the database holds what it must not hold
    void run(int transactions) {
        server.run(transactions, this::connected);
    }

    /// Runs transactions until the connection is lost.
    ///
    /// @return how many are left
    private int connected(int transactions) {
        int left = transactions;
        try (Session session = server.db().session()) {
            TpccSchema schema = TpccWorkload.schema(server.db());
            TerminalWork work =
                    new TerminalWork(session, schema, TpccWorkload.inputs(random.split()));
            boolean isOfUse = true;
            while (left > 0 && isOfUse) {
                left--;
                server.ended().run();
                try {
                    attempt(session, schema, work);
                } catch (RuntimeException | Error e) {
                    isOfUse = Unplanned.isSurvived(e, random);
                }
            }
        } catch (FabricException e) {
            // Another session continues.
        } catch (SlotsExhaustedException e) {
            return 0; // lost sessions keep their slots until they are recovered
        } catch (LatchTimeoutException e) {
            if (server.hasMemory().getAsBoolean()) {
                throw new IllegalStateException(e);
            }
        } catch (RuntimeException | Error e) {
            Unplanned.require(e);
        }
        return left;
    }

    private void attempt(Session session, TpccSchema schema, TerminalWork work) {
        try {
            if (random.nextInt(ATTEMPTS_PER_AUDIT) == 0) {
                TpccWorkload.audit(session, schema);
            } else {
                int district = random.nextInt(1, Scale.DISTRICTS + 1);
                boolean _ = work.run(deck.next(), new Terminal(1, district));
            }
        } catch (TransactionException e) {
            if (!mayHappen(e.outcome())) {
                throw new IllegalStateException("TPC-C: " + e.outcome(), e);
            }
            server.pause(random);
        }
    }

    /// But no order's number is given out twice, and there is memory enough.
    private static boolean mayHappen(CommitOutcome outcome) {
        return outcome instanceof CommitOutcome.WriteConflict
                || outcome instanceof CommitOutcome.SnapshotTooOld;
    }
}
