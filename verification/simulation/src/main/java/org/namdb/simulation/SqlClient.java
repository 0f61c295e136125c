package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.fabric.FabricException;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A client of the bank: one transaction after the other, and another session when the connection
/// is lost.
final class SqlClient {
    private final Workload.ComputeServer server;
    private final SqlDatabase database;
    private final SplittableRandom random;

    SqlClient(Workload.ComputeServer server, SplittableRandom random) {
        this.server = server;
        this.database = SqlDatabase.of(server.db());
        this.random = random;
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
        try (SqlSession session = database.session()) {
            SqlBank bank = new SqlBank(session, random);
            boolean isOfUse = true;
            while (left > 0 && isOfUse) {
                left--;
                server.ended().run();
                try {
                    if (!bank.attempt()) {
                        server.pause(random);
                    }
                } catch (RuntimeException | Error e) {
                    isOfUse = Unplanned.isSurvived(e, random) && bank.endsBlock();
                }
            }
        } catch (FabricException e) {
            // The session could not be closed: its slot is lost.
        } catch (SqlException e) {
            if (e.state() == SqlState.TOO_MANY_SESSIONS) {
                return 0; // sessions that lost their connection keep their slots
            }
            if (e.state() != SqlState.CONNECTION_FAILURE && server.hasMemory().getAsBoolean()) {
                Unplanned.require(
                        new IllegalStateException(e.state().code() + " " + e.getMessage(), e));
            }
        } catch (RuntimeException | Error e) {
            Unplanned.require(e);
        }
        return left;
    }
}
