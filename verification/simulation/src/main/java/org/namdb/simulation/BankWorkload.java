package org.namdb.simulation;

import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;

/// The bank in SQL: see [SqlBank].
record BankWorkload(int clients, int expectedRows, int versions, boolean inlined, boolean cached)
        implements Workload {
    /// About so many rows has each table.
    static final int ROWS = 32;

    @Override
    public String name() {
        return "sql";
    }

    @Override
    public void create(NamDb db) {
        SqlBank.create(db, expectedRows, versions, inlined, cached);
    }

    @Override
    public Runnable client(ComputeServer server, SplittableRandom random, int transactions) {
        SqlClient client = new SqlClient(server, random);
        return () -> client.run(transactions);
    }

    @Override
    public void audit(NamDb db, SplittableRandom random) {
        try (SqlSession session = SqlDatabase.of(db).session()) {
            new SqlBank(session, random).audit();
        } catch (SqlException e) {
            throw new IllegalStateException(e);
        }
    }
}
