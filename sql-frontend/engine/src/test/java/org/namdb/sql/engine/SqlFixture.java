package org.namdb.sql.engine;

import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// A small database, a session of it, and results as text.
final class SqlFixture implements AutoCloseable {
    final SqlDatabase database;
    final SqlSession session;

    SqlFixture() {
        this(1);
    }

    SqlFixture(int memoryServers) {
        database =
                SqlDatabase.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryServers(memoryServers)
                                .withMemoryBytes(256L << 20)
                                .withSlots(16));
        session = database.session();
    }

    static JournalOptions journal(SimDisk disk, Durability durability) {
        return new JournalOptions(
                () -> disk,
                "the disk",
                durability,
                Duration.ofHours(1),
                1 << 20,
                1L << 40,
                RecoveryProgress.UNSEEN);
    }

    static SqlDatabase open(JournalOptions journal) {
        return SqlDatabase.embedded(
                EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20).withJournal(journal));
    }

    /// A database whose acknowledged commits are on the disk.
    static SqlDatabase open(SimDisk disk) {
        return open(journal(disk, Durability.SYNC));
    }

    /// Runs statements that give no rows, and takes their tags.
    String run(String script) {
        return run(session, script);
    }

    static String run(SqlSession session, String script) {
        List<String> tags = new ArrayList<>();
        session.run(script, result -> tags.add(result.tag()));
        return String.join(", ", tags);
    }

    /// The rows of a query: fields separated by `|`, rows by `; `.
    String rows(String sql, @Nullable Object... parameters) {
        return rows(session, sql, parameters);
    }

    static String rows(SqlSession session, String sql, @Nullable Object... parameters) {
        List<String> rows = new ArrayList<>();
        try (Result result = session.execute(sql, parameters)) {
            while (result.next()) {
                List<String> fields = new ArrayList<>();
                for (int i = 0; i < result.columns().size(); i++) {
                    fields.add(String.valueOf(result.text(i)));
                }
                rows.add(String.join("|", fields));
            }
        }
        return String.join("; ", rows);
    }

    /// The error of a statement: its state, message, detail.
    String error(String sql) {
        return error(session, sql);
    }

    static String error(SqlSession session, String sql) {
        try {
            run(session, sql);
        } catch (SqlException e) {
            return e.code() + " " + e.getMessage() + (e.detail() == null ? "" : " / " + e.detail());
        }
        throw new AssertionError("no error: " + sql);
    }

    @Override
    public void close() {
        session.close();
        database.close();
    }

    /// Runs a dump, whose COPY data the session takes from the text.
    static void restore(SqlSession session, String dump) {
        List<String> rest = new ArrayList<>(dump.lines().toList());
        StringBuilder statements = new StringBuilder();
        while (!rest.isEmpty()) {
            String line = rest.removeFirst();
            if (line.startsWith("COPY ")) {
                run(session, statements.toString());
                statements.setLength(0);
                StringBuilder data = new StringBuilder();
                for (line = line + "\n"; !rest.getFirst().equals("\\."); ) {
                    data.append(rest.removeFirst()).append('\n');
                }
                rest.removeFirst();
                long _ = session.copyIn(line, new StringReader(data.toString()));
            } else {
                statements.append(line).append('\n');
            }
        }
        run(session, statements.toString());
    }
}
