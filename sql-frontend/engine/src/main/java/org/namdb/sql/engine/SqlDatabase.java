package org.namdb.sql.engine;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.AdvisoryLocks;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.sql.engine.catalog.Routine;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.copy.CopyFiles;
import org.namdb.sql.engine.monitor.LiveRelations;
import org.namdb.sql.engine.monitor.SessionActivity;
import org.namdb.sql.engine.monitor.StatementStatistics;
import org.namdb.sql.engine.procedure.JarStore;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.role.Roles;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A database that is used through SQL. Safe for use by many threads, each with a session of its
/// own.
///
/// ```java
/// try (SqlDatabase database = SqlDatabase.embedded();
///         SqlSession session = database.session()) {
///     session.execute("CREATE TABLE accounts (id BIGINT PRIMARY KEY, owner VARCHAR(40))");
///     session.execute("INSERT INTO accounts VALUES (?, ?)", 1, "Ada");
///     try (Result accounts = session.execute("SELECT id, owner FROM accounts")) {
///         while (accounts.next()) {
///             System.out.println(accounts.int64(0) + " " + accounts.text(1));
///         }
///     }
/// }
/// ```
public final class SqlDatabase implements AutoCloseable {
    private final NamDb engine;
    private final boolean ownsEngine;
    private final Host host;
    private final SqlCatalog catalog;
    private final StatementStatistics statistics = new StatementStatistics();
    private final ProcedureCatalog procedures;
    private final JarStore jars;
    private final StatementCompiler compiler;
    private final SequenceValues sequences;
    private final AtomicLong opened = new AtomicLong();
    private final RowClaims rowClaims;
    private final TemporarySchemas temporarySchemas;
    private final Set<SqlSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Path backups;

    /// Held by the session that changes the schema, from its statement's beginning to its end, or
    /// to that of its transaction block. Not a lock of a thread: a block may go on in another one.
    private final Semaphore schemaLock = new Semaphore(1);

    private SqlDatabase(NamDb engine, boolean ownsEngine) {
        this.engine = engine;
        this.ownsEngine = ownsEngine;
        this.host = engine.options().host();
        this.rowClaims = new RowClaims(host);
        this.catalog =
                new SqlCatalog(
                        engine,
                        new LiveRelations(
                                        this::activities,
                                        statistics,
                                        host,
                                        () -> AdvisoryLocks.of(engine).list())
                                ::relation,
                        this::javaProcedures);
        this.sequences = new SequenceValues(engine);
        this.procedures =
                new ProcedureCatalog(catalog, routine -> RunningProcedure.body(routine, catalog));
        this.jars = new JarStore(engine, procedures);
        this.compiler = new StatementCompiler(catalog, procedures, jars);
        procedures.registerUtility(JarStatements.INSTALL, JarStatements.Install.class);
        procedures.registerUtility(JarStatements.REMOVE, JarStatements.Remove.class);
        this.temporarySchemas = new TemporarySchemas(this, TemporarySchemas.RETRY);
        temporarySchemas.dropLeft();
    }

    private List<Routine> javaProcedures(Roles roles) {
        return procedures.javaProcedures(roles);
    }

    /// A database in this process, with [EmbeddedOptions#DEFAULT].
    public static SqlDatabase embedded() {
        return embedded(EmbeddedOptions.DEFAULT);
    }

    /// A database in this process.
    ///
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory
    public static SqlDatabase embedded(EmbeddedOptions options) {
        return new SqlDatabase(NamDb.embedded(options), true);
    }

    /// SQL for a database that is open already, while programs use it. Closing this leaves it open.
    public static SqlDatabase of(NamDb engine) {
        return new SqlDatabase(engine, false);
    }

    /// Opens a session, for one thread at a time. Its COPY reads and writes what the program gives
    /// it ([SqlSession#copyIn]), and no files.
    ///
    /// @throws SqlException 53300 if there are too many
    public SqlSession session() {
        return open(null);
    }

    /// The same for users who may open files: `COPY .. FROM 'name'` opens them there.
    public SqlSession session(CopyFiles files) {
        return open(files);
    }

    private SqlSession open(@Nullable CopyFiles files) {
        try {
            int number = (int) opened.get() & Integer.MAX_VALUE;
            return open(SessionLease.own(this), number, files);
        } catch (RuntimeException e) {
            throw EngineFailures.of(e, null, catalog);
        }
    }

    SqlSession open(SessionLease lease, int number, @Nullable CopyFiles files) {
        SqlSession session = new SqlSession(this, lease, number, files);
        sessions.add(session);
        return session;
    }

    /// Lets sessions that may open no files write backups all the same, by names in this directory.
    public void allowBackups(@Nullable Path directory) {
        backups = directory;
    }

    @Nullable Path backups() {
        return backups;
    }

    RowClaims rowClaims() {
        return rowClaims;
    }

    /// The schemas of temporary tables.
    TemporarySchemas temporarySchemas() {
        return temporarySchemas;
    }

    /// How many sessions are open.
    public int sessionCount() {
        return sessions.size();
    }

    /// The database beneath.
    public NamDb engine() {
        return engine;
    }

    /// The tables.
    public SqlCatalog catalog() {
        return catalog;
    }

    /// The roles.
    ///
    /// @throws SqlException if the database can't be read
    public Roles roles() {
        try {
            return catalog.latestRoles();
        } catch (RuntimeException e) {
            throw EngineFailures.of(e, null, catalog);
        }
    }

    /// The stored procedures.
    public ProcedureCatalog procedures() {
        return procedures;
    }

    /// What statements have cost in this process.
    public StatementStatistics statistics() {
        return statistics;
    }

    /// What the open sessions do.
    public Collection<SessionActivity> activities() {
        return sessions.stream().map(SqlSession::activity).toList();
    }

    /// The jars of stored procedures.
    public JarStore jars() {
        return jars;
    }

    /// Ends it; sessions must not be in use any more.
    @Override
    public void close() {
        try {
            sequences.close();
        } finally {
            if (ownsEngine) {
                engine.close();
            }
        }
    }

    void sessionClosed(SqlSession session) {
        sessions.remove(session);
    }

    /// Where clocks and pauses of all sessions come from.
    Host host() {
        return host;
    }

    /// The values of sequences.
    SequenceValues sequences() {
        return sequences;
    }

    StatementCompiler compiler() {
        return compiler;
    }

    /// A seed for the random numbers of a session.
    long nextSeed() {
        return instant().toEpochMilli() * 1_000_000 + opened.incrementAndGet();
    }

    Instant instant() {
        return host.instant();
    }

    /// Waits until no other session of this process changes the schema.
    ///
    /// @param waitMillis how long
    /// @param whileWaiting called repeatedly; what it throws ends the wait
    /// @throws SqlException 55P03 if that takes longer
    void lockSchema(long waitMillis, Runnable whileWaiting) {
        long deadline = host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
        while (!schemaLock.tryAcquire()) {
            if (host.nanoTime() - deadline >= 0) {
                throw new SqlException(
                                SqlState.LOCK_NOT_AVAILABLE,
                                "the schema is being changed by another session")
                        .withHint("End that session's transaction, or raise lock_timeout.");
            }
            whileWaiting.run();
        }
    }

    void unlockSchema() {
        schemaLock.release();
    }

    /// Runs DDL, as soon as no transaction runs, and no other session changes the schema.
    ///
    /// @param waitMillis how long to wait for them
    /// @param whileWaiting as of [#lockSchema]
    /// @throws org.namdb.compute.schema.SchemaBusyException if they take longer
    void changeSchema(long waitMillis, Runnable whileWaiting, Runnable definition) {
        lockSchema(waitMillis, whileWaiting);
        try {
            engine.changeSchema(
                    Duration.ofMillis(waitMillis),
                    () -> {
                        definition.run();
                        return true;
                    });
        } finally {
            unlockSchema();
        }
    }
}
