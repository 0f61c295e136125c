package org.namdb.sql.shell.local;

import com.sun.management.OperatingSystemMXBean;
import java.io.Reader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.VerbTally;
import org.namdb.sql.engine.SnapshotInfo;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.define.Definitions;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.setting.Settings;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.ShellConnection;
import org.namdb.sql.shell.ShellDatabase;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.ShellUrl;
import org.namdb.sql.shell.SnapshotFacts;
import org.namdb.sql.shell.StatementCost;
import org.namdb.sql.shell.TableFacts;
import org.namdb.sql.shell.Vocabulary;

/// A database in this process.
public final class LocalDatabase implements ShellDatabase {
    /// How long a transaction may take: a person who types thinks in between.
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    private final NamDb db;
    private final SqlDatabase sql;
    private final SqlCatalog catalog;

    private LocalDatabase(NamDb db) {
        this.db = db;
        this.sql = SqlDatabase.of(db);
        this.catalog = sql.catalog();
    }

    /// The options that a URL asks for.
    public static EmbeddedOptions options(ShellUrl url) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(url.memoryServers())
                .withMemoryBytes(url.memoryBytes())
                .withMaxTransactionTime(PATIENCE);
    }

    /// Checks that this machine has the memory that a URL asks for: without it all would go well
    /// for a while, and then the process would be ended.
    ///
    /// @throws ShellException if it has less
    public static void requireMemory(ShellUrl url) {
        long wanted = url.memoryBytes();
        if (wanted > ShellUrl.DEFAULT.memoryBytes()
                && ManagementFactory.getOperatingSystemMXBean()
                        instanceof OperatingSystemMXBean machine
                && wanted > machine.getTotalMemorySize()) {
            throw new ShellException(
                    "this machine has %s of memory, not %s"
                            .formatted(
                                    StatementCost.size(machine.getTotalMemorySize()),
                                    StatementCost.size(wanted)));
        }
    }

    /// Makes an embedded database.
    public static LocalDatabase open(ShellUrl url) {
        return of(NamDb.embedded(options(url)));
    }

    /// A database that is open; closing this closes it.
    public static LocalDatabase of(NamDb db) {
        return new LocalDatabase(db);
    }

    @Override
    public ShellConnection connect() {
        return new LocalConnection(sql.session(new LocalFiles()));
    }

    @Override
    public List<String> tableNames() {
        return catalog.tables().stream().map(SqlTable::name).sorted().toList();
    }

    @Override
    public @Nullable TableFacts table(String name) {
        SqlTable table = catalog.find(name);
        return table == null ? null : CatalogFacts.of(table);
    }

    @Override
    public Vocabulary vocabulary() {
        SortedSet<String> functions = Functions.names();
        functions.addAll(Aggregates.names());
        return new Vocabulary(functions, Settings.names(), Definitions.tableOptions());
    }

    @Override
    public List<String> facts() {
        EmbeddedOptions options = db.options();
        return List.of(
                "embedded database, %d memory server%s, %s"
                        .formatted(
                                options.memoryServers(),
                                options.memoryServers() == 1 ? "" : "s",
                                StatementCost.size(options.memoryBytes())),
                "It is in this process's memory: what is in it is gone when you leave.");
    }

    @Override
    public void close() {
        sql.close();
        db.close();
    }

    private static final class LocalConnection implements ShellConnection {
        private final SqlSession session;

        private LocalConnection(SqlSession session) {
            this.session = session;
        }

        @Override
        public Result execute(String statement) {
            return session.execute(statement);
        }

        @Override
        public long copyIn(String statement, Reader data, LongConsumer progress) {
            return session.copyIn(statement, data, progress);
        }

        @Override
        public long copyOut(String statement, Writer out) {
            return session.copyOut(statement, out);
        }

        @Override
        public Status status() {
            return switch (session.status()) {
                case IDLE -> Status.IDLE;
                case ACTIVE -> Status.ACTIVE;
                case FAILED -> Status.FAILED;
            };
        }

        @Override
        public int slot() {
            return session.slotNumber();
        }

        @Override
        public void cancel() {
            session.cancel();
        }

        @Override
        public StatementCost lastCost() {
            VerbTally tally = session.lastVerbs();
            return new StatementCost(
                    tally.reads(),
                    tally.writes(),
                    tally.swaps(),
                    tally.adds(),
                    tally.sends(),
                    tally.bytes(),
                    tally.roundTrips());
        }

        @Override
        public SnapshotFacts snapshot() {
            SnapshotInfo info = session.snapshot();
            return new SnapshotFacts(
                    info.slots(), info.age(), info.ownSlot(), info.writtenRows(), info.heldBytes());
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
