package org.namdb.benchmarks;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.engine.PreparedStatement;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/// Prepared statements on one row, next to reads of the same record by the engine's own interface:
/// what SQL adds.
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 20, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow"
        })
public class SqlStatements {
    private static final String POINT = "SELECT kind, name FROM item WHERE id = $1";

    /// A session without a transaction between the statements.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Autocommit {
        private PreparedStatement point;
        private PreparedStatement update;

        /// Prepares the statements.
        @Setup(Level.Trial)
        public void prepare(SqlRows rows) {
            point = rows.session.prepare(POINT);
            update = rows.session.prepare("UPDATE item SET kind = kind + 1 WHERE id = $1");
        }
    }

    /// A session with an open block.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Block {
        private PreparedStatement point;

        /// Opens the block; a new one for each iteration, as snapshots grow old.
        @Setup(Level.Iteration)
        public void begin(SqlRows rows) {
            rows.session.run("BEGIN", result -> {});
            point = rows.session.prepare(POINT);
        }

        /// Ends the block.
        @TearDown(Level.Iteration)
        public void end(SqlRows rows) {
            rows.session.run("COMMIT", result -> {});
        }
    }

    /// The same table without SQL.
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH calls the set-up before all else
    public static class Engine {
        private Session session;
        private Table table;
        private Key key;
        private Column kind;
        private Column name;

        /// Opens a session.
        @Setup(Level.Trial)
        public void open(SqlRows rows) {
            session = rows.database().engine().session();
            table = rows.database().engine().table("item");
            key = table.newKey();
            kind = table.column("kind");
            name = table.column("name");
        }

        /// Ends it, before the database.
        @TearDown(Level.Trial)
        public void close() {
            session.close();
        }
    }

    /// A transaction that reads one record.
    @Benchmark
    public String engineRead(SqlRows rows, Engine engine) {
        Transaction transaction = engine.session.begin();
        engine.key.clear().add(rows.next());
        Row row = Objects.requireNonNull(transaction.read(engine.table, engine.key));
        String text = row.string(engine.name) + row.int64(engine.kind);
        engine.session.commit();
        return text;
    }

    @Benchmark
    public long selectInAutocommit(SqlRows rows, Autocommit statements) {
        return SqlRows.only(statements.point.execute(rows.next()));
    }

    @Benchmark
    public long selectInBlock(SqlRows rows, Block block) {
        return SqlRows.only(block.point.execute(rows.next()));
    }

    /// The text is looked up among the plans, too.
    @Benchmark
    public long selectByText(SqlRows rows) {
        return SqlRows.only(rows.session.execute(POINT, rows.next()));
    }

    @Benchmark
    public long updateByKey(SqlRows rows, Autocommit statements) {
        return statements.update.execute(rows.next()).rowCount();
    }

    @Benchmark
    public long insert(SqlRows rows) {
        int id = rows.unused();
        return rows.insert.execute(id, id).rowCount();
    }
}
