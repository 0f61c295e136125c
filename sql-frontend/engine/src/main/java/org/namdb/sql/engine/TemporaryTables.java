package org.namdb.sql.engine;

import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.sql.engine.catalog.SqlCatalog;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.catalog.TemporaryNames;
import org.namdb.sql.engine.catalog.TemporarySchema;
import org.namdb.sql.engine.procedure.ProcedureCatalog;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.language.error.SqlException;

/// The temporary tables of a session: a schema of its own, and what stands on it. Other sessions
/// have neither its names nor its plans. Until it makes its first temporary table, the session
/// shares the database's.
final class TemporaryTables {
    private final SqlDatabase database;
    private @Nullable Opened opened;

    /// The temporary relations that there were before DDL that has not ended; null if none runs.
    private @Nullable Set<String> before;

    /// The names of relations that DDL may have made, which has not ended.
    private final Set<String> unsettled = new HashSet<>();

    private record Opened(
            TemporarySchema schema,
            SqlCatalog catalog,
            ProcedureCatalog procedures,
            StatementCompiler compiler) {}

    TemporaryTables(SqlDatabase database) {
        this.database = database;
    }

    /// The session makes a temporary table. A compute server that has joined again has another
    /// number, and no tables of the former one: others may drop those at any time.
    void open() {
        Opened last = opened;
        if (last != null && isCurrent(last)) {
            return;
        }
        NamDb engine = database.engine();
        TemporarySchema schema =
                new TemporarySchema(
                        TemporaryNames.newSchema(engine.process(), engine.uniqueNumber()),
                        last == null ? Set.of() : last.schema.made());
        SqlCatalog catalog = database.catalog().withTemporary(schema);
        ProcedureCatalog procedures =
                database.procedures()
                        .of(catalog, routine -> RunningProcedure.body(routine, catalog));
        database.temporarySchemas().opened(schema.name());
        if (last != null) {
            database.temporarySchemas().ended(last.schema.name());
        }
        opened =
                new Opened(
                        schema,
                        catalog,
                        procedures,
                        new StatementCompiler(catalog, procedures, database.jars()));
    }

    private boolean isCurrent(Opened current) {
        return TemporaryNames.processOf(current.schema.name())
                .equals(Integer.toString(database.engine().process()));
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

    /// DDL of the session begins, at once or in a block.
    void changes() {
        unsettled.clear();
        before = opened == null ? Set.of() : relations(opened.catalog);
    }

    /// DDL of the session that has not ended may make a temporary relation.
    ///
    /// @param name without its schema
    void makes(String name) {
        unsettled.add(name);
    }

    /// The same for all temporary relations of a catalog.
    void makes(SqlCatalog changed) {
        unsettled.addAll(relations(changed));
    }

    private static Set<String> relations(SqlCatalog catalog) {
        Set<String> names = new HashSet<>(catalog.temporarySequences());
        for (SqlTable table : catalog.temporaryTables()) {
            names.add(table.name());
            names.add(table.primaryKeyName());
            table.indexes().forEach(index -> names.add(index.name()));
        }
        return names.stream().map(TemporaryNames::bare).collect(Collectors.toSet());
    }

    /// DDL of the session has ended, whether or not it is known how. Remembers which temporary
    /// relations it has: a name that means one of them must not mean a permanent one when others
    /// have dropped it.
    void settle() {
        Opened current = opened;
        if (current != null) {
            Set<String> made = new HashSet<>(current.schema.made());
            try {
                SortedMap<String, Sequence> _ = current.catalog.sequences(); // fails if fenced
                Set<String> found = relations(current.catalog);
                if (before != null && isCurrent(current)) { // no other session has dropped any
                    made.removeAll(before);
                    unsettled.clear();
                    unsettled.addAll(found);
                }
            } catch (RuntimeException e) {
                // It may have been declared dead: nothing is forgotten.
            }
            made.addAll(unsettled);
            current.schema.setMade(made);
        }
        rolledBack();
    }

    /// DDL of the session was rolled back.
    void rolledBack() {
        unsettled.clear();
        before = null;
    }

    /// Plans a statement in which names mean permanent relations, whatever the session has made.
    ///
    /// @param names which, without their schema
    /// @param planner does not keep the plan
    CompiledStatement plan(Predicate<String> names, Supplier<CompiledStatement> planner) {
        Opened current = opened;
        if (current == null) {
            return planner.get();
        }
        current.schema.hide(names);
        try {
            return planner.get();
        } finally {
            current.schema.hide(_ -> false);
        }
    }

    /// The session has no temporary tables any more, and no name means one of them.
    void forget() {
        Opened ended = opened;
        if (ended != null) {
            opened = null;
            database.temporarySchemas().ended(ended.schema.name());
        }
    }

    /// The error as the session's client reads it: without the schema's name.
    SqlException shown(SqlException error) {
        return opened == null ? error : error.without(opened.schema.name() + ".");
    }

    String shown(String text) {
        return opened == null ? text : text.replace(opened.schema.name() + ".", "");
    }

    /// The session has ended: drops its tables.
    void close() {
        boolean hasTables = opened != null;
        forget();
        if (hasTables) {
            database.temporarySchemas().dropLeft();
        } else {
            database.temporarySchemas().retry();
        }
    }
}
