package org.namdb.sql.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.catalog.SequenceTable;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.ast.DdlStatement.AlterTable;
import org.namdb.sql.language.ast.DdlStatement.CreateTable;
import org.namdb.sql.language.ast.DdlStatement.OnCommit;
import org.namdb.sql.language.error.SqlException;

/// The temporary tables of a session: a schema of its own, and what stands on it. Other sessions
/// have neither its names nor its plans. Until it makes its first temporary table, the session
/// shares the database's.
final class TemporaryTables {
    /// How long the end of a session has other transactions wait, at most. What it can't drop
    /// then is left to the next one.
    private static final Duration DROP_WAIT = Duration.ofMillis(200);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /// The schemas of the open sessions, by what they are sessions of.
    private static final Map<NamDb, Set<String>> LIVE =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final SqlDatabase database;
    private final Map<String, OnCommit> onCommit = new LinkedHashMap<>();
    private @Nullable Opened opened;

    private record Opened(
            String schema,
            SqlCatalog catalog,
            ProcedureCatalog procedures,
            StatementCompiler compiler) {}

    TemporaryTables(SqlDatabase database) {
        this.database = database;
    }

    /// The session makes a temporary table.
    void open() {
        if (opened != null) {
            return;
        }
        NamDb engine = database.engine();
        String schema = TemporaryNames.newSchema(engine.process(), engine.uniqueNumber());
        SqlCatalog catalog = database.catalog().withTemporary(schema);
        ProcedureCatalog procedures =
                database.procedures()
                        .of(catalog, routine -> RunningProcedure.body(routine, catalog));
        live(engine).add(schema);
        opened =
                new Opened(
                        schema,
                        catalog,
                        procedures,
                        new StatementCompiler(catalog, procedures, database.jars()));
    }

    private static Set<String> live(NamDb engine) {
        return LIVE.computeIfAbsent(engine, _ -> ConcurrentHashMap.newKeySet());
    }

    /// The schema; null if the session has made no temporary table.
    @Nullable String schema() {
        return opened == null ? null : opened.schema;
    }

    SqlCatalog catalog() {
        return opened == null ? database.catalog() : opened.catalog;
    }

    ProcedureCatalog procedures() {
        return opened == null ? database.procedures() : opened.procedures;
    }

    StatementCompiler compiler() {
        return opened == null ? database.compiler() : opened.compiler;
    }

    /// The session's tables.
    List<SqlTable> tables(SqlCatalog current) {
        return opened == null
                ? List.of()
                : current.tables().stream()
                        .filter(table -> TemporaryNames.isTemporary(table.name()))
                        .toList();
    }

    /// A table was made.
    void created(CreateTable create) {
        OnCommit action = create.temporary();
        if (action != null) {
            onCommit.put(create.table().text(), action);
        }
    }

    /// A table was altered.
    void altered(AlterTable alter) {
        OnCommit action = onCommit.get(alter.table().text());
        for (AlterTable.Change change : alter.changes()) {
            if (action != null && change instanceof AlterTable.RenameTable rename) {
                onCommit.put(rename.newName().text(), action);
            }
        }
    }

    /// What a commit does with tables, by their names, and perhaps by those of dropped ones.
    Map<String, OnCommit> onCommit() {
        return onCommit;
    }

    /// The error as the session's client reads it: without the schema's name.
    SqlException shown(SqlException error) {
        return opened == null ? error : error.without(opened.schema + ".");
    }

    String shown(String text) {
        return opened == null ? text : text.replace(opened.schema + ".", "");
    }

    /// The session has ended: drops its tables.
    void close() {
        Opened ended = opened;
        if (ended != null) {
            live(database.engine()).remove(ended.schema);
            dropLeft(database);
        }
    }

    /// Drops what sessions have left that have ended, or whose process has; nothing if other
    /// transactions run too long, or the database can't be reached.
    static void dropLeft(SqlDatabase database) {
        NamDb engine = database.engine();
        Predicate<String> isLeft =
                schema -> {
                    int process = TemporaryNames.processOf(schema);
                    return !live(engine).contains(schema)
                            && (process == engine.process() || !engine.isAttached(process));
                };
        try {
            if (tables(engine, isLeft).isEmpty()) {
                return;
            }
            database.changeSchema(
                    DROP_WAIT.toMillis(),
                    () -> engine.options().host().sleep(PAUSE_NANOS),
                    () -> drop(database, isLeft));
        } catch (RuntimeException e) { // whatever it is, a later call tries again
            engine.options()
                    .host()
                    .logger(TemporaryTables.class)
                    .debug("temporary tables of ended sessions are dropped later", e);
        }
    }

    private static List<String> tables(NamDb engine, Predicate<String> isLeft) {
        return engine.tableNames().stream()
                .filter(name -> {
                    String schema = TemporaryNames.schemaOf(name);
                    return schema != null && isLeft.test(schema);
                })
                .toList();
    }

    private static void drop(SqlDatabase database, Predicate<String> isLeft) {
        NamDb engine = database.engine();
        SortedMap<String, Sequence> all = database.catalog().sequences();
        SortedMap<String, Sequence> kept = new TreeMap<>(all);
        kept.keySet()
                .removeIf(name -> {
                    String schema = TemporaryNames.schemaOf(name);
                    return schema != null && isLeft.test(schema);
                });
        for (String table : tables(engine, isLeft)) {
            engine.dropTable(table);
            database.catalog().statistics().dropped(table);
        }
        if (kept.size() < all.size()) {
            SequenceTable.store(engine, kept);
            all.forEach((name, sequence) -> {
                if (!kept.containsKey(name)) {
                    database.sequences().drop(sequence);
                }
            });
        }
    }
}
