package org.namdb.benchmarks;

import org.namdb.compute.EmbeddedOptions;
import org.namdb.sql.engine.PreparedStatement;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.result.Result;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/// A database with one table of a hundred thousand rows, and a session of it.
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
public class SqlRows {
    static final int ROWS = 100_000;
    private static final long MEMORY_BYTES = 2L << 30;

    /// A prime, so that neighbouring rows are not read one after the other.
    private static final int STRIDE = 7919;

    private SqlDatabase database;
    SqlSession session;
    PreparedStatement insert;
    private int row;
    private int inserted;

    /// Fills the table.
    @Setup(Level.Trial)
    public void open() {
        database = SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(MEMORY_BYTES));
        session = database.session();
        session.run(
                "CREATE TABLE item (id INT PRIMARY KEY, kind INT, price DECIMAL(8, 2), name VARCHAR(20))"
                        + " WITH (expected_rows = 100000);"
                        + " CREATE TABLE log (id INT PRIMARY KEY, kind INT, name VARCHAR(20))"
                        + " WITH (expected_rows = 4000000);"
                        + " INSERT INTO item SELECT i, i % 100, 1.25, 'item ' || i"
                        + " FROM generate_series(0, 99999) AS s (i)",
                result -> {});
        insert = session.prepare("INSERT INTO log VALUES ($1, $2, 'some name')");
    }

    /// Frees the memory.
    @TearDown(Level.Trial)
    public void close() {
        session.close();
        database.close();
    }

    SqlDatabase database() {
        return database;
    }

    /// The key of the next row to read.
    int next() {
        row = (row + STRIDE) % ROWS;
        return row;
    }

    /// A key that is not there yet.
    int unused() {
        return inserted++;
    }

    /// Reads the only row of a result.
    static long only(Result result) {
        try (result) {
            if (!result.next()) {
                throw new IllegalStateException("no row");
            }
            return result.int64(0);
        }
    }
}
