package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.UnplannedFailure;
import org.namdb.timestamp.SlotsExhaustedException;

/// One thread's transactions, through one session after the other: another one when the connection
/// is lost, or after an unplanned failure.
final class SessionLoop {
    static final int MAX_CONNECTIONS = 20;

    /// Tries one transaction.
    @FunctionalInterface
    interface Turn {
        /// Tries it once.
        ///
        /// @return false if it has lost a conflict
        boolean attempt();
    }

    /// What is done with a session.
    @FunctionalInterface
    interface Opening {
        /// Gets ready to use a session.
        ///
        /// @param connection how many sessions there were before it
        Turn open(Session session, int connection);
    }

    private final RunCourse course;
    private final NamDb db;
    private final SimHost host;
    private final SplittableRandom random;
    private int left;

    /// @param transactions how many are tried
    SessionLoop(
            RunCourse course, NamDb db, SimHost host, SplittableRandom random, int transactions) {
        this.course = course;
        this.db = db;
        this.host = host;
        this.random = random;
        this.left = transactions;
    }

    void run(Opening opening) {
        boolean goesOn = true;
        for (int connection = 0; goesOn && mayConnect(connection) && left > 0; connection++) {
            try (Session session = db.session()) {
                use(opening.open(session, connection));
            } catch (FabricException e) {
                left--;
            } catch (LatchTimeoutException e) {
                requireNoMemory(e);
                goesOn = false;
            } catch (LeaseLostException e) {
                goesOn = false; // the next life of its host has another one
            } catch (SlotsExhaustedException e) {
                goesOn = false; // lost sessions keep their slots until they are recovered
            } catch (RuntimeException | Error e) {
                if (e instanceof IllegalStateException && !UnplannedFailure.isIn(e)) {
                    course.fail(host, String.valueOf(e.getMessage()));
                    goesOn = false;
                } else {
                    Unplanned.require(e);
                }
            }
        }
    }

    private void use(Turn turn) {
        boolean isOfUse = true;
        for (; left > 0 && isOfUse; left--) {
            try {
                if (!turn.attempt()) {
                    host.sleep(
                            random.nextLong(RunCourse.MIN_PAUSE_NANOS, RunCourse.MAX_PAUSE_NANOS));
                }
            } catch (RuntimeException | Error e) {
                isOfUse = Unplanned.isSurvived(e, random);
            }
        }
    }

    /// A wait for a latch times out only where no process can recover any more.
    private void requireNoMemory(LatchTimeoutException timeout) {
        if (course.cluster().hasMemory()) {
            course.fail(host, FailureText.of(timeout));
        }
    }

    private boolean mayConnect(int connection) {
        return connection < MAX_CONNECTIONS && course.cluster().hasMemory();
    }
}
