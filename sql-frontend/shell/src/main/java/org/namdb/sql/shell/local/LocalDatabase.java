package org.namdb.sql.shell.local;

import com.sun.management.OperatingSystemMXBean;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.VerbTally;
import org.namdb.memory.client.ServerUsage;
import org.namdb.sql.engine.SnapshotInfo;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.ddl.DdlExecutor;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.plan.StatementProgress;
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

/// A database that this process runs transactions on: one in its own memory, or that of a cluster
/// which it is attached to.
public final class LocalDatabase implements ShellDatabase {
    /// How long a transaction may take: a person who types thinks in between.
    private static final Duration MAX_TRANSACTION_TIME = Duration.ofMinutes(15);

    private final NamDb db;
    private final @Nullable Path cluster;
    private final SqlDatabase sql;
    private final SqlCatalog catalog;

    private LocalDatabase(NamDb db, @Nullable Path cluster) {
        this.db = db;
        this.cluster = cluster;
        this.sql = SqlDatabase.of(db);
        this.catalog = sql.catalog();
    }

    /// The options in a URL.
    public static EmbeddedOptions options(ShellUrl url) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(url.memoryServers())
                .withMemoryBytes(url.memoryBytes())
                .withMaxTransactionTime(MAX_TRANSACTION_TIME);
    }

    /// Checks that this machine has the memory that a URL requires: else the process would be
    /// killed after a while.
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

    /// An embedded database that is open; closing this closes it.
    public static LocalDatabase of(NamDb db) {
        return new LocalDatabase(db, null);
    }

    /// A database that is attached to a cluster; closing this leaves it.
    ///
    /// @param cluster the file that describes the cluster
    public static LocalDatabase of(NamDb db, Path cluster) {
        return new LocalDatabase(db, cluster);
    }

    @Override
    public ShellConnection connect() {
        return new LocalConnection(sql.session(new LocalFiles()));
    }

    @Override
    public List<String> tableNames() {
        return reached(() -> catalog.tables().stream().map(SqlTable::name).sorted().toList());
    }

    @Override
    public @Nullable TableFacts table(String name) {
        return reached(() -> {
            // Finds out whether another compute server has changed it.
            boolean isThere = db.findTable(name) != null;
            SqlTable table = isThere ? catalog.find(name) : null;
            return table == null ? null : CatalogFacts.of(table);
        });
    }

    /// What memory servers answer.
    ///
    /// @throws ShellException if they don't
    private static <R extends @Nullable Object> R reached(Supplier<R> answer) {
        try {
            return answer.get();
        } catch (FabricException e) {
            throw new ShellException("the cluster can't be reached: " + e.getMessage());
        }
    }

    @Override
    public Vocabulary vocabulary() {
        SortedSet<String> functions = Functions.names();
        functions.addAll(Aggregates.names());
        return new Vocabulary(functions, Settings.names(), DdlExecutor.tableOptions());
    }

    @Override
    public List<String> facts() {
        return cluster == null ? embeddedFacts() : clusterFacts(cluster);
    }

    private List<String> clusterFacts(Path file) {
        String which = "cluster of " + file;
        try {
            List<ServerUsage> servers = db.usage();
            long bytes = servers.stream().mapToLong(ServerUsage::regionBytes).sum();
            which += ", %s, %s".formatted(memoryServers(servers.size()), StatementCost.size(bytes));
        } catch (FabricException e) {
            which += ", which can't be reached: " + e.getMessage();
        }
        return List.of(
                which,
                "This shell is its compute server %d: others see at once what it commits, and it stays when you leave."
                        .formatted(db.process()));
    }

    private static String memoryServers(int count) {
        return count + " memory server" + plural(count);
    }

    private static String plural(long count) {
        return count == 1 ? "" : "s";
    }

    private List<String> embeddedFacts() {
        EmbeddedOptions options = db.options();
        JournalOptions journal = options.journal();
        return List.of(
                "embedded database, %s, %s"
                        .formatted(
                                memoryServers(options.memoryServers()),
                                StatementCost.size(options.memoryBytes())),
                journal == null
                        ? "It is in this process's memory: what is in it is gone when you leave."
                        : "It is kept in %s, with durability %s."
                                .formatted(journal.place(), journal.durability()));
    }

    @Override
    public void close() {
        sql.close();
        try {
            db.close();
        } catch (FabricException e) {
            // Statements have reported it to the user; what is left is recovered by others.
        } catch (JournalException e) {
            throw new ShellException(String.valueOf(e.getMessage()));
        }
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
        public long copyIn(String statement, Reader data) {
            return session.copyIn(statement, data);
        }

        @Override
        public long copyIn(String statement, InputStream data) {
            return session.copyIn(statement, data);
        }

        @Override
        public long copyOut(String statement, OutputStream out) {
            return session.copyOut(statement, out);
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
        public String progress() {
            StatementProgress.State state = session.progress();
            if (state.rows() == 0) {
                return "";
            }
            String rows =
                    String.format(Locale.ROOT, "%,d row%s", state.rows(), plural(state.rows()));
            String part = state.percent() < 0 ? "" : ", " + state.percent() + " %";
            return switch (state.phase()) {
                case READING -> rows + " read" + part;
                case WRITING -> rows + " written" + part;
                case COMMITTING -> "committing " + rows;
                case ROLLING_BACK -> "rolling back " + rows;
            };
        }

        @Override
        public StatementCost lastCost() {
            VerbTally tally = session.lastVerbs();
            return new StatementCost(
                    tally.reads(),
                    tally.writes(),
                    tally.compareAndSwaps(),
                    tally.fetchAndAdds(),
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
